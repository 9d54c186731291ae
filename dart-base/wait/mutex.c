/* The mutex under contention: see mutex.h for the idea.
 *
 * No sleeper is forgotten: an unlock that finds SLEEPERS clears it and wakes one waiter, and that waiter
 * sets SLEEPERS again when it takes the mutex or goes back to sleep, for there may be more. Late waiters
 * sleep on `turn`, each with the bit of its ticket, so that an unlock wakes the one whose turn it is, and one more for
 * every 32 that wait behind it. */
#include "wait/mutex.h"

#include <linux/futex.h>

#include "base/counters.h"
#include "wait/tuning.h"
#include "wait/waiting.h"

#define MOST_PAUSES (2 * DART__LOOKS) /* between two loads of `state` */

#define HELD     DART__MUTEX_HELD
#define SLEEPERS DART__MUTEX_SLEEPERS
#define LATE     DART__MUTEX_LATE
#define PASSED   DART__MUTEX_PASSED
#define TICKET   DART__MUTEX_TICKET
#define TICKETS  (UINT32_MAX / TICKET) /* the largest; the next one is 0 */

static bool is_free(uint32_t state)
{
  return (state & HELD) == 0;
}

static uint32_t late_waiters(uint32_t state)
{
  return state % PASSED / LATE;
}

static uint32_t next_ticket(uint32_t state)
{
  return state / TICKET;
}

/* The ticket whose turn it is, if anybody is late. */
static uint32_t served(uint32_t state)
{
  return (next_ticket(state) - late_waiters(state)) & TICKETS;
}

/* The bit by which whoever has the ticket is woken. */
static uint32_t bit_of(uint32_t ticket)
{
  return UINT32_C(1) << ticket % 32;
}

/* Whether a thread that is not late may take the free mutex. */
static bool may_pass(uint32_t state)
{
  return state % TICKET / PASSED < DART__MUTEX_MOST_PASSES;
}

/* Held by a thread that was not late. */
static uint32_t held(uint32_t state)
{
  return (late_waiters(state) > 0 ? state + PASSED : state) | HELD;
}

/* Held by the first late waiter. SLEEPERS, for there may be some: they were not woken while it was late. */
static uint32_t held_by_late(uint32_t state)
{
  uint32_t tickets = late_waiters(state) > 1 ? state - state % TICKET : 0;

  return (tickets + state % PASSED - LATE) | HELD | SLEEPERS;
}

/* Change `state`, in which the mutex is free, to `taken`. acquire: pairs with the release in unlock */
static bool take_from(dart__mutex_t *mutex, uint32_t state, uint32_t taken)
{
  return atomic_compare_exchange_strong_explicit(&mutex->state, &state, taken, memory_order_acquire,
                                                 memory_order_relaxed);
}

static uint32_t load_state(const dart__mutex_t *mutex)
{
  /* relaxed: only a successful compare-and-swap takes the mutex, and that one acquires */
  return atomic_load_explicit((_Atomic uint32_t *)&mutex->state, memory_order_relaxed);
}

static uint32_t microseconds(void)
{
  return (uint32_t)(dart__now_ns() / 1000);
}

/* Returns the count of arrivals before it; 0: there are none. */
static uint32_t progress(const dart__wait_policy_t *policy)
{
  dart__event_t *arrivals = dart__wait_arrivals(policy->pace);
  uint32_t       seen     = arrivals != NULL ? dart__event_count(arrivals) : 0;

  if (policy->pace->progress != NULL)
    policy->pace->progress();
  return seen;
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
  return a < b ? a : b;
}

/* Sleep while `*word` is `expected`, until woken with one of `bits`, at most `most_us` (0: no limit), and not past the
 * next call of `progress`, which is when something arrives where that can be known. */
static void sleep_on(_Atomic uint32_t *word, uint32_t expected, uint32_t bits, uint32_t seen,
                     uint32_t most_us, const dart__wait_policy_t *policy)
{
  const dart__wait_pace_t *pace     = policy->pace;
  dart__event_t           *arrivals = dart__wait_arrivals(pace);
  uint32_t limit = arrivals != NULL ? dart__wait_shared_us(pace, pace->nap_us) : pace->nap_us;

  if (pace->progress != NULL)
    most_us = most_us == 0 ? limit : smaller(most_us, limit);
  if (arrivals != NULL) {
    dart__futex_wait_or_arrivals(word, expected, pace, seen, most_us);
    return;
  }
  dart__count(DART__COUNT_SLEEP);
  dart__waiting_stamp();
  dart__futex_wait_bits(word, expected, most_us, bits);
}

/* Take the mutex if it is free, or pause. */
static bool try_take(dart__mutex_t *mutex, uint32_t pauses, const dart__wait_policy_t *policy)
{
  uint32_t state = load_state(mutex);

  if (is_free(state) && may_pass(state) && take_from(mutex, state, held(state)))
    return true;
  progress(policy);
  for (uint32_t i = 0; i < pauses; i++)
    dart__cpu_pause();
  return false;
}

/* At growing intervals, for every look takes the cache line from the holder. A unit that has a core then yields it for
 * about a millisecond: nobody else needs it, and to wake a sleeper costs the holder some microseconds. */
static bool spin(dart__mutex_t *mutex, const dart__wait_policy_t *policy)
{
  uint32_t pauses = 1;

  for (uint32_t paused = 0; paused < policy->pace->spins; paused += pauses) {
    if (try_take(mutex, pauses, policy))
      return true;
    if (pauses < MOST_PAUSES)
      pauses *= 2;
  }
  for (uint32_t i = 0; i < policy->pace->yields; i++) {
    if (try_take(mutex, MOST_PAUSES, policy))
      return true;
    dart__yield();
  }
  return false;
}

/* False: the caller is late now. */
static bool sleep_until_free(dart__mutex_t *mutex, const dart__wait_policy_t *policy)
{
  uint32_t start = microseconds(), waited = 0;

  for (; waited < DART__LATE_US; waited = microseconds() - start) {
    uint32_t state = load_state(mutex), seen;

    if (is_free(state) && may_pass(state)) {
      if (take_from(mutex, state, held(state) | SLEEPERS))
        return true;
      continue;
    }
    seen = progress(policy);
    /* relaxed: the modification order of the word suffices; the kernel compares it again */
    if ((state & SLEEPERS) == 0 &&
        !atomic_compare_exchange_strong_explicit(&mutex->state, &state, state | SLEEPERS,
                                                 memory_order_relaxed, memory_order_relaxed))
      continue;
    sleep_on(&mutex->state, state | SLEEPERS, FUTEX_BITSET_MATCH_ANY, seen, DART__LATE_US - waited,
             policy);
  }
  return false;
}

uint32_t dart__mutex_draw_ticket(dart__mutex_t *mutex)
{
  /* relaxed: an unlock either finds this waiter counted, or came before the waiter looks at `state` next */
  return next_ticket(atomic_fetch_add_explicit(&mutex->state, LATE + TICKET, memory_order_relaxed));
}

bool dart__mutex_take_late(dart__mutex_t *mutex, uint32_t ticket)
{
  for (;;) {
    uint32_t state = load_state(mutex);

    if (!is_free(state) || served(state) != ticket)
      return false;
    if (take_from(mutex, state, held_by_late(state)))
      return true;
  }
}

bool dart__mutex_take_for(dart__mutex_t *mutex)
{
  for (;;) {
    uint32_t state = load_state(mutex);

    if (!is_free(state) || !may_pass(state))
      return false;
    if (take_from(mutex, state, held(state)))
      return true;
  }
}

static void sleep_until_turn(dart__mutex_t *mutex, const dart__wait_policy_t *policy)
{
  uint32_t ticket = dart__mutex_draw_ticket(mutex);

  for (;;) {
    /* acquire: pairs with the release in wake, so that the look below sees the unlock that raised `turn` */
    uint32_t turn = atomic_load_explicit(&mutex->turn, memory_order_acquire), seen;

    if (dart__mutex_take_late(mutex, ticket))
      return;
    seen = progress(policy);
    sleep_on(&mutex->turn, turn, bit_of(ticket), seen, 0, policy);
  }
}

void dart__mutex_wait(dart__mutex_t *mutex, const dart__wait_policy_t *policy)
{
  if (!spin(mutex, policy) && !sleep_until_free(mutex, policy))
    sleep_until_turn(mutex, policy);
}

void dart__mutex_wake(dart__mutex_t *mutex, uint32_t state)
{
  if (late_waiters(state) > 0) {
    /* release: pairs with the acquire in sleep_until_turn */
    atomic_fetch_add_explicit(&mutex->turn, 1, memory_order_release);
    dart__futex_wake_bits(&mutex->turn, bit_of(served(state)));
  } else if ((state & SLEEPERS) != 0) {
    /* relaxed: a hint to unlocks; the waiter woken here sets it again for the others */
    atomic_fetch_and_explicit(&mutex->state, ~SLEEPERS, memory_order_relaxed);
    dart__futex_wake(&mutex->state, 1);
  }
}
