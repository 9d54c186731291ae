#ifndef DASH__DART__EXT__DART_PROGRESS_H__INCLUDED
#define DASH__DART__EXT__DART_PROGRESS_H__INCLUDED
/** @file dart_progress.h
 *  Progress for programs that wait in something else.
 *
 *  Units of other nodes need a unit's help where the network does not reach its memory alone: atomics, locks,
 *  notifications, epochs and collected puts are applied by their target. Calls of DART that wait help meanwhile, and
 *  so does the progress agent, a thread, about every millisecond (DART_PROGRESS). A program without an agent that waits
 *  in a library of another kind, in poll() or for a file, calls dart_progress in that loop. */

#include <dash/dart/if/dart_types.h>
#include <dash/dart/if/dart_util.h>

#ifdef __cplusplus
extern "C" {
#endif
DART_INTERFACE_ON

/** Make progress, and return at once: apply what units of other nodes have requested of this one, a bounded number of
 *  messages, send what this unit has collected for them, and apply its deferred updates.
 *
 *  Local; any thread. It waits for no unit, and need not find anything to do. It completes nothing that the caller
 *  could rely on: a flush, a wait or a test does. On one node only deferred updates are to be applied, and without
 *  them it is a few loads. How long other units wait for this one is the time between two calls.
 *
 *  DART_ERR_INVAL: before dart_init, or after dart_exit. */
dart_ret_t dart_progress(void) DART_NOTHROW;

DART_INTERFACE_OFF
#ifdef __cplusplus
}
#endif

#endif /* DASH__DART__EXT__DART_PROGRESS_H__INCLUDED */
