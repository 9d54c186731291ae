/* Lock and unlock.
 *
 * A lock call notes what is asked for. The lock of a near portion (node/rwlock.h) is taken by the first
 * operation, that of a far one when an operation cannot be put off; else by the unlock: few short puts and
 * accumulates then travel with the request and are applied when the lock is granted, and the answer says
 * that all is done. That is one round trip, and with DART_EPOCH_LAZY none. All else takes a request, the
 * operations, and a word that leaves the lock, which the acknowledgement of that word completes. */
#include <dash/dart/ext/dart_epoch.h>

#include "api/epoch/epoch.h"
#include "api/p2p/twosided.h"
#include "api/progress/progress.h"
#include "base/log.h"
#include "port.h"

#define LAZY_MOST 64 /* unlocks that may be under way without a wait */

/* ---- locking ------------------------------------------------------------------------------- */

static dart_ret_t may_lock(const dart__access_call_t *call)
{
  if (atomic_load_explicit(&call->epoch->is_exposed, memory_order_relaxed))
    return dart__epoch_refuse(call, "is exposed by a post");
  if (call->epoch->kind != DART__EPOCH_LOCK && !dart__epoch_may_begin(call))
    return dart__epoch_refuse(call, "has an epoch of another kind open");
  return DART_OK;
}

static dart_ret_t lock(const dart__access_call_t *call, int32_t unit, dart_epoch_lock_t kind,
                       int assertions)
{
  dart__epoch_target_t *t   = &call->epoch->target[unit];
  dart_ret_t            ret = may_lock(call);

  if (ret == DART_OK && t->is_member) {
    dart__error("%s: unit %d in segment %d of team %d is locked already", call->function, unit,
                call->segment->id, call->team->id);
    ret = DART_ERR_INVAL;
  }
  if (ret != DART_OK)
    return ret;
  t->is_member    = true;
  t->is_exclusive = kind == DART_EPOCH_EXCLUSIVE;
  t->is_checked   = (assertions & DART_EPOCH_NOCHECK) == 0;
  call->epoch->nlocked++;
  dart__epoch_set(call, DART__EPOCH_LOCK);
  if (unit == call->team->me) /* plain accesses may follow */
    dart__access_open(call, unit);
  return DART_OK;
}

static dart_ret_t check_unit(const dart__access_call_t *call, dart_gptr_t gptr)
{
  return gptr.unitid >= 0 && gptr.unitid < call->team->nunits
             ? DART_OK
             : dart__locate_error(call->function, gptr, 0);
}

dart_ret_t dart_epoch_lock(dart_gptr_t gptr, dart_epoch_lock_t kind, int assertions)
{
  dart__access_call_t call;
  dart_ret_t ret = dart__epoch_begin(__func__, gptr, assertions, DART_EPOCH_NOCHECK, &call);

  if (ret == DART_OK)
    ret = check_unit(&call, gptr);
  if (ret == DART_OK && kind != DART_EPOCH_SHARED && kind != DART_EPOCH_EXCLUSIVE) {
    dart__error("%s: no kind of lock: %d", __func__, (int)kind);
    ret = DART_ERR_INVAL;
  }
  if (ret != DART_OK)
    return ret;
  dart__access_enter(&call.epoch->access);
  ret = lock(&call, gptr.unitid, kind, assertions);
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
  for (int32_t unit = 0; unit < call->team->nunits; unit++)
    call->epoch->target[unit].is_checked = (assertions & DART_EPOCH_NOCHECK) == 0;
  dart__epoch_set(call, DART__EPOCH_LOCK_ALL);
  dart__access_open(call, call->team->me);
  return DART_OK;
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

/* ---- unlocking ----------------------------------------------------------------------------- */

static dart_ret_t unlock_near(const dart__access_call_t *call, int32_t unit)
{
  dart__epoch_target_t *t = &call->epoch->target[unit];
  dart__rwlock_t       *lock;
  dart_ret_t            ret;

  if (t->nqueued > 0 || t->has_ticket) {
    dart__access_open(call, unit);
    dart__access_drain(call, unit);
  }
  ret = dart__access_order(call, unit);
  if (!t->has_ticket)
    return ret;
  dart__progress(); /* apply deferred updates */
  lock = &dart__epoch_shared(call->team, call->segment, unit)->lock;
  dart__rwlock_leave(lock, t->is_exclusive);
  if (dart__rwlock_has_far(lock))
    dart__event_add(dart__twosided_event(call->team->members[unit]));
  return ret;
}

/* Lock, operations and unlock in one message; `is_lazy`: without waiting for the answer. */
static dart_ret_t send_all(const dart__access_call_t *call, int32_t unit,
                           const dart__epoch_op_t *ops[], size_t nops, bool is_lazy)
{
  dart__epoch_target_t *t      = &call->epoch->target[unit];
  uint32_t              before = atomic_load(&t->granted);
  dart_ret_t            ret;

  if (is_lazy) {
    dart__progress_settle(LAZY_MOST - 1);
    atomic_fetch_add_explicit(&dart__epoch_lazy_sent, 1, memory_order_relaxed);
  }
  ret = dart__epochs->locked(call->team, call->segment, unit, t->is_exclusive, ops, nops, is_lazy,
                             is_lazy ? &dart__epoch_lazy_done : &t->granted);
  dart__access_drop(call, unit);
  if (ret == DART_PENDING) {
    dart__access_await_grant(call, unit, before);
    ret = DART_OK;
  }
  if (ret != DART_OK)
    dart__epoch_refuse(call, "is gone at a far unit");
  return ret;
}

static dart_ret_t unlock_far(const dart__access_call_t *call, int32_t unit, bool is_lazy)
{
  dart__epoch_target_t   *t = &call->epoch->target[unit];
  const dart__epoch_op_t *ops[DART__LOCKED_OPS];
  size_t                  nops;
  dart_ret_t              ret = DART_OK, last;

  if (t->nqueued == 0 && !t->is_open)
    return DART_OK;
  if (!t->is_open && t->is_checked && dart__access_travels(call, unit, ops, &nops))
    return send_all(call, unit, ops, nops, is_lazy);
  if (!dart__access_open(call, unit)) {
    dart__access_drop(call, unit);
    return dart__epoch_refuse(call, "is gone at a far unit");
  }
  dart__access_drain(call, unit);
  if (t->is_checked) {
    ret = dart__access_order(call, unit);
    dart__epochs->unlock(call->team, call->segment, unit, t->is_exclusive);
  }
  last = dart__epoch_finish(call, unit, !is_lazy);
  return dart__worse(ret, last);
}

static dart_ret_t unlock(const dart__access_call_t *call, int32_t unit, bool is_lazy)
{
  dart_ret_t ret;

  if (dart__access_is_far(call, unit))
    ret = unlock_far(call, unit, is_lazy);
  else
    ret = unlock_near(call, unit);
  dart__epoch_reset(&call->epoch->target[unit]);
  return ret;
}

/* The last portion is unlocked. */
static dart_ret_t end(const dart__access_call_t *call, dart_ret_t ret, bool is_lazy)
{
  bool is_broken = call->epoch->is_broken;

  call->epoch->is_broken = call->epoch->is_issued = false;
  dart__epoch_set(call, DART__EPOCH_NONE);
  if (!is_lazy && dart__epoch_has_lazy())
    dart__progress_settle(0);
  if (is_broken && ret == DART_OK)
    ret = dart__epoch_refuse(call, "was locked by another unit, against DART_EPOCH_NOCHECK");
  return ret;
}

dart_ret_t dart_epoch_unlock(dart_gptr_t gptr, int assertions)
{
  dart__access_call_t call;
  bool                is_lazy = (assertions & DART_EPOCH_LAZY) != 0;
  dart_ret_t          ret = dart__epoch_begin(__func__, gptr, assertions, DART_EPOCH_LAZY, &call);

  if (ret == DART_OK)
    ret = check_unit(&call, gptr);
  if (ret != DART_OK)
    return ret;
  dart__access_enter(&call.epoch->access);
  if (call.epoch->kind != DART__EPOCH_LOCK || !call.epoch->target[gptr.unitid].is_member) {
    dart__error("%s: unit %d in segment %d of team %d is not locked", __func__, (int)gptr.unitid,
                gptr.segid, gptr.teamid);
    ret = DART_ERR_INVAL;
  } else {
    ret = unlock(&call, gptr.unitid, is_lazy);
    if (--call.epoch->nlocked == 0)
      ret = end(&call, ret, is_lazy);
  }
  dart__access_leave(&call.epoch->access);
  return ret;
}

/* Far portions first, all under way at a time as far as their operations travel with the request. */
static dart_ret_t unlock_all(const dart__access_call_t *call, bool is_lazy)
{
  const dart__team_t *team = call->team;
  dart_ret_t          ret  = DART_OK;

  for (int32_t i = 1; i <= team->nunits; i++) {
    int32_t unit = (team->me + i) % team->nunits; /* units do not all begin with the same target */

    ret = dart__worse(ret, unlock(call, unit, is_lazy));
  }
  return end(call, ret, is_lazy);
}

dart_ret_t dart_epoch_unlock_all(dart_gptr_t gptr, int assertions)
{
  dart__access_call_t call;
  dart_ret_t          ret = dart__epoch_begin(__func__, gptr, assertions, DART_EPOCH_LAZY, &call);

  if (ret != DART_OK)
    return ret;
  dart__access_enter(&call.epoch->access);
  ret = call.epoch->kind == DART__EPOCH_LOCK_ALL
            ? unlock_all(&call, (assertions & DART_EPOCH_LAZY) != 0)
            : dart__epoch_refuse(&call, "has not all units locked");
  dart__access_leave(&call.epoch->access);
  return ret;
}
