/* See wire.h. One lock for all: calls are short, and the agent is the only other thread of most programs. */
#include "wire.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "model/lost.h"

#define PACKETS_MOST 256 /* handled by one call */

dart__net_comm_t *dart__wire_open(const dart__link_config_t *config)
{
  dart__net_comm_t *c = calloc(1, sizeof *c + (size_t)config->npeers * sizeof *c->peer);

  if (c == NULL)
    return NULL;
  c->link        = (dart__link_t){ .config = *config };
  c->link.random = config->model.seed * 4096 + (uint64_t)config->me;
  c->link.inbox  = dart__link_inbox(&c->link, config->me);
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

/* ---- puts and gets, at their target -------------------------------------------------------------- */

void dart__region_enter(dart__net_comm_t *comm, dart__region_t *region)
{
  pthread_mutex_lock(&comm->lock);
  LIST_INSERT_HEAD(&comm->regions, region, next);
  pthread_mutex_unlock(&comm->lock);
}

void dart__region_leave(dart__net_comm_t *comm, dart__region_t *region)
{
  pthread_mutex_lock(&comm->lock);
  LIST_REMOVE(region, next);
  pthread_mutex_unlock(&comm->lock);
}

/* The memory that a put or get of a peer accesses. NULL: the program has deregistered it too early. A region that is
 * found moves to the front, for the next put or get is likely to access it, too. */
static char *find_memory(dart__net_comm_t *c, const dart__packet_t *packet)
{
  dart__region_t *region;

  LIST_FOREACH (region, &c->regions, next)
    if (region->id == packet->to && packet->offset + packet->nbytes <= region->nbytes) {
      LIST_REMOVE(region, next);
      LIST_INSERT_HEAD(&c->regions, region, next);
      return region->base + packet->offset;
    }
  if (packet->to != c->refused) /* a line for all packets of an operation */
    dart__error("unit %d accesses memory that this unit does not share any more", packet->peer);
  c->refused = packet->to;
  return NULL;
}

/* A peer puts or gets. */
static void serve_move(dart__net_comm_t *c, const dart__packet_t *packet)
{
  char           *memory = find_memory(c, packet);
  bool            is_put = packet->kind == DART__PACKET_PUT, is_get = !is_put && memory != NULL;
  dart__request_t answer = { .kind   = is_get ? DART__PACKET_DATA : DART__PACKET_ACK,
                             .peer   = packet->peer,
                             .data   = memory,
                             .nbytes = packet->nbytes,
                             .there  = packet->from };

  dart__traffic_hear(c->link.config.traffic, packet->clock);
  if (is_put && memory != NULL)
    dart__near_put_bytes(memory, dart__packet_bytes(packet), packet->nbytes);
  dart__request_send(c, dart__request_new(c, &answer, false));
}

/* ---- at their origin ----------------------------------------------------------------------------- */

/* A long copy between processes lets other threads go on; contracts order small ones only. */
static bool copy_now(dart__net_comm_t *c, dart__request_t *r)
{
  bool is_long = r->process > 0 && r->nbytes > sizeof(uint64_t), is_done;

  if (is_long)
    pthread_mutex_unlock(&c->lock);
  is_done = dart__move_here(r->mapped, r->process, r->data, r->nbytes, r->kind == DART__PACKET_PUT);
  if (is_long)
    pthread_mutex_lock(&c->lock);
  return is_done;
}

/* What a put, get or fetch of this unit has waited for has come: an answer, or the time to copy. */
static void finish_move(dart__net_comm_t *c, const dart__packet_t *packet)
{
  bool             is_here = packet->kind >= DART__PACKET_PUT_HERE;
  dart__request_t *r       = dart__request_of(is_here ? packet->from : packet->to);

  if (is_here && !copy_now(c, r)) {
    r->mapped = NULL;
    dart__request_send(c, r);
    return;
  }
  if (dart__packet_load(packet) > 0 && !r->is_abandoned) /* else there may be no buffer */
    memcpy(r->data + packet->offset, dart__packet_bytes(packet), packet->nbytes);
  if (packet->clock > r->clock)
    r->clock = packet->clock;
  dart__request_land(c, r, packet->nbytes);
}

/* A put or get that this unit copies itself: without delays at once, else a put after one latency, a get after two. */
static void start_here(dart__net_comm_t *c, dart__request_t *r)
{
  dart__traffic_t *traffic   = c->link.config.traffic;
  bool             is_put    = r->kind == DART__PACKET_PUT;
  uint64_t         nmessages = is_put ? 1 : 2;
  dart__packet_t   packet    = { .kind   = is_put ? DART__PACKET_PUT_HERE : DART__PACKET_GET_HERE,
                                 .peer   = r->peer,
                                 .nbytes = (uint32_t)r->nbytes,
                                 .from   = dart__id_of(r),
                                 .to     = r->there,
                                 .offset = r->offset,
                                 .due    = dart__link_due(&c->link, r->nbytes, (int)nmessages),
                                 .clock  = dart__traffic_clock(traffic) + 2 };

  dart__traffic_send(traffic, nmessages, r->nbytes);
  dart__traffic_add(traffic, DART__TRAFFIC_TAKEN, nmessages);
  if (packet.due == 0 || !dart__link_hold(&c->link, &packet)) /* no memory: it arrives early */
    finish_move(c, &packet);
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
    case DART__PACKET_GET: serve_move(c, packet); break;
    default: finish_move(c, packet);
    }
  free(e);
}

/* Handle what has come, and send what waits, as far as there is room. */
static void make_progress(dart__net_comm_t *c)
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

/* ---- tests and probes ---------------------------------------------------------------------------- */

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
    make_progress(comm);
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

bool dart__net_probe(dart__net_comm_t *comm, int32_t peer, dart__channel_t channel, int tag,
                     bool claims, dart__net_message_t *found_out)
{
  dart__envelope_t *e;

  pthread_mutex_lock(&comm->lock);
  make_progress(comm);
  e = dart__mail_find(comm, channel, peer, tag, claims);
  if (e != NULL)
    *found_out =
        (dart__net_message_t){ e->packet.peer, e->packet.tag, e->packet.total, dart__id_of(e) };
  pthread_mutex_unlock(&comm->lock);
  return e != NULL;
}

/* ---- start and completion of puts and gets ------------------------------------------------------- */

static bool has_passed(const dart__requests_t *ops, uint64_t last)
{
  return TAILQ_EMPTY(ops) || TAILQ_FIRST(ops)->number > last;
}

/* Complete puts and gets to a peer up to number `last`, at the peer or locally. The lock is held, but while it waits. */
static void complete(dart__net_comm_t *comm, dart__peer_t *peer, uint64_t last, bool at_target)
{
  dart__turns_t turns = { 0 };

  while (make_progress(comm),
         !has_passed(&peer->ops, last) || (at_target && !has_passed(&peer->done, last))) {
    pthread_mutex_unlock(&comm->lock);
    dart__wait_pause(&turns, comm->link.config.wait);
    pthread_mutex_lock(&comm->lock);
  }
}

void dart__wire_move(dart__net_comm_t *comm, const dart__request_t *model,
                     dart__net_request_t *request_out)
{
  dart__peer_t    *peer;
  dart__request_t *r;

  pthread_mutex_lock(&comm->lock);
  peer = dart__peer_use(comm, model->peer);
  /* relaxed: it is raised with the lock, and a thread sees what it has started itself */
  while (atomic_load_explicit(&peer->nlisted, memory_order_relaxed) >= DART__OPS_MOST)
    complete(comm, peer, peer->nops - DART__OPS_MOST / 2, true);
  r         = dart__request_new(comm, model, request_out != NULL);
  r->number = ++peer->nops;
  TAILQ_INSERT_TAIL(&peer->ops, r, op);
  atomic_fetch_add_explicit(&peer->nlisted, 1, memory_order_relaxed);
  if (r->mapped != NULL)
    start_here(comm, r);
  else
    dart__request_send(comm, r);
  dart__request_return(comm, r, request_out);
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
