/* See link.h.
 *
 * With delays a packet carries the time at which it arrives. The receiver takes packets out of its inbox at once, and
 * holds them in the order of these times. The contract orders packets of a few classes: messages of one channel and
 * tag, all of the program's, and small puts to one place. Within a class the times do not decrease; all else is as
 * jitter has it. */
#include "link.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/sanitizer.h"
#include "wire_comm.h"

#define SMALL_BYTES 8

static dart__inbox_t *inbox_of(const dart__net_comm_t *c, int32_t peer)
{
  return (void *)(c->config.inboxes + (size_t)peer * dart__inbox_bytes(c->config.npeers));
}

void dart__link_fail(const char *why)
{
  dart__error("the simulated network fails: %s", why);
  dart__net_abort(EXIT_FAILURE, false);
}

/* NULL: no memory. */
dart__envelope_t *dart__envelope_new(const dart__packet_t *packet)
{
  dart__envelope_t *e = malloc(sizeof *e);

  if (e != NULL)
    *e = (dart__envelope_t){ .packet = *packet };
  return e;
}

/* ---- time --------------------------------------------------------------------------------------- */

/* The classes of a packet; NULL: none. A small put may lie on two lines. */
static void find_classes(dart__peer_t *peer, const dart__packet_t *p, int64_t *classes_out[2])
{
  bool     is_message = p->kind == DART__PACKET_MESSAGE || p->kind == DART__PACKET_OFFER;
  bool     is_small   = p->kind == DART__PACKET_PUT && p->nbytes <= SMALL_BYTES;
  unsigned tag = p->channel == DART__CHANNEL_PROGRAM ? 0 : (unsigned)p->tag % DART__WIRE_TAGS;

  for (int i = 0; i < 2; i++) {
    uint64_t line =
        (p->offset + (uint64_t)i * (p->nbytes - 1)) / DART__CACHE_LINE % DART__WIRE_LINES;

    classes_out[i] = is_message ? &peer->last_due[p->channel * DART__WIRE_TAGS + tag]
                     : is_small ? &peer->last_due[DART__WIRE_CHANNELS * DART__WIRE_TAGS + (int)line]
                                : NULL;
  }
}

/* The time at which a packet arrives that is sent now. */
int64_t dart__link_due(dart__net_comm_t *c, int32_t peer, const dart__packet_t *packet)
{
  const dart__net_model_t *model = &c->config.model;
  int64_t *class[2], now, due;

  if (!model->has_delays)
    return 0;
  now           = dart__now_ns();
  c->sends_from = now > c->sends_from ? now : c->sends_from;
  if (packet->kind != DART__PACKET_GET)
    c->sends_from += (int64_t)(packet->nbytes * model->ns_per_byte);
  due = c->sends_from + model->latency_ns +
        (int64_t)dart__net_model_draw(&c->random, (uint64_t)model->jitter_ns);
  find_classes(&c->peer[peer], packet, class);
  for (int i = 0; i < 2 && class[i] != NULL; i++)
    due = due > *class[i] ? due : *class[i];
  for (int i = 0; i < 2 && class[i] != NULL; i++)
    *class[i] = due;
  return due;
}

/* ---- slots -------------------------------------------------------------------------------------- */

char *dart__link_slot_bytes(const dart__net_comm_t *c, int32_t peer, uint32_t slot)
{
  return dart__slot_bytes(inbox_of(c, peer), 2 * c->nslots, slot);
}

/* Take one of nslots slots from `first` on. DART__NO_SLOT: none is free. */
uint16_t dart__link_take_slot(dart__net_comm_t *c, uint32_t first)
{
  for (uint32_t i = 0; i < c->nslots; i++) {
    uint32_t      slot = first + c->rotor++ % c->nslots;
    dart__slot_t *s    = &c->inbox->slot[slot];

    /* acquire: pairs with the release in dart__link_set_slot, whose caller has read the bytes */
    if (atomic_load_explicit(&s->state, memory_order_acquire) != DART__SLOT_FREE)
      continue;
    atomic_store_explicit(&s->state, DART__SLOT_BUSY, memory_order_relaxed); /* for this unit */
    return (uint16_t)slot;
  }
  return DART__NO_SLOT;
}

/* Whether a slot will be free as soon as the peer makes progress: it has a message that the peer has not yet seen. */
bool dart__link_awaits_slot(const dart__net_comm_t *c, int32_t peer)
{
  for (uint32_t slot = 0; slot < c->nslots; slot++)
    if (c->slot_peer[slot] == peer &&
        atomic_load_explicit(&c->inbox->slot[slot].state, memory_order_relaxed) == DART__SLOT_BUSY)
      return true;
  return false;
}

dart__slot_t *dart__link_slot(const dart__net_comm_t *c, int32_t peer, uint32_t slot)
{
  return &inbox_of(c, peer)->slot[slot];
}

/* Set the state of a slot of `peer`. */
void dart__link_set_slot(const dart__net_comm_t *c, int32_t peer, uint32_t slot, uint32_t state)
{
  dart__tsan_tell();
  /* release: pairs with the acquire in dart__link_take_slot, or in is_piece_done */
  atomic_store_explicit(&dart__link_slot(c, peer, slot)->state, state, memory_order_release);
}

/* Wake a peer that sleeps until something comes, after it has come. */
static void nudge(const dart__net_comm_t *c, int32_t peer)
{
  /* seq_cst: between what has come and the look at the sleepers; pairs with the fence of who goes to sleep */
  atomic_thread_fence(memory_order_seq_cst);
  dart__event_nudge(&inbox_of(c, peer)->arrivals);
}

/* Tell the sender of a piece that its slot is done with. */
void dart__link_end_piece(const dart__net_comm_t *c, const dart__packet_t *packet)
{
  dart__link_set_slot(c, packet->peer, packet->slot, DART__SLOT_DONE);
  nudge(c, packet->peer);
}

/* ---- sending ------------------------------------------------------------------------------------ */

/* Send a packet; `bytes`, unless NULL, go into its slot. False: the peer's inbox is full; the slot is free again. */
bool dart__link_send(dart__net_comm_t *c, int32_t peer, dart__packet_t *packet, const char *bytes)
{
  dart__cell_t *cell = dart__inbox_claim(inbox_of(c, peer));

  if (cell == NULL) {
    if (packet->slot != DART__NO_SLOT)
      dart__link_set_slot(c, c->config.me, packet->slot, DART__SLOT_FREE);
    return false;
  }
  if (bytes != NULL)
    memcpy(dart__link_slot_bytes(c, c->config.me, packet->slot), bytes, packet->nbytes);
  packet->peer  = c->config.me;
  packet->due   = dart__link_due(c, peer, packet);
  packet->clock = dart__traffic_send(c->config.traffic, 1, bytes != NULL ? packet->nbytes : 0);
  cell->packet  = *packet;
  dart__inbox_publish(cell);
  nudge(c, peer);
  return true;
}

/* Hold a packet until its time. False: no memory. */
bool dart__link_hold(dart__net_comm_t *c, const dart__packet_t *packet)
{
  dart__envelope_t *e = dart__envelope_new(packet), *before = TAILQ_LAST(&c->held, dart__envelopes);

  if (e == NULL)
    return false;
  while (before != NULL && before->packet.due > packet->due)
    before = TAILQ_PREV(before, dart__envelopes, next);
  if (before != NULL)
    TAILQ_INSERT_AFTER(&c->held, before, e, next);
  else
    TAILQ_INSERT_HEAD(&c->held, e, next);
  return true;
}

/* False: it was empty. */
static bool empty_inbox(dart__net_comm_t *c)
{
  bool                  has_delays = c->config.model.has_delays;
  uint64_t              start      = c->head;
  const dart__packet_t *packet;

  while (c->head - start < DART__INBOX_CELLS &&
         (packet = dart__inbox_peek(c->inbox, c->head)) != NULL &&
         (has_delays ? dart__link_hold : c->handle)(c, packet))
    dart__inbox_pop(c->inbox, c->head++);
  return c->head != start;
}

/* False: nothing was due. */
static bool handle_due(dart__net_comm_t *c)
{
  bool              any = false;
  dart__envelope_t *e;

  while ((e = TAILQ_FIRST(&c->held)) != NULL && e->packet.due <= c->now &&
         c->handle(c, &e->packet)) {
    TAILQ_REMOVE(&c->held, e, next);
    free(e);
    any = true;
  }
  return any;
}

bool dart__link_receive(dart__net_comm_t *c)
{
  bool any = empty_inbox(c);

  return handle_due(c) || any;
}
