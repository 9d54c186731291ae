/* See moves.h. A put or get waits while OPS_MOST others to its peer are not complete. */
#include "moves.h"

#include "base/log.h"

#define OPS_MOST 4096

/* ---- at the target ------------------------------------------------------------------------------ */

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
    if (region->id == packet->to)
      break;
  if (region != NULL && packet->offset + packet->nbytes <= region->nbytes) {
    LIST_REMOVE(region, next);
    LIST_INSERT_HEAD(&c->regions, region, next);
    return region->base + packet->offset;
  }
  dart__error("unit %d accesses memory that this unit does not share any more", packet->peer);
  return NULL;
}

static void serve(dart__net_comm_t *c, const dart__packet_t *packet)
{
  dart__slot_t    *slot    = dart__link_slot(&c->link, packet);
  bool             is_put  = packet->kind == DART__PACKET_PUT;
  dart__request_t *message = NULL;
  char            *memory;

  dart__traffic_hear(c->link.config.traffic, packet->clock);
  if (packet->kind == DART__PACKET_FETCH) {
    message = dart__request_of(packet->to);
    memory  = message->data + packet->offset;
  } else {
    memory = find_memory(c, packet);
  }
  if (memory != NULL)
    dart__move_copy(is_put, memory, slot->bytes, packet->nbytes);
  dart__link_answer(&c->link, packet);
  if (message != NULL)
    dart__request_land(c, message, packet->nbytes);
}

static void take_later(dart__net_comm_t *c, dart__request_t *r, uint64_t clock)
{
  bool is_put = r->kind == DART__PACKET_PUT;

  dart__move_copy(is_put, r->mapped, r->data, r->nbytes);
  dart__traffic_add(&c->link.config.traffic->taken, is_put ? 0 : 1);
  r->clock = clock;
  dart__request_land(c, r, r->nbytes);
}

void dart__move_take(dart__net_comm_t *c, const dart__packet_t *packet)
{
  if (packet->kind == DART__PACKET_LATER)
    take_later(c, dart__request_of(packet->from), packet->clock);
  else
    serve(c, packet);
}

/* ---- at the origin ------------------------------------------------------------------------------ */

/* Hold a put or get that this unit copies itself: a put for one latency, a get for two. */
static void start_later(dart__net_comm_t *c, dart__request_t *r)
{
  bool             is_put  = r->kind == DART__PACKET_PUT;
  dart__traffic_t *traffic = c->link.config.traffic;
  dart__packet_t   packet  = {
       .kind = r->kind, .nbytes = (uint32_t)r->nbytes, .offset = r->offset, .from = dart__id_of(r)
  };

  packet.due = dart__link_due(&c->link, r->peer, &packet, r->nbytes) +
               (is_put ? 0 : c->link.config.model.latency_ns);
  packet.kind = DART__PACKET_LATER;
  dart__traffic_send(traffic, is_put ? 1 : 2, r->nbytes);
  packet.clock = dart__traffic_clock(traffic) + 2;
  if (!dart__link_hold(&c->link, &packet)) /* no memory: it arrives early */
    take_later(c, r, packet.clock);
}

void dart__move_start(dart__net_comm_t *comm, const dart__request_t *model,
                      dart__net_request_t *request_out)
{
  dart__peer_t    *peer = &comm->peer[model->peer];
  dart__request_t *r;

  if (atomic_load_explicit(&peer->nlisted, memory_order_relaxed) >= OPS_MOST)
    dart__move_flush(comm, model->peer, true);
  pthread_mutex_lock(&comm->lock);
  r         = dart__request_new(comm);
  *r        = *model;
  r->uses   = request_out != NULL ? 2 : 1;
  r->number = ++peer->nops;
  TAILQ_INSERT_TAIL(&peer->ops, r, op);
  /* relaxed: a thread sees what it has started itself */
  atomic_fetch_add_explicit(&peer->nlisted, 1, memory_order_relaxed);
  if (r->mapped != NULL)
    start_later(comm, r);
  else
    dart__request_send(comm, r);
  dart__request_return(comm, r, request_out);
  pthread_mutex_unlock(&comm->lock);
}

/* Few puts are locally complete, and not at the target: those in slots. */
static bool is_flushed(const dart__peer_t *peer, uint64_t last, bool at_target)
{
  const dart__request_t *r = TAILQ_FIRST(&peer->ops);

  while (r != NULL && !at_target && r->is_done)
    r = TAILQ_NEXT(r, op);
  return r == NULL || r->number > last;
}

/* A flush learns of the answers to what is complete. */
static void hear_complete(dart__net_comm_t *comm, const dart__peer_t *peer)
{
  dart__traffic_hear(comm->link.config.traffic,
                     atomic_load_explicit(&peer->clock, memory_order_relaxed));
}

bool dart__move_flush(dart__net_comm_t *comm, int32_t peer, bool at_target)
{
  dart__peer_t *p     = &comm->peer[peer];
  dart__turns_t turns = { 0 };
  uint64_t      last;

  /* acquire: pairs with the release in dart__request_land, perhaps of another thread */
  if (atomic_load_explicit(&p->nlisted, memory_order_acquire) == 0) {
    hear_complete(comm, p);
    return false;
  }
  pthread_mutex_lock(&comm->lock);
  for (last = p->nops; dart__requests_progress(comm), !is_flushed(p, last, at_target);) {
    pthread_mutex_unlock(&comm->lock);
    dart__wait_pause(&turns, comm->link.config.wait);
    pthread_mutex_lock(&comm->lock);
  }
  hear_complete(comm, p);
  pthread_mutex_unlock(&comm->lock);
  return true;
}
