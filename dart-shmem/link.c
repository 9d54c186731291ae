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

/* Classes of packets to one peer that keep their order. */
#define TAGS        4 /* classes of tags of a channel; all of the program's are one class */
#define LINES       4 /* classes of small puts, by cache line */
#define CLASSES     (DART__LINK_CHANNELS * TAGS + LINES)
#define SMALL_BYTES 8

bool dart__link_open(dart__link_t *link, const dart__link_config_t *config,
                     dart__link_handler_t handle, dart__net_comm_t *comm)
{
  *link       = (dart__link_t){ .config   = *config,
                                .handle   = handle,
                                .comm     = comm,
                                .nbytes   = dart__inbox_bytes(config->npeers),
                                .nslots   = dart__inbox_nslots(config->npeers),
                                .random   = config->model.seed * 4096 + (uint64_t)config->me,
                                .last_due = calloc((size_t)config->npeers, CLASSES * sizeof(int64_t)) };
  link->inbox = dart__link_inbox(link, config->me);
  TAILQ_INIT(&link->held);
  return link->last_due != NULL;
}

void dart__link_close(dart__link_t *link)
{
  dart__envelopes_free(&link->held);
  free(link->last_due);
}

void dart__link_fail(const char *why)
{
  dart__error("the simulated network fails: %s", why);
  dart__net_abort(EXIT_FAILURE, false);
}

dart__envelope_t *dart__envelope_new(const dart__packet_t *packet, size_t nbytes)
{
  dart__envelope_t *e = malloc(sizeof *e + nbytes);

  if (e != NULL)
    e->packet = *packet;
  return e;
}

void dart__envelopes_free(dart__envelopes_t *list)
{
  dart__envelope_t *e;

  while ((e = TAILQ_FIRST(list)) != NULL) {
    TAILQ_REMOVE(list, e, next);
    free(e);
  }
}

/* ---- time --------------------------------------------------------------------------------------- */

/* The classes of a packet, a bit each. A small put may lie on two lines. */
static uint64_t classes_of(const dart__packet_t *p)
{
  unsigned tag = p->channel == DART__CHANNEL_PROGRAM ? 0 : (unsigned)p->tag % TAGS;

  if (p->kind == DART__PACKET_MESSAGE || p->kind == DART__PACKET_OFFER)
    return UINT64_C(1) << (p->channel * TAGS + tag);
  if (p->kind != DART__PACKET_PUT || p->nbytes > SMALL_BYTES)
    return 0;
  return (UINT64_C(1) << p->offset / DART__CACHE_LINE % LINES |
          UINT64_C(1) << (p->offset + p->nbytes - 1) / DART__CACHE_LINE % LINES)
         << DART__LINK_CHANNELS * TAGS;
}

int64_t dart__link_due(dart__link_t *link, int32_t peer, const dart__packet_t *packet,
                       size_t nbytes)
{
  const dart__net_model_t *model    = &link->config.model;
  int64_t                 *last_due = link->last_due + peer * CLASSES;
  uint64_t                 classes;
  int64_t                  now, due;

  if (!model->has_delays)
    return 0;
  now              = dart__now_ns();
  link->sends_from = (now > link->sends_from ? now : link->sends_from) +
                     (int64_t)((double)nbytes * model->ns_per_byte);
  due = link->sends_from + model->latency_ns +
        (int64_t)dart__net_model_draw(&link->random, (uint64_t)model->jitter_ns);
  classes = packet == NULL ? 0 : classes_of(packet);
  for (uint64_t left = classes; left != 0; left &= left - 1)
    due = due > last_due[__builtin_ctzll(left)] ? due : last_due[__builtin_ctzll(left)];
  for (uint64_t left = classes; left != 0; left &= left - 1)
    last_due[__builtin_ctzll(left)] = due;
  return due;
}

/* ---- slots -------------------------------------------------------------------------------------- */

/* Slots are used in turn: to write again what another core has just read takes longer. */
uint16_t dart__link_take_slot(dart__link_t *link, uint32_t first, int32_t peer, bool *soon_out)
{
  *soon_out = false;
  for (uint32_t i = 0; i < link->nslots; i++) {
    uint32_t          slot  = first + link->rotor++ % link->nslots;
    _Atomic uint32_t *state = &link->inbox->slot[slot].state;
    /* acquire: pairs with the release in dart__slot_set, whose caller has read the bytes */
    uint32_t seen = atomic_load_explicit(state, memory_order_acquire);

    if (seen == DART__SLOT_FREE) {
      atomic_store_explicit(state, DART__SLOT_BUSY, memory_order_relaxed); /* for this unit */
      link->slot_peer[slot] = peer;
      return (uint16_t)slot;
    }
    *soon_out |= seen == DART__SLOT_BUSY && link->slot_peer[slot] == peer;
  }
  return DART__NO_SLOT;
}

/* Wake a peer that sleeps until something comes, after it has come. */
static void nudge(const dart__link_t *link, int32_t peer)
{
  /* seq_cst: between what has come and the look at the sleepers; pairs with the fence of who goes to sleep */
  atomic_thread_fence(memory_order_seq_cst);
  dart__event_nudge(&dart__link_inbox(link, peer)->arrivals);
}

/* ---- packets ------------------------------------------------------------------------------------ */

bool dart__link_send(dart__link_t *link, int32_t peer, const dart__packet_t *packet,
                     const char *bytes)
{
  dart__cell_t *cell   = dart__inbox_claim(dart__link_inbox(link, peer));
  size_t        nbytes = bytes == NULL ? 0 : packet->nbytes;
  int64_t       due;
  uint64_t      clock;

  if (cell == NULL) {
    if (packet->slot != DART__NO_SLOT)
      dart__slot_set(&link->inbox->slot[packet->slot], DART__SLOT_FREE);
    return false;
  }
  /* The counts come first, as an atomic step waits for earlier writes, here to lines of other cores. */
  due   = dart__link_due(link, peer, packet, nbytes);
  clock = dart__traffic_send(link->config.traffic, 1, nbytes);
  if (nbytes > 0)
    memcpy(link->inbox->slot[packet->slot].bytes, bytes, nbytes);
  cell->packet       = *packet;
  cell->packet.peer  = link->config.me;
  cell->packet.due   = due;
  cell->packet.clock = clock;
  dart__inbox_publish(cell);
  nudge(link, peer);
  return true;
}

void dart__link_answer(dart__link_t *link, const dart__packet_t *piece)
{
  dart__traffic_t *traffic = link->config.traffic;
  dart__slot_t    *slot    = dart__link_slot(link, piece);
  bool             is_put  = piece->kind == DART__PACKET_PUT;

  slot->due = dart__link_due(link, piece->peer, NULL, is_put ? 0 : piece->nbytes);
  slot->clock =
      is_put ? dart__traffic_clock(traffic) + 1 : dart__traffic_send(traffic, 1, piece->nbytes);
  dart__slot_set(slot, DART__SLOT_DONE);
  nudge(link, piece->peer);
}

bool dart__link_hold(dart__link_t *link, const dart__packet_t *packet)
{
  dart__envelope_t *e      = dart__envelope_new(packet, 0);
  dart__envelope_t *before = TAILQ_LAST(&link->held, dart__envelopes);

  if (e == NULL)
    return false;
  while (before != NULL && before->packet.due > packet->due)
    before = TAILQ_PREV(before, dart__envelopes, next);
  if (before != NULL)
    TAILQ_INSERT_AFTER(&link->held, before, e, next);
  else
    TAILQ_INSERT_HEAD(&link->held, e, next);
  return true;
}

/* The count comes first here, too. */
static bool deliver(dart__link_t *link, const dart__packet_t *packet)
{
  dart__traffic_add(&link->config.traffic->taken, 1);
  if (link->handle(link->comm, packet))
    return true;
  dart__traffic_add(&link->config.traffic->taken, UINT64_MAX); /* one less */
  return false;
}

bool dart__link_receive(dart__link_t *link)
{
  bool                  has_delays = link->config.model.has_delays, any = false;
  const dart__packet_t *packet;
  dart__envelope_t     *e;

  for (int n = 0; n < DART__INBOX_CELLS; n++, any = true) {
    packet = dart__inbox_peek(link->inbox, link->head);
    if (packet == NULL || !(has_delays ? dart__link_hold(link, packet) : deliver(link, packet)))
      break;
    dart__inbox_pop(link->inbox, link->head++);
  }
  if (has_delays)
    link->now = dart__now_ns();
  while ((e = TAILQ_FIRST(&link->held)) != NULL && e->packet.due <= link->now &&
         deliver(link, &e->packet)) {
    TAILQ_REMOVE(&link->held, e, next);
    free(e);
    any = true;
  }
  return any;
}
