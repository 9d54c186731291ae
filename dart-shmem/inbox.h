#ifndef DART__SHMEM_INBOX_H
#define DART__SHMEM_INBOX_H
/* What each unit has in shared memory for its traffic with others: an inbox, and slots.
 *
 * The inbox takes packets of constant size from all peers. It is a ring of cells: a sender claims the next cell by one
 * atomic step, fills it, and publishes it by the cell's turn, which says in which lap of the ring the cell is free or
 * full. (Vyukov: Bounded MPMC queue, 1024cores.net; here with one receiver.) A full inbox refuses, and the sender tries
 * again later.
 *
 * Bytes are in slots of the sender: the packet names the slot, and the receiver frees it after it has copied them.
 *
 * All of it starts as zeros. It may lie in memory shared by processes, or in one process for its threads. */
#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/sanitizer.h"
#include "wait/wait.h"

#define DART__INBOX_CELLS 256
#define DART__SLOT_BYTES  ((size_t)8192) /* a batch of requests fits */
#define DART__NO_SLOT     UINT16_MAX

typedef enum {
  DART__PACKET_MESSAGE, /* a message with its bytes */
  DART__PACKET_OFFER,   /* a message whose bytes its receiver fetches */
  DART__PACKET_FETCH,   /* bytes of a message that was offered, to be copied to the slot */
  DART__PACKET_PUT,     /* to be copied to memory of the receiver */
  DART__PACKET_GET,     /* to be copied from there to the slot */
  DART__PACKET_LATER    /* of this unit to itself: a put or get whose time has not come */
} dart__packet_kind_t;

typedef struct {
  uint8_t  kind;
  uint8_t  channel;
  uint16_t slot; /* of the sender; DART__NO_SLOT: there are no bytes */
  int32_t  peer; /* the sender */
  int32_t  tag;
  uint32_t nbytes; /* in the slot, or wanted there */
  uint64_t from;   /* the sender's request */
  uint64_t to;     /* the receiver's request, or region */
  union {
    uint64_t total;  /* MESSAGE, OFFER: bytes of the whole message */
    uint64_t offset; /* of all others: in the message, or the region */
  };
  int64_t  due;   /* not to be seen before this time; 0: at once */
  uint64_t clock; /* see traffic.h */
} dart__packet_t;

typedef struct {
  alignas(DART__CACHE_LINE) _Atomic uint64_t turn;
  dart__packet_t packet;
} dart__cell_t;

_Static_assert(sizeof(dart__cell_t) == DART__CACHE_LINE, "a packet costs one cache line");

/* The owner sets BUSY. A slot with a message is then set FREE by the receiver, or LEFT while no receive takes the
 * message. A slot with a piece is set DONE by the receiver, and FREE by the owner. */
enum { DART__SLOT_FREE, DART__SLOT_BUSY, DART__SLOT_LEFT, DART__SLOT_DONE };

typedef struct {
  alignas(DART__CACHE_LINE) _Atomic uint32_t state;
  int64_t  due;   /* DONE is not to be seen before this time ... */
  uint64_t clock; /* ... and raises the clock of the owner; see traffic.h */
  alignas(DART__CACHE_LINE) char bytes[DART__SLOT_BYTES];
} dart__slot_t;

typedef struct {
  alignas(DART__CACHE_LINE) _Atomic uint64_t tail;
  dart__event_t arrivals; /* senders nudge it; the owner's threads sleep on it */
  dart__cell_t  cell[DART__INBOX_CELLS];
  dart__slot_t  slot[]; /* for messages, and as many for pieces */
} dart__inbox_t;

static inline void dart__slot_set(dart__slot_t *slot, uint32_t state)
{
  dart__tsan_tell();
  /* release: pairs with the acquire in dart__link_take_slot, or in is_piece_done */
  atomic_store_explicit(&slot->state, state, memory_order_release);
}

/** Slots of each of the two kinds. */
static inline uint32_t dart__inbox_nslots(int32_t npeers)
{
  int32_t n = 1024 / npeers;

  return n > 32 ? 32 : n < 8 ? 8 : (uint32_t)n;
}

/** Bytes of an inbox with its slots, in a job of `npeers`: whole pages. */
static inline size_t dart__inbox_bytes(int32_t npeers)
{
  size_t nbytes = sizeof(dart__inbox_t) + 2 * dart__inbox_nslots(npeers) * sizeof(dart__slot_t);

  return (nbytes + DART__SLOT_BYTES - 1) / DART__SLOT_BYTES * DART__SLOT_BYTES;
}

/** Claim the next cell for a packet, to be published soon: packets behind it are not seen before. NULL: the inbox is
 *  full. */
static inline dart__cell_t *dart__inbox_claim(dart__inbox_t *inbox)
{
  uint64_t at = atomic_load_explicit(&inbox->tail, memory_order_relaxed);

  for (;;) {
    dart__cell_t *cell = &inbox->cell[at % DART__INBOX_CELLS];
    uint64_t      lap  = at / DART__INBOX_CELLS * 2;
    /* acquire: pairs with the release in dart__inbox_pop, whose caller has read the cell */
    uint64_t turn = atomic_load_explicit(&cell->turn, memory_order_acquire);

    if (turn < lap)
      return NULL;
    if (turn > lap) /* another sender has had this cell since */
      at = atomic_load_explicit(&inbox->tail, memory_order_relaxed);
    else if (atomic_compare_exchange_weak_explicit(&inbox->tail, &at, at + 1, memory_order_relaxed,
                                                   memory_order_relaxed))
      return cell;
  }
}

static inline void dart__inbox_publish(dart__cell_t *cell)
{
  uint64_t turn =
      atomic_load_explicit(&cell->turn, memory_order_relaxed); /* nobody else writes it */

  dart__tsan_tell();
  /* release: pairs with the acquire in dart__inbox_peek */
  atomic_store_explicit(&cell->turn, turn + 1, memory_order_release);
}

/** The packet number `head`, counted from 0 by the only receiver. NULL: it has not come. */
static inline const dart__packet_t *dart__inbox_peek(dart__inbox_t *inbox, uint64_t head)
{
  dart__cell_t *cell = &inbox->cell[head % DART__INBOX_CELLS];
  /* acquire: pairs with the release in dart__inbox_publish; the bytes of the slot are there, too */
  uint64_t turn = atomic_load_explicit(&cell->turn, memory_order_acquire);

  if (turn != head / DART__INBOX_CELLS * 2 + 1)
    return NULL;
  dart__tsan_hear();
  return &cell->packet;
}

static inline void dart__inbox_pop(dart__inbox_t *inbox, uint64_t head)
{
  /* release: pairs with the acquire in dart__inbox_claim */
  atomic_store_explicit(&inbox->cell[head % DART__INBOX_CELLS].turn,
                        (head / DART__INBOX_CELLS + 1) * 2, memory_order_release);
}

#endif
