#ifndef DASH__DART__IF__DART_SYNCHRONIZATION_H__INCLUDED
#define DASH__DART__IF__DART_SYNCHRONIZATION_H__INCLUDED
/** @file dart_synchronization.h
 *  Locks of a team: at most one thread of one of its units holds a lock at a time.
 *
 *  A lock goes first to units of the node it is on, and there to one that runs rather than to one
 *  that sleeps. On a node, a thread that has waited for about ten milliseconds has its place among those that have:
 *  from then on at most 5 holders of its node for each of these before it, and 4 more, come before it.
 *  After 64 near hand-overs it is the next node's turn, in the order nodes came: a node that has asked waits
 *  for at most 65 holders of each other node (lock cohorting: Dice, Marathe, Shavit, PPoPP 2012). It has asked once the
 *  team's first unit has seen its request; where that unit has waited itself, it looks for others' as its turns end.
 *  What a holder did by plain loads and stores, by blocking operations and by operations it completed is seen by every
 *  later holder. A release completes nothing by itself: flush non-blocking operations before.
 *
 *  A team may have any number of locks; locks are not recursive. Threads of a unit exclude each
 *  other if DART was started with DART_THREAD_MULTIPLE; otherwise a unit counts as one thread. */

#include <dash/dart/if/dart_types.h>
#include <dash/dart/if/dart_util.h>

#ifdef __cplusplus
extern "C" {
#endif
DART_INTERFACE_ON

/** A lock of a team, made by dart_team_lock_init. */
typedef struct dart_lock_struct *dart_lock_t;

#define DART_LOCK_NULL ((dart_lock_t)NULL) /**< no lock */

/** Make a lock of the units of `teamid`, held by nobody.
 *
 *  Collective over the team. DART_ERR_INVAL: no such team on this unit; or, on every unit, `lock` is NULL on some unit.
 *  DART_ERR_NOMEM: no memory, on every unit. `*lock` is NULL then. */
dart_ret_t dart_team_lock_init(dart_team_t teamid, dart_lock_t *lock) DART_NOTHROW;

/** Release a lock's memory and set `*lock` to NULL.
 *
 *  Collective over its team. DART_ERR_INVAL, on every unit: somebody holds it, or a thread waits for it; nothing has
 *  changed. (A thread that begins to acquire it meanwhile is not found out.) Once the team is destroyed or
 *  dart_exit has begun this is local, and still needed to free the caller's end; so it may come
 *  after dart_exit, at any time. NULL for `lock` or `*lock` is fine, and local: DART_OK. */
dart_ret_t dart_team_lock_destroy(dart_lock_t *lock) DART_NOTHROW;

/** Wait for the lock, and hold it.
 *
 *  DART_ERR_INVAL: NULL, or the caller holds it already, and still holds it once. */
dart_ret_t dart_lock_acquire(dart_lock_t lock) DART_NOTHROW;

/** Hold the lock if nobody does: `*result` is 1 if the caller holds it now, 0 if someone else does.
 *  Does not wait; makes progress; called in a loop it succeeds once the lock stays free. Word of a
 *  release takes its time between nodes: until it has come, whatever the caller has been told by other
 *  ways, the lock is held.
 *
 *  DART_ERR_INVAL: NULL, or the caller holds it already; `*result` is 0. */
dart_ret_t dart_lock_try_acquire(dart_lock_t lock, int32_t *result) DART_NOTHROW;

/** Let others have the lock. Called by the thread that holds it. Waits for nobody, unless so many operations
 *  to the team's first unit, on another node, are under way that their batches are full.
 *
 *  DART_ERR_INVAL: NULL, or the caller does not hold it. */
dart_ret_t dart_lock_release(dart_lock_t lock) DART_NOTHROW;

/** Whether `lock` is a lock: true from dart_team_lock_init to dart_team_lock_destroy, false for
 *  NULL. Local; at any time. */
bool dart_lock_initialized(struct dart_lock_struct const *lock) DART_NOTHROW;

DART_INTERFACE_OFF
#ifdef __cplusplus
}
#endif

#endif /* DASH__DART__IF__DART_SYNCHRONIZATION_H__INCLUDED */
