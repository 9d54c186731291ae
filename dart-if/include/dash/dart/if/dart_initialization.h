#ifndef DASH__DART__IF__DART_INITIALIZATION_H__INCLUDED
#define DASH__DART__IF__DART_INITIALIZATION_H__INCLUDED
/** @file dart_initialization.h
 *  From the start of DART to its end, any number of times in one process.
 *
 *  Each cycle of init and exit starts afresh: the same team and segment ids are given out again,
 *  and what an earlier cycle left behind is gone. Besides the functions here, only dart_config,
 *  dart_myid and dart_size (which then fail), dart_lock_initialized, dart_team_lock_destroy and the
 *  inline functions may be called outside of a cycle. */

#include <stdbool.h>

#include <dash/dart/if/dart_types.h>
#include <dash/dart/if/dart_util.h>

#ifdef __cplusplus
extern "C" {
#endif
DART_INTERFACE_ON

/** Start DART: DART_TEAM_ALL and the description of its locality exist when this returns.
 *
 *  Collective over all processes of the program; returns when all have arrived. `argc` and `argv`
 *  are main's, from which arguments meant for the launcher are removed; either may be NULL. On the
 *  MPI backend the program may have initialised MPI itself, and then also finalises it, after
 *  dart_exit; either way a unit's global id is its rank in MPI_COMM_WORLD.
 *  After an error nothing is left, and the units may try again; until then calls return their errors without a line, so
 *  that the line which says why is the last one.
 *  DART_ERR_OTHER: already initialised, and nothing changed; the program was started by the launcher
 *  of another backend; the program has finalised MPI; there is no shared memory to be had at all;
 *  DART_CHECK, DART_REPORT or DART_TRACE is set, and what it asks for is not in the program.
 *  DART_ERR_INVAL: a DART_... environment variable has a value that means nothing. DART_ERR_NOMEM: not
 *  enough (shared) memory to start, on every unit. */
dart_ret_t dart_init(int *argc, char ***argv) DART_NOTHROW;

/** dart_init for programs with threads: store what they may do ("Threads" in dart.h).
 *
 *  `*thread_safety` becomes DART_THREAD_MULTIPLE if DART was built for threads and the transport
 *  allows them (if the program initialised MPI: with MPI_THREAD_MULTIPLE), DART_THREAD_SINGLE
 *  otherwise; the same on all units. There is nothing to ask for. Errors as dart_init; also
 *  DART_ERR_INVAL if `thread_safety` is NULL. */
dart_ret_t dart_init_thread(int *argc, char ***argv,
                            dart_thread_support_level_t *thread_safety) DART_NOTHROW;

/** End this cycle of DART and release all it holds.
 *
 *  Collective over all units; waits for all of them, so nothing of a unit disappears while another
 *  still uses it. Complete outstanding operations before (dart_flush_all). Segments, teams and
 *  locks that are still alive are released here; memory registered by the user is not touched, it
 *  may be gone already. Release locks before: a warning names what this unit still holds, of 128 objects. Locks
 *  (dart_lock_t), ranges and portions that are locked in epochs are released then, so that others that wait for them go
 *  on, and find what they guard as it is; operations of these epochs that were deferred are dropped with a log line. A
 *  lock in a word (dart_lock_at.h) is not released, and others that wait for it never come to their dart_exit. All ids
 *  and global pointers of the cycle become invalid; locks remain to be destroyed by dart_team_lock_destroy.
 *
 *  A program that ends without it, because main returns or exit(0) is called inside of a cycle, keeps its
 *  exit code if all that it has done is complete or can be completed now (unit 0 warns of it in one
 *  line): then each unit's operations are flushed, and its memory stays there for the others until they
 *  end as well. It is an error to exit so while this unit holds a lock or one of its threads is in a
 *  collective; or with any other code than 0; or if others wait for the unit: for its part in a collective
 *  (dart_exit is one), for its message, or to send it one. Then a line names the unit, and the program
 *  ends with a code that is not 0. A unit that ends by _exit, quick_exit or a signal inside of a cycle
 *  ends the program in any case, and so does one that ends before dart_init, or after dart_exit, while
 *  others begin a cycle. A launcher on the unit's host (dartrun) names a lock that it held, too: of this interface,
 *  a range, or a portion in an epoch. On the MPI backend the exit handlers end MPI, if DART started it: so a process
 *  ends by exit or by return from main after its last dart_exit, too.
 *  DART_ERR_OTHER: not initialised. */
dart_ret_t dart_exit(void) DART_NOTHROW;

/** Whether DART is up: true from the inside of dart_init until dart_exit begins. Local; at any
 *  time, from any thread. */
bool dart_initialized(void) DART_NOTHROW;

/** End the whole program at once, without cleaning up; does not return.
 *
 *  Called by one unit, at any time. The exit code is `errorcode` (DART_EXIT_... or any other) as
 *  far as the launcher passes it on, and not 0 in any case unless `errorcode` is. With DART_STATS the statistics of
 *  this unit are written first. */
void dart_abort(int errorcode) __attribute__((noreturn));

DART_INTERFACE_OFF
#ifdef __cplusplus
}
#endif

#endif /* DASH__DART__IF__DART_INITIALIZATION_H__INCLUDED */
