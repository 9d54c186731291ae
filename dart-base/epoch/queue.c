/* Operations that are deferred, and starting them. See access.h.
 *
 * The queue is an array of places, in which each target has a list, so that all of a target's operations are taken
 * out, in order, without a look at those of others. */
#include "epoch/access.h"

#include <stdlib.h>

#include "base/log.h"
#include "base/size.h"
#include "coll/coll.h"
#include "data/describe.h"
#include "epoch/epoch_origin.h"
#include "far/far_ops.h"
#include "far/progress.h"
#include "model/lost.h"
#include "rma/remote.h"
#include "rma/transfer.h"
#include "rma/watch.h"
#include "wait/atomic.h"

/* ---- starting ------------------------------------------------------------------------------- */

static dart_ret_t start_near(const dart__rma_t *rma)
{
  if (rma->at.near == NULL) /* registered memory of a unit of the node */
    return dart__remote_start(rma, NULL);
  if (rma->kind == DART__PUT || rma->kind == DART__GET)
    dart__transfer_near(rma, rma->kind == DART__PUT);
  else
    dart__atomic_accumulate(rma->at.near, rma->buffer, rma->nelem, rma->type->base, rma->op);
  return DART_OK;
}

/* Wake a unit that sleeps for memory that a near operation may have changed. */
static void tell_watchers(const dart__rma_t *rma)
{
  dart__watch_wrote((dart_gptr_t){ .unitid       = rma->at.unit,
                                   .segid        = rma->at.segment->id,
                                   .teamid       = rma->at.team->id,
                                   .addr_or_offs = { .offset = rma->at.offset } },
                    rma->local_type != NULL ? UINT64_MAX : rma->nbytes);
}

void dart__access_start(const dart__access_call_t *call, const dart__rma_t *rma)
{
  dart__epoch_target_t *t     = &call->epoch->target[rma->at.unit];
  bool                  waits = call->epoch->kind == DART__EPOCH_FENCE && !call->epoch->is_lazy;

  if (!dart__access_is_far(call, rma->at.unit)) {
    t->failed = dart__worse(t->failed, start_near(rma));
    if (rma->kind != DART__GET && dart__is_watched())
      tell_watchers(rma);
  } else if (dart__far_start_in_order(rma, waits).by == DART__BY_NET) {
    t->needs_flush = true;
  } else {
    t->is_requested = true;
  }
}

/* ---- places --------------------------------------------------------------------------------- */

static dart__queued_t *op_at(const dart__epoch_t *epoch, uint32_t place)
{
  return &epoch->queue[place - 1];
}

/* Twice as many. False: no memory. */
static bool add_places(dart__epoch_t *epoch)
{
  uint32_t        nplaces = epoch->nplaces == 0 ? DART__EPOCH_QUEUE : 2 * epoch->nplaces;
  dart__queued_t *queue   = NULL;

  if (nplaces > epoch->nplaces)
    queue = realloc(epoch->queue, (size_t)nplaces * sizeof *queue);
  if (queue == NULL)
    return false;
  epoch->queue   = queue;
  epoch->nplaces = nplaces;
  return true;
}

/* 0: no memory. */
static uint32_t take_place(dart__epoch_t *epoch)
{
  uint32_t place = epoch->free;

  if (place != 0) {
    epoch->free = op_at(epoch, place)->next;
    return place;
  }
  if (epoch->nused == epoch->nplaces && !add_places(epoch))
    return 0;
  return ++epoch->nused;
}

static void give_place(dart__epoch_t *epoch, uint32_t place)
{
  op_at(epoch, place)->rma.local_type = NULL; /* nothing is kept for it */
  op_at(epoch, place)->next           = epoch->free;
  epoch->free                         = place;
}

/* ---- the lists of the targets ----------------------------------------------------------------- */

static void append_operation(dart__epoch_t *epoch, uint32_t place)
{
  dart__epoch_target_t *t = &epoch->target[op_at(epoch, place)->rma.at.unit];

  op_at(epoch, place)->next = 0;
  if (t->last != 0)
    op_at(epoch, t->last)->next = place;
  else
    t->first = place;
  if (t->nqueued == 0)
    t->since = epoch->nsince++;
  t->last = place;
  t->nqueued++;
  epoch->nqueued++;
}

/* A target that has not left the last fence waits for nobody: all units have entered it, or, if that was with
 * NOPRECEDE or LAZY, will without waiting for this one. One lock alone is waited for
 * with none held. But with several, the first would be held while the next is waited for; and a unit that waits for a
 * post may not have made its own. */
bool dart__access_may_wait(const dart__epoch_t *epoch)
{
  if (epoch->kind != DART__EPOCH_LOCK)
    return epoch->kind == DART__EPOCH_FENCE;
  return dart__epoch_is_alone(epoch);
}

bool dart__access_is_read_only(const dart__access_call_t *call, int32_t unit)
{
  uint32_t promise;

  if (!DART__EPOCH_VERIFIES || dart__access_is_far(call, unit) ||
      (call->epoch->kind != DART__EPOCH_FENCE && call->epoch->kind != DART__EPOCH_START))
    return false;
  promise = atomic_load_explicit(&dart__epoch_shared(call->team, call->segment, unit)->is_read_only,
                                 memory_order_relaxed);
  if (promise == 0 || (call->epoch->kind == DART__EPOCH_FENCE && promise != call->epoch->fences))
    return false;
  return dart__fail(true, "%s: unit %d has said DART_EPOCH_NOPUT", call->function, unit);
}

bool dart__access_defer(dart__epoch_t *epoch, const dart__rma_t *rma)
{
  uint32_t place;

  if (epoch->nqueued >= DART__EPOCH_QUEUE && dart__access_may_wait(epoch))
    return false;
  place = take_place(epoch);
  if (place == 0)
    return false;
  op_at(epoch, place)->rma = *rma;
  if (!dart__epoch_keep(op_at(epoch, place))) {
    give_place(epoch, place);
    return false;
  }
  append_operation(epoch, place);
  return true;
}

/* What its target has promised may have been said after the operation was deferred. */
static void start_late(const dart__access_call_t *call, const dart__queued_t *op)
{
  dart__rma_t rma = op->rma;

  rma.buffer = (void *)(uintptr_t)dart__queued_source(op);
  if (rma.kind != DART__GET && dart__access_is_read_only(call, rma.at.unit))
    call->epoch->target[rma.at.unit].failed = DART_ERR_INVAL;
  else
    dart__access_start(call, &rma);
}

/* Remove the unit's operations from the queue, in order; start them if `starts`. */
static void take_out(const dart__access_call_t *call, int32_t unit, bool starts)
{
  dart__epoch_t        *epoch = call->epoch;
  dart__epoch_target_t *t     = &epoch->target[unit];

  if (t->nqueued == 0)
    return;
  if (starts)
    dart__progress(); /* updates that were deferred before these were deferred */
  for (uint32_t place = t->first, next; place != 0; place = next) {
    const dart__queued_t *op = op_at(epoch, place);

    next = op->next;
    if (starts)
      start_late(call, op);
    dart__epoch_release(op);
    give_place(epoch, place);
  }
  epoch->nqueued -= t->nqueued;
  t->nqueued = t->first = t->last = 0;
  if (epoch->nqueued == 0) /* places are used from the first one on again */
    epoch->nused = epoch->free = 0;
}

void dart__access_drain(const dart__access_call_t *call, int32_t unit)
{
  take_out(call, unit, true);
}

void dart__access_drop(const dart__access_call_t *call, int32_t unit)
{
  take_out(call, unit, false);
}

bool dart__access_is_moved(const dart__access_call_t *call, int32_t unit)
{
  const dart__epoch_t *epoch = call->epoch;

  for (uint32_t place = epoch->target[unit].first; place != 0; place = op_at(epoch, place)->next)
    if (dart__far_is_moved(&op_at(epoch, place)->rma))
      return true;
  return false;
}

/* What it takes to say how the elements of an operation lie; too much, if that cannot be said. */
static size_t naming_bytes(const dart__queued_t *op)
{
  size_t nwords;

  if (op->rma.local_type == NULL)
    return 0;
  nwords = dart__type_words(op->rma.type);
  return nwords == 0 ? DART__LOCKED_BYTES + 1 : (DART__LOCKED_NAMING + nwords) * sizeof(uint64_t);
}

bool dart__access_fits_inline(const dart__access_call_t *call, int32_t unit, size_t most_read,
                              const dart__queued_t *ops[], size_t *nops_out)
{
  const dart__epoch_t        *epoch  = call->epoch;
  const dart__epoch_target_t *t      = &epoch->target[unit];
  size_t                      nbytes = 0, nread = 0, n = 0;

  if (t->nqueued > DART__LOCKED_OPS)
    return false;
  for (uint32_t place = t->first; place != 0; place = ops[n++]->next) {
    const dart__queued_t *op   = op_at(epoch, place);
    size_t                more = dart__round_up(op->rma.nbytes, sizeof(uint64_t));

    if (op->rma.kind == DART__GET && op->rma.local_type != NULL)
      return false;
    if (op->rma.kind == DART__GET)
      nread += more;
    else
      nbytes += more + naming_bytes(op);
    if (nread > most_read || nbytes > DART__LOCKED_BYTES)
      return false;
    ops[n] = op;
  }
  *nops_out = n;
  return true;
}

dart_ret_t dart__access_order(const dart__access_call_t *call, int32_t unit)
{
  dart__epoch_target_t *t   = &call->epoch->target[unit];
  dart_ret_t            ret = t->failed;

  t->failed = DART_OK;
  if (!t->needs_flush)
    return ret;
  t->needs_flush = false;
  dart__far_complete(call->team, unit);
  return dart__lost_result(dart__team_member(call->team, unit), ret);
}
