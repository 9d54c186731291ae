/* Lock: a call notes what is asked for. The lock of a near portion (wait/rwlock.h) is taken by the first
 * operation, that of a far one when an operation cannot be deferred; else by the unlock, see unlock.c. This unit's
 * portion is locked at once, for plain accesses may follow. */
#include <dash/dart/ext/dart_epoch.h>

#include "base/log.h"
#include "base/profile.h"
#include "epoch/epoch_calls.h"

DART__PROFILED(dart_epoch_lock, dart_epoch_lock_all);

static dart_ret_t may_lock(const dart__access_call_t *call)
{
  dart__epoch_t *epoch = call->epoch;

  if (epoch->hold == NULL)
    epoch->hold =
        dart__hold_new(DART__HOLD_EPOCH, call->team->id, call->segment->id, &epoch->spare);
  if (atomic_load_explicit(&epoch->is_exposed, memory_order_relaxed))
    return dart__epoch_refuse(call, "is exposed by a post");
  if (epoch->kind != DART__EPOCH_LOCK && !dart__epoch_may_begin(call))
    return dart__epoch_refuse(call, "has an epoch of another kind open");
  return DART_OK;
}

/* This unit's portion, for plain accesses may follow. If it cannot be had, or no more, the call has locked nothing. */
static dart_ret_t lock_own(const dart__access_call_t *call)
{
  dart__epoch_t *epoch = call->epoch;
  int32_t        me    = call->team->me;
  dart_ret_t     ret;

  if (dart__access_open_in_order(call, me))
    return DART_OK;
  ret = dart__access_refuse_gone(call, me);
  dart__epoch_reset(&epoch->target[me]);
  if (epoch->kind == DART__EPOCH_LOCK && --epoch->nlocked > 0)
    return ret;
  epoch->is_broken = false;
  dart__epoch_forget_targets(epoch);
  dart__epoch_set(call, DART__EPOCH_NONE);
  return ret;
}

static dart_ret_t lock_unit(const dart__access_call_t *call, int32_t unit, dart_epoch_lock_t kind,
                            int assertions)
{
  dart__epoch_target_t *t   = &call->epoch->target[unit];
  dart_ret_t            ret = may_lock(call);

  if (ret == DART_OK && t->is_member)
    ret = dart__fail(DART_ERR_INVAL, "%s: unit %d in segment %d of team %d is locked already",
                     call->function, unit, call->segment->id, call->team->id);
  if (ret != DART_OK)
    return ret;
  dart__epoch_add_target(call->epoch, unit);
  t->is_member    = true;
  t->is_exclusive = kind == DART_EPOCH_EXCLUSIVE;
  t->is_checked   = (assertions & DART_EPOCH_NOCHECK) == 0;
  call->epoch->nlocked++;
  dart__epoch_set(call, DART__EPOCH_LOCK);
  return unit == call->team->me ? lock_own(call) : DART_OK;
}

dart_ret_t dart_epoch_lock(dart_gptr_t gptr, dart_epoch_lock_t kind, int assertions)
{
  dart__access_call_t call;
  dart_ret_t ret = dart__epoch_begin(__func__, gptr, assertions, DART_EPOCH_NOCHECK, &call);

  if (ret == DART_OK)
    ret = dart__epoch_check_unit(&call, gptr);
  if (ret == DART_OK && kind != DART_EPOCH_SHARED && kind != DART_EPOCH_EXCLUSIVE)
    ret = dart__fail(DART_ERR_INVAL, "%s: no kind of lock: %d", __func__, (int)kind);
  if (ret != DART_OK)
    return ret;
  dart__access_enter(&call.epoch->access);
  ret = lock_unit(&call, gptr.unitid, kind, assertions);
  dart__access_leave(&call.epoch->access);
  return ret;
}

static dart_ret_t lock_all(const dart__access_call_t *call, int assertions)
{
  dart_ret_t ret = may_lock(call);

  if (ret == DART_OK && call->epoch->kind == DART__EPOCH_LOCK)
    ret = dart__epoch_refuse(call, "has units locked already");
  if (ret != DART_OK)
    return ret;
  call->epoch->is_checked = (assertions & DART_EPOCH_NOCHECK) == 0;
  dart__epoch_add_target(call->epoch, call->team->me);
  dart__epoch_set(call, DART__EPOCH_LOCK_ALL);
  return lock_own(call);
}

dart_ret_t dart_epoch_lock_all(dart_gptr_t gptr, int assertions)
{
  dart__access_call_t call;
  dart_ret_t ret = dart__epoch_begin(__func__, gptr, assertions, DART_EPOCH_NOCHECK, &call);

  if (ret != DART_OK)
    return ret;
  dart__access_enter(&call.epoch->access);
  ret = lock_all(&call, assertions);
  dart__access_leave(&call.epoch->access);
  return ret;
}
