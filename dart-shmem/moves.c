/* See wire.h. */
#include "wire.h"

#include <string.h>

#include "base/log.h"
#include "wait/foreign.h"
#include "wait/near.h"

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
  if (packet->to != c->refused) /* a line for all packets of an operation */
    dart__error("unit %d accesses memory that this unit does not share any more", packet->peer);
  c->refused = packet->to;
  return NULL;
}

void dart__move_serve(dart__net_comm_t *c, const dart__packet_t *packet)
{
  bool            is_put = packet->kind == DART__PACKET_PUT;
  char           *memory = find_memory(c, packet);
  dart__request_t answer = { .kind =
                                 is_put || memory == NULL ? DART__PACKET_ACK : DART__PACKET_DATA,
                             .peer   = packet->peer,
                             .data   = memory,
                             .nbytes = packet->nbytes,
                             .there  = packet->from };

  dart__traffic_hear(c->link.config.traffic, packet->clock);
  if (is_put && memory != NULL)
    dart__near_put_bytes(memory, dart__packet_bytes(packet), packet->nbytes);
  dart__request_send(c, dart__request_new(c, &answer, false));
}

/* ---- at the origin ------------------------------------------------------------------------------ */

static bool copy_by_kernel(const dart__request_t *r, bool is_put)
{
  const dart__type_t *byte  = &dart__type_basic[DART_TYPE_BYTE];
  uint64_t            there = (uintptr_t)r->mapped;

  return (is_put ? dart__foreign_put(r->process, there, byte, r->data, byte, r->nbytes)
                 : dart__foreign_get(r->data, byte, r->process, there, byte, r->nbytes)) == DART_OK;
}

bool dart__move_here(dart__request_t *r)
{
  bool is_put = r->kind == DART__PACKET_PUT;

  if (r->process > 0 && !copy_by_kernel(r, is_put)) {
    r->mapped  = NULL;
    r->process = 0;
    return false;
  }
  if (r->process == 0 && is_put)
    dart__near_put_bytes(r->mapped, r->data, r->nbytes);
  else if (r->process == 0)
    dart__near_get_bytes(r->data, r->mapped, r->nbytes);
  return true;
}

/* A long copy between processes lets other threads go on; contracts order small ones only. */
static bool copy_now(dart__net_comm_t *c, dart__request_t *r)
{
  bool is_long = r->process > 0 && r->nbytes > sizeof(uint64_t);
  bool is_done;

  if (is_long)
    pthread_mutex_unlock(&c->lock);
  is_done = dart__move_here(r);
  if (is_long)
    pthread_mutex_lock(&c->lock);
  return is_done;
}

void dart__move_finish(dart__net_comm_t *c, const dart__packet_t *packet)
{
  dart__request_t *r =
      dart__request_of(packet->kind >= DART__PACKET_PUT_HERE ? packet->from : packet->to);

  if (packet->kind == DART__PACKET_DATA && packet->nbytes > 0 &&
      !r->is_abandoned) /* else there may be no buffer */
    memcpy(r->data + packet->offset, dart__packet_bytes(packet), packet->nbytes);
  else if (packet->kind >= DART__PACKET_PUT_HERE && !copy_now(c, r)) {
    dart__request_send(c, r);
    return;
  }
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
                                 .due    = dart__link_due(&c->link, r->nbytes),
                                 .clock  = dart__traffic_clock(traffic) + 2 };

  if (!is_put)
    packet.due += (int64_t)c->link.config.model.latency_ns;
  dart__traffic_send(traffic, nmessages, r->nbytes);
  dart__traffic_add(traffic, DART__TRAFFIC_TAKEN, nmessages);
  if (packet.due == 0 || !dart__link_hold(&c->link, &packet)) /* no memory: it arrives early */
    dart__move_finish(c, &packet);
}

void dart__move_start(dart__net_comm_t *c, const dart__request_t *model,
                      dart__net_request_t *request_out)
{
  dart__peer_t    *peer = dart__peer_use(c, model->peer);
  dart__request_t *r    = dart__request_new(c, model, request_out != NULL);

  r->number = ++peer->nops;
  TAILQ_INSERT_TAIL(&peer->ops, r, op);
  /* relaxed: a thread sees what it has started itself */
  atomic_fetch_add_explicit(&peer->nlisted, 1, memory_order_relaxed);
  if (r->mapped != NULL)
    start_here(c, r);
  else
    dart__request_send(c, r);
  dart__request_return(c, r, request_out);
}
