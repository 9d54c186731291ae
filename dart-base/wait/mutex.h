#ifndef DART__WAIT_MUTEX_H
#define DART__WAIT_MUTEX_H
/* A mutex in shared memory: waiters sleep, it is cheap without contention, and nobody waits for ever.
 *
 * One word says whether it is held, and whether any waiter sleeps (Drepper: Futexes Are Tricky, 2011, "Mutex,
 * take 2"): uncontended, lock and unlock cost one atomic operation each and no system call. A running thread
 * may take the free mutex before waiters that sleep. Handing it to a sleeper instead would cost a context
 * switch for every holder, which is what makes fair locks collapse where units outnumber cores. So that no
 * waiter loses that race for ever, one that has lost it for ten milliseconds is late: it draws a ticket. Late
 * waiters take the mutex in the order of their tickets, and each of them, while it is the first, is passed
 * MOST_PASSES times by threads that run, which saves as many context switches. So from then on its wait is
 * bounded: it has MOST_PASSES holders before it, and MOST_PASSES + 1 for each that was late before it. The word
 * has the number of late waiters, how often the first was passed, and the next ticket, so all change together;
 * the ticket that is served is the next one less that number. (Tickets: Mellor-Crummey and Scott, ACM TOCS
 * 9(1), 1991.)
 *
 * Where units may be lost the mutex is *robust*: in place of these numbers the word has the holder, so that a waiter sees
 * that it is lost, and takes the mutex from it in one step. Nobody is late then, and the wait is not bounded. (Robust
 * futexes of Linux: Molnar and Gleixner, 2006; there the kernel looks.) */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "wait/wait.h"

/* Zeroed memory is a free mutex. */
typedef struct {
  _Atomic uint32_t
      state; /* HELD, SLEEPERS; numbers: of late waiters, times LATE; of passes, times PASSED; the next
                             ticket, times TICKET, 0 while nobody is late */
  _Atomic uint32_t turn; /* raised to wake a late waiter */
} dart__mutex_t;

/* What this process adds to `state` of a mutex that it holds. 0: mutexes are not robust. Else 4 * (its id + 1), and the
 * same on all units but for the id. Constant while mutexes are used. */
extern uint32_t dart__mutex_tag;

/** Make mutexes robust, for the unit `me`; NULL: not robust. Before any is used. */
void dart__mutex_set_robust(bool (*is_lost)(int32_t unit), int32_t me);

#define DART__MUTEX_HELD        1U
#define DART__MUTEX_SLEEPERS    2U /* a waiter may sleep on `state` */
#define DART__MUTEX_LATE        4U
#define DART__MUTEX_PASSED      (DART__MUTEX_LATE << 13) /* so there are less than 2^13 waiters */
#define DART__MUTEX_TICKET      (DART__MUTEX_PASSED << 3)
#define DART__MUTEX_MOST_PASSES 4U

/** The contended paths: wait for the mutex and take it, true: from a unit that is lost; wake a waiter. */
bool dart__mutex_wait(dart__mutex_t *mutex, const dart__wait_policy_t *policy);
/** dart__mutex_wait of a robust mutex; false: the check of the policy has given the wait up, and it was not taken. */
bool dart__mutex_wait_robust(dart__mutex_t *mutex, const dart__wait_policy_t *policy,
                             bool *is_broken_out);
void dart__mutex_wake(dart__mutex_t *mutex, uint32_t state);

/** Take the mutex if it is free and no waiter sleeps or is late. */
static inline bool dart__mutex_try(dart__mutex_t *mutex)
{
  uint32_t state = 0;

  /* acquire: pairs with the release in dart__mutex_unlock */
  return atomic_compare_exchange_strong_explicit(&mutex->state, &state,
                                                 DART__MUTEX_HELD | dart__mutex_tag,
                                                 memory_order_acquire, memory_order_relaxed);
}

/** Whether anybody holds it. */
static inline bool dart__mutex_is_held(const dart__mutex_t *mutex)
{
  /* relaxed: for the holder, and whoever has been told by it */
  return (atomic_load_explicit((_Atomic uint32_t *)&mutex->state, memory_order_relaxed) &
          DART__MUTEX_HELD) != 0;
}

/** For a waiter of a unit elsewhere, which cannot sleep here: take the mutex for it if it is free and nobody is late.
 *  Does not wait. Looked at again after a while, for no unlock wakes it. A robust mutex is taken if it is free, whoever
 *  is late. */
bool dart__mutex_take_for(dart__mutex_t *mutex, int32_t unit);

/** Make such a waiter late; returns its ticket. It comes before all who are not late, or later, but for some
 *  passes: they do not get the mutex then, even while it is free, until dart__mutex_take_late has taken it. So
 *  that call has to come soon, whatever the program does. */
uint32_t dart__mutex_draw_ticket(dart__mutex_t *mutex);

/** Take the mutex for the waiter with that ticket if it is free and its turn. Does not wait. */
bool dart__mutex_take_late(dart__mutex_t *mutex, uint32_t ticket, int32_t unit);

/** Take a robust mutex from a holder that is lost; the same for a unit elsewhere. Does not wait. */
bool dart__mutex_try_broken(dart__mutex_t *mutex);
bool dart__mutex_take_broken_for(dart__mutex_t *mutex, int32_t unit);

/** The holder of a robust mutex, as far as is known; -1: nobody. */
int32_t dart__mutex_holder(const dart__mutex_t *mutex);

/** Release the mutex for a unit for which it was taken. False: nobody holds it; of a robust one, this unit does not. */
bool dart__mutex_unlock_for(dart__mutex_t *mutex, int32_t unit);

/** Everything done under the mutex before is visible to the caller afterwards. True: it was taken from a unit that is
 *  lost, so what it protects may be half changed. */
static inline bool dart__mutex_lock(dart__mutex_t *mutex, const dart__wait_policy_t *policy)
{
  return __builtin_expect(!dart__mutex_try(mutex), 0) && dart__mutex_wait(mutex, policy);
}

static inline void dart__mutex_unlock(dart__mutex_t *mutex)
{
  /* release: pairs with the acquire of the next holder */
  uint32_t held   = DART__MUTEX_HELD | dart__mutex_tag;
  uint32_t before = atomic_fetch_sub_explicit(&mutex->state, held, memory_order_release);

  if (__builtin_expect(before != held, 0))
    dart__mutex_wake(mutex, before);
}

#endif
