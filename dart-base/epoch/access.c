/* Operations in epochs: see access.h. */
#include "epoch/access.h"

#include "base/log.h"
#include "far/far_ops.h"

/* Whether the epoch covers the unit. */
static bool covers(const dart__epoch_t *epoch, int32_t unit)
{
  switch (epoch->kind) {
  case DART__EPOCH_NONE: return !atomic_load_explicit(&epoch->is_exposed, memory_order_relaxed);
  case DART__EPOCH_START:
  case DART__EPOCH_LOCK: return epoch->target[unit].is_member;
  default: return true;
  }
}

static dart__access_t refuse_target(const dart__access_call_t *call, int32_t unit)
{
  static const char *const why[] = { "exposed here, and no access was started", "",
                                     "not among the units that were started", "not locked", "" };

  return dart__fail(DART__ACCESS_REFUSED, "%s: unit %d in segment %d of team %d is %s",
                    call->function, unit, call->segment->id, call->team->id,
                    why[call->epoch->kind]);
}

/* dart__access_is_read_only before an operation, if that is known by now. */
static bool is_read_only(const dart__access_call_t *call, int32_t unit)
{
  if (!DART__EPOCH_VERIFIES || dart__epoch_is_locking(call->epoch->kind) ||
      dart__access_is_far(call, unit) || !dart__access_try_open(call, unit) ||
      !dart__access_is_read_only(call, unit))
    return false;
  call->epoch->target[unit].is_open = false; /* the epoch may end without a look at it */
  return true;
}

/* Checks in common, and notes that the target is used. PASS: no epoch is open; DONE: it goes on. */
static dart__access_t begin_operation(const dart__access_call_t *call, int32_t unit,
                                      dart__rma_kind_t kind)
{
  dart__epoch_t        *epoch  = call->epoch;
  dart__epoch_target_t *t      = &epoch->target[unit];
  bool                  writes = kind != DART__GET;

  if (!covers(epoch, unit))
    return refuse_target(call, unit);
  if (epoch->kind == DART__EPOCH_NONE)
    return DART__ACCESS_PASS;
  if (writes && is_read_only(call, unit))
    return DART__ACCESS_REFUSED;
  epoch->is_issued = true;
  t->is_used       = true;
  dart__epoch_add_target(epoch, unit);
  t->is_written |= writes;
  t->is_read |= kind != DART__PUT && kind != DART__ACCUMULATE;
  return DART__ACCESS_DONE;
}

static dart__access_t gone(const dart__access_call_t *call, int32_t unit)
{
  return dart__access_refuse_gone(call, unit) == DART_ERR_UNIT_LOST ? DART__ACCESS_LOST
                                                                    : DART__ACCESS_REFUSED;
}

static dart__access_t refuse_more(const dart__access_call_t *call)
{
  return dart__fail(DART__ACCESS_NOMEM,
                    "%s: no memory beside %u operations that are deferred in segment %d of team %d",
                    call->function, (unsigned)call->epoch->nqueued, call->segment->id,
                    call->team->id);
}

/* Whether an operation that can be deferred may take its target's lock: not beside other locks. It would be held while
 * they are waited for, and whether it was free then would decide in which order this unit has them. */
static bool may_lock_now(const dart__access_call_t *call, int32_t unit)
{
  const dart__epoch_t *epoch = call->epoch;

  return !dart__epoch_is_locking(epoch->kind) || !epoch->target[unit].is_checked ||
         epoch->target[unit].is_open || dart__epoch_is_alone(epoch);
}

/* The target has opened since the operation began: it may have said DART_EPOCH_NOPUT meanwhile. */
static bool breaks_promise(const dart__access_call_t *call, int32_t unit, dart__rma_kind_t kind)
{
  return kind != DART__GET && dart__access_is_read_only(call, unit);
}

/* In an epoch between fences that a far target is known to have begun, only what leaves at once gains by that: requests
 * would leave before the closing fence's control message, and not with it. */
static bool is_between_fences(const dart__access_call_t *call, int32_t unit)
{
  return call->epoch->kind == DART__EPOCH_FENCE && call->epoch->is_all_open &&
         dart__access_is_far(call, unit);
}

static dart__access_t later(const dart__access_call_t *call, const dart__rma_t *rma)
{
  int32_t        unit = rma->at.unit;
  dart__access_t goes = begin_operation(call, unit, rma->kind);
  bool           apart;

  if (goes != DART__ACCESS_DONE)
    return goes;
  apart = is_between_fences(call, unit);
  if (apart && dart__far_leaves_at_once(rma)) {
    dart__access_start(call, rma); /* not in order with what is deferred */
    return DART__ACCESS_DONE;
  }
  if (apart || !may_lock_now(call, unit) || !dart__access_try_open(call, unit)) {
    if (dart__access_defer(call->epoch, rma))
      return DART__ACCESS_DONE;
    if (!dart__access_may_wait(call->epoch))
      return refuse_more(call);
    if (!dart__access_open(call, unit))
      return gone(call, unit);
  }
  dart__access_drain(call, unit);
  if (breaks_promise(call, unit, rma->kind))
    return DART__ACCESS_REFUSED;
  if (!dart__access_is_far(call, unit))
    return DART__ACCESS_PASS;
  dart__access_start(call, rma);
  return DART__ACCESS_DONE;
}

static dart__access_t now(const dart__access_call_t *call, int32_t unit, dart__rma_kind_t kind)
{
  dart__access_t goes = begin_operation(call, unit, kind);

  if (goes != DART__ACCESS_DONE)
    return goes;
  if (!dart__access_open_in_order(call, unit))
    return gone(call, unit);
  dart__access_drain(call, unit);
  if (breaks_promise(call, unit, kind))
    return DART__ACCESS_REFUSED;
  call->epoch->target[unit].needs_flush = call->epoch->target[unit].is_requested =
      dart__access_is_far(call, unit);
  return DART__ACCESS_PASS;
}

static dart__access_t access_later(const char *function, const dart__rma_t *rma)
{
  dart__access_call_t call = { function, rma->at.team, rma->at.segment,
                               dart__segment_epoch(rma->at.segment) };
  dart__access_t      goes;

  dart__access_enter(&call.epoch->access);
  goes = later(&call, rma);
  dart__access_leave(&call.epoch->access);
  return goes;
}

static dart__access_t access_now(const char *function, const dart__address_t *at,
                                 dart__rma_kind_t kind)
{
  dart__access_call_t call = { function, at->team, at->segment, dart__segment_epoch(at->segment) };
  dart__access_t      goes;

  dart__access_enter(&call.epoch->access);
  goes = now(&call, at->unit, kind);
  dart__access_leave(&call.epoch->access);
  return goes;
}

static dart_ret_t access_flush(dart__team_t *team, dart__segment_t *segment, int32_t unit)
{
  dart__access_call_t call = { "dart_flush", team, segment, dart__segment_epoch(segment) };
  dart_ret_t          ret  = DART_OK;

  dart__access_enter(&call.epoch->access);
  for (int32_t u = dart__epoch_first_target(call.epoch); call.epoch->nqueued > 0 && u >= 0;
       u         = dart__epoch_next_target(call.epoch, u)) {
    if ((unit >= 0 && u != unit) || call.epoch->target[u].nqueued == 0)
      continue;
    if (dart__access_open_in_order(&call, u))
      dart__access_drain(&call, u);
    else
      ret = dart__access_refuse_gone(&call, u);
  }
  dart__access_leave(&call.epoch->access);
  return ret;
}

void dart__access_open_gate(void)
{
  dart__gate = (dart__gate_t){ .later = access_later, .now = access_now, .flush = access_flush };
}
