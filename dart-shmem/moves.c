/* See moves.h. A put or get waits while OPS_MOST others to its peer are not complete. */
#include "moves.h"

#include "base/log.h"
#include "requests.h"
#include "wait/near.h"
#include "wire_comm.h"

#define OPS_MOST 4096 /* puts and gets to a peer that are not complete */

static dart__regions_t *regions_like(dart__net_comm_t *c, uint64_t id)
{
  return &c->regions[id * UINT64_C(0x9E3779B97F4A7C15) >> 58];
}

/* The memory that a put or get of a peer accesses. NULL: the program has deregistered it too early. */
static char *find_memory(dart__net_comm_t *c, const dart__packet_t *packet)
{
  dart__region_t *region;

  LIST_FOREACH (region, regions_like(c, packet->to), next)
    if (region->id == packet->to)
      break;
  if (region != NULL && packet->offset + packet->nbytes <= region->nbytes)
    return region->base + packet->offset;
  dart__error("unit %d accesses memory that this unit does not share any more", packet->peer);
  return NULL;
}

static void copy_near(bool is_put, char *memory, char *data, size_t nbytes)
{
  if (is_put)
    dart__near_put_bytes(memory, data, nbytes);
  else
    dart__near_get_bytes(data, memory, nbytes);
}

void dart__move_serve(dart__net_comm_t *c, const dart__packet_t *packet)
{
  bool           is_put = packet->kind == DART__PACKET_PUT;
  char          *memory = find_memory(c, packet);
  dart__slot_t  *slot   = dart__link_slot(c, packet->peer, packet->slot);
  dart__packet_t answer = { .kind = DART__PACKET_DATA, .nbytes = is_put ? 0 : packet->nbytes };

  if (memory != NULL)
    copy_near(is_put, memory, dart__link_slot_bytes(c, packet->peer, packet->slot), packet->nbytes);
  slot->due   = dart__link_due(c, packet->peer, &answer);
  slot->clock = is_put ? dart__traffic_clock(c->config.traffic) + 1
                       : dart__traffic_send(c->config.traffic, 1, packet->nbytes);
  dart__link_end_piece(c, packet);
}

/* Copy what this unit copies itself: the time has come. */
void dart__move_take_later(dart__net_comm_t *c, const dart__packet_t *packet)
{
  dart__request_t *r = dart__request_of(packet->from);

  copy_near(r->move.is_put, r->move.mapped, r->move.data, r->move.nbytes);
  dart__traffic_take(c->config.traffic, r->move.is_put ? 0 : 1, packet->clock);
  dart__request_landed(c, r, r->move.nbytes);
}

/* ---- puts, gets, flushes ------------------------------------------------------------------------ */

void dart__region_enter(dart__net_comm_t *comm, dart__region_t *region)
{
  pthread_mutex_lock(&comm->lock);
  LIST_INSERT_HEAD(regions_like(comm, region->id), region, next);
  pthread_mutex_unlock(&comm->lock);
}

void dart__region_leave(dart__net_comm_t *comm, dart__region_t *region)
{
  pthread_mutex_lock(&comm->lock);
  LIST_REMOVE(region, next);
  pthread_mutex_unlock(&comm->lock);
}

/* Hold a put or get that this unit copies itself: a put for one latency, a get for two. */
static void start_later(dart__net_comm_t *c, dart__request_t *r)
{
  const dart__move_t *move   = &r->move;
  dart__packet_t      packet = { .kind   = move->is_put ? DART__PACKET_PUT : DART__PACKET_DATA,
                                 .nbytes = (uint32_t)move->nbytes,
                                 .offset = move->offset,
                                 .from   = dart__id_of(r) };

  packet.due =
      dart__link_due(c, move->peer, &packet) + (move->is_put ? 0 : c->config.model.latency_ns);
  packet.kind = DART__PACKET_LATER;
  dart__traffic_send(c->config.traffic, move->is_put ? 1 : 2, move->nbytes);
  packet.clock = dart__traffic_clock(c->config.traffic) + 2;
  if (!dart__link_hold(c, &packet)) /* no memory: it arrives early */
    dart__move_take_later(c, &packet);
}

void dart__move_start(dart__net_comm_t *comm, const dart__move_t *move,
                      dart__net_request_t *request_out)
{
  dart__peer_t    *peer  = &comm->peer[move->peer];
  dart__stage_t    stage = move->mapped != NULL ? DART__STAGE_LATER
                           : move->is_put       ? DART__STAGE_PUT
                                                : DART__STAGE_GET;
  dart__request_t *r;

  if (atomic_load_explicit(&peer->nlisted, memory_order_relaxed) >= OPS_MOST)
    dart__move_flush(comm, move->peer, true);
  pthread_mutex_lock(&comm->lock);
  r         = dart__request_new(comm, stage, move, request_out != NULL);
  r->number = ++peer->nops;
  r->is_op  = true;
  TAILQ_INSERT_TAIL(&peer->ops, r, op);
  if (peer->first_not_local == NULL)
    peer->first_not_local = r;
  /* relaxed: a thread sees what it has started itself */
  atomic_fetch_add_explicit(&peer->nlisted, 1, memory_order_relaxed);
  if (stage == DART__STAGE_LATER)
    start_later(comm, r);
  else
    dart__request_send(comm, r);
  dart__request_return(comm, r, request_out);
  pthread_mutex_unlock(&comm->lock);
}

static bool is_flushed(const dart__peer_t *peer, uint64_t last, bool at_target)
{
  const dart__request_t *r = at_target ? TAILQ_FIRST(&peer->ops) : peer->first_not_local;

  return r == NULL || r->number > last;
}

bool dart__move_flush(dart__net_comm_t *comm, int32_t peer, bool at_target)
{
  dart__peer_t *p     = &comm->peer[peer];
  dart__turns_t turns = { 0 };
  uint64_t      last;

  /* acquire: pairs with the release in retire, perhaps of another thread */
  if (atomic_load_explicit(&p->nlisted, memory_order_acquire) == 0)
    return false;
  pthread_mutex_lock(&comm->lock);
  for (last = p->nops; !is_flushed(p, last, at_target);) {
    dart__requests_progress(comm);
    if (is_flushed(p, last, at_target))
      break;
    pthread_mutex_unlock(&comm->lock);
    dart__wait_pause(&turns, comm->config.wait);
    pthread_mutex_lock(&comm->lock);
  }
  pthread_mutex_unlock(&comm->lock);
  return true;
}
