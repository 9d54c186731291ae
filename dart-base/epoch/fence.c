/* Fences.
 *
 * On one node a fence is a barrier: near operations are complete before their unit enters it. Between nodes a barrier
 * is not enough, for data may be under way when all units have entered. A second barrier is not needed: by one
 * reduction all units sum up how many of them have operations on each unit. Then each starts its operations, sends each
 * target a control message behind them, and leaves when it has received as many control messages as the sum said.
 *
 * A unit's operations on far portions start when the reduction of the closing fence is over, not before. Only then all
 * units are known to have left the fence before it, and so to have received what that epoch brought them. Near portions
 * can be looked at: each says which fence its unit has left (`exposed`). So whatever a unit issues in an epoch comes
 * after all that the epoch before did to the same target. (Thakur, Gropp, Toonen 2005 count in this way, by a
 * reduce-scatter; here a unit of each node collects its node first.)
 *
 * Transfers of the network need no control message: a flush completes them. A unit that starts some after the reduction
 * asks in it for a barrier, which units enter when they have their control messages. After that barrier all units know
 * that all have what the epoch brought (`is_all_open`). They know it as well if the sums say that no control messages
 * are to come, and none of lazy fences before are under way (`is_owed`). In a team of two units, what the epoch put to the
 * other one was sent by this one, so order is enough (dart__far_order). But results may come late: a unit that asks for
 * some after the reduction wants a barrier there, too.
 *
 * In an epoch that all are known to be in, transfers start when they are called, and are flushed before the reduction.
 * Where fences are counted all else starts before the reduction, too: it and the data travel at the same time. Results
 * are there when a unit enters it.
 *
 * Such a sum has 4 bytes for each unit of the team, most of them 0 where a unit has few targets. So in large teams
 * units agree only on whether any has operations. If so, each waits until its targets have acknowledged its operations,
 * and all pass a barrier. (As in NBX: Hoefler, Siebert, Lumsdaine, PPoPP 2010. A barrier that blocks will do, for units
 * that wait in it receive.) */
#include <stdlib.h>
#include <string.h>

#include <dash/dart/ext/dart_epoch.h>

#include "base/config.h"
#include "base/profile.h"
#include "coll/coll.h"
#include "epoch/epoch_calls.h"
#include "epoch/epoch_origin.h"
#include "far/engine.h"
#include "far/far_ops.h"
#include "far/progress.h"
#include "model/lost.h"
#include "rma/await.h"
#include "wait/timed.h"

DART__PROFILED(dart_epoch_fence);

#define ALLOWED                                                                          \
  (DART_EPOCH_NOPRECEDE | DART_EPOCH_NOSUCCEED | DART_EPOCH_NOSTORE | DART_EPOCH_NOPUT | \
   DART_EPOCH_LAZY)

/* Whether each unit is told how many control messages to expect. Without agents in any case: a lazy fence that waits for its
 * targets might wait for ever. */
static bool is_counted(const dart__team_t *team)
{
  return team->nunits <= dart__settings.counted || !dart__engine.by_agents;
}

/* The first fence of a segment: all units get what they need, or none. Collective. Units do not agree in a broken team: then
 * each fence is given up, and a unit that has what it needs itself begins the next epoch, as it does later. */
static dart_ret_t prepare_counts(const dart__access_call_t *call, dart_ret_t mine)
{
  dart__epoch_t *epoch = call->epoch;
  dart_ret_t     ret;

  if (mine == DART_OK && call->team->nnodes > 1 && is_counted(call->team) &&
      epoch->counts == NULL) {
    epoch->counts = calloc((size_t)call->team->nunits, sizeof *epoch->counts);
    if (epoch->counts == NULL)
      mine = DART_ERR_NOMEM;
  }
  ret = dart__coll_agree(call->team, mine);
  if (mine == DART_OK && (ret == DART_OK || ret == DART_ERR_UNIT_LOST))
    epoch->is_prepared = true; /* and a fence that is refused changes nothing of that */
  return ret;
}

/* ---- verification -------------------------------------------------------------------------- */

/* Assertions that all units give or none. */
#define COMMON (DART_EPOCH_NOPRECEDE | DART_EPOCH_NOSUCCEED | DART_EPOCH_LAZY)

static void remember(dart__epoch_t *epoch, int assertions)
{
  epoch->history = epoch->history * 31 + ((unsigned)assertions & COMMON) + 1;
}

/* Collective, in fences without NOPRECEDE: lazy ones wait here, so that units that disagree about that do not part. */
static dart_ret_t verify_history(const dart__access_call_t *call)
{
  unsigned long most[2] = { call->epoch->history, ~(unsigned long)call->epoch->history };

  dart__coll_most(call->team, most, 2);
  if (most[0] == ~most[1] || dart__team_is_broken(call->team))
    return dart__team_result(call->team, DART_OK);
  call->epoch->history = 0;
  return dart__epoch_refuse(call, "had fences with different assertions on different units");
}

/* ---- closing ------------------------------------------------------------------------------- */

static bool is_far_target(const dart__access_call_t *call, int32_t unit)
{
  return call->epoch->target[unit].is_used && dart__access_is_far(call, unit);
}

/* What a fence does with its targets. */
typedef struct {
  const dart__access_call_t *call;
  dart_ret_t                 ret;
} closing_t;

static void close_near_target(void *context, int32_t unit)
{
  closing_t                 *closing = context;
  const dart__access_call_t *call    = closing->call;

  if (dart__access_is_far(call, unit))
    return;
  if (call->epoch->target[unit].nqueued > 0) {
    if (dart__access_open(call, unit))
      dart__access_drain(call, unit);
    else
      closing->ret = dart__worse(closing->ret, dart__access_refuse_gone(call, unit));
  }
  closing->ret = dart__worse(closing->ret, dart__access_order(call, unit));
}

/* Operations on portions of this node: those deferred, and atomics of MPI that are under way. */
static dart_ret_t close_near(const dart__access_call_t *call)
{
  closing_t closing = { call, DART_OK };

  if (call->epoch->is_issued)
    dart__epoch_visit_targets(call, close_near_target, &closing);
  return closing.ret;
}

/* Whether the target is sent a control message: operations on it are requests, or will be started. */
static bool wants_control(const dart__access_call_t *call, int32_t unit)
{
  const dart__epoch_target_t *t = &call->epoch->target[unit];

  return is_far_target(call, unit) && (t->nqueued > 0 || t->is_requested);
}

/* Before the reduction: complete the transfers that were started; where others go by requests, all of them. */
static dart_ret_t complete_early(const dart__access_call_t *call)
{
  dart_ret_t ret = DART_OK;

  DART__EPOCH_TARGETS (unit, call->epoch) {
    dart__epoch_target_t *t = &call->epoch->target[unit];

    if (!is_far_target(call, unit) || !t->needs_flush || t->nqueued > 0)
      continue;
    ret             = dart__worse(ret, dart__access_order(call, unit));
    ret             = dart__worse(ret, dart__epoch_finish(call, unit, true));
    t->is_requested = DART__EPOCH_VERIFIES && t->is_written; /* the control message says so */
  }
  return ret;
}

/* What the reduction says. */
typedef struct {
  bool has_controls; /* some units are sent control messages */
  bool has_barrier;  /* some want a barrier */
} sums_t;

/* In the count of the unit itself, to which it adds nothing else. */
#define WANTS_BARRIER UINT32_C(0x80000000)

/* The units that are sent control messages; and, unless operations start before the reduction, whether to ask for a
 * barrier. */
static void count_targets(const dart__access_call_t *call)
{
  uint32_t *counts = call->epoch->counts, wants = 0;

  memset(counts, 0, (size_t)call->team->nunits * sizeof *counts);
  DART__EPOCH_TARGETS (unit, call->epoch) {
    counts[unit] = wants_control(call, unit);
    if (!call->epoch->is_all_open && counts[unit] > 0 &&
        (dart__access_is_moved(call, unit) ||
         (call->team->nunits == 2 && call->epoch->target[unit].is_read)))
      wants = WANTS_BARRIER;
  }
  counts[call->team->me] = wants;
}

/* Afterwards all units have entered the fence, and this one knows how many control messages to expect. */
static sums_t count_origins(const dart__access_call_t *call)
{
  uint32_t *counts = call->epoch->counts;
  int32_t   n = call->team->nunits, me = call->team->me;
  sums_t    sums = { .has_controls = false };

  dart__coll_reduce(call->team, counts, counts, (size_t)n, DART_TYPE_UINT, DART_OP_SUM,
                    DART__EVERY_UNIT);
  for (int32_t unit = 0; unit < n; unit++) {
    sums.has_controls |= (counts[unit] & ~WANTS_BARRIER) != 0;
    sums.has_barrier |= (counts[unit] & WANTS_BARRIER) != 0;
  }
  call->epoch->expected += counts[me] & ~WANTS_BARRIER;
  return sums;
}

static void close_far_target(void *context, int32_t unit)
{
  closing_t                 *closing = context;
  const dart__access_call_t *call    = closing->call;

  if (!wants_control(call, unit))
    return;
  if (dart__team_is_broken(call->team)) { /* it may not have left the fence before */
    closing->ret = dart__worse(closing->ret, dart__access_refuse_gone(call, unit));
    return;
  }
  dart__access_drain(call, unit);
  closing->ret = dart__worse(closing->ret, dart__access_order(call, unit));
  dart__epoch_send_control(call->team, call->segment, unit, DART__EPOCH_ARRIVED,
                           call->epoch->target[unit].is_written, true);
}

static dart_ret_t close_far(const dart__access_call_t *call)
{
  closing_t closing = { call, DART_OK };

  dart__epoch_visit_targets(call, close_far_target, &closing);
  DART__EPOCH_TARGETS (unit, call->epoch)
    if (is_far_target(call, unit))
      closing.ret = dart__worse(closing.ret, dart__epoch_finish(call, unit, false));
  return closing.ret;
}

/* After complete_early, which has returned `ret`. In a lazy fence units do not wait. */
static dart_ret_t complete_rest(const dart__access_call_t *call, bool is_lazy, dart_ret_t ret)
{
  call->epoch->is_lazy = is_lazy;
  ret                  = dart__worse(dart__team_result(call->team, ret), close_far(call));
  call->epoch->is_lazy = false;
  return ret;
}

static bool have_arrived(void *context)
{
  return dart__epoch_has_arrived(context);
}

/* Transfers of the next epoch come after the requests of this one. */
static void order_targets(const dart__access_call_t *call)
{
  DART__EPOCH_TARGETS (unit, call->epoch)
    if (is_far_target(call, unit))
      dart__far_order(call->team, unit);
}

/* Of a team over several nodes. */
static dart_ret_t complete_nodes(const dart__access_call_t *call, bool is_lazy,
                                 bool *is_all_open_out)
{
  dart__epoch_t *epoch   = call->epoch;
  bool           is_pair = call->team->nunits == 2;
  dart_ret_t     ret     = complete_early(call);
  sums_t         sums;

  count_targets(call);
  if (epoch->is_all_open)
    ret = complete_rest(call, is_lazy, ret);
  sums = count_origins(call);
  if (!epoch->is_all_open)
    ret = complete_rest(call, is_lazy, ret);
  if (sums.has_controls && (is_lazy || is_pair))
    order_targets(call);
  if (is_lazy) {
    epoch->is_owed |= sums.has_controls;
    return dart__team_result(call->team, ret);
  }
  if (!dart__await(call->function, have_arrived, epoch,
                   dart__access_waits_for(call, DART__WAIT_FENCE, -1)))
    ret = DART_ERR_UNIT_LOST;
  if (sums.has_barrier)
    ret = dart__worse(ret, dart__coll_barrier(call->team));
  *is_all_open_out = dart__team_result(call->team, DART_OK) == DART_OK &&
                     (sums.has_barrier || is_pair || !(sums.has_controls || epoch->is_owed));
  epoch->is_owed = false; /* to units that wait in the next fence */
  return dart__team_result(call->team, ret);
}

/* Whether any unit has operations that are not complete. Afterwards all units have entered the fence, and what lazy fences
 * before have brought is here. */
static bool have_any(const dart__access_call_t *call)
{
  unsigned long any = 0;

  for (int32_t unit = dart__epoch_first_target(call->epoch); unit >= 0 && any == 0;
       unit         = dart__epoch_next_target(call->epoch, unit))
    any = wants_control(call, unit);
  dart__coll_most(call->team, &any, 1);
  return any != 0;
}

/* All are asked before any is waited for. */
static void ask_target(void *context, int32_t unit)
{
  const dart__access_call_t *call = context;

  if (is_far_target(call, unit))
    dart__far_ask(call->team, unit);
}

static void settle_target(void *context, int32_t unit)
{
  const dart__access_call_t *call = context;

  if (is_far_target(call, unit))
    dart__far_settle(call->team, unit);
}

#define MANY_CONTROLS (UINT32_C(1) << 30) /* more than come before the next fence */

/* complete_nodes without counts. After a lazy fence control messages of others may be under way, and nobody knows how
 * many. */
static dart_ret_t complete_uncounted(dart__access_call_t *call, bool is_lazy, bool *is_all_open_out)
{
  dart__epoch_t *epoch   = call->epoch;
  dart_ret_t     ret     = complete_early(call);
  bool           has_any = have_any(call);

  ret = complete_rest(call, is_lazy, ret);
  if (has_any) {
    dart__epoch_visit_targets(call, ask_target, call);
    dart__epoch_visit_targets(call, settle_target, call);
  }
  if (has_any && !is_lazy)
    ret = dart__worse(ret, dart__coll_barrier(call->team));
  /* acquire: pairs with note_control */
  epoch->expected = atomic_load_explicit(&epoch->arrived, memory_order_acquire) +
                    (has_any && is_lazy ? MANY_CONTROLS : 0);
  *is_all_open_out = !is_lazy && dart__team_result(call->team, DART_OK) == DART_OK;
  return ret;
}

/* End the epoch, with all units. `*is_all_open_out`: all are known to have left the fence. */
static dart_ret_t complete_fence(dart__access_call_t *call, bool is_lazy, bool *is_all_open_out)
{
  dart__team_t *team = call->team;
  dart_ret_t    ret, verified;

  dart__progress(); /* apply deferred updates */
  ret = close_near(call);
  if (DART__EPOCH_VERIFIES && (verified = verify_history(call)) != DART_OK) {
    ret     = dart__worse(ret, verified);
    is_lazy = false; /* perhaps only some units gave it: all wait, as those do that did not */
  }
  if (team->nnodes == 1) {
    dart__team_forget_call(team);
    if (!is_lazy)
      ret = dart__worse(ret, dart__coll_barrier(team));
    *is_all_open_out = !is_lazy && dart__team_result(team, DART_OK) == DART_OK;
  } else if (is_counted(team)) {
    ret = dart__worse(ret, complete_nodes(call, is_lazy, is_all_open_out));
  } else {
    ret = dart__worse(ret, complete_uncounted(call, is_lazy, is_all_open_out));
  }
  if (!is_lazy)
    dart__progress_settle_lazy();
  return dart__worse(ret, dart__epoch_verify_read_only(call));
}

/* ---- beginning ----------------------------------------------------------------------------- */

static void begin_epoch(const dart__access_call_t *call, int assertions, bool is_all_open)
{
  dart__epoch_t        *epoch    = call->epoch;
  dart__epoch_shared_t *shared   = dart__epoch_shared(call->team, call->segment, call->team->me);
  bool                  promises = (assertions & DART_EPOCH_NOPUT) != 0;

  dart__epoch_forget_targets(epoch);
  epoch->is_issued   = false;
  epoch->is_all_open = is_all_open;
  epoch->fences++;
  /* after a lazy fence what still comes from far units is of an epoch before */
  epoch->is_read_only = promises && dart__epoch_has_arrived(epoch);
  if (DART__EPOCH_VERIFIES) {
    atomic_store_explicit(&epoch->is_written, false, memory_order_relaxed);
    /* relaxed, both: units look at it after `exposed`, and in an epoch that ends with all of them */
    atomic_store_explicit(&shared->is_read_only, promises ? epoch->fences : 0,
                          memory_order_relaxed);
  }
  if (!is_all_open || DART__EPOCH_VERIFIES)
    /* release: what this unit did with its portion until now; pairs with is_open_by_fence */
    atomic_store_explicit(&shared->exposed, epoch->fences, memory_order_release);
  dart__epoch_set(call,
                  (assertions & DART_EPOCH_NOSUCCEED) != 0 ? DART__EPOCH_NONE : DART__EPOCH_FENCE);
}

static dart_ret_t fence(dart__access_call_t *call, int assertions)
{
  bool       is_lazy     = (assertions & DART_EPOCH_LAZY) != 0;
  bool       is_all_open = false;
  dart_ret_t ret         = DART_OK;

  if (call->epoch->kind != DART__EPOCH_NONE && call->epoch->kind != DART__EPOCH_FENCE)
    return dart__epoch_refuse(call, "has an epoch of another kind open");
  if (atomic_load_explicit(&call->epoch->is_exposed, memory_order_relaxed))
    return dart__epoch_refuse(call, "is exposed by a post");
  if (DART__EPOCH_VERIFIES && (assertions & DART_EPOCH_NOPRECEDE) != 0 && call->epoch->is_issued)
    return dart__epoch_refuse(call, "has operations, against DART_EPOCH_NOPRECEDE");
  if (DART__EPOCH_VERIFIES)
    remember(call->epoch, assertions);
  if ((assertions & DART_EPOCH_NOPRECEDE) == 0)
    ret = complete_fence(call, is_lazy, &is_all_open);
  begin_epoch(call, assertions, is_all_open);
  return ret;
}

dart_ret_t dart_epoch_fence(dart_gptr_t gptr, int assertions)
{
  dart__access_call_t call;
  dart_ret_t          ret = dart__epoch_begin(__func__, gptr, assertions, ALLOWED, &call);
  dart__timed_t       timed;

  if (call.team == NULL || call.segment == NULL || ret == DART_ERR_INVAL)
    return ret;
  if (call.epoch == NULL || !call.epoch->is_prepared) {
    ret = prepare_counts(&call, ret);
    if (call.epoch == NULL || !call.epoch->is_prepared)
      return ret;
  }
  timed = dart__timed_begin(DART__COUNT_FENCE);
  dart__access_enter(&call.epoch->access);
  ret = dart__worse(fence(&call, assertions), ret);
  dart__access_leave(&call.epoch->access);
  dart__timed_end(DART__COUNT_FENCE, timed);
  return ret;
}
