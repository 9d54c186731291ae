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
  dart__net_comm_t *c = calloc(1, sizeof *c);

  if (c == NULL)
    return NULL;
  pthread_mutex_init(&c->lock, NULL);
  c->peer = calloc((size_t)config->npeers, sizeof *c->peer);
  if (!dart__link_open(&c->link, config, handle_packet, c) || c->peer == NULL) {
    dart__wire_close(c);
    return NULL;
  }
  for (int32_t peer = 0; peer < config->npeers; peer++) {
    TAILQ_INIT(&c->peer[peer].out);
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
  free(comm->peer);
  free(comm);
}

dart__event_t *dart__wire_arrivals(dart__net_comm_t *comm)
{
  return &comm->link.inbox->arrivals;
}

/* While another thread has the lock there is something to do. */
uint32_t dart__wire_idle_us(dart__net_comm_t *comm, uint32_t most_us)
{
  int64_t ns;

  if (pthread_mutex_trylock(&comm->lock) != 0)
    return 0;
  ns = dart__requests_idle_ns(comm, most_us * INT64_C(1000));
  pthread_mutex_unlock(&comm->lock);
  return ns <= 0 ? 0 : (uint32_t)((ns + 999) / 1000);
}
