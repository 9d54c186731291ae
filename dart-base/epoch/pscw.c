/* Post, start, complete, wait.
 *
 * A post tells each far origin by a control message, and near ones by a counter that they look at; start tells nobody.
 * Operations wait for the post of their target, and complete waits for all posts. Complete tells each far target by a
 * control message behind the operations, and a near one by a counter in the cache line of that target's posts; wait
 * watches the counters of the units that were posted to. An origin whose operations on a far target are few and short
 * does not even wait for that post, if all before have come. They are sent with the control message of complete, and
 * the target keeps them until it posts (at most one such message of each origin and segment). A unit with nothing for a
 * target sends the control message alone. Control messages are counted, for each pair and segment, so they need no
 * answer, and none of a later epoch is taken for an earlier one's (test/models/pscw.pml). */
#include <dash/dart/ext/dart_epoch.h>

#include "base/log.h"
#include "base/profile.h"
#include "epoch/epoch_calls.h"
#include "epoch/epoch_origin.h"
#include "far/engine.h"
#include "far/gone.h"
#include "far/progress.h"
#include "memory/pool.h"
#include "model/lost.h"
#include "p2p/twosided.h"
#include "rma/await.h"

DART__PROFILED(dart_epoch_post, dart_epoch_wait, dart_epoch_test, dart_epoch_start);
DART__PROFILED(dart_epoch_complete);

/* ---- lists of units ------------------------------------------------------------------------ */

/* Every unit is in the team, and none is named twice. */
static dart_ret_t check_units(const dart__access_call_t *call, size_t nunits,
                              const dart_team_unit_t units[], bool is_start)
{
  dart__epoch_target_t *target = call->epoch->target;
  size_t                n      = 0;
  int32_t               wrong  = -1;

  if (units == NULL && nunits > 0)
    return dart__epoch_refuse(call, "is used with a NULL list of units");
  for (; n < nunits; n++) {
    if (units[n].id < 0 || units[n].id >= call->team->nunits ||
        target[units[n].id].is_named[is_start])
      break;
    target[units[n].id].is_named[is_start] = true;
  }
  if (n < nunits)
    wrong = units[n].id;
  for (size_t i = 0; i < n; i++)
    target[units[i].id].is_named[is_start] = false;
  if (n == nunits)
    return DART_OK;
  return dart__fail(DART_ERR_INVAL, "%s: unit %d is named twice, or not in 0..%d of team %d",
                    call->function, wrong, call->team->nunits - 1, call->team->id);
}

/* ---- the exposing side --------------------------------------------------------------------- */

/* The counters of posts that near origins look at. */
static dart_ret_t make_posts(const dart__access_call_t *call)
{
  size_t     nbytes = (size_t)call->team->node_nunits * sizeof *call->epoch->posts;
  uint64_t   offset;
  dart_ret_t ret;

  if (call->epoch->posts != NULL)
    return DART_OK;
  ret = dart__pool_alloc(nbytes, &offset);
  if (ret != DART_OK)
    return dart__fail(DART_ERR_NOMEM, "%s: no memory in the pool for %zu bytes, see DART_POOL",
                      call->function, nbytes);
  call->epoch->posts = (dart__epoch_post_t *)(void *)dart__pool_address(dart__world.me, offset);
  for (int32_t i = 0; i < call->team->node_nunits; i++) {
    atomic_store_explicit(&call->epoch->posts[i].posted, 0, memory_order_relaxed);
    atomic_store_explicit(&call->epoch->posts[i].done, 0, memory_order_relaxed);
  }
  /* seq_cst: releases the zeros; pairs with dart__access_post */
  atomic_store_explicit(&dart__epoch_shared(call->team, call->segment, call->team->me)->posts,
                        offset + 1, memory_order_seq_cst);
  return DART_OK;
}

/* Programs are iterative. If the origin was a target of few short operations after the last post, the control message
 * is sent with the next operations on it, or by the next call that waits, or by the agent. If operations were long,
 * those of that origin are likely to wait for the post: the control message is sent at once, as without an agent, for
 * this unit may compute next. */
static void tell_far_origin(const dart__access_call_t *call, int32_t origin)
{
  dart__epoch_target_t *t         = &call->epoch->target[origin];
  bool                  is_mutual = t->is_mutual;

  t->is_mutual = false;
  /* release: what this unit did with its portion; pairs with has_posted */
  atomic_fetch_add_explicit(&t->exposed, 1, memory_order_release);
  dart__epoch_send_control(call->team, call->segment, origin, DART__EPOCH_POSTED, 0,
                           !is_mutual || !dart__world.has_agent);
}

/* The counters that a near origin and this unit share for this portion. */
static dart__epoch_post_t *post_for(const dart__access_call_t *call, int32_t origin)
{
  const dart__team_t *team = call->team;

  return &call->epoch->posts[dart__team_near_index(team, origin)];
}

/* Where a near origin looks for posts that name it. */
static _Atomic uint32_t *posts_for(const dart__access_call_t *call, int32_t origin)
{
  return origin == call->team->me ? &call->epoch->target[origin].posted
                                  : &post_for(call, origin)->posted;
}

static void tell_origin(const dart__access_call_t *call, int32_t origin)
{
  if (dart__access_is_far(call, origin)) {
    tell_far_origin(call, origin);
    return;
  }
  /* seq_cst: releases what this unit did with its portion, and precedes the nudge; pairs with posted_by */
  atomic_fetch_add_explicit(posts_for(call, origin), 1, memory_order_seq_cst);
  dart__event_nudge(dart__twosided_event(dart__team_member(call->team, origin)));
}

/* Whether origins are told: NOCHECK is verified on the node. */
static bool is_told(const dart__access_call_t *call, int32_t unit, bool is_checked)
{
  return is_checked || (DART__EPOCH_VERIFIES && !dart__access_is_far(call, unit));
}

static dart_ret_t post(const dart__access_call_t *call, size_t norigins,
                       const dart_team_unit_t origins[], int assertions)
{
  bool       is_checked = (assertions & DART_EPOCH_NOCHECK) == 0;
  dart_ret_t ret        = check_units(call, norigins, origins, false);

  if (ret == DART_OK && atomic_load_explicit(&call->epoch->is_exposed, memory_order_relaxed))
    ret = dart__epoch_refuse(call, "is exposed already");
  if (ret == DART_OK)
    ret = make_posts(call);
  if (ret == DART_OK && !dart__epoch_expose(call, true))
    ret = dart__epoch_refuse(call, "has an epoch of another kind open");
  if (ret != DART_OK)
    return ret;
  dart__progress(); /* apply deferred updates */
  /* after a lazy fence what still comes from far units is of an epoch before */
  call->epoch->is_read_only =
      (assertions & DART_EPOCH_NOPUT) != 0 && dart__epoch_has_arrived(call->epoch);
  if (DART__EPOCH_VERIFIES) {
    atomic_store_explicit(&call->epoch->is_written, false, memory_order_relaxed);
    atomic_store_explicit(
        &dart__epoch_shared(call->team, call->segment, call->team->me)->is_read_only,
        (assertions & DART_EPOCH_NOPUT) != 0, memory_order_relaxed); /* tell_origin releases it */
  }
  call->epoch->awaited = -1;
  for (size_t i = 0; i < norigins; i++) {
    dart__epoch_target_t *origin = &call->epoch->target[origins[i].id];

    origin->named++;
    origin->next         = call->epoch->awaited;
    call->epoch->awaited = origins[i].id;
    if (is_told(call, origins[i].id, is_checked))
      tell_origin(call, origins[i].id);
  }
  return DART_OK;
}

dart_ret_t dart_epoch_post(dart_gptr_t gptr, size_t norigins, const dart_team_unit_t origins[],
                           int assertions)
{
  dart__access_call_t call;
  dart_ret_t          ret =
      dart__epoch_begin(__func__, gptr, assertions,
                        DART_EPOCH_NOSTORE | DART_EPOCH_NOPUT | DART_EPOCH_NOCHECK, &call);

  if (ret != DART_OK)
    return ret;
  dart__access_enter(&call.epoch->exposure);
  ret = post(&call, norigins, origins, assertions);
  dart__access_leave(&call.epoch->exposure);
  return ret;
}

/* How many accesses of the origin have ended. */
static const _Atomic uint32_t *done_by(const dart__access_call_t *call, int32_t origin)
{
  return origin == call->team->me || dart__access_is_far(call, origin)
             ? &call->epoch->target[origin].done
             : &post_for(call, origin)->done;
}

static bool is_missing(const dart__access_call_t *call, int32_t origin)
{
  /* seq_cst: acquires the operations, and is the look of dart__event_nudge; pairs with note_done, and for far origins
   * with note_control */
  uint32_t done =
      atomic_load_explicit((_Atomic uint32_t *)done_by(call, origin), memory_order_seq_cst);

  return (int32_t)(call->epoch->target[origin].named - done) > 0;
}

/* A long wait notes which of the job's first 64 units have not completed. */
static void name_missing(const dart__access_call_t *call)
{
  uint64_t missing = 0;

  for (int32_t unit = call->epoch->awaited; unit >= 0; unit = call->epoch->target[unit].next)
    if (dart__team_member(call->team, unit) < 64 && is_missing(call, unit))
      missing |= UINT64_C(1) << dart__team_member(call->team, unit);
  dart__waiting_narrow(missing);
}

static bool are_complete(void *context)
{
  const dart__access_call_t *call    = context;
  int32_t                   *awaited = &call->epoch->awaited;

  while (*awaited >= 0 && !is_missing(call, *awaited))
    *awaited = call->epoch->target[*awaited].next;
  if (*awaited < 0)
    return true;
  if (dart__waiting_is_noted(DART__WAIT_ORIGINS))
    name_missing(call);
  return false;
}

/* Units are named only once the wait is long. */
static dart__wait_for_t origins_of(const dart__access_call_t *call)
{
  dart__wait_for_t what = dart__access_waits_for(call, DART__WAIT_ORIGINS, -1);

  what.last = 0;
  return what;
}

static dart_ret_t end_exposure(const dart__access_call_t *call)
{
  dart_ret_t ret;

  dart__epoch_expose(call, false);
  ret                       = dart__epoch_verify_read_only(call);
  call->epoch->is_read_only = false;
  return ret;
}

/* As a wait ends if a member is lost, so does a loop of tests. */
static dart_ret_t test_exposure(const dart__access_call_t *call, int32_t *is_complete_out)
{
  dart__wait_for_t what = origins_of(call);

  *is_complete_out = are_complete((void *)(uintptr_t)call);
  if (*is_complete_out)
    return end_exposure(call);
  if (!dart__gone_gives_up(&what))
    return DART_OK;
  end_exposure(call);
  return DART_ERR_UNIT_LOST;
}

/* `is_complete` NULL: wait. */
static dart_ret_t finish_exposure(const char *function, dart_gptr_t gptr, int32_t *is_complete)
{
  dart__access_call_t call;
  dart_ret_t          ret = dart__epoch_begin(function, gptr, 0, 0, &call);

  if (ret != DART_OK)
    return ret;
  dart__access_enter(&call.epoch->exposure);
  if (!atomic_load_explicit(&call.epoch->is_exposed, memory_order_relaxed)) {
    ret = dart__epoch_refuse(&call, "is not exposed");
  } else if (is_complete == NULL) {
    bool is_over = dart__await(function, are_complete, &call, origins_of(&call));

    ret = end_exposure(&call);
    if (!is_over)
      ret = DART_ERR_UNIT_LOST;
  } else {
    if (dart__world.pace.progress != NULL)
      dart__world.pace.progress();
    ret = test_exposure(&call, is_complete);
  }
  dart__access_leave(&call.epoch->exposure);
  return ret;
}

dart_ret_t dart_epoch_wait(dart_gptr_t gptr)
{
  return finish_exposure(__func__, gptr, NULL);
}

dart_ret_t dart_epoch_test(dart_gptr_t gptr, int32_t *is_complete)
{
  if (is_complete == NULL)
    return dart__fail(DART_ERR_INVAL, "%s: is_complete is NULL", __func__);
  *is_complete = 0;
  return finish_exposure(__func__, gptr, is_complete);
}

/* ---- the accessing side -------------------------------------------------------------------- */

/* Near targets have to have posted, if that is not to be asked. */
static dart_ret_t verify_posted(const dart__access_call_t *call, size_t ntargets,
                                const dart_team_unit_t targets[])
{
  for (size_t i = 0; i < ntargets; i++)
    if (is_told(call, targets[i].id, false) && !dart__access_is_posted(call, targets[i].id))
      return dart__epoch_refuse(call, "was not posted by a target, against DART_EPOCH_NOCHECK");
  return DART_OK;
}

static void end_access(const dart__access_call_t *call)
{
  dart__epoch_forget_targets(call->epoch);
  call->epoch->is_issued = false;
  dart__epoch_set(call, DART__EPOCH_NONE);
}

static dart_ret_t begin_access(const dart__access_call_t *call, size_t ntargets,
                               const dart_team_unit_t targets[], int assertions)
{
  bool       is_checked = (assertions & DART_EPOCH_NOCHECK) == 0;
  dart_ret_t ret        = check_units(call, ntargets, targets, true);

  if (ret == DART_OK && !dart__epoch_may_begin(call))
    ret = dart__epoch_refuse(call, "has an access epoch open");
  if (ret == DART_OK && DART__EPOCH_VERIFIES && !is_checked)
    ret = verify_posted(call, ntargets, targets);
  if (ret != DART_OK)
    return ret;
  dart__epoch_set(call, DART__EPOCH_START);
  for (size_t i = 0; i < ntargets; i++) {
    dart__epoch_add_target(call->epoch, targets[i].id);
    call->epoch->target[targets[i].id].is_member  = true;
    call->epoch->target[targets[i].id].is_checked = is_told(call, targets[i].id, is_checked);
  }
  return DART_OK;
}

dart_ret_t dart_epoch_start(dart_gptr_t gptr, size_t ntargets, const dart_team_unit_t targets[],
                            int assertions)
{
  dart__access_call_t call;
  dart_ret_t ret = dart__epoch_begin(__func__, gptr, assertions, DART_EPOCH_NOCHECK, &call);

  if (ret != DART_OK)
    return ret;
  dart__access_enter(&call.epoch->access);
  ret = begin_access(&call, ntargets, targets, assertions);
  dart__access_leave(&call.epoch->access);
  return ret;
}

static uint64_t target_flags(const dart__epoch_target_t *t)
{
  return (t->is_written ? DART__EPOCH_WROTE : 0) | (t->is_checked ? DART__EPOCH_CHECKED : 0);
}

/* A far target's post has not come, and all before have: send it everything at once, if that is little. */
static bool run_ahead(const dart__access_call_t *call, int32_t unit)
{
  dart__epoch_target_t *t = &call->epoch->target[unit];
  const dart__queued_t *ops[DART__LOCKED_OPS];
  size_t                nops;

  /* acquire: if it has come after all, that is a pair with note_control, too */
  if (!dart__access_is_far(call, unit) || t->needs_flush || t->is_behind ||
      t->nqueued > DART__LOCKED_OPS ||
      atomic_load_explicit(&t->posted, memory_order_acquire) != t->started ||
      !dart__access_fits_inline(call, unit, 0, ops, &nops))
    return false;
  dart__epoch_send_completed(call->team, call->segment, unit, ops, nops, target_flags(t));
  dart__access_drop(call, unit);
  t->started++;
  t->is_mutual = true;
  t->is_member = false;
  return true;
}

/* Whether this access is as those that do not wait for the post, so that the next one may not either. */
static bool is_short(const dart__access_call_t *call, int32_t unit)
{
  const dart__queued_t *ops[DART__LOCKED_OPS];
  size_t                nops;

  return dart__access_fits_inline(call, unit, 0, ops, &nops);
}

/* Say that this unit's access to a near portion has ended: it alone does so, one thread at a time. */
static dart_ret_t note_done(const dart__access_call_t *call, int32_t unit)
{
  dart__epoch_post_t *post = unit == call->team->me ? NULL : dart__access_post(call, unit);
  _Atomic uint32_t   *done = post != NULL ? &post->done : &call->epoch->target[unit].done;

  if (post == NULL && unit != call->team->me)
    return dart__epoch_refuse(call, "was never posted by a target, against DART_EPOCH_NOCHECK");
  /* seq_cst: releases the operations, and precedes the nudge; pairs with is_missing */
  atomic_store_explicit(done, atomic_load_explicit(done, memory_order_relaxed) + 1,
                        memory_order_seq_cst);
  dart__event_nudge(dart__twosided_event(dart__team_member(call->team, unit)));
  return DART_OK;
}

static dart_ret_t tell_target(const dart__access_call_t *call, int32_t unit)
{
  dart__epoch_target_t *t = &call->epoch->target[unit];
  dart_ret_t            ret;

  t->is_mutual = dart__access_is_far(call, unit) && is_short(call, unit);
  dart__access_drain(call, unit);
  ret = dart__access_order(call, unit);
  if (dart__access_is_far(call, unit))
    dart__epoch_send_control(call->team, call->segment, unit, DART__EPOCH_COMPLETED,
                             target_flags(t), true);
  else
    ret = dart__worse(ret, note_done(call, unit));
  t->started += t->is_checked;
  t->is_member = false; /* the target was told; is_used stays, for local completion */
  return ret;
}

/* What complete still has to do: members are those that were not told yet. */
typedef struct {
  const dart__access_call_t *call;
  int32_t                    left;
  dart_ret_t                 ret;
  dart_ret_t                 lost; /* a far target is, which was told nevertheless */
} round_t;

static void note_told(round_t *round, int32_t unit)
{
  round->left--;
  if (dart__access_is_far(round->call, unit))
    round->lost = dart__lost_result(dart__team_member(round->call->team, unit), round->lost);
}

static void tell_if_posted(void *context, int32_t unit)
{
  round_t   *round = context;
  dart_ret_t ret;

  if (!round->call->epoch->target[unit].is_member)
    return;
  if (!dart__access_try_open(round->call, unit)) {
    if (run_ahead(round->call, unit))
      note_told(round, unit);
    return;
  }
  ret        = tell_target(round->call, unit);
  round->ret = round->ret == DART_OK ? ret : round->ret;
  note_told(round, unit);
}

/* Tell the targets that have posted. True: some were told, so that the wait is over. */
static bool tell_some(void *context)
{
  round_t *round  = context;
  int32_t  before = round->left;

  dart__epoch_visit_targets(round->call, tell_if_posted, round);
  return round->left < before || round->left == 0;
}

/* A target that this access waits for. */
static int32_t first_untold(const dart__access_call_t *call)
{
  int32_t unit = dart__epoch_first_target(call->epoch);

  while (unit >= 0 && !call->epoch->target[unit].is_member)
    unit = dart__epoch_next_target(call->epoch, unit);
  return unit;
}

/* Drop what is deferred for units that have not posted. They are not waited for any more: a member of the team is lost.
 * The posts that were waited for may still come. They belong to this access, and open no later one. */
static void drop_untold(const dart__access_call_t *call)
{
  DART__EPOCH_TARGETS (unit, call->epoch) {
    dart__epoch_target_t *t = &call->epoch->target[unit];

    if (!t->is_member)
      continue;
    dart__access_drop(call, unit);
    t->started += t->is_checked;
    t->is_behind = true;
  }
}

static dart_ret_t complete_access(const dart__access_call_t *call)
{
  round_t round = { call, 0, DART_OK, DART_OK };

  if (call->epoch->kind != DART__EPOCH_START)
    return dart__epoch_refuse(call, "has no access that was started");
  dart__progress(); /* apply deferred updates */
  DART__EPOCH_TARGETS (unit, call->epoch)
    round.left += call->epoch->target[unit].is_member;
  while (round.left > 0 && round.ret != DART_ERR_UNIT_LOST)
    if (!dart__await(call->function, tell_some, &round,
                     dart__access_waits_for(call, DART__WAIT_POST, first_untold(call))))
      round.ret = DART_ERR_UNIT_LOST;
  if (round.left > 0)
    drop_untold(call);
  if (call->team->nnodes > 1) /* posts that waited for company */
    dart__engine_push();
  DART__EPOCH_TARGETS (unit, call->epoch)
    if (call->epoch->target[unit].is_used && dart__access_is_far(call, unit))
      round.ret = dart__worse(round.ret, dart__epoch_finish(call, unit, false));
  end_access(call);
  return dart__worse(round.ret, round.lost);
}

dart_ret_t dart_epoch_complete(dart_gptr_t gptr)
{
  dart__access_call_t call;
  dart_ret_t          ret = dart__epoch_begin(__func__, gptr, 0, 0, &call);

  if (ret != DART_OK)
    return ret;
  dart__access_enter(&call.epoch->access);
  ret = complete_access(&call);
  dart__access_leave(&call.epoch->access);
  return ret;
}
