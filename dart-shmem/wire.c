/* See wire.h. One lock for all: calls are short, and the agent is the only other thread of most programs. */
#include "wire.h"

#include <stdlib.h>

#include "mail.h"
#include "requests.h"

static bool handle_packet(dart__net_comm_t *c, const dart__packet_t *packet)
{
  if (packet->kind == DART__PACKET_MESSAGE || packet->kind == DART__PACKET_OFFER)
    return dart__mail_take(c, packet);
  dart__move_take(c, packet);
  return true;
}

dart__net_comm_t *dart__wire_open(const dart__link_config_t *config)
{
  dart__net_comm_t *c = calloc(1, sizeof *c + (size_t)config->npeers * sizeof *c->peer);

  if (c == NULL || !dart__link_open(&c->link, config, handle_packet, c)) {
    free(c);
    return NULL;
  }
  pthread_mutex_init(&c->lock, NULL);
  for (int32_t peer = 0; peer < config->npeers; peer++) {
    TAILQ_INIT(&c->peer[peer].out[0]);
    TAILQ_INIT(&c->peer[peer].out[1]);
    TAILQ_INIT(&c->peer[peer].ops);
  }
  for (int channel = 0; channel < DART__LINK_CHANNELS; channel++) {
    TAILQ_INIT(&c->posted[channel]);
    TAILQ_INIT(&c->arrived[channel]);
  }
  return c;
}

/* The program may leave messages behind that it has not received. */
void dart__wire_close(dart__net_comm_t *comm)
{
  for (int channel = 0; channel < DART__LINK_CHANNELS; channel++)
    dart__envelopes_free(&comm->arrived[channel]);
  dart__link_close(&comm->link);
  pthread_mutex_destroy(&comm->lock);
  free(comm);
}

dart__event_t *dart__wire_arrivals(dart__net_comm_t *comm)
{
  return &comm->link.inbox->arrivals;
}
