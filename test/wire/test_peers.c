/* See test_peers.h. */
#include "test_peers.h"

#include <stdlib.h>
#include <string.h>

#include "model/lost.h"

void dart__net_abort(int code, bool is_asked)
{
  (void)code, (void)is_asked;
  abort();
}

static const dart__wait_policy_t wait_policy = { .pace = &(const dart__wait_pace_t){
                                                     .spins = 64, .nap_us = 1 } };

void peers_open(peers_t *peers, int32_t count, const char *model)
{
  dart__link_config_t config = { .npeers = count, .wait = &wait_policy };
  size_t              nbytes = (size_t)count * dart__inbox_bytes(count);

  if (dart__net_model_read(model, &config.model) != NULL)
    abort();
  peers->count   = count;
  peers->inboxes = config.inboxes = aligned_alloc(4096, nbytes);
  memset(peers->inboxes, 0, nbytes);
  for (config.me = 0; config.me < count; config.me++) {
    config.traffic         = &peers->traffic[config.me];
    peers->comm[config.me] = dart__wire_open(&config);
  }
}

static _Atomic uint32_t nlost, lost[PEERS_MOST]; /* what the launcher writes: see lost.h */

void peers_lose(int32_t peer)
{
  lost[peer] = ++nlost * 2;
}

void peers_open_mortal(peers_t *peers, int32_t count, const char *model)
{
  dart__lost = (dart__lost_t){ .count = &nlost, .word = lost };
  peers_open(peers, count, model);
}

void peers_close(peers_t *peers)
{
  for (int32_t peer = 0; peer < peers->count; peer++)
    dart__wire_close(peers->comm[peer]);
  free(peers->inboxes);
  memset(lost, 0, sizeof lost);
  nlost      = 0;
  dart__lost = (dart__lost_t){ .count = NULL };
}

void peers_progress(dart__net_comm_t *comm)
{
  dart__net_message_t found;

  dart__net_probe(comm, 0, DART__CHANNEL_OWN, -2, false, &found);
}
