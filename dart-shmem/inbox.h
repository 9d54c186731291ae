#ifndef DART__SHMEM_INBOX_H
#define DART__SHMEM_INBOX_H
/* What each unit has in shared memory for its traffic with others: an inbox, a ring of packets with their bytes.
 *
 * A sender claims the next bytes of the ring by one atomic step, fills them, and publishes the packet by its extent,
 * which was 0. The receiver sets all of them to 0 before it returns them to the senders. A full inbox refuses, and the
 * sender tries again later. A packet that begins before the end of the ring may end behind it; as many bytes at the
 * beginning are skipped then.
 *
 * A sender that dies between the two steps would leave a hole, behind which nothing is seen. So where units may be lost a
 * sender claims alone: its number is in a word of the inbox until it has published its packet. The receiver, once it knows
 * that this sender is lost, closes the hole (test/models/inbox.pml).
 *
 * All of it starts as zeros. It may lie in memory shared by processes, or in one process for its threads. */
#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/sanitizer.h"
#include "wait/wait.h"

#define DART__INBOX_RING  ((size_t)128 << 10)
#define DART__PACKET_MOST ((size_t)8192) /* bytes with a packet; a batch of requests fits */

typedef enum {
  DART__PACKET_MESSAGE, /* a message with its bytes */
  DART__PACKET_PUT,     /* bytes for memory of the receiver */
  DART__PACKET_DATA,    /* bytes that a GET or FETCH asked for; the last kind that has bytes */
  DART__PACKET_OFFER,   /* a message whose bytes its receiver fetches */
  DART__PACKET_FETCH,   /* asks for the bytes of a message that was offered */
  DART__PACKET_GET,     /* asks for bytes of the receiver's memory; the last kind that is counted */
  DART__PACKET_ACK,     /* bytes of a PUT are in place */
  DART__PACKET_PUT_HERE, /* of this unit to itself, as sent: the time has come for a put ... */
  DART__PACKET_GET_HERE  /* ... or get; `peer` is its target */
} dart__packet_kind_t;

typedef struct {
  uint8_t  kind;
  uint8_t  channel;
  int32_t  peer; /* the sender */
  int32_t  tag;
  uint32_t nbytes; /* that it brings, asks for, or acknowledges */
  uint64_t from;   /* the sender's request */
  uint64_t to;     /* the receiver's request, or region */
  union {
    uint64_t total;  /* MESSAGE, OFFER: bytes of the message */
    uint64_t offset; /* of all others: in the region, or in what was asked for */
  };
  int64_t  due;   /* not to be seen before this time; 0: at once */
  uint64_t clock; /* see traffic.h */
} dart__packet_t;

typedef struct {
  alignas(
      DART__CACHE_LINE) _Atomic uint64_t extent; /* in the ring; 0: the packet is not complete */
  dart__packet_t packet;
} dart__cell_t;

_Static_assert(sizeof(dart__cell_t) == DART__CACHE_LINE, "a packet costs one cache line");

typedef struct {
  alignas(DART__CACHE_LINE) _Atomic uint64_t tail; /* bytes ever claimed */
  dart__event_t    arrivals; /* senders nudge it; the owner's threads sleep on it */
  _Atomic uint32_t claimer;  /* where units may be lost: 1 + the peer that claims room, 0: none */
  alignas(DART__CACHE_LINE) _Atomic uint64_t head; /* bytes ever returned */
  alignas(DART__CACHE_LINE) char ring[DART__INBOX_RING + sizeof(dart__cell_t) + DART__PACKET_MOST];
  _Atomic uint64_t received[]; /* from each peer: extents of messages that a receive has taken */
} dart__inbox_t;

/** Bytes of an inbox in a job of `npeers`: whole pages. */
static inline size_t dart__inbox_bytes(int32_t npeers)
{
  size_t page = 4096, nbytes = sizeof(dart__inbox_t) + (size_t)npeers * sizeof(uint64_t);

  return (nbytes + page - 1) / page * page;
}

/** How many bytes are with a packet, and where. */
static inline size_t dart__packet_load(const dart__packet_t *packet)
{
  return packet->kind <= DART__PACKET_DATA ? packet->nbytes : 0;
}

static inline char *dart__packet_bytes(const dart__packet_t *packet)
{
  return (char *)(uintptr_t)(packet + 1);
}

/** Bytes of the ring for a packet with `nbytes`. */
static inline uint64_t dart__inbox_extent(size_t nbytes)
{
  return (sizeof(dart__cell_t) + nbytes + DART__CACHE_LINE - 1) & ~(uint64_t)(DART__CACHE_LINE - 1);
}

static inline dart__cell_t *dart__inbox_cell(dart__inbox_t *inbox, uint64_t at)
{
  return (void *)(inbox->ring + at % DART__INBOX_RING);
}

/** Claim room for a packet with `nbytes`, to be published soon: packets behind it are not seen before. `*head_seen` is the
 *  sender's own copy of `head`, for that is in the cache of the receiver. NULL: the inbox is full. */
static inline dart__cell_t *dart__inbox_claim(dart__inbox_t *inbox, size_t nbytes,
                                              uint64_t *head_seen)
{
  uint64_t extent = dart__inbox_extent(nbytes);
  uint64_t at     = atomic_load_explicit(&inbox->tail, memory_order_relaxed);

  do {
    /* acquire: pairs with the release in dart__inbox_pop, before which the bytes were read and set to 0 */
    if ((int64_t)(at + extent - *head_seen) > (int64_t)DART__INBOX_RING)
      *head_seen = atomic_load_explicit(&inbox->head, memory_order_acquire);
    if ((int64_t)(at + extent - *head_seen) > (int64_t)DART__INBOX_RING)
      return NULL;
  } while (!atomic_compare_exchange_weak_explicit(&inbox->tail, &at, at + extent,
                                                  memory_order_relaxed, memory_order_relaxed));
  return dart__inbox_cell(inbox, at);
}

static inline void dart__inbox_publish(dart__cell_t *cell)
{
  dart__tsan_tell();
  /* release: pairs with the acquire in dart__inbox_peek */
  atomic_store_explicit(&cell->extent, dart__inbox_extent(dart__packet_load(&cell->packet)),
                        memory_order_release);
}

/** Where units may be lost: claim and publish between these, one sender at a time. False: another one is about to. */
static inline bool dart__inbox_enter(dart__inbox_t *inbox, int32_t me)
{
  for (int tries = 0; tries < 200; tries++) {
    uint32_t nobody = 0;

    /* acquire: pairs with the release in dart__inbox_leave */
    if (atomic_compare_exchange_weak_explicit(&inbox->claimer, &nobody, (uint32_t)me + 1,
                                              memory_order_acquire, memory_order_relaxed))
      return true;
    dart__cpu_pause();
  }
  return false;
}

static inline void dart__inbox_leave(dart__inbox_t *inbox)
{
  /* release: pairs with the acquire in dart__inbox_enter */
  atomic_store_explicit(&inbox->claimer, 0, memory_order_release);
}

/** For the receiver, which knows that `peer` is lost: if that has claimed room and not published it, it becomes a packet
 *  with bytes that nobody asked for. It is the last one, for others claim behind what is published. */
static inline void dart__inbox_close_hole(dart__inbox_t *inbox, int32_t peer)
{
  uint64_t at, tail, extent;

  /* relaxed, all: what the peer did, and saw, is visible to a unit that knows that it is lost; `head` is the receiver's own */
  if (atomic_load_explicit(&inbox->claimer, memory_order_relaxed) != (uint32_t)peer + 1)
    return;
  at   = atomic_load_explicit(&inbox->head, memory_order_relaxed);
  tail = atomic_load_explicit(&inbox->tail, memory_order_relaxed);
  while (at < tail && (extent = atomic_load_explicit(&dart__inbox_cell(inbox, at)->extent,
                                                     memory_order_relaxed)) > 0)
    at += extent;
  if (at < tail) {
    dart__cell_t *cell = dart__inbox_cell(inbox, at);

    cell->packet = (dart__packet_t){ .kind   = DART__PACKET_DATA,
                                     .peer   = peer,
                                     .nbytes = (uint32_t)(tail - at - sizeof *cell) };
    dart__inbox_publish(cell);
  }
  dart__inbox_leave(inbox);
}

/** The next packet, for the only receiver. NULL: it has not come. */
static inline const dart__packet_t *dart__inbox_peek(dart__inbox_t *inbox)
{
  uint64_t      head = atomic_load_explicit(&inbox->head, memory_order_relaxed); /* its own */
  dart__cell_t *cell = dart__inbox_cell(inbox, head);

  /* acquire: pairs with the release in dart__inbox_publish */
  if (atomic_load_explicit(&cell->extent, memory_order_acquire) == 0)
    return NULL;
  dart__tsan_hear();
  return &cell->packet;
}

/** Return the bytes of the next packet. */
static inline void dart__inbox_pop(dart__inbox_t *inbox, const dart__packet_t *packet)
{
  uint64_t extent = dart__inbox_extent(dart__packet_load(packet));
  uint64_t head   = atomic_load_explicit(&inbox->head, memory_order_relaxed); /* its own */

  memset((char *)(uintptr_t)packet - offsetof(dart__cell_t, packet), 0, extent);
  /* release: pairs with the acquire in dart__inbox_claim */
  atomic_store_explicit(&inbox->head, head + extent, memory_order_release);
}

#endif
