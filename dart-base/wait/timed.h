#ifndef DART__WAIT_TIMED_H
#define DART__WAIT_TIMED_H
/* Times of waits, estimated from a sample: reading the clock twice takes as long as a short barrier.
 *
 * Each thread times, of each kind of wait, one and then, if that was short, not the next DART__TIMED_SKIPS.
 * The one it times next stands for those, too: it is timed whatever it turns out to be, so the estimate has no
 * bias towards long or short ones. Waits that are long are all timed, and what that costs does not matter. */
#include "base/counters.h"
#include "wait/wait.h"

#define DART__TIMED_SKIPS 63
#define DART__TIMED_SHORT 50000 /* ns */

typedef struct {
  dart__tally_t *own;   /* NULL: this one is not timed */
  int64_t        since; /* ns */
} dart__timed_t;

/** Count a wait that begins now, unless it is to be timed: for waits so short that the code for timing them is better
 *  out of their way. */
static inline bool dart__timed_skips(dart__counter_t counter)
{
  dart__tally_t *own = dart__tally_own;
  uint64_t       number;

  if (__builtin_expect(own == NULL, 0))
    return false;
  number = atomic_load_explicit(&own->value[counter], memory_order_relaxed);
  if (__builtin_expect(number >= own->sampling[counter].next, 0))
    return false;
  atomic_store_explicit(&own->value[counter], number + 1, memory_order_relaxed);
  return true;
}

/** Count a wait that begins now. */
static inline dart__timed_t dart__timed_begin(dart__counter_t counter)
{
  dart__timed_t  timed = { NULL, 0 };
  dart__tally_t *own   = dart__tally();

  if (own != NULL &&
      __builtin_expect(atomic_load_explicit(&own->value[counter], memory_order_relaxed) >=
                           own->sampling[counter].next,
                       0)) {
    timed.own   = own;
    timed.since = dart__now_ns();
  }
  dart__count_in(own, counter, 1);
  return timed;
}

/** It is over; the counter of its time is the one after `counter`. */
static inline void dart__timed_end(dart__counter_t counter, dart__timed_t timed)
{
  dart__sampling_t *sampling;
  uint64_t          ns, number;

  if (__builtin_expect(timed.own == NULL, 1))
    return;
  ns       = (uint64_t)(dart__now_ns() - timed.since);
  number   = atomic_load_explicit(&timed.own->value[counter], memory_order_relaxed);
  sampling = &timed.own->sampling[counter];
  dart__count_in(timed.own, counter + 1, ns * (number - sampling->last));
  sampling->last = number;
  sampling->next = number + (ns < DART__TIMED_SHORT ? DART__TIMED_SKIPS : 0);
}

#endif
