#ifndef DASH__DART__EXT__DART_SURVIVE_H__INCLUDED
#define DASH__DART__EXT__DART_SURVIVE_H__INCLUDED
/** @file dart_survive.h
 *  Jobs that outlive units.
 *
 *  A unit that dies ends the job, unless DART_SURVIVE=1 is in the environment of dartrun, or of all units when they call
 *  dart_init, as by setenv. Then, from the end of dart_init on, the others go on: a unit that is killed, or ends without
 *  dart_exit, is *lost*. All units see losses in one order. Nothing else changes, and a job that loses nobody is as fast
 *  as without. dartrun names each unit that is lost, and ends with the code of the first one. (Compare failed images of Fortran 2018, and ULFM: Bland et al., *Post-failure
 *  recovery of MPI communication capability*, IJHPCA 27(3), 2013.)
 *
 *  No call waits for a lost unit: it returns DART_ERR_UNIT_LOST instead.
 *  - A team with a lost member is *broken*: its collective calls return the error on all units that would wait. A call
 *    that was under way when the unit died may have been completed on some units, and not on others, whose buffers are
 *    undefined, and may be written to until all that are left have called dart_team_agree or dart_team_shrink. What was to be
 *    made exists on no unit that got the error. A team of dart_team_create or dart_team_clone then exists on none; one of
 *    dart_team_create_group on some perhaps, which do not destroy it.
 *  - Between nodes dart_bcast, dart_gather, dart_scatter and dart_reduce wait for those units alone whose data they need: DART_OK
 *    says that this unit has its result. Another unit may get the error from the same call.
 *  - dart_epoch_complete, dart_epoch_wait, dart_epoch_test, dart_epoch_unlock and dart_epoch_unlock_all end their epoch also if they
 *    return the error. So does a fence, and begins the next one. Operations of the epoch that are for other members may be dropped. A post that
 *    comes after its access was given up opens no later one; that unit's waits for the origin return the error from then on.
 *  - Messages return it if their partner is lost. If a receive returns it, its message may come later, and then match the next
 *    receive of that unit and tag. Waits that anybody could end (dart_recv_any, dart_probe and dart_try_probe of any unit,
 *    dart_notify_wait, dart_wait_word and the like) return it if a unit was lost since they began, or one of which the program
 *    does not know: dart_team_lost of DART_TEAM_ALL, and dart_team_shrink for its team, say that it does; and if no other
 *    unit is left, unless the caller has several threads. For words and counters that is about members of their teams, for
 *    messages about all units.
 *  - The memory of a lost unit stays where it is near, and is read and written as before; but what it has registered is gone.
 *  - What a lost unit has put may be there in part. A notification of it, the end of an epoch or the release of a lock comes
 *    behind the data that it tells of, or not at all.
 *  - For units of other nodes the memory of a lost unit is gone. What is requested of it is dropped: puts, updates and
 *    notifications have no effect, and the buffers of gets are undefined. The call that completes some of it returns the
 *    error: a blocking put or get, a wait for a handle, a flush, dart_epoch_unlock and the like. The statistic `dropped`
 *    counts. All else that was requested is complete then. The first such call returns the error for all that was dropped
 *    before it; later ones return DART_OK, those of contexts the error again. Where units have several threads, that may
 *    be a flush of another thread than the one whose put or get was dropped, and others may return it, too: a thread is told
 *    of its own by blocking calls and handles. dart_order completes nothing, and so tells of nothing; nor does
 *    dart_team_destroy. The counter of a get that was dropped is not raised: flush before a wait for it, or give the wait
 *    a limit. The memory of a collective call that has failed is gone in the same way.
 *  - A lock that a lost unit held goes to the next unit that asks for it: see dart_lock_was_broken. Nobody is told of ranges
 *    that were given up because the table of ranges was full (dart_team_range_init). In a job of several
 *    nodes a lock is gone with the unit that has it: the first of the team (dart_lock_acquire), the one whose memory it is in
 *    (dart_lock_at_acquire), any that has some of the ranges (dart_range_acquire). Those calls return the error; units near
 *    a word that is free, or that one of them holds, go on locking it.
 *  - Nobody waits for the lock of a portion once its team is broken. Calls of dart_epoch.h that would wait return the error;
 *    dart_epoch_lock of the caller's portion and dart_epoch_lock_all have then locked nothing. A lock that a lost unit held
 *    is gone, and so is one for which a unit has waited in vain, as soon as it is released.
 *
 *  In such a job at most 8 threads of a unit are in dart_team_create, dart_team_clone, dart_team_destroy and dart_team_agree at a
 *  time, each with another team; one is in dart_team_shrink. With more, calls may wait for each other for ever.
 *
 *  What such calls have made or held stays until dart_exit: segments and other objects of a broken team, and, between nodes,
 *  6.4 KB for each request of a portion's lock that was given up. dart_team_destroy frees what belongs to its team.
 *
 *  The debug mode (DART_CHECK) checks memory, completion and locks in such jobs, not collectives and races; what belongs to
 *  broken teams is no leak.
 *
 *  One dartrun serves all nodes, and tells all units of a loss, also while nobody reads its output; there is no heartbeat. Of
 *  a unit that a script starts it sees the end with the script's.
 *
 *  dart_team_shrink makes a team of those that are left, which is whole again; dart_team_agree, dart_team_destroy and
 *  dart_exit work on broken teams, too.
 *
 *  There with dart-shmem, on one node and on simulated ones (dartrun --nodes), of which a whole one may be lost. dart_init
 *  refuses DART_SURVIVE=1 with dart-mpi. Between nodes, in such a job, unlocks with DART_EPOCH_LAZY wait, updates are not
 *  relayed, and a lock is not passed on within a node. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <dash/dart/if/dart_team_group.h>
#include <dash/dart/if/dart_types.h>
#include <dash/dart/if/dart_util.h>

#ifdef __cplusplus
extern "C" {
#endif
DART_INTERFACE_ON

/** What has become of a unit. */
typedef enum {
  DART_UNIT_RUNNING = 0,
  DART_UNIT_ENDED =
      1, /**< it has ended by itself with exit code 0, without dart_exit; it counts as lost */
  DART_UNIT_LOST = 2 /**< it was killed, or has ended with another code */
} dart_unit_status_t;

/** Whether the job outlives units: DART_SURVIVE was 1, for dartrun or for all units. Between dart_init and dart_exit; false
 *  outside. */
bool dart_survives(void) DART_NOTHROW;

/** What has become of `unit`. Local. A loss is seen at once, and never taken back.
 *  DART_ERR_INVAL: there is no such unit, or `status` is NULL, or a call outside of init and exit. */
dart_ret_t dart_unit_status(dart_global_unit_t unit, dart_unit_status_t *status) DART_NOTHROW;

/** The lost members of a team, in the order in which they were lost: at most `*nunits` of them into `units`; then
 *  `*nunits` is how many there are. `units` may be NULL if `*nunits` is 0. Local. With the team DART_TEAM_ALL it says that
 *  the program knows of these losses.
 *  DART_ERR_INVAL: no such team, or a pointer is NULL. */
dart_ret_t dart_team_lost(dart_team_t team, dart_global_unit_t *units, size_t *nunits) DART_NOTHROW;

/** Called for each unit that is lost, once, by a thread of this unit that is in a call of this header or in a wait which
 *  the loss ends. It calls no function of DART but dart_unit_status. */
typedef void (*dart_lost_handler_t)(dart_global_unit_t unit, void *context);

/** Have `handler` called for losses from now on; NULL: nothing is called. Local; for one thread at a time.
 *  DART_ERR_INVAL: a call outside of init and exit. */
dart_ret_t dart_lost_handler(dart_lost_handler_t handler, void *context);

/** Make a team of the members of `team` that are not lost. Collective over these. All get the same team, with the order of
 *  units kept; it is made whether or not a member is lost. Members that are lost meanwhile are left out, if they were
 *  lost before all had called, and the team is made anew. A unit that is lost later may be in it: then the team is
 *  broken, and can be shrunk in turn. It says that the program knows of the losses before.
 *
 *  `team` stays, until dart_team_destroy. Other units of `team` may be in any other call. One thread of a unit
 *  shrinks at a time.
 *
 *  Errors on all alike, with `*newteam` DART_TEAM_NULL: DART_ERR_NOMEM; DART_ERR_OTHER: all ids are used up.
 *  DART_ERR_INVAL, on the caller alone: no such team, `newteam` is NULL, or dart_survives is false. */
dart_ret_t dart_team_shrink(dart_team_t team, dart_team_t *newteam) DART_NOTHROW;

/** Replace `*value` by the bits that all callers' values have. Collective over the members of `team` that are not lost: all
 *  of them get the same. The value of a member that is lost counts if it had come to the call. So survivors agree on
 *  whether a step was completed by all, or where to go on.
 *  DART_ERR_UNIT_LOST, on all alike: a member was lost before it came to the call; `*value` is agreed on all the same.
 *  DART_ERR_INVAL: no such team, `value` is NULL, or dart_survives is false. */
dart_ret_t dart_team_agree(dart_team_t team, uint64_t *value) DART_NOTHROW;

/** Whether a lock of any kind that this thread has acquired since it asked last was held by a unit that is lost. Then what
 *  it protects may be half changed. The next holder alone is told; so it is of a unit that was lost while it waited, and got
 *  the lock then. Local. */
bool dart_lock_was_broken(void) DART_NOTHROW;

DART_INTERFACE_OFF
#ifdef __cplusplus
}
#endif

#endif /* DASH__DART__EXT__DART_SURVIVE_H__INCLUDED */
