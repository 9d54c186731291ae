/* Unlock.
 *
 * The lock of a far portion that no operation has asked for yet is asked for here: few short operations are sent with
 * the request and are applied when the lock is granted. The answer says that all is done, and brings what gets have
 * read. That is one round trip, and with DART_EPOCH_LAZY and no gets none. All else takes a request, the operations,
 * and a control message that leaves the lock; the acknowledgement of that message, or of gets before it, completes the
 * unlock. The next unit that locks the portion needs no acknowledgement, since operations are applied in order; a unit
 * that reads it without a lock, after a barrier, does. With DART_EPOCH_LAZY the target's answer to the control message is
 * counted, and nobody waits for it. With NOCHECK, too, there is such a message then, for that answer alone.
 *
 * Unlock_all. Locks are granted in the order of arrival, so a unit that held one portion while it waits for another
 * could wait for itself. There it waits behind an exclusive request, whose unit waits for a second such unit, which
 * waits here behind another exclusive request. So unlock_all holds no lock while it waits for one. First it leaves all
 * that are held. Then it takes near ones one by one. Then it asks for far ones together, and leaves each as soon as it
 * is granted (test/models/lock_all.pml). */
#include <dash/dart/ext/dart_epoch.h>

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/profile.h"
#include "epoch/epoch_calls.h"
#include "epoch/epoch_origin.h"
#include "far/engine.h"
#include "far/far_ops.h"
#include "far/progress.h"
#include "model/lost.h"
#include "rma/await.h"

DART__PROFILED(dart_epoch_unlock, dart_epoch_unlock_all);

#define LAZY_MOST 64 /* unlocks that may be under way without a wait */

/* ---- near portions ---------------------------------------------------------------------------- */

/* If the wait is abandoned, since a member of the team is lost, its ticket stays. So the lock is gone: nobody enters
 * after that, and all requests for it fail. */
static dart_ret_t unlock_near(const dart__access_call_t *call, int32_t unit)
{
  dart__epoch_target_t *t   = &call->epoch->target[unit];
  dart_ret_t            ret = DART_OK;

  if (t->nqueued > 0 || t->has_ticket) {
    if (dart__access_open(call, unit))
      dart__access_drain(call, unit);
    else
      ret = dart__access_refuse_gone(call, unit);
  }
  ret = dart__worse(ret, dart__access_order(call, unit));
  dart__progress(); /* apply deferred updates */
  if (!t->is_open || !t->has_ticket)
    return ret;
  dart__hold_leave(call->epoch->hold);
  dart__access_leave_lock(call, unit);
  return ret;
}

/* ---- far portions ----------------------------------------------------------------------------- */

/* A lock that is asked for by the unlock. */
typedef struct {
  int32_t               unit;
  bool                  fits_inline; /* the operations travel with the request */
  bool                  waits;       /* it was answered, and not granted yet */
  dart__epoch_request_t request;
} asked_t;

#define ASKED_FEW  8  /* have room in the caller's frame: a request is large */
#define ASKED_MOST 64 /* at a time: each has a batch of its own, too (far/am/batch.h) */

typedef struct {
  const dart__access_call_t *call;
  bool                       is_lazy;
  int                        n;
  asked_t                   *asked;       /* not initialised: a request is large */
  bool                       is_given_up; /* for a unit is lost: requests may be answered yet */
} round_t;

/* Where units may be lost requests are not in the caller's frame, since those that were abandoned stay. NULL: no memory.
 */
static asked_t *new_requests(size_t n, asked_t *own, size_t nown)
{
  return n > nown || dart__survives() ? malloc(n * sizeof *own) : own;
}

static void end_requests(const round_t *round, const asked_t *own)
{
  if (round->asked != own && !round->is_given_up)
    free(round->asked);
}

static dart_ret_t refuse_memory(const dart__access_call_t *call)
{
  return dart__fail(DART_ERR_NOMEM, "%s: no memory for requests", call->function);
}

/* Lazy unlocks that are under way wait for their locks. So this unit may wait for some of them only while it has no
 * lock that others may wait for, except those that this call unlocks. */
static void bound_lazy(const dart__access_call_t *call)
{
  if (dart__epoch_is_alone(call->epoch))
    dart__progress_settle(LAZY_MOST - 1);
}

/* Send operations and unlock with the request, if they are few and short puts: nobody waits. */
static bool send_lazily(const dart__access_call_t *call, int32_t unit)
{
  dart__epoch_target_t *t = &call->epoch->target[unit];
  const dart__queued_t *ops[DART__LOCKED_OPS];
  size_t                nops;

  if (!dart__access_fits_inline(call, unit, 0, ops, &nops))
    return false;
  bound_lazy(call);
  atomic_fetch_add_explicit(&dart__lazy.sent, 1, memory_order_relaxed);
  dart__epoch_send_lock_lazily(call->team, call->segment, unit, t->is_exclusive, ops, nops,
                               &dart__lazy.done);
  dart__access_drop(call, unit);
  return true;
}

static void ask_for_lock(const dart__access_call_t *call, asked_t *a)
{
  const dart__queued_t *ops[DART__LOCKED_OPS];
  size_t                nops = 0;

  a->fits_inline = dart__access_fits_inline(call, a->unit, DART__LOCKED_GET, ops, &nops);
  dart__epoch_send_lock(call->team, call->segment, a->unit,
                        call->epoch->target[a->unit].is_exclusive, ops, a->fits_inline ? nops : 0,
                        &a->request);
}

/* What the gets of a unit's queue have read, to their buffers. */
static void take_data(const dart__access_call_t *call, int32_t unit, const uint64_t *data)
{
  const dart__queued_t *ops[DART__LOCKED_OPS];
  size_t                nops = 0;

  dart__access_fits_inline(call, unit, DART__LOCKED_GET, ops, &nops);
  for (size_t i = 0; i < nops; i++) {
    size_t nbytes = ops[i]->rma.nbytes;

    if (ops[i]->rma.kind != DART__GET)
      continue;
    memcpy(ops[i]->rma.buffer, data, nbytes);
    data += (nbytes + sizeof *data - 1) / sizeof *data;
  }
}

/* Start what is queued, and leave the lock after it, if there is one. Lazily, nobody waits for that: the target says
 * that it is done, also if there is no lock to be left. */
static dart_ret_t leave_far(const dart__access_call_t *call, int32_t unit, bool is_lazy)
{
  dart__epoch_target_t *t   = &call->epoch->target[unit];
  dart_ret_t            ret = DART_OK;

  dart__access_drain(call, unit);
  if (!t->is_checked && !(is_lazy && t->is_used))
    return DART_OK;
  ret = dart__access_order(call, unit);
  if (is_lazy)
    atomic_fetch_add_explicit(&dart__lazy.sent, 1, memory_order_relaxed);
  if (t->is_checked) {
    dart__hold_leave(call->epoch->hold);
    dart__epoch_send_unlock(call->team, call->segment, unit, t->is_exclusive,
                            is_lazy ? &dart__lazy.done : NULL);
  } else {
    dart__epoch_send_report(call->team, call->segment, unit, &dart__lazy.done);
  }
  t->is_checked = false;
  t->is_counted = is_lazy;
  return ret;
}

/* The lock is granted, unless the memory was released meanwhile: start the operations. */
static dart_ret_t use(const round_t *round, asked_t *a, const uint64_t *data)
{
  const dart__access_call_t *call = round->call;

  a->waits = false;
  if (dart__access_is_gone(&a->request))
    return dart__access_refuse_gone(call, a->unit);
  if (!a->fits_inline) {
    dart__access_locked(call, a->unit);
    return leave_far(call, a->unit, round->is_lazy);
  }
  take_data(call, a->unit, data);
  dart__access_drop(call, a->unit);
  return DART_OK;
}

static bool is_any_granted(void *context)
{
  round_t *round = context;

  for (int i = 0; i < round->n; i++)
    if (round->asked[i].waits && dart__access_is_granted(&round->asked[i].request))
      return true;
  return false;
}

/* A lock that this round waits for; there is at least one. */
static int32_t first_waiting(const round_t *round)
{
  int i = 0;

  while (i + 1 < round->n && !round->asked[i].waits)
    i++;
  return round->asked[i].unit;
}

/* A member of the team is lost. */
static dart_ret_t give_up_round(round_t *round)
{
  round->is_given_up = true;
  for (int i = 0; i < round->n; i++)
    if (round->asked[i].waits)
      dart__access_drop(round->call, round->asked[i].unit);
  return DART_ERR_UNIT_LOST;
}

/* Use each lock as it is granted, until none is waited for. */
static dart_ret_t use_late(round_t *round, int nwaiting)
{
  dart_ret_t ret = DART_OK;

  while (nwaiting > 0) {
    if (!dart__await(round->call->function, is_any_granted, round,
                     dart__access_waits_for(round->call, DART__WAIT_PORTION, first_waiting(round))))
      return give_up_round(round);
    for (int i = 0; i < round->n; i++) {
      asked_t *a = &round->asked[i];

      if (!a->waits || !dart__access_is_granted(&a->request))
        continue;
      ret = dart__worse(ret, use(round, a, a->request.data[1]));
      nwaiting--;
    }
  }
  return ret;
}

/* Ask for all locks of a round, then wait, and use each as soon as it is granted. */
static dart_ret_t serve_round(round_t *round)
{
  const dart__access_call_t *call     = round->call;
  dart_ret_t                 ret      = DART_OK;
  int                        nwaiting = 0;

  for (int i = 0; i < round->n; i++)
    ask_for_lock(call, &round->asked[i]);
  if (round->n > 1)
    dart__engine_push();
  for (int i = 0; i < round->n; i++) {
    asked_t   *a      = &round->asked[i];
    dart_ret_t answer = dart__epoch_lock_answered(call->team, a->unit, &a->request);

    a->waits = answer == DART_PENDING;
    nwaiting += a->waits;
    if (answer == DART_ERR_INVAL)
      ret = dart__worse(ret, dart__access_refuse_gone(call, a->unit));
    else if (!a->waits)
      ret = dart__worse(ret, use(round, a, a->request.data[0]));
  }
  return dart__worse(ret, use_late(round, nwaiting));
}

/* Whether the unlock has to ask for the lock; if it need not wait for it, it has. */
static bool is_to_be_asked(const dart__access_call_t *call, int32_t unit, bool is_lazy)
{
  dart__epoch_target_t *t = &call->epoch->target[unit];

  return t->nqueued > 0 && !t->is_open && t->is_checked && !(is_lazy && send_lazily(call, unit));
}

/* Complete what was started on it, if that has not come with the answer: locally, if a later synchronisation knows of
 * it. */
static dart_ret_t complete_target(const dart__access_call_t *call, int32_t unit)
{
  dart__epoch_target_t *t          = &call->epoch->target[unit];
  bool                  is_counted = t->is_counted;
  dart_ret_t            ret        = dart__access_order(call, unit);

  if (t->is_open)
    ret = dart__worse(ret, dart__epoch_finish(call, unit, !is_counted));
  dart__epoch_reset(t);
  if (is_counted) {
    dart__far_order(call->team, unit); /* later transfers come after its requests */
    bound_lazy(call);
  }
  return ret;
}

static dart_ret_t unlock_far(const dart__access_call_t *call, int32_t unit, bool is_lazy)
{
  dart__epoch_target_t *t = &call->epoch->target[unit];
  asked_t               own;
  dart_ret_t            ret = DART_OK;

  dart__access_try_open(call, unit); /* without a check it needs no lock */
  if (t->is_open) {
    ret = leave_far(call, unit, is_lazy);
  } else if (is_to_be_asked(call, unit, is_lazy)) {
    round_t round = { call, is_lazy, 1, new_requests(1, &own, 1), false };

    if (round.asked != NULL) {
      round.asked->unit = unit;
      ret               = serve_round(&round);
    } else {
      dart__access_drop(call, unit);
      ret = refuse_memory(call);
    }
    end_requests(&round, &own);
  }
  return dart__worse(ret, complete_target(call, unit));
}

dart_ret_t dart__epoch_unlock(const dart__access_call_t *call, int32_t unit, bool is_lazy)
{
  dart_ret_t ret;

  if (dart__access_is_far(call, unit))
    return unlock_far(call, unit, is_lazy);
  ret = unlock_near(call, unit);
  dart__epoch_reset(&call->epoch->target[unit]);
  return ret;
}

/* ---- one portion ------------------------------------------------------------------------------ */

/* The last portion is unlocked. */
static dart_ret_t end_epoch(const dart__access_call_t *call, dart_ret_t ret, bool is_lazy)
{
  bool is_broken = call->epoch->is_broken;

  call->epoch->is_broken = call->epoch->is_issued = false;
  dart__epoch_forget_targets(call->epoch);
  dart__epoch_set(call, DART__EPOCH_NONE);
  if (!is_lazy)
    dart__progress_settle_lazy();
  if (is_broken && ret == DART_OK)
    ret = dart__epoch_refuse(call, "was locked by another unit, against DART_EPOCH_NOCHECK");
  return ret;
}

/* A lost unit reports nothing, and its lazy unlocks would stay outstanding: where units may be lost all unlocks wait. */
static bool may_be_lazy(int assertions)
{
  return (assertions & DART_EPOCH_LAZY) != 0 && !dart__survives();
}

dart_ret_t dart_epoch_unlock(dart_gptr_t gptr, int assertions)
{
  dart__access_call_t call;
  bool                is_lazy = may_be_lazy(assertions);
  dart_ret_t          ret = dart__epoch_begin(__func__, gptr, assertions, DART_EPOCH_LAZY, &call);

  if (ret == DART_OK)
    ret = dart__epoch_check_unit(&call, gptr);
  if (ret != DART_OK)
    return ret;
  dart__access_enter(&call.epoch->access);
  if (call.epoch->kind != DART__EPOCH_LOCK || !call.epoch->target[gptr.unitid].is_member) {
    ret = dart__fail(DART_ERR_INVAL, "%s: unit %d in segment %d of team %d is not locked", __func__,
                     (int)gptr.unitid, gptr.segid, gptr.teamid);
  } else {
    ret = dart__epoch_unlock(&call, gptr.unitid, is_lazy);
    if (--call.epoch->nlocked == 0)
      ret = end_epoch(&call, ret, is_lazy);
  }
  dart__access_leave(&call.epoch->access);
  return ret;
}

/* ---- all portions ----------------------------------------------------------------------------- */

/* Leave the locks that are held. */
static dart_ret_t leave_held(const dart__access_call_t *call, bool is_lazy)
{
  dart_ret_t ret = DART_OK;

  DART__EPOCH_TARGETS (unit, call->epoch) {
    if (!call->epoch->target[unit].is_open)
      continue;
    ret =
        dart__worse(ret, dart__access_is_far(call, unit) ? leave_far(call, unit, is_lazy)
                                                         : dart__epoch_unlock(call, unit, is_lazy));
  }
  return ret;
}

/* Portions that are not locked yet. */
typedef struct {
  round_t    round;
  int        most; /* locks that it asks for together */
  asked_t   *own;  /* room for ASKED_FEW */
  dart_ret_t ret;
} taking_t;

static void take_near_target(void *context, int32_t unit)
{
  taking_t *taking = context;

  if (!dart__access_is_far(taking->round.call, unit))
    taking->ret = dart__worse(taking->ret,
                              dart__epoch_unlock(taking->round.call, unit, taking->round.is_lazy));
}

/* Locks that may have to be asked for, at most ASKED_MOST. */
static int count_asked(const dart__access_call_t *call)
{
  int n = 0;

  DART__EPOCH_TARGETS (unit, call->epoch) {
    const dart__epoch_target_t *t = &call->epoch->target[unit];

    n += dart__access_is_far(call, unit) && t->nqueued > 0 && !t->is_open && t->is_checked;
  }
  return n < ASKED_MOST ? n : ASKED_MOST;
}

/* Before the first request. Without memory it asks for few locks at a time. */
static void make_requests(taking_t *taking)
{
  round_t *round = &taking->round;

  taking->most = count_asked(round->call);
  round->asked = new_requests((size_t)taking->most, taking->own, ASKED_FEW);
  if (round->asked != NULL)
    return;
  if (dart__survives()) {
    round->is_given_up = true;
    taking->ret        = dart__worse(taking->ret, refuse_memory(round->call));
  } else {
    taking->most = ASKED_FEW;
    round->asked = taking->own;
  }
}

static void take_far_target(void *context, int32_t unit)
{
  taking_t                  *taking = context;
  round_t                   *round  = &taking->round;
  const dart__access_call_t *call   = round->call;

  if (!dart__access_is_far(call, unit) || !is_to_be_asked(call, unit, round->is_lazy))
    return;
  if (round->asked == NULL && !round->is_given_up)
    make_requests(taking);
  if (round->is_given_up) {
    dart__access_drop(call, unit);
    return;
  }
  round->asked[round->n++].unit = unit;
  if (round->n < taking->most)
    return;
  taking->ret = dart__worse(taking->ret, serve_round(round));
  round->n    = 0;
}

static dart_ret_t take_near(const dart__access_call_t *call, bool is_lazy)
{
  taking_t taking = { .round = { .call = call, .is_lazy = is_lazy }, .ret = DART_OK };

  dart__epoch_visit_targets(call, take_near_target, &taking);
  return taking.ret;
}

/* Complete the operations that no answer has completed. All units are asked before any is waited for. */
static dart_ret_t complete_far(const dart__access_call_t *call)
{
  const dart__epoch_t *epoch = call->epoch;
  dart_ret_t           ret   = DART_OK;

  DART__EPOCH_TARGETS (unit, epoch)
    if (dart__access_is_far(call, unit) && epoch->target[unit].is_open &&
        !epoch->target[unit].is_counted)
      dart__far_ask(call->team, unit);
  DART__EPOCH_TARGETS (unit, epoch)
    if (dart__access_is_far(call, unit))
      ret = dart__worse(ret, complete_target(call, unit));
  return ret;
}

static dart_ret_t take_far(const dart__access_call_t *call, bool is_lazy)
{
  asked_t  own[ASKED_FEW];
  taking_t taking = { .round = { .call = call, .is_lazy = is_lazy }, .own = own, .ret = DART_OK };

  dart__epoch_visit_targets(call, take_far_target, &taking);
  if (!taking.round.is_given_up)
    taking.ret = dart__worse(taking.ret, serve_round(&taking.round));
  end_requests(&taking.round, own);
  return dart__worse(taking.ret, complete_far(call));
}

static dart_ret_t unlock_all(const dart__access_call_t *call, bool is_lazy)
{
  dart_ret_t ret;

  DART__EPOCH_TARGETS (unit, call->epoch)
    if (!call->epoch->target[unit].is_checked && call->epoch->target[unit].nqueued > 0)
      dart__access_try_open(call, unit); /* it needs no lock */
  ret = leave_held(call, is_lazy);
  ret = dart__worse(ret, take_near(call, is_lazy));
  if (call->team->nnodes > 1)
    ret = dart__worse(ret, take_far(call, is_lazy));
  return end_epoch(call, ret, is_lazy);
}

dart_ret_t dart_epoch_unlock_all(dart_gptr_t gptr, int assertions)
{
  dart__access_call_t call;
  dart_ret_t          ret = dart__epoch_begin(__func__, gptr, assertions, DART_EPOCH_LAZY, &call);

  if (ret != DART_OK)
    return ret;
  dart__access_enter(&call.epoch->access);
  ret = call.epoch->kind == DART__EPOCH_LOCK_ALL
            ? unlock_all(&call, may_be_lazy(assertions))
            : dart__epoch_refuse(&call, "has not all units locked");
  dart__access_leave(&call.epoch->access);
  return ret;
}
