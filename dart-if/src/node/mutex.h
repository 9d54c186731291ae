#ifndef DART__NODE_MUTEX_H
#define DART__NODE_MUTEX_H
/* A mutex in shared memory: sleeping when it has to, fast when it can be, fair in the long run.
 *
 * One word says whether it is held, and whether anyone sleeps (Drepper: Futexes Are Tricky, 2011,
 * "Mutex, take 2"): uncontended, it costs one atomic operation each way and no system call. Whoever
 * runs may take it when it is free, past those who sleep. Handing it to a sleeper instead would
 * cost a switch of tasks for every holder, which is what makes fair locks collapse where units
 * outnumber cores. So that nobody loses that race for ever, a waiter that has lost it for a
 * millisecond enters the word as `late`, and while there are any, they alone may take the mutex. */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "node/wait.h"

/* Zeroed memory is a free mutex. */
typedef struct {
  _Atomic uint32_t state; /* DART__MUTEX_HELD, SLEEPERS, and how many are late times LATE */
  _Atomic uint32_t turn;  /* raised to wake one that is late */
} dart__mutex_t;

#define DART__MUTEX_HELD     1U
#define DART__MUTEX_SLEEPERS 2U /* somebody may sleep on `state` */
#define DART__MUTEX_LATE     4U

/** The ways out of line: to wait until it can be had, and to wake who waits. */
void dart__mutex_wait(dart__mutex_t *mutex, const dart__wait_policy_t *policy);
void dart__mutex_wake(dart__mutex_t *mutex, uint32_t state);

/** Take it if it is free and nobody is late. */
static inline bool dart__mutex_try(dart__mutex_t *mutex)
{
  uint32_t state = 0;

  /* acquire: pairs with the release in dart__mutex_unlock */
  return atomic_compare_exchange_strong_explicit(&mutex->state, &state, DART__MUTEX_HELD,
                                                 memory_order_acquire, memory_order_relaxed);
}

/** Everything done under the mutex before is visible to who gets it after. */
static inline void dart__mutex_lock(dart__mutex_t *mutex, const dart__wait_policy_t *policy)
{
  if (__builtin_expect(!dart__mutex_try(mutex), 0))
    dart__mutex_wait(mutex, policy);
}

static inline void dart__mutex_unlock(dart__mutex_t *mutex)
{
  /* release: pairs with the acquire of whoever takes it next */
  uint32_t before =
      atomic_fetch_sub_explicit(&mutex->state, DART__MUTEX_HELD, memory_order_release);

  if (__builtin_expect(before != DART__MUTEX_HELD, 0))
    dart__mutex_wake(mutex, before);
}

#endif
