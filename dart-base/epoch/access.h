#ifndef DART__EPOCH_ACCESS_H
#define DART__EPOCH_ACCESS_H
/* Operations inside epochs: whether they are allowed, whether they can start, and those that are deferred.
 *
 * A target is *open* once it is known to be exposed, or once its lock is held. Before that operations join
 * the epoch's queue. The calls that close an epoch open the targets that are used, start what is queued, and
 * tell the targets.
 *
 * The queue is bounded where an operation may wait for its target instead (dart__access_may_wait): the one that
 * comes after DART__EPOCH_QUEUE others opens its target, and starts what is queued for it. Elsewhere it grows, for
 * a target that was opened early could be one that another unit waits for, which this one waits for.
 *
 * Near operations on an open target are what they are outside of epochs. Far ones are started in order
 * (epoch_origin.h), so that control messages sent later find them applied. A target with operations that cannot be in
 * order, or that the ordinary path starts, needs a flush (`needs_flush`) before the control message.
 *
 * Entry points come here only if the segment has had epochs, and a segment that has one open has no direct
 * map. Functions below are called with epoch->access held (dart__access_enter). */
#include "epoch/epoch.h"
#include "model/address.h"
#include "model/world.h"
#include "p2p/twosided.h"
#include "wait/waiting.h"

#ifdef DART_ENABLE_ASSERTIONS
#define DART__EPOCH_VERIFIES true
#else
#define DART__EPOCH_VERIFIES false
#endif

/** Register dart__gate. */
void dart__access_open_gate(void);

/* ---- opening (open_target.c) and the queue (queue.c), also for the calls that open and close epochs ----- */

/* An epoch with what it belongs to. */
typedef struct {
  const char      *function; /* the caller, for log lines */
  dart__team_t    *team;
  dart__segment_t *segment;
  dart__epoch_t   *epoch;
} dart__access_call_t;

static inline void dart__access_enter(pthread_mutex_t *side)
{
  if (dart__world.many_threads)
    pthread_mutex_lock(side);
}

static inline void dart__access_leave(pthread_mutex_t *side)
{
  if (dart__world.many_threads)
    pthread_mutex_unlock(side);
}

/** Whether the unit is open; opens it if that needs no wait. A far lock is not asked for. */
bool dart__access_try_open(const dart__access_call_t *call, int32_t unit);

/** What a near unit, another one, and this one have for its portion. NULL: it has posted nothing yet. */
dart__epoch_post_t *dart__access_post(const dart__access_call_t *call, int32_t unit);

/** Whether a near unit has exposed its portion to this one since the last access by start that went with a post. */
bool dart__access_is_posted(const dart__access_call_t *call, int32_t unit);

/** Open the unit, waiting for it. False: the memory is gone. */
bool dart__access_open(const dart__access_call_t *call, int32_t unit);

/** dart__access_open for an operation that has to start now. With several units locked, others with deferred operations
 *  before are opened first, and these started, in the order of each unit's first: so the program knows in which order
 *  it has the locks. */
bool dart__access_open_in_order(const dart__access_call_t *call, int32_t unit);

/** The unit has deregistered its memory: nothing that was deferred for it can be done any more. DART_ERR_INVAL: after
 *  a log line. */
dart_ret_t dart__access_refuse_gone(const dart__access_call_t *call, int32_t unit);

/** What a wait is for, of `unit`; -1: of no certain one. */
dart__wait_for_t dart__access_waits_for(const dart__access_call_t *call, dart__wait_kind_t kind,
                                        int32_t unit);

/** Open a unit whose lock is held now, or that needs none. The caller of dart__hold_leave releases it. */
void dart__access_locked(const dart__access_call_t *call, int32_t unit);

/** This unit has entered or left the lock of a near one: if far units wait for it, its unit serves these. */
static inline void dart__access_inform_target(const dart__access_call_t *call, int32_t unit,
                                              const dart__rwlock_t *lock)
{
  if (dart__rwlock_has_far(lock))
    dart__event_add(dart__twosided_event(dart__team_member(call->team, unit)));
}

/** Leave the lock of a near unit. */
static inline void dart__access_leave_lock(const dart__access_call_t *call, int32_t unit)
{
  dart__epoch_target_t *t    = &call->epoch->target[unit];
  dart__rwlock_t       *lock = &dart__epoch_shared(call->team, call->segment, unit)->lock;

  dart__rwlock_leave(lock, t->is_exclusive);
  t->has_ticket = false;
  dart__access_inform_target(call, unit, lock);
}

/** Whether a far unit has granted a dart__epoch_request_t that had to wait, or its memory is gone; for
 *  dart__await. */
bool dart__access_is_granted(void *request);

/** Of these, the latter. */
bool dart__access_is_gone(const dart__epoch_request_t *request);

/** Whether an operation may wait until its target is open, though nothing was asked of it yet: nobody whom that
 *  target waits for can be waiting for this unit's epoch. */
bool dart__access_may_wait(const dart__epoch_t *epoch);

/** Defer an operation. False: no memory; or many are deferred, and this one may wait. */
bool dart__access_defer(dart__epoch_t *epoch, const dart__rma_t *rma);

/** Whether an open near unit has promised that nobody writes to it, against which an operation is: after a log line. It
 *  keeps its promise until the epoch ends; after a lazy fence it may be an epoch ahead. False: this is not verified. */
bool dart__access_is_read_only(const dart__access_call_t *call, int32_t unit);

/** Start an operation on an open unit. */
void dart__access_start(const dart__access_call_t *call, const dart__rma_t *rma);

/** Whether an operation that is deferred for the unit is likely to be a transfer of the network. */
bool dart__access_is_moved(const dart__access_call_t *call, int32_t unit);

/** Start what is queued for an open unit. */
void dart__access_drain(const dart__access_call_t *call, int32_t unit);

/** All of a far unit's queue, if it fits in a control message: few short puts and accumulates, and gets of at most
 *  `most_read` bytes together. `ops` has room for DART__LOCKED_OPS, and names places in the queue. False: it does not
 *  fit. */
bool dart__access_fits_inline(const dart__access_call_t *call, int32_t unit, size_t most_read,
                              const dart__queued_t *ops[], size_t *nops_out);

/** Forget what is queued for a unit: it was sent otherwise. */
void dart__access_drop(const dart__access_call_t *call, int32_t unit);

/** Flush a unit that needs it, so that a control message may follow, or the epoch end. DART_ERR_INVAL: it has refused
 *  operations. Other errors are of operations on this node that were deferred. */
dart_ret_t dart__access_order(const dart__access_call_t *call, int32_t unit);

/** Whether far: a unit of another node. */
static inline bool dart__access_is_far(const dart__access_call_t *call, int32_t unit)
{
  return !dart__team_is_on_node(call->team, unit);
}

#endif
