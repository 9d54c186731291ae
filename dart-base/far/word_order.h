#ifndef DART__FAR_WORD_ORDER_H
#define DART__FAR_WORD_ORDER_H
/* Program order of what a unit does to one far element: its puts of at most 8 bytes and its atomics take effect in the
 * order of their calls, without a flush between.
 *
 * A unit applies requests in the order in which they were made. MPI keeps the order of small puts from one origin to
 * one place: it does not promise that, but its networks do (doc/internals/mpi-underneath.md). Nothing orders a request and a put
 * by MPI. So a small put or an atomic first checks whether an operation of the other kind is outstanding on the same
 * words. A put after a request becomes a request; a request after a put by MPI waits for it. Updates that travel by a
 * relay (far/relayed.h) are of a third kind: of these and another one, the later waits for the earlier.
 *
 * For each target and way a set remembers which words are outstanding: a bit of 64 for each word, and the range that
 * they lie in. Words share bits, so a word may be taken for another one of the range, but none is missed. The set is
 * emptied when nothing of its way is found to be outstanding. Only threads of the program use the sets, and one
 * at a time; if several threads of a unit call DART, everything that is outstanding counts. */
#include "far/completion.h"
#include "far/engine.h"
#include "far/far_team.h"
#include "far/order.h"
#include "far/relayed.h"
#include "model/address.h"
#include "model/world.h"

#define DART__WORD_BYTES 8

/* Words that an operation touches: numbers [first, last] of the target's memory, by segment. */
typedef struct {
  uint64_t first, last;
} dart__touched_t;

/** Whether a put of so many bytes is ordered. */
static inline bool dart__is_word(size_t nbytes)
{
  return nbytes <= DART__WORD_BYTES;
}

static inline uint64_t dart__word_bit(uint64_t word)
{
  return (uint64_t)1 << (word * UINT64_C(0x9E3779B97F4A7C15) >> 58); /* Fibonacci hashing */
}

/** The words that `nbytes` > 0 at `at` touch. */
static inline dart__touched_t dart__word_order_at(const dart__address_t *at, size_t nbytes)
{
  uint64_t segment = (uint64_t)(uint16_t)at->segment->id << 48;
  uint64_t first   = segment + at->offset / DART__WORD_BYTES;
  uint64_t last    = segment + (at->offset + nbytes - 1) / DART__WORD_BYTES;

  return (dart__touched_t){ first, last };
}

static inline uint64_t dart__touched_bits(dart__touched_t t)
{
  return t.last - t.first < 2 ? dart__word_bit(t.first) | dart__word_bit(t.last) : UINT64_MAX;
}

/** All words of the portion at `at`. */
static inline dart__touched_t dart__word_order_of_all(const dart__address_t *at)
{
  uint64_t segment = (uint64_t)(uint16_t)at->segment->id << 48;

  return (dart__touched_t){ segment, segment + (((uint64_t)1 << 48) - 1) };
}

static inline dart__word_order_t *dart__word_order_of(const dart__address_t *at)
{
  return &dart__far_team(at->team)->unit[at->unit].words;
}

static inline bool dart__word_order_meet(const dart__word_set_t *set, dart__touched_t t)
{
  return __builtin_expect(set->bits != 0, 0) && t.first <= set->last && t.last >= set->first &&
         (set->bits & dart__touched_bits(t)) != 0;
}

static inline void dart__word_order_add(dart__word_set_t *set, dart__touched_t t, bool empties)
{
  if (dart__world.many_threads)
    return;
  if (empties) {
    *set = (dart__word_set_t){ dart__touched_bits(t), t.first, t.last };
    return;
  }
  set->bits |= dart__touched_bits(t);
  set->first = t.first < set->first ? t.first : set->first;
  set->last  = t.last > set->last ? t.last : set->last;
}

/** Whether a request on one of these words may be outstanding. If none is on any word, the set is emptied. */
static inline bool dart__word_order_requested(const dart__address_t *at, dart__touched_t t)
{
  dart__word_set_t *set = &dart__word_order_of(at)->requested;

  if (!dart__world.many_threads && !dart__word_order_meet(set, t))
    return false;
  if (!dart__am_is_flushed(dart__engine.am, dart__team_member(at->team, at->unit)))
    return true;
  if (!dart__world.many_threads) /* the thread that has noted a request has made it */
    set->bits = 0;
  return false;
}

static inline uint64_t dart__word_order_last(const dart__address_t *at)
{
  return atomic_load_explicit(&dart__word_order_of(at)->last, memory_order_relaxed);
}

/* Whether puts by MPI on any words are outstanding. */
static inline bool dart__word_order_are_by_mpi(const dart__address_t *at)
{
  const dart__outstanding_t *o = &dart__far_team(at->team)->unit[at->unit].outstanding;

  /* relaxed: a thread sees what it has started itself */
  return dart__word_order_last(at) > atomic_load_explicit(&o->done_remote, memory_order_relaxed);
}

/* Wait for updates of these words that travel by a relay: none do if there are many threads. */
static inline void dart__word_order_wait_relayed(const dart__address_t *at, dart__touched_t t)
{
  if (__builtin_expect(dart__word_order_meet(&dart__word_order_of(at)->relayed, t), 0))
    dart__relayed_settle(dart__team_member(at->team, at->unit));
}

/* Wait for puts by MPI to one of these words. */
static inline void dart__word_order_wait(const dart__address_t *at, dart__touched_t t)
{
  bool meet = dart__word_order_meet(&dart__word_order_of(at)->put, t) || dart__world.many_threads;

  if (__builtin_expect(meet && dart__word_order_are_by_mpi(at), 0))
    dart__completion_settle(at->team, at->unit, true);
}

/** Before a request that puts or updates these words. */
static inline void dart__word_order_request(const dart__address_t *at, dart__touched_t t)
{
  bool empties = dart__am_is_flushed(dart__engine.am, dart__team_member(at->team, at->unit));

  dart__word_order_wait_relayed(at, t);
  dart__word_order_wait(at, t);
  dart__word_order_add(&dart__word_order_of(at)->requested, t, empties);
}

/** Before one of several operations of one request, which may have been noted but not made when this is called: as
 *  dart__word_order_request, but the set is not emptied. */
static inline void dart__word_order_request_too(const dart__address_t *at, dart__touched_t t)
{
  dart__word_order_wait_relayed(at, t);
  dart__word_order_wait(at, t);
  dart__word_order_add(&dart__word_order_of(at)->requested, t, false);
}

/** Before an update of these words that travels by a relay. It may overtake requests, so it waits for those that an order
 *  has put before it. */
static inline void dart__word_order_relay(const dart__address_t *at, dart__touched_t t)
{
  dart_unit_t unit    = dart__team_member(at->team, at->unit);
  bool        empties = dart__am_is_flushed(dart__engine.am, dart__relayed_peer(unit));

  dart__order_wait(at->team, at->unit);
  if (__builtin_expect(dart__word_order_requested(at, t), 0))
    dart__am_settle(dart__engine.am, unit);
  dart__word_order_wait(at, t);
  dart__word_order_add(&dart__word_order_of(at)->relayed, t, empties);
}

/** After dart__completion_started, which has returned `newest`. */
static inline void dart__word_order_transferred(const dart__address_t *at, dart__touched_t t,
                                                uint64_t newest)
{
  dart__word_order_t *w      = dart__word_order_of(at);
  uint64_t            before = dart__word_order_last(at);

  dart__word_order_add(&w->put, t, !dart__word_order_are_by_mpi(at));
  if (!dart__world.many_threads) {
    atomic_store_explicit(&w->last, newest, memory_order_relaxed);
    return;
  }
  while (before < newest &&
         !atomic_compare_exchange_weak_explicit(&w->last, &before, newest, memory_order_relaxed,
                                                memory_order_relaxed))
    ;
}

#endif
