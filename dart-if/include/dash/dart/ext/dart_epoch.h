#ifndef DASH__DART__EXT__DART_EPOCH_H__INCLUDED
#define DASH__DART__EXT__DART_EPOCH_H__INCLUDED
/** @file dart_epoch.h
 *  Epochs: operations between two calls that synchronise, as in MPI's one-sided communication.
 *
 *  A step of a stencil: all units put their edges to their right neighbours, and use what came from the left.
 *
 *      dart_gptr_t halo;                                        // 64 doubles on every unit
 *      dart_team_memalloc_aligned(DART_TEAM_ALL, 64, DART_TYPE_DOUBLE, &halo);
 *      dart_gptr_setunit(&halo, DART_TEAM_UNIT_ID((me + 1) % n));
 *      dart_epoch_fence(halo, 0);                               // everybody may access everybody's portion
 *      dart_put(halo, edge, 64, DART_TYPE_DOUBLE, DART_TYPE_DOUBLE);
 *      dart_epoch_fence(halo, 0);                               // all puts are complete, and seen by their targets
 *
 *  An epoch belongs to a segment, which any global pointer into it names: memory that a team allocated, the
 *  pool (DART_TEAM_ALL's segment 0) or registered memory. Between the call that opens it and the one that
 *  closes it the program uses the ordinary operations (dart_put, dart_get, dart_accumulate, ...), and lets
 *  DART defer them: dart_put, dart_get and dart_accumulate, of all types, may start as late as
 *  the closing call, so their buffers are the program's again after that, or after a flush; their types may be
 *  destroyed before. Blocking operations, those with a handle, atomics with a result, and those of
 *  dart_atomics.h wait until the target can be accessed, and start then.
 *
 *  Three kinds, after Thakur, Gropp, Toonen: Optimizing the Synchronization Operations in MPI One-Sided
 *  Communication (IJHPCA 19(2), 2005), and Traeff, Ritzdorf, Hempel: The Implementation of MPI-2 One-Sided
 *  Communication for the NEC SX-5 (SC 2000):
 *
 *  - *fence*: all units of the team call it; it ends an epoch and begins the next, in which every unit may
 *    access every unit's portion;
 *  - *post, start, complete, wait*: a target exposes its portion to the origins that it names, these access
 *    it, and both know when that is over, without the other units;
 *  - *lock, unlock*: an origin accesses a portion alone, or with others that lock it shared; the target does
 *    not take part.
 *
 *  Kinds do not mix on a segment at the same time. Which operations are part of an epoch, how many of them are deferred,
 *  and what happens when memory is freed is told at the end of this file. */

#include <dash/dart/if/dart_globmem.h>
#include <dash/dart/if/dart_team_group.h>
#include <dash/dart/if/dart_types.h>
#include <dash/dart/if/dart_util.h>

#ifdef __cplusplus
extern "C" {
#endif
DART_INTERFACE_ON

/** Promises by which a program lets DART leave things out, as flags that are added up; 0: none.
 *
 *  A promise that is not kept is undefined behaviour; builds with assertions (DART_ENABLE_ASSERTIONS) find it where its
 *  description says so, with DART_ERR_INVAL. Flags that mean nothing to a call: DART_ERR_INVAL. */
typedef enum {
  /** No operations came before: no unit has issued any on the segment since its last fence, so that there is nothing to
   *  complete.
   *
   *  For dart_epoch_fence; all units give it or none. The call communicates nothing and does not wait, but for the first
   *  fence of a segment, at which units agree that all have the memory for epochs.
   *
   *  Verified: own operations, by this call; that all gave it, by the next fence without it. */
  DART_EPOCH_NOPRECEDE = 1,
  /** No operations follow: no unit issues any on the segment until its next fence, so that no epoch begins, and
   *  operations are ordinary ones again.
   *
   *  For dart_epoch_fence; all units give it or none.
   *
   *  Verified: that all gave it, by this fence, or, if it has NOPRECEDE, by the next that has not. */
  DART_EPOCH_NOSUCCEED = 2,
  /** No stores came before: this unit has not written to its portion by plain stores since the last synchronisation.
   *
   *  For dart_epoch_fence and dart_epoch_post. Memory is coherent on every machine that DART runs on, so nothing can be
   *  left out, nor verified. */
  DART_EPOCH_NOSTORE = 4,
  /** No puts follow: the caller's portion is only read, and not written to, in the epoch that begins.
   *
   *  For dart_epoch_fence and dart_epoch_post. Nothing is left out today.
   *
   *  Verified: by the origin of a near operation, which is refused by its call, or, if it was deferred until
   *  the promise was known, by the one that closes the access; by the fence or wait that ends the epoch, for
   *  operations of far units; the latter not in epochs that begin with a fence that is LAZY, or follow one. */
  DART_EPOCH_NOPUT = 8,
  /** No check is needed: the program has made sure that the target is ready.
   *
   *  For dart_epoch_post and dart_epoch_start, both: post was called before start, after a barrier for example, so no
   *  words are exchanged. For dart_epoch_lock and dart_epoch_lock_all: no other unit holds or asks for a lock that
   *  excludes this one, so none is asked for.
   *
   *  Verified: start, unless near targets have posted; a lock that is not free at the first operation on a
   *  near target, or at its unlock; locks of far targets are not verified. */
  DART_EPOCH_NOCHECK = 16,
  /** Complete locally only: that operations are complete at their targets is left to the next synchronisation.
   *
   *  For dart_epoch_fence, dart_epoch_unlock and dart_epoch_unlock_all. The next synchronisation of a fence is the next
   *  fence without LAZY. Of an unlock it is the next flush that is not local, dart_order, dart_epoch_fence without LAZY
   *  and NOPRECEDE, or unlock without LAZY, on any memory, while or after which this unit has no lock epoch open: with a
   *  lock held it would wait for another. After that call the unit that made it knows; a target knows by what that unit
   *  tells it then, a barrier for example.
   *
   *  Fence: all units give it or none; this unit does not wait for the data of other units.
   *
   *  An unlock of few short operations sends them and waits for nothing, unless 64 such unlocks are under way and this
   *  unit has nothing else locked; of others it waits for the lock, and until they are complete locally. With NOCHECK
   *  operations start when they are called, and the unlock waits until they are complete locally.
   *
   *  Verified: that all units gave it to a fence, by that fence, or, if it has NOPRECEDE, by the next that has not; where
   *  this is verified, a lazy fence waits until all units have called it. */
  DART_EPOCH_LAZY = 32
} dart_epoch_assertion_t;

/** What a lock of an epoch excludes: DART_EPOCH_SHARED exclusive locks, DART_EPOCH_EXCLUSIVE all others. */
typedef enum { DART_EPOCH_SHARED = 1, DART_EPOCH_EXCLUSIVE = 2 } dart_epoch_lock_t;

/* ---- Calls ----------------------------------------------------------------------------------
 *
 * Errors of all functions, each with one log line, and then nothing has changed:
 * DART_ERR_INVAL: `gptr` names no segment or (lock, unlock) no unit; assertions that the call does not
 *   take, or, where that is verified, that do not hold; a call out of its order, such as complete without
 *   start, or start in an epoch of another kind.
 * DART_ERR_NOMEM: no memory for what DART keeps of the segment's epochs.
 *
 * Calls that close an epoch return DART_ERR_INVAL, too, if a far unit has refused operations, because its memory is
 * gone; the epoch is closed then. */

/** End the segment's fence epoch, if there is one, and begin the next. Collective over the segment's team.
 *
 *  On return all operations that units issued in the epoch are complete locally, and those that accessed the
 *  caller's portion are complete; what other units issue in the next epoch comes after. It does not
 *  wait for units that have nothing to do with this one if that can be known without asking them; programs must not
 *  count on either. Flags: DART_EPOCH_NOPRECEDE, DART_EPOCH_NOSUCCEED, DART_EPOCH_NOSTORE, DART_EPOCH_NOPUT,
 *  DART_EPOCH_LAZY.
 *  DART_ERR_NOMEM may be the result of some units only; the epoch goes on on all others. */
dart_ret_t dart_epoch_fence(dart_gptr_t gptr, int assertions) DART_NOTHROW;

/** Expose the caller's portion to the team units `origins`, which call dart_epoch_start with this unit among
 *  their targets. Does not wait. The k-th post that names a unit goes with that unit's k-th start that names
 *  this one. `norigins` may be 0. Flags: DART_EPOCH_NOSTORE, DART_EPOCH_NOPUT, DART_EPOCH_NOCHECK.
 *  DART_ERR_INVAL also: a unit that is not in the team, or twice; the portion is exposed already, or this
 *  unit has a lock epoch, or a fence epoch with operations, open on the segment. */
dart_ret_t dart_epoch_post(dart_gptr_t gptr, size_t norigins, const dart_team_unit_t origins[],
                           int assertions) DART_NOTHROW;

/** Begin to access the portions of the team units `targets`. Does not wait: operations are deferred until
 *  their target has posted. `ntargets` may be 0. Flags: DART_EPOCH_NOCHECK.
 *  DART_ERR_INVAL also: a unit that is not in the team, or twice. */
dart_ret_t dart_epoch_start(dart_gptr_t gptr, size_t ntargets, const dart_team_unit_t targets[],
                            int assertions) DART_NOTHROW;

/** End what dart_epoch_start began, and complete all operations locally. It waits until targets have posted, but
 *  need not: few short puts may be left to wait at their target for its post.
 *  Operations are complete at a target when its dart_epoch_wait returns; no flush after this call waits for that. */
dart_ret_t dart_epoch_complete(dart_gptr_t gptr) DART_NOTHROW;

/** End what dart_epoch_post began: wait until all origins have called dart_epoch_complete, and their
 *  operations are complete here. */
dart_ret_t dart_epoch_wait(dart_gptr_t gptr) DART_NOTHROW;

/** End what dart_epoch_post began, as dart_epoch_wait, but without waiting: 1 to `*is_complete` and the exposure has
 *  ended, or 0 and it goes on. */
dart_ret_t dart_epoch_test(dart_gptr_t gptr, int32_t *is_complete) DART_NOTHROW;

/** Begin to access the portion of gptr's unit, locked. Does not wait, unless it is the caller's portion, which is
 *  locked on return: another unit's is locked by the first operation that starts, a flush, or the unlock. An
 *  epoch without operations locks nothing. Locks are granted in the order of arrival, adjoining shared ones
 *  together; where units share cores, one that runs may pass those that have waited for less than a millisecond.
 *  Locks of several units may be held at a time, in an order of which the program takes care; the end of
 *  dart_epoch.h says when each is taken. Flags: DART_EPOCH_NOCHECK.
 *  DART_ERR_INVAL also: this unit has locked that portion already. */
dart_ret_t dart_epoch_lock(dart_gptr_t gptr, dart_epoch_lock_t kind, int assertions) DART_NOTHROW;

/** End what dart_epoch_lock began for gptr's unit. All operations on the portion are complete there, then it
 *  is unlocked; with DART_EPOCH_LAZY they are complete locally. Flags: DART_EPOCH_LAZY. */
dart_ret_t dart_epoch_unlock(dart_gptr_t gptr, int assertions) DART_NOTHROW;

/** Begin to access the portions of all units of the team, locked shared: the caller's on return, each other by
 *  its first operation that starts, or, for deferred operations, by the unlock. Not collective. The end of dart_epoch.h
 *  says when units could wait for each other. Flags: DART_EPOCH_NOCHECK. */
dart_ret_t dart_epoch_lock_all(dart_gptr_t gptr, int assertions) DART_NOTHROW;

/** End what dart_epoch_lock_all began. Flags: DART_EPOCH_LAZY. */
dart_ret_t dart_epoch_unlock_all(dart_gptr_t gptr, int assertions) DART_NOTHROW;

/* ---- Kinds do not mix ---------------------------------------------------------------------------
 *
 * While this unit has an epoch open on a segment, its operations on that segment are refused (DART_ERR_INVAL, one
 * log line, nothing is sent) if the epoch does not cover the target: another unit than those started or locked;
 * any unit, if the segment was posted only. Exposure (post) and access (start) may be open together. A fence's
 * epoch in which this unit has issued nothing may be left by opening one of another kind; on one node, in builds
 * without assertions, near operations of a fence's epoch are not noted, so that leaving it after them is not
 * refused. Epochs of different segments are independent. */

/* ---- Locks of several units ---------------------------------------------------------------------
 *
 * While this unit has more than one portion locked, of one segment or of several, operations that can be deferred are,
 * and then each unlock takes its lock alone. An operation that starts (a blocking one, for example) keeps its lock until
 * the unlock, and so do a flush and the caller's portion; before these, other portions of the segment with deferred
 * operations are locked, in the order of the first operation on each. Portions of other segments are not: one for which
 * operations are deferred is locked by an operation on it that starts, a flush of its segment, or its unlock, after
 * what is locked by then. So where units lock portions of several segments in an order, they flush each before they
 * access the next.
 *
 * dart_epoch_unlock_all asks for what is not locked yet at once, and waits for nothing while it holds a lock; so units
 * whose operations are deferred cannot wait for each other. One that starts in the epoch (a blocking one, for
 * example) keeps its lock until the unlock: where others lock exclusively meanwhile, the program takes care of the order
 * of such operations, as with locks of several units. */

/* ---- Flushes, and all else ----------------------------------------------------------------------
 *
 * dart_flush and its kin inside an epoch start what was deferred, as soon as the target can be accessed, and
 * complete it as they do without epochs; what was deferred in other segments than that of their pointer they leave
 * there. Notifications, collectives and messages are not part of epochs, and order nothing in them. Outside of
 * epochs operations are those of dart_communication.h, also on segments that had epochs. Conflicting accesses that
 * no epoch orders are races; dart_accumulate and other atomics keep their atomicity. */

/* ---- Threads ------------------------------------------------------------------------------------
 *
 * An epoch is its unit's, and any thread may call. Calls about one segment are made one after the other; those of
 * the exposing side (post, wait, test) apart from those of the accessing side. */

/* ---- How many operations are deferred -----------------------------------------------------------
 *
 * In a fence's epoch, and where one unit is locked and nothing else, at most 256 operations per segment are
 * deferred; what comes then waits until its target can be accessed and starts what was deferred for it; after a
 * fence with NOPRECEDE, and on one node also with LAZY, that is when the target has called that fence, too. Where
 * this could make units wait for each other (between start and complete, with all units or several locked)
 * operations are deferred as long as there is memory, about 200 bytes each, which stays until the segment ends; if
 * there is none the result is DART_ERR_NOMEM, and nothing has changed. */

/* ---- End of memory ------------------------------------------------------------------------------
 *
 * Epochs other than a fence's are closed before their segment is freed; deferred operations are dropped with a log
 * line otherwise. dart_exit unlocks what is locked, with a warning, and completes what was started there. A unit
 * that waits for the lock of memory which its unit deregisters is told: DART_ERR_INVAL, as soon as the near units
 * that hold that lock have unlocked it. */

DART_INTERFACE_OFF
#ifdef __cplusplus
}
#endif

#endif /* DASH__DART__EXT__DART_EPOCH_H__INCLUDED */
