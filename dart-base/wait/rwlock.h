#ifndef DART__WAIT_RWLOCK_H
#define DART__WAIT_RWLOCK_H
/* A lock in shared memory, shared or exclusive, granted in the order of arrival, whose waiters sleep.
 *
 * Every request takes a ticket. A shared request enters when all before it have entered, an exclusive one when all
 * before it have left. So adjoining shared requests hold the lock together, and none is overtaken. (The ticket lock of
 * Mellor-Crummey and Scott, Scalable Reader-Writer Synchronization for Shared-Memory Multiprocessors, PPoPP 1991, in
 * its fair form: one counter of turns for each kind.)
 *
 * A waiter sleeps on the event of its ticket modulo DART__RWLOCK_TURNS, so a turn wakes one waiter, seldom
 * more. Requests of units that cannot sleep here (far ones) have tickets, too, which another process takes
 * care of; `far` says whether there are such. */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "wait/wait.h"

#define DART__RWLOCK_TURNS 8 /* power of 2: tickets wrap */

/* Zeroed memory is a free lock. */
typedef struct {
  _Alignas(DART__CACHE_LINE) _Atomic uint32_t next; /* the next ticket */
  _Atomic uint32_t shared;    /* the ticket that may enter shared: all before it have entered */
  _Atomic uint32_t exclusive; /* the ticket that may enter exclusive: all before it have left */
  _Atomic uint32_t far;       /* tickets of far units that have not entered */
  _Alignas(DART__CACHE_LINE) dart__event_t turn[DART__RWLOCK_TURNS];
} dart__rwlock_t;

/** Take a ticket. It has to be entered and left, for all later ones wait for it. */
static inline uint32_t dart__rwlock_take(dart__rwlock_t *lock)
{
  /* seq_cst: before the loads of dart__rwlock_try_enter, in the order that the accesses of a turn are part of */
  return atomic_fetch_add_explicit(&lock->next, 1, memory_order_seq_cst);
}

/** Take a ticket and enter, if that needs no wait; else take none. */
bool dart__rwlock_try(dart__rwlock_t *lock, bool exclusive, uint32_t *ticket_out);

/** Enter if it is the ticket's turn; then everything done under the lock before is visible, as far as it
 *  excludes this request. */
bool dart__rwlock_try_enter(dart__rwlock_t *lock, uint32_t ticket, bool exclusive);

/** Enter when it is the ticket's turn. False: the check of the policy has given it up, and the turn may come. */
bool dart__rwlock_enter(dart__rwlock_t *lock, uint32_t ticket, bool exclusive,
                        const dart__wait_policy_t *policy);

/** Leave; the caller entered with `exclusive`. */
void dart__rwlock_leave(dart__rwlock_t *lock, bool exclusive);

/** Whether far units wait: then the process that takes care of them is to be informed after every enter and
 *  leave. */
static inline bool dart__rwlock_has_far(const dart__rwlock_t *lock)
{
  /* seq_cst: after the store of a turn; pairs with the increment before a far unit's next dart__rwlock_try_enter */
  return atomic_load_explicit((_Atomic uint32_t *)&lock->far, memory_order_seq_cst) != 0;
}

#endif
