/* Opening a target: whether it may be accessed, and waiting until it may. See access.h.
 *
 * What opens it is the kind's: a fence that the target has left, its post, or its lock. A near target is looked at in
 * shared memory; of a far one the control messages that it has sent are counted, or it is asked. */
#include "epoch/access.h"

#include <stdlib.h>

#include "base/log.h"
#include "epoch/epoch_origin.h"
#include "far/progress.h"
#include "model/lost.h"
#include "rma/await.h"

static dart__epoch_shared_t *shared_of(const dart__access_call_t *call, int32_t unit)
{
  return dart__epoch_shared(call->team, call->segment, unit);
}

/* Whether the unit has begun the fence epoch that this unit is in. */
static bool has_left_fence(const dart__access_call_t *call, uint32_t exposed)
{
  return (int32_t)(exposed - call->epoch->fences) >= 0;
}

static bool is_open_by_fence(const dart__access_call_t *call, int32_t unit)
{
  bool is_far = dart__access_is_far(call, unit);

  if (call->epoch->is_all_open &&
      (is_far || !DART__EPOCH_VERIFIES)) /* a near promise is looked at that is made on leaving */
    return true;
  if (is_far) /* only its answer could tell */
    return false;
  /* acquire: the unit has left its fence; pairs with the store in epoch/fence.c */
  return has_left_fence(
      call, atomic_load_explicit(&shared_of(call, unit)->exposed, memory_order_acquire));
}

dart__epoch_post_t *dart__access_post(const dart__access_call_t *call, int32_t unit)
{
  /* seq_cst: acquires the table; pairs with epoch/pscw.c */
  uint64_t table = atomic_load_explicit(&shared_of(call, unit)->posts, memory_order_seq_cst);
  char    *pool  = dart__pool_address(dart__team_member(call->team, unit), 0);

  return table == 0 ? NULL
                    : (dart__epoch_post_t *)(void *)(pool + (table - 1)) +
                          dart__team_near_index(call->team, call->team->me);
}

/* How often the unit has named this one in a post. */
static uint32_t posted_by(const dart__access_call_t *call, int32_t unit)
{
  dart__epoch_post_t *post;

  if (dart__access_is_far(call, unit) || unit == call->team->me)
    /* seq_cst: acquires what note_control released, and of this unit is as the look below */
    return atomic_load_explicit(&call->epoch->target[unit].posted, memory_order_seq_cst);
  post = dart__access_post(call, unit);
  /* seq_cst: acquires what the target did before its post, and is the look of dart__event_nudge; pairs with
   * epoch/pscw.c */
  return post == NULL ? 0 : atomic_load_explicit(&post->posted, memory_order_seq_cst);
}

bool dart__access_is_posted(const dart__access_call_t *call, int32_t unit)
{
  return (int32_t)(posted_by(call, unit) - call->epoch->target[unit].started) > 0;
}

static bool is_open_by_post(const dart__access_call_t *call, int32_t unit)
{
  return !call->epoch->target[unit].is_checked || dart__access_is_posted(call, unit);
}

dart__wait_for_t dart__access_waits_for(const dart__access_call_t *call, dart__wait_kind_t kind,
                                        int32_t unit)
{
  return (dart__wait_for_t){ kind, call->team->id,
                             unit < 0 ? -1 : dart__team_member(call->team, unit),
                             (uint64_t)(int64_t)call->segment->id, (uint64_t)(int64_t)unit };
}

/* Take a ticket, and enter if it is its turn. A ticket whose turn comes while its unit does something else, or waits
 * for another, would hold up the units behind it: see epoch/unlock.c. So none is taken that is not waited for. */
static bool try_lock(dart__epoch_target_t *t, dart__rwlock_t *lock, bool waits)
{
  if (!t->has_ticket && !waits)
    return t->has_ticket = dart__rwlock_try(lock, t->is_exclusive, &t->ticket);
  if (!t->has_ticket)
    t->ticket = dart__rwlock_take(lock);
  t->has_ticket = true;
  return dart__rwlock_try_enter(lock, t->ticket, t->is_exclusive);
}

typedef struct {
  dart__epoch_target_t *t;
  dart__rwlock_t       *lock;
  bool                  waits;
  bool                  looks; /* see looks_first */
} entry_t;

static bool try_entry(void *context)
{
  const entry_t *e = context;

  return try_lock(e->t, e->lock, e->waits || (e->looks && dart__rwlock_has_far(e->lock)));
}

/* A lock that cannot be entered at once is held by another unit, against DART_EPOCH_NOCHECK, unless it can be entered
 * soon: another shared request blocks it between its ticket and its turn only, a holder for longer. So such a wait is short. */
static bool enters_soon(dart__epoch_target_t *t, dart__rwlock_t *lock, bool waits, bool looks)
{
  return dart__wait_until(&(dart__wait_t){ .look     = try_entry,
                                           .context  = &(entry_t){ t, lock, waits, looks },
                                           .limit_ns = DART__AWAKE_US * INT64_C(1000) },
                          &dart__world.wait);
}

/* Where units share cores each turn in the order of arrival is a context switch. So there a unit looks for a while whether
 * the lock is free before it takes a ticket; no lock is free for which another unit has one. Far units always have one: while
 * they wait, it takes its own at once, lest they pass it for as long as it looks. */
static bool looks_first(const dart__access_call_t *call)
{
  /* relaxed: a hint */
  return atomic_load_explicit(&call->team->wait.pace->yield_us, memory_order_relaxed) > 0;
}

/* The lock of a near portion. False: not now, or, with `waits`, its memory is gone, or the team is broken. */
static bool enter_lock(const dart__access_call_t *call, int32_t unit, bool waits)
{
  dart__epoch_target_t *t        = &call->epoch->target[unit];
  dart__rwlock_t       *lock     = &shared_of(call, unit)->lock;
  bool                  is_first = !t->has_ticket;
  bool                  looks    = is_first && waits && looks_first(call);
  bool                  entered  = try_lock(t, lock, waits && !looks);
  dart__waiting_t      *waiting;

  if (!entered && looks) {
    dart__progress(); /* the holder may wait for deferred updates of this unit */
    entered = enters_soon(t, lock, false, true) || try_lock(t, lock, true);
  }
  if (!entered && is_first && !t->is_checked) {
    entered                = enters_soon(t, lock, waits, false);
    call->epoch->is_broken = call->epoch->is_broken || !entered;
  }
  if (!entered && waits) {
    dart__progress(); /* the holder may wait for deferred updates of this unit */
    waiting =
        dart__waiting_begin(call->function, dart__access_waits_for(call, DART__WAIT_PORTION, unit));
    entered = dart__rwlock_enter(lock, t->ticket, t->is_exclusive, &call->team->wait);
    dart__waiting_end(waiting);
  }
  if (entered)
    dart__access_inform_target(call, unit, lock);
  if (entered && dart__epoch_has_ended(call->team, call->segment, unit)) {
    dart__access_leave_lock(call, unit);
    entered = false;
  }
  return entered;
}

/* Without DART_EPOCH_NOCHECK, or to verify it. */
static bool needs_lock(const dart__access_call_t *call, int32_t unit)
{
  return call->epoch->target[unit].is_checked ||
         (DART__EPOCH_VERIFIES && !dart__access_is_far(call, unit));
}

static bool is_open_by_lock(const dart__access_call_t *call, int32_t unit, bool waits)
{
  if (!needs_lock(call, unit))
    return true;
  return !dart__access_is_far(call, unit) && enter_lock(call, unit, waits);
}

void dart__access_locked(const dart__access_call_t *call, int32_t unit)
{
  dart__epoch_target_t *t = &call->epoch->target[unit];

  t->is_open = true;
  if (needs_lock(call, unit))
    dart__hold_enter(call->epoch->hold, (uint64_t)unit, t->is_exclusive);
}

bool dart__access_try_open(const dart__access_call_t *call, int32_t unit)
{
  dart__epoch_target_t *t = &call->epoch->target[unit];

  if (t->is_open)
    return true;
  switch (call->epoch->kind) {
  case DART__EPOCH_NONE: return true;
  case DART__EPOCH_FENCE: t->is_open = is_open_by_fence(call, unit); break;
  case DART__EPOCH_START: t->is_open = is_open_by_post(call, unit); break;
  default:
    if (is_open_by_lock(call, unit, false))
      dart__access_locked(call, unit);
  }
  return t->is_open;
}

typedef struct {
  const dart__access_call_t *call;
  int32_t                    unit;
} wait_t;

static bool is_posted(void *context)
{
  const wait_t *w = context;

  return is_open_by_post(w->call, w->unit);
}

bool dart__access_is_granted(void *request)
{
  /* acquire: pairs with note_granted */
  return atomic_load_explicit(&((dart__epoch_request_t *)request)->granted, memory_order_acquire) !=
         0;
}

bool dart__access_is_gone(const dart__epoch_request_t *request)
{
  return atomic_load_explicit(&request->granted, memory_order_relaxed) == DART__REQUEST_GONE;
}

/* `*is_over_out` false: the wait was abandoned, and the request may be answered yet. */
static bool ask_by(const dart__access_call_t *call, int32_t unit, dart__epoch_request_t *request,
                   bool *is_over_out)
{
  dart_ret_t ret;

  dart__epoch_send_lock(call->team, call->segment, unit, call->epoch->target[unit].is_exclusive,
                        NULL, 0, request);
  ret = dart__epoch_lock_answered(call->team, unit, request);
  *is_over_out =
      ret != DART_PENDING || dart__await(call->function, dart__access_is_granted, request,
                                         dart__access_waits_for(call, DART__WAIT_PORTION, unit));
  return *is_over_out && ret != DART_ERR_INVAL && !dart__access_is_gone(request);
}

/* ask_by where units may be lost. A request that was abandoned is never freed. */
static bool ask_beside_lost(const dart__access_call_t *call, int32_t unit)
{
  dart__epoch_request_t *request = malloc(sizeof *request);
  bool                   is_over, is_held;

  if (request == NULL)
    return dart__fail(false, "%s: no memory for a request", call->function);
  is_held = ask_by(call, unit, request, &is_over);
  if (is_over)
    free(request);
  return is_held;
}

/* The lock of a far portion. */
static bool ask_lock(const dart__access_call_t *call, int32_t unit)
{
  dart__epoch_request_t request;
  bool                  is_over;

  return dart__survives() ? ask_beside_lost(call, unit) : ask_by(call, unit, &request, &is_over);
}

/* Ask a far unit until it has left its fence: rare, for otherwise the closing fence knows. False: its
 * memory is gone. */
static bool wait_for_fence(const dart__access_call_t *call, int32_t unit)
{
  dart__waiting_t *waiting = NULL;
  dart__turns_t    turns   = { 0 };
  uint32_t         exposed;
  bool             is_left = false, is_gone = false;

  while (!is_open_by_fence(call, unit)) {
    if (dart__access_is_far(call, unit)) {
      is_gone = !dart__epoch_ask_exposed(call->team, call->segment, unit, &exposed);
      is_left = is_gone || has_left_fence(call, exposed);
    }
    if (is_left)
      break;
    if (turns.count == 0)
      waiting =
          dart__waiting_begin(call->function, dart__access_waits_for(call, DART__WAIT_FENCE, unit));
    is_gone = !dart__wait_turn(&turns, &call->team->wait); /* a member of the team is lost */
    if (is_gone)
      break;
  }
  dart__waiting_end(waiting);
  return !is_gone;
}

bool dart__access_open(const dart__access_call_t *call, int32_t unit)
{
  dart__epoch_target_t *t = &call->epoch->target[unit];
  wait_t                w = { call, unit };

  if (dart__access_try_open(call, unit))
    return true;
  switch (call->epoch->kind) {
  case DART__EPOCH_NONE: return true;
  case DART__EPOCH_FENCE: t->is_open = wait_for_fence(call, unit); break;
  case DART__EPOCH_START:
    t->is_open = dart__await(call->function, is_posted, &w,
                             dart__access_waits_for(call, DART__WAIT_POST, unit));
    break;
  default:
    if (dart__access_is_far(call, unit) ? ask_lock(call, unit) : is_open_by_lock(call, unit, true))
      dart__access_locked(call, unit);
  }
  return t->is_open;
}

dart_ret_t dart__access_refuse_gone(const dart__access_call_t *call, int32_t unit)
{
  if (!dart__survives() || !dart__team_look(call->team))
    dart__error("%s: segment %d of team %d is gone at unit %d", call->function, call->segment->id,
                call->team->id, (int)unit);
  dart__access_drop(call, unit);
  return dart__team_result(call->team, DART_ERR_INVAL);
}

/* Of the units with deferred operations that are not open, the one whose first is the oldest, if it is older than
 * `limit`. -1: there is none. */
static int32_t oldest_waiting(const dart__access_call_t *call, uint32_t limit)
{
  const dart__epoch_t *epoch  = call->epoch;
  int32_t              oldest = -1;

  for (int32_t unit = dart__epoch_first_target(epoch); epoch->nqueued > 0 && unit >= 0;
       unit         = dart__epoch_next_target(epoch, unit)) {
    const dart__epoch_target_t *t = &epoch->target[unit];

    if (t->nqueued == 0 || t->is_open || (int32_t)(t->since - limit) >= 0)
      continue;
    oldest = unit;
    limit  = t->since;
  }
  return oldest;
}

/* All that wait stay among the last 2^31 that were deferred: the queue has places for no more. */
bool dart__access_open_in_order(const dart__access_call_t *call, int32_t unit)
{
  const dart__epoch_target_t *t     = &call->epoch->target[unit];
  uint32_t                    limit = t->nqueued > 0 ? t->since : call->epoch->nsince;
  int32_t                     other;

  if (call->epoch->kind == DART__EPOCH_LOCK && call->epoch->nlocked > 1 && !t->is_open)
    while ((other = oldest_waiting(call, limit)) >= 0) {
      if (dart__access_open(call, other))
        dart__access_drain(call, other);
      else
        call->epoch->target[other].failed = dart__access_refuse_gone(call, other);
    }
  return dart__access_open(call, unit);
}
