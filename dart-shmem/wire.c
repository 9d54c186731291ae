/* See wire.h. One lock for all: calls are short, and the agent is the only other thread of most programs. */
#include "wire.h"

#include <stdlib.h>

#include "model/lost.h"

#define PACKETS_MOST 256 /* handled by one call */

dart__net_comm_t *dart__wire_open(const dart__link_config_t *config)
{
  dart__net_comm_t *c  = calloc(1, sizeof *c + (size_t)config->npeers * sizeof *c->peer);
  uint64_t          me = (uint64_t)config->me;

  if (c == NULL)
    return NULL;
  c->link       = (dart__link_t){ .config = *config, .random = config->model.seed * 4096 + me };
  c->link.inbox = dart__link_inbox(&c->link, config->me);
  TAILQ_INIT(&c->link.held);
  pthread_mutex_init(&c->lock, NULL);
  for (int channel = 0; channel < DART__CHANNELS; channel++) {
    TAILQ_INIT(&c->posted[channel]);
    TAILQ_INIT(&c->arrived[channel]);
  }
  return c;
}

/* The program may leave messages behind that it has not received. */
void dart__wire_close(dart__net_comm_t *comm)
{
  dart__envelopes_t *left = &comm->link.held;
  dart__envelope_t  *e;
  dart__peer_t      *peer;

  LIST_FOREACH (peer, &comm->used, next)
    dart__requests_drop(comm, peer); /* what was cancelled, and never answered */
  for (int channel = 0; channel < DART__CHANNELS; channel++)
    TAILQ_CONCAT(left, &comm->arrived[channel], next);
  while ((e = TAILQ_FIRST(left)) != NULL) {
    TAILQ_REMOVE(left, e, next);
    free(e);
  }
  pthread_mutex_destroy(&comm->lock);
  free(comm);
}

/* ---- progress ----------------------------------------------------------------------------------- */

/* Whether a packet of a peer that is lost is about a request of either side, which has ended. */
static bool is_void(const dart__net_comm_t *c, const dart__packet_t *packet)
{
  return __builtin_expect(c->peer[packet->peer].is_lost, 0) && packet->kind >= DART__PACKET_DATA &&
         packet->kind <= DART__PACKET_ACK;
}

/* The count comes before the request is complete for all to see. */
static void handle_packet(dart__net_comm_t *c, dart__envelope_t *e)
{
  const dart__packet_t *packet = &e->packet;

  if (packet->kind < DART__PACKET_ACK)
    dart__traffic_add(c->link.config.traffic, DART__TRAFFIC_TAKEN, 1);
  if (!is_void(c, packet))
    switch (packet->kind) {
    case DART__PACKET_MESSAGE:
    case DART__PACKET_OFFER: dart__mail_take(c, e); return;
    case DART__PACKET_FETCH: dart__mail_fetch(c, packet); break;
    case DART__PACKET_PUT:
    case DART__PACKET_GET: dart__move_serve(c, packet); break;
    default: dart__move_finish(c, packet);
    }
  free(e);
}

/* Handle what has come, and send what waits, as far as there is room. */
static void handle_packets(dart__net_comm_t *c)
{
  dart__envelope_t *e;
  dart__peer_t     *peer;
  int               n = 0;

  if (__builtin_expect(dart__survives(), 0))
    dart__requests_drop_lost(c);
  for (; n < PACKETS_MOST && (e = dart__link_next(&c->link)) != NULL; n++)
    handle_packet(c, e);
  if (c->nwaiting > 0)
    LIST_FOREACH (peer, &c->used, next)
      dart__requests_pump(c, peer);
  if (n > 0)
    dart__wait_tell(c->link.config.wait->pace);
}

/* ---- calls that make progress ------------------------------------------------------------------- */

bool dart__net_probe(dart__net_comm_t *comm, int32_t peer, dart__channel_t channel, int tag,
                     bool claims, dart__net_message_t *found_out)
{
  dart__envelope_t *e;

  pthread_mutex_lock(&comm->lock);
  handle_packets(comm);
  e = dart__mail_find(comm, channel, peer, tag, claims);
  if (e != NULL)
    *found_out =
        (dart__net_message_t){ e->packet.peer, e->packet.tag, e->packet.total, dart__id_of(e) };
  pthread_mutex_unlock(&comm->lock);
  return e != NULL;
}

/* The index of a request that is done; -1: none is. With jitter the first to be tested is drawn. */
static int find_done(dart__net_comm_t *c, dart__net_request_t *const requests[], int count)
{
  int i = 0;

  if (c->link.config.model.jitter_ns > 0)
    i = (int)(dart__random_next(&c->link.random) % (uint64_t)count);
  for (int n = 0; n < count; n++, i = i + 1 < count ? i + 1 : 0)
    if (dart__request_of(requests[i]->id)->is_done)
      return i;
  return -1;
}

int dart__net_test(dart__net_comm_t *comm, dart__net_request_t *const requests[], int count,
                   dart__net_message_t *message_out)
{
  int index;

  pthread_mutex_lock(&comm->lock);
  index = find_done(comm, requests, count);
  if (index < 0) {
    handle_packets(comm);
    index = find_done(comm, requests, count);
  }
  if (index >= 0) {
    dart__request_t *r = dart__request_of(requests[index]->id);

    if (message_out != NULL)
      *message_out = (dart__net_message_t){ .peer = r->peer, .tag = r->tag, .nbytes = r->nbytes };
    dart__request_return(comm, r, requests[index]);
  }
  pthread_mutex_unlock(&comm->lock);
  return index;
}

static bool has_passed(const dart__requests_t *ops, uint64_t last)
{
  return TAILQ_EMPTY(ops) || TAILQ_FIRST(ops)->number > last;
}

/* Complete puts and gets to a peer up to number `last`, at the peer or locally. The lock is held, but while it waits. */
static void complete(dart__net_comm_t *comm, dart__peer_t *peer, uint64_t last, bool at_target)
{
  dart__turns_t turns = { 0 };

  while (handle_packets(comm),
         !has_passed(&peer->ops, last) || (at_target && !has_passed(&peer->done, last))) {
    pthread_mutex_unlock(&comm->lock);
    dart__wait_pause(&turns, comm->link.config.wait);
    pthread_mutex_lock(&comm->lock);
  }
}

void dart__wire_move(dart__net_comm_t *comm, const dart__request_t *model,
                     dart__net_request_t *request_out)
{
  dart__peer_t *peer = &comm->peer[model->peer];

  pthread_mutex_lock(&comm->lock);
  /* relaxed: it is raised with the lock */
  while (atomic_load_explicit(&peer->nlisted, memory_order_relaxed) >= DART__OPS_MOST)
    complete(comm, peer, peer->nops - DART__OPS_MOST / 2, true);
  dart__move_start(comm, model, request_out);
  pthread_mutex_unlock(&comm->lock);
}

bool dart__wire_flush(dart__net_comm_t *comm, int32_t peer, bool at_target)
{
  dart__peer_t *p = &comm->peer[peer];
  /* acquire: pairs with the release in dart__request_land, perhaps of another thread */
  bool any = atomic_load_explicit(&p->nlisted, memory_order_acquire) > 0;

  if (any) {
    pthread_mutex_lock(&comm->lock);
    complete(comm, p, p->nops, at_target);
    pthread_mutex_unlock(&comm->lock);
  }
  /* it learns of the answers to what is complete */
  dart__traffic_hear(comm->link.config.traffic,
                     atomic_load_explicit(&p->clock, memory_order_relaxed));
  return any;
}
