#ifndef DART__FAR_PROGRESS_H
#define DART__FAR_PROGRESS_H
/* Progress that entry points make: apply own deferred updates (wait/deferred.h), and serve far units.
 *
 * Updates are deferred only in a stream: after DART__STREAM_LEAST of them in a row, fast, and with no other
 * call of DART between. So the updates of a program that makes a few and then blocks, in a pipe or a join,
 * are applied. A local flush applies what is deferred, too, but updates that follow it are of the same stream. The end of
 * a stream, at most DART__DEFERRED_MOST updates, stays deferred until the unit's next call of DART that completes, waits,
 * polls, puts or publishes. Updates are deferred only if one thread uses DART: no other thread accesses the queue, and
 * any call of the unit may apply it. */
#include <dash/dart/ext/dart_inline_near.h>
#include <dash/dart/if/dart_globmem.h>

#include "far/poll_budget.h"
#include "model/team.h"
#include "model/world.h"

#define DART__STREAM_LEAST 32

extern uint32_t dart__stream; /* updates in the current stream, at most DART__STREAM_LEAST */

/* The direct maps of entry points that make progress: dart__team_direct, or a table of NULL while updates are deferred, and
 * in jobs of several nodes without an agent. So these look for a map, as others do, and find none if they have to make
 * progress first. */
extern dart_inline_maps_t dart__progress_maps;

/* The direct maps of puts that return at once: dart__team_direct, or the table of NULL while updates may be deferred.
 * Those come before the put, for what a unit does to one element takes effect in program order. */
extern dart_inline_maps_t dart__put_maps;

/** End the stream: apply what is deferred, and request what is in the run. Serves nobody. */
void dart__progress_apply(void);

/** The parts that are not inlined. `serve` leaves a stream as it is. */
void dart__progress_now(void);
void dart__progress_serve(void);
void dart__progress_stream(void);

/* Locks with their operations, and unlocks, that were sent without a wait (DART_EPOCH_LAZY): how many, how many of them
 * their targets have reported, and the lock epochs of this process that are open. A synchronisation waits for all. */
typedef struct {
  _Atomic uint32_t sent, done, nlocking;
} dart__lazy_t;

extern dart__lazy_t dart__lazy;

/** Whether a synchronisation waits for some: they wait for their locks, so not while this unit has locks that others may
 *  wait for. */
static inline bool dart__has_lazy(void)
{
  /* acquire: pairs with note_control; relaxed: a thread sees what it sent itself */
  return atomic_load_explicit(&dart__lazy.done, memory_order_acquire) !=
             atomic_load_explicit(&dart__lazy.sent, memory_order_relaxed) &&
         atomic_load_explicit(&dart__lazy.nlocking, memory_order_relaxed) == 0;
}

/** Wait until unlocks that did not wait (DART_EPOCH_LAZY) have taken effect, those of before the call; until
 *  at most `left` of them are outstanding. */
void dart__progress_settle(uint32_t left);

/** What a synchronisation does about them: wait for all, unless this unit has a lock epoch open. */
static inline void dart__progress_settle_lazy(void)
{
  if (__builtin_expect(dart__has_lazy(), 0))
    dart__progress_settle(0);
}

/** Updates are deferred, or not any more: change dart__world.progress_is_due, and the maps with it. At init, when the unit
 *  has its agent: not. */
void dart__progress_set_deferring(bool defers);

/** For calls that make no progress otherwise: if the poll budget is spent. */
static inline void dart__progress_if_spent(void)
{
  if (dart__poll_budget_is_spent())
    dart__progress_now();
}

static inline void dart__progress(void)
{
  if (__builtin_expect(dart__world.progress_is_due, 0))
    dart__progress_now();
  else
    dart__progress_if_spent();
}

/** What calls that complete operations do about near ones: apply deferred updates, and order near stores before whatever the
 *  caller does next. The release pairs with the acquire of the unit that the caller then notifies. A program may wait for
 *  a far unit by such calls in a loop, so they make progress. */
static inline void dart__progress_complete_near(void)
{
  dart__progress();
  atomic_thread_fence(memory_order_acq_rel);
}

/** dart__progress_complete_near for a local flush, after which a stream goes on. */
void dart__progress_complete_stream(void);

/** Whether updates without a result may be deferred. */
static inline bool dart__may_defer(void)
{
  return !dart__world.many_threads;
}

/** Count an update that was applied at once. When enough of them have followed one another fast enough, the
 *  next ones are deferred. */
static inline void dart__progress_update(void)
{
  if (dart__stream == 0)
    dart__progress_set_deferring(true); /* so that the next other call ends the stream */
  if (++dart__stream % (DART__STREAM_LEAST / 2) == 0)
    dart__progress_stream();
}

/** A look that does not wait has found nothing new, and the program may sleep before it looks again. Its other calls
 *  serve far units now and then (dart__progress); without an agent this one does once in each tick of the coarse clock,
 *  some milliseconds, so those who sleep for longer serve others with every look. Only if many_nodes. */
void dart__progress_in_vain(void);

/** A wait for words has found them at once. Notifications that the unit sent before it are a burst, which is over. Makes
 *  progress if the poll budget is spent. */
void dart__progress_at_once(void);

/** A blocking get or fetch has found these bytes, at most 8, at `gptr`. A unit that finds the same value
 *  again is polling, so the operations it has aggregated for far units are sent, and far units are served as above.
 *  Only if many_nodes. */
void dart__progress_polled(dart_gptr_t gptr, const void *found, size_t nbytes);

#endif
