#ifndef DART__NODE_MUTEX_H
#define DART__NODE_MUTEX_H
/* A mutex in shared memory: waiters sleep, it is cheap without contention, and fair in the long run.
 *
 * One word says whether it is held, and whether any waiter sleeps (Drepper: Futexes Are Tricky, 2011,
 * "Mutex, take 2"): uncontended, lock and unlock cost one atomic operation each and no system call. A
 * running thread may take the free mutex before waiters that sleep. Handing it to a sleeper instead would
 * cost a context switch for every holder, which is what makes fair locks collapse where units
 * outnumber cores. So that no waiter loses that race to newcomers for ever, one that has lost it for
 * ten milliseconds is counted in the word as late, and while there are late waiters, only they may take the
 * mutex. */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "node/wait.h"

/* Zeroed memory is a free mutex. */
typedef struct {
  _Atomic uint32_t
      state;             /* HELD and SLEEPERS (below), and the number of late waiters, times LATE */
  _Atomic uint32_t turn; /* raised to wake a late waiter */
} dart__mutex_t;

#define DART__MUTEX_HELD     1U
#define DART__MUTEX_SLEEPERS 2U /* a waiter may sleep on `state` */
#define DART__MUTEX_LATE     4U

/** The contended paths: wait for the mutex and take it; wake a waiter. */
void dart__mutex_wait(dart__mutex_t *mutex, const dart__wait_policy_t *policy);
void dart__mutex_wake(dart__mutex_t *mutex, uint32_t state);

/** Take the mutex if it is free and no waiter sleeps or is late. */
static inline bool dart__mutex_try(dart__mutex_t *mutex)
{
  uint32_t state = 0;

  /* acquire: pairs with the release in dart__mutex_unlock */
  return atomic_compare_exchange_strong_explicit(&mutex->state, &state, DART__MUTEX_HELD,
                                                 memory_order_acquire, memory_order_relaxed);
}

/** Whether anybody holds it. */
static inline bool dart__mutex_is_held(const dart__mutex_t *mutex)
{
  /* relaxed: for the holder, and whoever has been told by it */
  return (atomic_load_explicit((_Atomic uint32_t *)&mutex->state, memory_order_relaxed) &
          DART__MUTEX_HELD) != 0;
}

/** For a waiter elsewhere, which cannot sleep here: count it as late; then it comes before all that are not, which
 *  do not get the mutex, even while it is free, until dart__mutex_take_for was called, or they are late, too. So that
 *  call has to come soon, whatever the program does. */
void dart__mutex_count_late(dart__mutex_t *mutex);

/** Take the mutex for such a waiter if it is free; `is_late`: it was counted. Does not wait. Looked at again after a
 *  while, for no unlock wakes it. */
bool dart__mutex_take_for(dart__mutex_t *mutex, bool is_late);

/** Everything done under the mutex before is visible to the caller afterwards. */
static inline void dart__mutex_lock(dart__mutex_t *mutex, const dart__wait_policy_t *policy)
{
  if (__builtin_expect(!dart__mutex_try(mutex), 0))
    dart__mutex_wait(mutex, policy);
}

static inline void dart__mutex_unlock(dart__mutex_t *mutex)
{
  /* release: pairs with the acquire of the next holder */
  uint32_t before =
      atomic_fetch_sub_explicit(&mutex->state, DART__MUTEX_HELD, memory_order_release);

  if (__builtin_expect(before != DART__MUTEX_HELD, 0))
    dart__mutex_wake(mutex, before);
}

#endif
