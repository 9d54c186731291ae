/* See epoch_calls.h. */
#include "epoch/epoch_calls.h"

#include "base/log.h"
#include "far/far_ops.h"

dart_ret_t dart__epoch_begin(const char *function, dart_gptr_t gptr, int assertions, int allowed,
                             dart__access_call_t *call_out)
{
  dart__call_note(function);
  *call_out         = (dart__access_call_t){ .function = function };
  call_out->segment = dart__locate_segment(gptr, &call_out->team);
  if (call_out->segment == NULL)
    return dart__locate_error(function, gptr, 0);
  if ((assertions & ~allowed) != 0)
    return dart__fail(DART_ERR_INVAL, "%s: assertions %#x: this call has none but those of %#x",
                      function, (unsigned)assertions, (unsigned)allowed);
  call_out->epoch = dart__epoch_make(call_out->team, call_out->segment);
  if (call_out->epoch != NULL)
    return DART_OK;
  return dart__fail(DART_ERR_NOMEM, "%s: no memory for the epochs of segment %d of team %d",
                    function, gptr.segid, gptr.teamid);
}

dart_ret_t dart__epoch_check_unit(const dart__access_call_t *call, dart_gptr_t gptr)
{
  return gptr.unitid >= 0 && gptr.unitid < call->team->nunits
             ? DART_OK
             : dart__locate_error(call->function, gptr, 0);
}

dart_ret_t dart__epoch_refuse(const dart__access_call_t *call, const char *why)
{
  return dart__fail(DART_ERR_INVAL, "%s: segment %d of team %d %s", call->function,
                    call->segment->id, call->team->id, why);
}

dart_ret_t dart__epoch_verify_read_only(const dart__access_call_t *call)
{
  if (!DART__EPOCH_VERIFIES || !call->epoch->is_read_only ||
      !atomic_load_explicit(&call->epoch->is_written, memory_order_relaxed))
    return DART_OK;
  return dart__epoch_refuse(call, "was put to, against DART_EPOCH_NOPUT");
}

bool dart__epoch_may_begin(const dart__access_call_t *call)
{
  return call->epoch->kind == DART__EPOCH_NONE ||
         (call->epoch->kind == DART__EPOCH_FENCE && !call->epoch->is_issued);
}

/* Near operations need no look at the epoch: there is none, or all units are known to be in it. */
static bool is_free(const dart__epoch_t *epoch)
{
  if (epoch->kind == DART__EPOCH_NONE)
    return !atomic_load_explicit(&epoch->is_exposed, memory_order_relaxed);
  return epoch->kind == DART__EPOCH_FENCE && epoch->is_all_open && !DART__EPOCH_VERIFIES;
}

static void set_map(const dart__access_call_t *call)
{
  if (is_free(call->epoch))
    dart__segment_restore(call->team, call->segment);
  else
    dart__segment_withdraw(call->team, call->segment);
}

void dart__epoch_set(const dart__access_call_t *call, dart__epoch_kind_t kind)
{
  dart__access_enter(&call->epoch->state);
  if (dart__epoch_is_locking(kind) != dart__epoch_is_locking(call->epoch->kind))
    dart__world_add(&dart__lazy.nlocking, dart__epoch_is_locking(kind) ? 1 : UINT32_MAX);
  call->epoch->kind = kind;
  set_map(call);
  dart__access_leave(&call->epoch->state);
}

bool dart__epoch_expose(const dart__access_call_t *call, bool is_exposed)
{
  dart__epoch_t *epoch = call->epoch;
  bool           may;

  dart__access_enter(&epoch->state);
  may = !is_exposed || epoch->kind == DART__EPOCH_START || dart__epoch_may_begin(call);
  if (may) {
    if (epoch->kind == DART__EPOCH_FENCE)
      epoch->kind = DART__EPOCH_NONE;
    atomic_store_explicit(&epoch->is_exposed, is_exposed, memory_order_relaxed);
    set_map(call);
  }
  dart__access_leave(&epoch->state);
  return may;
}

void dart__epoch_reset(dart__epoch_target_t *target)
{
  target->is_member = target->is_open = target->is_used = target->is_written = target->is_read =
      false;
  target->needs_flush = target->is_exclusive = target->is_checked = target->has_ticket = false;
  target->is_counted = target->is_requested = false;
}

void dart__epoch_forget_targets(dart__epoch_t *epoch)
{
  DART__EPOCH_TARGETS (unit, epoch) {
    dart__epoch_reset(&epoch->target[unit]);
    epoch->target[unit].is_listed = epoch->nqueued > 0;
  }
  if (epoch->nqueued > 0) /* against a promise: flushes find what is deferred yet */
    return;
  epoch->first_target = epoch->last_target = 0;
  epoch->is_checked                        = false;
}

void dart__epoch_visit_targets(const dart__access_call_t *call,
                               void (*visit)(void *context, int32_t unit), void *context)
{
  for (int below = 0; below < 2; below++)
    DART__EPOCH_TARGETS (unit, call->epoch)
      if ((unit <= call->team->me) == below)
        visit(context, unit);
}

dart_ret_t dart__epoch_finish(const dart__access_call_t *call, int32_t unit, bool remotely)
{
  return remotely ? dart__far_flush(call->team, unit) : dart__far_flush_local(call->team, unit);
}
