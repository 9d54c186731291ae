#ifndef DASH__DART__EXT__DART_CONTEXT_H__INCLUDED
#define DASH__DART__EXT__DART_CONTEXT_H__INCLUDED
/** @file dart_context.h
 *  Completion contexts: operations that are completed apart from others.
 *
 *  dart_flush covers all that the unit has started towards another one, from whichever thread and for whichever
 *  purpose; a library that waits for its own few puts waits for those of the program around it, and one thread
 *  for those of the others. A context collects the operations that a thread starts while it is in it, and its
 *  flush waits for these. (Contexts of OpenSHMEM 1.4, shmem_ctx_create, are the same; here the context is not
 *  an argument of every operation, but what a thread is in, so that all operations, and libraries that the program
 *  calls, can be used in one.)
 *
 *  A context belongs to a unit, and is for memory of one team. It is used by one thread at a time (what
 *  OpenSHMEM calls serialized): entered, left, flushed, tested and destroyed. Threads in different contexts need not
 *  know of each other. What a thread starts outside of the team's memory while it is in the context is as if it
 *  were in none.
 *
 *  In a context are puts, gets and atomics that do not block, put_notify and get_notify among them, also those with a handle.
 *  Those inside an epoch (dart_epoch.h) are not: it completes them. The order of operations, and what
 *  dart_flush covers, stay as they are.
 *
 *  What a flush waits for, by the ways that its operations went: near memory is complete anyway. Requests to a far
 *  unit are counted in batches: those up to the context's last one there, which may hold earlier ones of
 *  others; nothing that is started after it, and no other unit. Where it has transfers by MPI: all that this unit,
 *  whoever in it, has outstanding by MPI towards their targets, for MPI knows no less than a target; else none of them.
 *  A flush of all asks all units for what was requested before it waits for any; MPI flushes one after the other. So
 *  a context is apart from what others do later, at other targets, and in other ways. */

#include <dash/dart/if/dart_globmem.h>
#include <dash/dart/if/dart_types.h>
#include <dash/dart/if/dart_util.h>

#ifdef __cplusplus
extern "C" {
#endif
DART_INTERFACE_ON

/** A completion context: the operations that a thread starts between dart_context_enter and dart_context_leave, which
 *  dart_context_flush completes. */
typedef struct dart_context *dart_context_t;
#define DART_CONTEXT_NULL ((dart_context_t)NULL) /**< no context */

/** Make a context for memory of `teamid`, without operations. Local; any thread. It ends by
 *  dart_context_destroy, before its team does and before dart_exit.
 *  DART_ERR_INVAL: `context` NULL, no such team on this unit. DART_ERR_NOMEM. `*context` is DART_CONTEXT_NULL then. */
dart_ret_t dart_context_create(dart_team_t teamid, dart_context_t *context) DART_NOTHROW;

/** Flush the context, leave it if the calling thread is in it, free it, and set `*context` to DART_CONTEXT_NULL, which
 *  may be what it is. No other thread is in it. Local but for the flush.
 *  DART_ERR_INVAL: `context` NULL, or its team is gone already: it is freed all the same. */
dart_ret_t dart_context_destroy(dart_context_t *context) DART_NOTHROW;

/** From here to dart_context_leave, operations of the calling thread on the context's team are in it.
 *  DART_ERR_INVAL: no context, its team is gone, or this thread is in a context already. */
dart_ret_t dart_context_enter(dart_context_t context) DART_NOTHROW;

/** Leave the context: what the calling thread starts from here on is not in it. Nothing is completed.
 *  DART_ERR_INVAL: the calling thread is not in that context. */
dart_ret_t dart_context_leave(dart_context_t context) DART_NOTHROW;

/** Complete the context's operations, locally and at their targets, as dart_flush_all would; or those on one
 *  team unit, as dart_flush. The caller may be in the context, or not.
 *  DART_ERR_INVAL: no context, its team is gone, no such unit. That a target has refused operations, whose memory was
 *  freed or deregistered, is what the unit's next dart_flush reports. */
dart_ret_t dart_context_flush(dart_context_t context) DART_NOTHROW;
dart_ret_t dart_context_flush_unit(dart_context_t context, dart_team_unit_t unit) DART_NOTHROW;

/** Complete the context's operations locally, as dart_flush_local_all would: sources may be reused, results are there;
 *  or those on one team unit, as dart_flush_local. Those that change their targets stay in the context until they are
 *  flushed, or a test has found them complete.
 *  DART_ERR_INVAL: no context, its team is gone, no such unit. */
dart_ret_t dart_context_flush_local(dart_context_t context) DART_NOTHROW;
dart_ret_t dart_context_flush_local_unit(dart_context_t context,
                                         dart_team_unit_t unit) DART_NOTHROW;

/** Whether the context's operations are complete, locally and at their targets: `*is_finished` is 1, and all is as after
 *  dart_context_flush; else it is 0. Without operations it is 1.
 *
 *  Has targets told that an answer is wanted, makes progress, and waits for no unit, so a program that tests again and
 *  again between its work sees the end, if its targets make progress. Transfers by MPI, which cannot be tested, are
 *  flushed once their target has answered a message that was sent after them: such a test takes the time of that flush.
 *  As a flush, it is a call of the one thread that uses the context now.
 *  DART_ERR_INVAL: no context, its team is gone, `is_finished` NULL. `*is_finished` is 0 then. */
dart_ret_t dart_context_test(dart_context_t context, int32_t *is_finished) DART_NOTHROW;

DART_INTERFACE_OFF
#ifdef __cplusplus
}
#endif

#endif /* DASH__DART__EXT__DART_CONTEXT_H__INCLUDED */
