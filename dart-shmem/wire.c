/* See wire.h. One lock for all: calls are short, and the agent is the only other thread of most programs. */
#include "wire.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "mail.h"
#include "requests.h"
#include "wire_comm.h"

/* False: there is no memory; the packet has to wait. */
static bool handle_packet(dart__net_comm_t *c, const dart__packet_t *packet)
{
  dart__traffic_take(c->config.traffic, 0,
                     packet->clock); /* what is sent from here on comes after */
  switch (packet->kind) {
  case DART__PACKET_MESSAGE:
  case DART__PACKET_OFFER:
    if (!dart__mail_take(c, packet))
      return false;
    break;
  case DART__PACKET_WANT: dart__mail_take_want(c, packet); break;
  case DART__PACKET_DATA: dart__mail_take_data(c, packet); break;
  case DART__PACKET_LATER: dart__move_take_later(c, packet); break;
  default: dart__move_serve(c, packet); break;
  }
  dart__traffic_take(c->config.traffic, 1, packet->clock);
  return true;
}

/* ---- sleeping ----------------------------------------------------------------------------------- */

dart__event_t *dart__wire_arrivals(dart__net_comm_t *comm)
{
  return &comm->inbox->arrivals;
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

/* ---- life --------------------------------------------------------------------------------------- */

dart__net_comm_t *dart__wire_open(const dart__link_config_t *config)
{
  dart__net_comm_t *c = calloc(1, sizeof *c);

  if (c == NULL || (c->peer = calloc((size_t)config->npeers, sizeof *c->peer)) == NULL) {
    free(c);
    return NULL;
  }
  c->config      = *config;
  c->handle      = handle_packet;
  c->nslots      = dart__inbox_nslots(config->npeers);
  c->most_pieces = c->nslots / 4;
  c->inbox  = (void *)(config->inboxes + (size_t)config->me * dart__inbox_bytes(config->npeers));
  c->random = config->model.seed * 4096 + (uint64_t)config->me;
  pthread_mutex_init(&c->lock, NULL);
  for (int32_t peer = 0; peer < config->npeers; peer++) {
    TAILQ_INIT(&c->peer[peer].out);
    TAILQ_INIT(&c->peer[peer].ops);
  }
  for (int channel = 0; channel < DART__WIRE_CHANNELS; channel++) {
    TAILQ_INIT(&c->posted[channel]);
    TAILQ_INIT(&c->arrived[channel]);
  }
  TAILQ_INIT(&c->held);
  return c;
}

static void free_all(dart__envelopes_t *list)
{
  dart__envelope_t *e;

  while ((e = TAILQ_FIRST(list)) != NULL) {
    TAILQ_REMOVE(list, e, next);
    free(e->kept);
    free(e);
  }
}

/* The program may leave messages behind that it has not received. */
void dart__wire_close(dart__net_comm_t *comm)
{
  for (int channel = 0; channel < DART__WIRE_CHANNELS; channel++)
    free_all(&comm->arrived[channel]);
  free_all(&comm->held);
  pthread_mutex_destroy(&comm->lock);
  free(comm->peer);
  free(comm);
}
