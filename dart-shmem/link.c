/* See link.h.
 *
 * A packet carries the time at which it arrives. With delays the receiver takes packets out of its inbox at once, and holds
 * up to HELD_MOST bytes in the order of these times. A packet that the contract orders behind another one has at
 * least the time of that one; all else is as jitter has it. */
#include "link.h"

#include <stdlib.h>
#include <string.h>

#include "model/lost.h"
#include "wait/near.h"

#define HELD_MOST ((size_t)4 << 20)

/* ---- sending ------------------------------------------------------------------------------------ */

int64_t dart__link_due(dart__link_t *link, size_t nbytes, int nmessages)
{
  const dart__net_model_t *model = &link->config.model;
  int64_t                  now;

  if (!model->has_delays)
    return 0;
  now = dart__now_ns();
  if (link->sends_from < now)
    link->sends_from = now;
  if (model->bandwidth > 0)
    link->sends_from += (int64_t)((double)nbytes * 1e9 / model->bandwidth);
  return link->sends_from + nmessages * (int64_t)model->latency_ns +
         (int64_t)(dart__random_next(&link->random) % ((uint64_t)model->jitter_ns + 1));
}

/* Times and counts come first, as an atomic step waits for earlier writes, here to lines of other cores. */
bool dart__link_send(dart__link_t *link, int32_t peer, uint64_t *head_seen, dart__packet_t *packet,
                     const char *data)
{
  dart__traffic_t *traffic  = link->config.traffic;
  dart__inbox_t   *inbox    = dart__link_inbox(link, peer);
  size_t           nbytes   = dart__packet_load(packet);
  bool             is_alone = __builtin_expect(dart__survives(), 0);
  dart__cell_t    *cell;

  if (is_alone && !dart__inbox_enter(inbox, link->config.me))
    return false;
  cell = dart__inbox_claim(inbox, nbytes, head_seen);
  if (cell != NULL) {
    packet->peer  = link->config.me;
    packet->due   = dart__link_due(link, nbytes, 1);
    packet->clock = packet->kind == DART__PACKET_ACK ? dart__traffic_clock(traffic) + 1
                                                     : dart__traffic_send(traffic, 1, nbytes);
    cell->packet  = *packet;
    if (nbytes > 0)
      dart__near_get_bytes(dart__packet_bytes(&cell->packet), data, nbytes);
    dart__inbox_publish(cell);
  }
  if (is_alone)
    dart__inbox_leave(inbox);
  if (cell == NULL)
    return false;
  /* seq_cst: between what has come and the look at the sleepers; pairs with the fence of a thread that goes to sleep */
  atomic_thread_fence(memory_order_seq_cst);
  dart__event_nudge(&inbox->arrivals);
  return true;
}

/* ---- receiving ---------------------------------------------------------------------------------- */

static bool is_message(const dart__packet_t *p)
{
  return p->kind == DART__PACKET_MESSAGE || p->kind == DART__PACKET_OFFER;
}

static bool is_small_put(const dart__packet_t *p)
{
  return (p->kind == DART__PACKET_PUT || p->kind == DART__PACKET_PUT_HERE) &&
         p->nbytes <= sizeof(uint64_t);
}

/* Whether the contract orders two packets: messages of one channel and tag, or of the program's channel, and small puts
 * to the same bytes of a region. */
static bool is_ordered(const dart__packet_t *one, const dart__packet_t *other)
{
  if (one->peer != other->peer)
    return false;
  if (is_message(one) && is_message(other))
    return one->channel == other->channel &&
           (one->tag == other->tag || one->channel == DART__CHANNEL_PROGRAM);
  return is_small_put(one) && is_small_put(other) && one->kind == other->kind &&
         one->to == other->to && one->offset < other->offset + other->nbytes &&
         other->offset < one->offset + one->nbytes;
}

bool dart__link_hold(dart__link_t *link, const dart__packet_t *packet)
{
  size_t            nbytes = dart__packet_load(packet);
  dart__envelope_t *e      = malloc(sizeof *e + nbytes);
  dart__envelope_t *before = TAILQ_LAST(&link->held, dart__envelopes);

  if (e == NULL)
    return false;
  memcpy(&e->packet, packet, sizeof *packet + nbytes);
  while (before != NULL && before->packet.due > packet->due && !is_ordered(&before->packet, packet))
    before = TAILQ_PREV(before, dart__envelopes, next);
  if (before == NULL) {
    TAILQ_INSERT_HEAD(&link->held, e, next);
  } else {
    TAILQ_INSERT_AFTER(&link->held, before, e, next);
    if (e->packet.due < before->packet.due)
      e->packet.due = before->packet.due;
  }
  link->nheld += dart__inbox_extent(nbytes);
  return true;
}

static bool may_hold_more(const dart__link_t *link)
{
  return link->nheld < (link->config.model.has_delays ? HELD_MOST : 1);
}

dart__envelope_t *dart__link_next(dart__link_t *link)
{
  const dart__packet_t *packet;
  dart__envelope_t     *first;

  while (may_hold_more(link) && (packet = dart__inbox_peek(link->inbox)) != NULL &&
         dart__link_hold(link, packet))
    dart__inbox_pop(link->inbox, packet);
  first = TAILQ_FIRST(&link->held);
  if (first == NULL || (first->packet.due > 0 && first->packet.due > dart__now_ns()))
    return NULL;
  TAILQ_REMOVE(&link->held, first, next);
  link->nheld -= dart__inbox_extent(dart__packet_load(&first->packet));
  return first;
}

int64_t dart__link_next_due(const dart__link_t *link)
{
  const dart__envelope_t *first = TAILQ_FIRST(&link->held);

  if (may_hold_more(link) && dart__inbox_peek(link->inbox) != NULL)
    return 0;
  return first != NULL ? first->packet.due : INT64_MAX;
}
