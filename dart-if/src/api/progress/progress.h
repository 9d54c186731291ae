#ifndef DART__API_PROGRESS_H
#define DART__API_PROGRESS_H
/* What calls do on their way: apply own updates that wait (node/deferred.h), and serve far units.
 *
 * Updates wait only in a stream of them: DART__STREAM_LEAST in a row and fast, with no other call of DART
 * between. A program that makes a few and then blocks, in a pipe or a join, has made them. The end of
 * a stream, at most DART__DEFERRED_MOST updates, waits for the unit's next call of DART that completes,
 * waits, polls or publishes. Only one thread may use DART then: no one else touches the queue, and
 * any call of the unit may be the one that applies it. */
#include <dash/dart/if/dart_globmem.h>

#include "model/world.h"
#include "node/deferred.h"

#define DART__STREAM_LEAST 32

extern dart__deferred_t dart__deferred;
extern uint32_t         dart__stream; /* updates in a row so far, at most DART__STREAM_LEAST */

/** The ways out of line. */
void dart__progress_now(void);
void dart__progress_stream(void);

/** Set up what the world says; at init. */
void dart__progress_open(void);

/** Whether there is something to do: one look at a flag. */
static inline bool dart__progress_is_due(void)
{
  return __builtin_expect(dart__world.progress_is_due, 0);
}

static inline void dart__progress(void)
{
  if (dart__progress_is_due())
    dart__progress_now();
}

/** Whether updates without a result may wait. */
static inline bool dart__may_defer(void)
{
  return !dart__world.many_threads && !dart__world.far_atomics;
}

/** An update was applied at once. If enough of them follow one another fast enough, the next may wait. */
static inline void dart__progress_update(void)
{
  dart__world.progress_is_due = true; /* or the next call would not end the stream */
  if (++dart__stream % (DART__STREAM_LEAST / 2) == 0)
    dart__progress_stream();
}

/** A blocking look at memory has found these bytes, at most 8, at `gptr`. A unit that finds the same again
 *  waits for somebody: what it has collected for others leaves. Only if many_nodes. */
void dart__progress_look(dart_gptr_t gptr, const void *found, size_t nbytes);

#endif
