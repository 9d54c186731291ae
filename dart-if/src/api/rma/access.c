/* See access.h. */
#include "api/rma/access.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "api/coll/coll.h"
#include "api/p2p/twosided.h"
#include "api/progress/progress.h"
#include "api/rma/await.h"
#include "api/rma/remote.h"
#include "base/log.h"
#include "base/size.h"
#include "data/describe.h"
#include "node/atomic.h"
#include "node/near.h"
#include "port.h"

#ifdef DART_ENABLE_ASSERTIONS
#define VERIFIES true
#else
#define VERIFIES false
#endif

/* ---- opening ------------------------------------------------------------------------------- */

static dart__epoch_shared_t *shared_of(const dart__access_call_t *call, int32_t unit)
{
  return dart__epoch_shared(call->team, call->segment, unit);
}

/* Index of a unit of this node among them. */
static int32_t node_index(const dart__team_t *team, int32_t unit)
{
  return team->rank[unit] - team->node_start[team->node];
}

/* Whether the unit has begun the fence epoch that this unit is in. */
static bool has_left_fence(const dart__access_call_t *call, uint32_t exposed)
{
  return (int32_t)(exposed - call->epoch->fences) >= 0;
}

static bool is_open_by_fence(const dart__access_call_t *call, int32_t unit)
{
  if (call->epoch->is_all_open && !VERIFIES) /* a promise is looked at that is made on leaving */
    return true;
  if (dart__access_is_far(call, unit)) /* only its answer could tell */
    return false;
  /* acquire: the unit has left its fence; pairs with the store in api/epoch/fence.c */
  return has_left_fence(
      call, atomic_load_explicit(&shared_of(call, unit)->exposed, memory_order_acquire));
}

/* How often the unit has named this one in a post. */
static uint32_t posted_by(const dart__access_call_t *call, int32_t unit)
{
  dart__epoch_shared_t *shared = NULL;
  uint64_t              table;

  if (dart__access_is_far(call, unit) || unit == call->team->me)
    /* seq_cst: acquires what dart__epoch_note released, and of this unit is as the look below */
    return atomic_load_explicit(&call->epoch->target[unit].posted, memory_order_seq_cst);
  shared = shared_of(call, unit);
  /* seq_cst, both: acquire the table, and what the target did before its post, and are the look of
   * dart__event_nudge; pair with api/epoch/pscw.c */
  table = atomic_load_explicit(&shared->posts, memory_order_seq_cst);
  if (table == 0)
    return 0;
  return atomic_load_explicit(
      (_Atomic uint32_t *)(void *)(dart__segment_find(dart__teams[DART_TEAM_ALL], 0)
                                       ->near[call->team->members[unit]] +
                                   (table - 1)) +
          node_index(call->team, call->team->me),
      memory_order_seq_cst);
}

static bool is_open_by_post(const dart__access_call_t *call, int32_t unit)
{
  const dart__epoch_target_t *t = &call->epoch->target[unit];

  /* a far unit may be behind: see dart__epochs->completed */
  return !t->is_checked || (int32_t)(posted_by(call, unit) - t->started) > 0;
}

/* A unit that entered or left a lock for which far units wait: its target serves these. */
static void inform_target(const dart__access_call_t *call, int32_t unit)
{
  if (dart__rwlock_has_far(&shared_of(call, unit)->lock))
    dart__event_add(dart__twosided_event(call->team->members[unit]));
}

/* Take a ticket, and enter if it is its turn. With all units locked, a ticket whose turn comes while this unit
 * waits for another would hold up the units behind it: see api/epoch/unlock.c. So none is taken then that is not
 * waited for. */
static bool try_lock(const dart__access_call_t *call, dart__epoch_target_t *t, dart__rwlock_t *lock,
                     bool waits)
{
  if (!t->has_ticket && call->epoch->kind == DART__EPOCH_LOCK_ALL && !waits)
    return t->has_ticket = dart__rwlock_try(lock, t->is_exclusive, &t->ticket);
  if (!t->has_ticket)
    t->ticket = dart__rwlock_take(lock);
  t->has_ticket = true;
  return dart__rwlock_try_enter(lock, t->ticket, t->is_exclusive);
}

#define MOMENT 1000 /* tries, a core given away between them */

/* Whether a lock that is not to be had at once is with another unit, against DART_EPOCH_NOCHECK. Another shared request
 * stands in the way between its ticket and its turn only; whoever holds the lock, for longer than a moment. */
static bool is_broken(const dart__access_call_t *call, dart__epoch_target_t *t,
                      dart__rwlock_t *lock, bool waits, bool *entered_out)
{
  for (int i = 0; i < MOMENT && !*entered_out; i++) {
    sched_yield();
    *entered_out = try_lock(call, t, lock, waits);
  }
  return !*entered_out;
}

/* The lock of a near portion. */
static bool enter_lock(const dart__access_call_t *call, int32_t unit, bool waits)
{
  dart__epoch_target_t *t        = &call->epoch->target[unit];
  dart__rwlock_t       *lock     = &shared_of(call, unit)->lock;
  bool                  is_first = !t->has_ticket;
  bool                  entered  = try_lock(call, t, lock, waits);

  if (!entered && is_first && !t->is_checked && is_broken(call, t, lock, waits, &entered))
    call->epoch->is_broken = true;
  if (!entered && waits) {
    dart__progress(); /* the holder may wait for deferred updates of this unit */
    dart__rwlock_enter(lock, t->ticket, t->is_exclusive, &dart__world.wait);
    entered = true;
  }
  if (entered)
    inform_target(call, unit);
  return entered;
}

/* Without DART_EPOCH_NOCHECK, or to verify it. */
static bool needs_lock(const dart__access_call_t *call, int32_t unit)
{
  return call->epoch->target[unit].is_checked || (VERIFIES && !dart__access_is_far(call, unit));
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
  /* acquire: pairs with dart__epoch_granted */
  return atomic_load_explicit(&((dart__epoch_request_t *)request)->granted, memory_order_acquire) !=
         0;
}

/* The lock of a far portion. */
static bool ask_lock(const dart__access_call_t *call, int32_t unit)
{
  dart__epoch_request_t request;
  dart_ret_t            ret;

  dart__epochs->lock(call->team, call->segment, unit, call->epoch->target[unit].is_exclusive, NULL,
                     0, &request);
  ret = dart__epochs->answered(call->team, unit, &request);
  if (ret == DART_PENDING)
    dart__await(call->function, dart__access_is_granted, &request);
  return ret != DART_ERR_INVAL;
}

/* Ask a far unit until it has left its fence: rare, for otherwise the closing fence knows. False: its
 * memory is gone. */
static bool wait_for_fence(const dart__access_call_t *call, int32_t unit)
{
  uint32_t turns = 0, exposed;

  while (!is_open_by_fence(call, unit)) {
    if (dart__access_is_far(call, unit)) {
      if (!dart__epochs->exposed(call->team, call->segment, unit, &exposed))
        return false;
      if (has_left_fence(call, exposed))
        return true;
    }
    dart__wait_turn(&turns, &dart__world.wait);
  }
  return true;
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
    dart__await(call->function, is_posted, &w);
    t->is_open = true;
    break;
  default:
    if (dart__access_is_far(call, unit) ? ask_lock(call, unit) : is_open_by_lock(call, unit, true))
      dart__access_locked(call, unit);
  }
  return t->is_open;
}

/* ---- the queue ----------------------------------------------------------------------------- */

static dart_ret_t start_near(const dart__epoch_op_t *op)
{
  const dart__address_t *at     = &op->at;
  const void            *source = dart__epoch_source(op);
  const dart__type_t    *type   = op->local_type != NULL ? op->local_type : op->type;

  if (at->near == NULL) { /* registered memory of a unit of the node */
    if (op->kind == DART__EPOCH_PUT)
      return dart__remote_put_blocking(at, op->type, source, type, op->nelem);
    if (op->kind == DART__EPOCH_GET)
      return dart__remote_get_blocking(at, op->type, op->buffer, type, op->nelem);
    return dart__remote_accumulate(at, source, op->nelem, op->type->base, op->op);
  }
  if (op->kind == DART__EPOCH_PUT) {
    dart__near_put(at->near, op->type, source, type, op->nelem);
  } else if (op->kind == DART__EPOCH_GET) {
    dart__near_get(op->buffer, type, at->near, op->type, op->nelem);
  } else if (dart__world.far_atomics && at->team->nnodes > 1) {
    dart__far->accumulate(at, source, op->nelem, op->type->base, op->op);
    return dart__far->flush(at->team, at->unit);
  } else {
    dart__atomic_accumulate(at->near, source, op->nelem, op->type->base, op->op);
  }
  return DART_OK;
}

static void start(const dart__access_call_t *call, const dart__epoch_op_t *op)
{
  dart__epoch_target_t *t = &call->epoch->target[op->at.unit];

  if (!dart__access_is_far(call, op->at.unit))
    t->failed = dart__worse(t->failed, start_near(op));
  else if (!dart__epochs->start(op))
    t->is_loose = true;
}

/* Remove the unit's operations from the queue, in order; start them if `starts`. */
static void take_out(const dart__access_call_t *call, int32_t unit, bool starts)
{
  dart__epoch_t *epoch = call->epoch;
  uint32_t       left  = 0;

  if (epoch->target[unit].nqueued == 0)
    return;
  if (starts)
    dart__progress(); /* updates that were deferred before these were put off */
  for (uint32_t i = 0; i < epoch->nqueued; i++) {
    dart__epoch_op_t *op = &epoch->queue[i];

    if (op->at.unit != unit) {
      if (left != i)
        epoch->queue[left] = *op;
      left++;
    } else {
      if (starts)
        start(call, op);
      dart__epoch_release(op);
    }
  }
  epoch->nqueued              = left;
  epoch->target[unit].nqueued = 0;
}

void dart__access_drain(const dart__access_call_t *call, int32_t unit)
{
  take_out(call, unit, true);
}

void dart__access_drop(const dart__access_call_t *call, int32_t unit)
{
  take_out(call, unit, false);
}

/* What it takes to say how the elements of an operation lie; too much, if that cannot be said. */
static size_t naming_bytes(const dart__epoch_op_t *op)
{
  size_t nwords;

  if (op->local_type == NULL)
    return 0;
  nwords = dart__type_words(op->type);
  return nwords == 0 ? DART__LOCKED_BYTES + 1 : (DART__LOCKED_NAMING + nwords) * sizeof(uint64_t);
}

bool dart__access_travels(const dart__access_call_t *call, int32_t unit, size_t most_read,
                          const dart__epoch_op_t *ops[], size_t *nops_out)
{
  const dart__epoch_t *epoch  = call->epoch;
  size_t               nbytes = 0, nread = 0, n = 0;

  if (epoch->target[unit].nqueued > DART__LOCKED_OPS || dart__world.far_atomics)
    return false;
  for (uint32_t i = 0; n < epoch->target[unit].nqueued; i++) {
    const dart__epoch_op_t *op = &epoch->queue[i];
    size_t more                = dart__round_up(op->nelem * op->type->elem_size, sizeof(uint64_t));

    if (op->at.unit != unit)
      continue;
    if (op->kind == DART__EPOCH_GET && op->local_type != NULL)
      return false;
    if (op->kind == DART__EPOCH_GET)
      nread += more;
    else
      nbytes += more + naming_bytes(op);
    if (nread > most_read || nbytes > DART__LOCKED_BYTES)
      return false;
    ops[n++] = op;
  }
  *nops_out = n;
  return true;
}

/* False: the queue is full, or there is no memory for it. */
static bool put_off(dart__epoch_t *epoch, const dart__epoch_op_t *op)
{
  if (epoch->queue == NULL)
    epoch->queue = calloc(DART__EPOCH_QUEUE, sizeof *epoch->queue);
  if (epoch->queue == NULL || epoch->nqueued == DART__EPOCH_QUEUE)
    return false;
  epoch->queue[epoch->nqueued] = *op;
  if (!dart__epoch_keep(&epoch->queue[epoch->nqueued]))
    return false;
  epoch->nqueued++;
  epoch->target[op->at.unit].nqueued++;
  return true;
}

dart_ret_t dart__access_order(const dart__access_call_t *call, int32_t unit)
{
  dart__epoch_target_t *t   = &call->epoch->target[unit];
  dart_ret_t            ret = t->failed;

  t->failed = DART_OK;
  if (!t->is_loose)
    return ret;
  t->is_loose = false;
  return dart__worse(ret, dart__far->flush(call->team, unit));
}

/* ---- operations ---------------------------------------------------------------------------- */

/* Whether an operation that goes on its ordinary way now may be under way when it returns: to a far unit, or an
 * atomic of MPI, which is also used on the node (dart__world.far_atomics). */
static bool may_be_under_way(const dart__access_call_t *call, int32_t unit)
{
  return dart__access_is_far(call, unit) || (dart__world.far_atomics && call->team->nnodes > 1);
}

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

static dart__access_t refuse(const dart__access_call_t *call, int32_t unit)
{
  static const char *const why[] = { "exposed here, and no access was started", "",
                                     "not among the units that were started", "not locked", "" };

  dart__error("%s: unit %d in segment %d of team %d is %s", call->function, unit, call->segment->id,
              call->team->id, why[call->epoch->kind]);
  return DART__ACCESS_REFUSED;
}

/* Whether a near target promised that nobody writes to it; it keeps its promise until the epoch ends. After a
 * lazy fence it may be an epoch ahead. */
static bool is_read_only(const dart__access_call_t *call, int32_t unit)
{
  uint32_t promise;

  if (!VERIFIES || dart__access_is_far(call, unit) ||
      (call->epoch->kind != DART__EPOCH_FENCE && call->epoch->kind != DART__EPOCH_START) ||
      !dart__access_try_open(call, unit))
    return false;
  promise = atomic_load_explicit(&shared_of(call, unit)->is_read_only, memory_order_relaxed);
  if (promise == 0 || (call->epoch->kind == DART__EPOCH_FENCE && promise != call->epoch->fences))
    return false;
  dart__error("%s: unit %d has said DART_EPOCH_NOPUT", call->function, unit);
  return true;
}

/* Checks in common, and notes that the target is used. PASS: no epoch is open; DONE: it goes on. */
static dart__access_t begin(const dart__access_call_t *call, int32_t unit,
                            dart__epoch_op_kind_t kind)
{
  dart__epoch_t        *epoch  = call->epoch;
  dart__epoch_target_t *t      = &epoch->target[unit];
  bool                  writes = kind != DART__EPOCH_GET;

  if (!covers(epoch, unit))
    return refuse(call, unit);
  if (epoch->kind == DART__EPOCH_NONE)
    return DART__ACCESS_PASS;
  epoch->is_issued = true;
  if (writes && is_read_only(call, unit))
    return DART__ACCESS_REFUSED;
  t->is_used = true;
  t->is_written |= writes;
  return DART__ACCESS_DONE;
}

/* The target has deregistered its memory: nothing that was put off for it can be done any more. */
static dart__access_t refuse_gone(const dart__access_call_t *call, int32_t unit)
{
  dart__error("%s: segment %d of team %d is gone at unit %d", call->function, call->segment->id,
              call->team->id, (int)unit);
  dart__access_drop(call, unit);
  return DART__ACCESS_REFUSED;
}

static dart__access_t later(const dart__access_call_t *call, const dart__epoch_op_t *op)
{
  int32_t        unit = op->at.unit;
  dart__access_t goes = begin(call, unit, op->kind);

  if (goes != DART__ACCESS_DONE)
    return goes;
  if (!dart__access_try_open(call, unit)) {
    if (put_off(call->epoch, op))
      return DART__ACCESS_DONE;
    if (!dart__access_open(call, unit))
      return refuse_gone(call, unit);
  }
  dart__access_drain(call, unit);
  if (!dart__access_is_far(call, unit)) {
    call->epoch->target[unit].is_loose |= may_be_under_way(call, unit);
    return DART__ACCESS_PASS;
  }
  start(call, op);
  return DART__ACCESS_DONE;
}

static dart__access_t now(const dart__access_call_t *call, int32_t unit, dart__epoch_op_kind_t kind)
{
  dart__access_t goes = begin(call, unit, kind);

  if (goes != DART__ACCESS_DONE)
    return goes;
  if (!dart__access_open(call, unit))
    return refuse_gone(call, unit);
  dart__access_drain(call, unit);
  call->epoch->target[unit].is_loose = may_be_under_way(call, unit);
  return DART__ACCESS_PASS;
}

dart__access_t dart__access_later(const char *function, const dart__epoch_op_t *op)
{
  dart__access_call_t call = { function, op->at.team, op->at.segment,
                               dart__epoch_find(op->at.segment) };
  dart__access_t      goes;

  dart__access_enter(&call.epoch->access);
  goes = later(&call, op);
  dart__access_leave(&call.epoch->access);
  return goes;
}

dart__access_t dart__access_now(const char *function, const dart__address_t *at,
                                dart__epoch_op_kind_t kind)
{
  dart__access_call_t call = { function, at->team, at->segment, dart__epoch_find(at->segment) };
  dart__access_t      goes;

  dart__access_enter(&call.epoch->access);
  goes = now(&call, at->unit, kind);
  dart__access_leave(&call.epoch->access);
  return goes;
}

void dart__access_flush(dart__team_t *team, dart__segment_t *segment, int32_t unit)
{
  dart__access_call_t call = { "dart_flush", team, segment, dart__epoch_find(segment) };

  dart__access_enter(&call.epoch->access);
  for (int32_t u = 0; call.epoch->nqueued > 0 && u < team->nunits; u++)
    if ((unit < 0 || u == unit) && call.epoch->target[u].nqueued > 0) {
      dart__access_open(&call, u);
      dart__access_drain(&call, u);
    }
  dart__access_leave(&call.epoch->access);
}
