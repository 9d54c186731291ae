/* See test_peers.h. */
#include "test_peers.h"

#include <stdlib.h>
#include <string.h>

void dart__net_abort(int code, bool is_asked)
{
  (void)code, (void)is_asked;
  abort();
}

static const dart__wait_policy_t wait_policy = { .pace = &(const dart__wait_pace_t){
                                                     .spins = 64, .nap_us = 1 } };

static void open_by(const dart__link_config_t *mortality, peers_t *peers, int32_t count,
                    const char *model)
{
  dart__link_config_t config = *mortality;
  size_t              nbytes = (size_t)count * dart__inbox_bytes(count);
  const char         *wrong;

  config.npeers = count;
  config.wait   = &wait_policy;
  if (!dart__net_model_read(model, &config.model, &wrong))
    abort();
  peers->count   = count;
  peers->inboxes = config.inboxes = aligned_alloc(4096, nbytes);
  memset(peers->inboxes, 0, nbytes);
  for (config.me = 0; config.me < count; config.me++) {
    config.traffic         = &peers->traffic[config.me];
    peers->comm[config.me] = dart__wire_open(&config);
  }
}

static uint32_t lost; /* peers, a bit each */

static bool is_lost(int32_t peer)
{
  return (lost >> peer & 1) != 0;
}

static uint32_t nlost(void)
{
  return (uint32_t)__builtin_popcount(lost);
}

void peers_lose(int32_t peer)
{
  lost |= UINT32_C(1) << peer;
}

void peers_open_mortal(peers_t *peers, int32_t count, const char *model)
{
  lost = 0;
  open_by(&(dart__link_config_t){ .is_lost = is_lost, .nlost = nlost }, peers, count, model);
}

void peers_open(peers_t *peers, int32_t count, const char *model)
{
  open_by(&(dart__link_config_t){ .is_lost = NULL }, peers, count, model);
}
void peers_close(peers_t *peers)
{
  for (int32_t peer = 0; peer < peers->count; peer++)
    dart__wire_close(peers->comm[peer]);
  free(peers->inboxes);
}

void peers_progress(dart__net_comm_t *comm)
{
  dart__net_message_t found;

  dart__net_probe(comm, 0, DART__CHANNEL_TEAMS, -2, false, &found);
}
