/* Locks in words of the program's memory: see dart_lock_at.h.
 *
 * The word is a mutex (wait/mutex.h), for all units that have it mapped. A far unit asks the lock's unit, by a request
 * (dart__far_call). If the mutex is not free its unit lists the request (far/grants.h), and looks again whenever it
 * makes progress; when it has taken the mutex for the waiter it tells it by a notification. After ten milliseconds it
 * draws a ticket of the mutex for the waiter, which keeps near units from passing it any more. It does so only if it
 * has an agent: with the ticket drawn, near units do not get the free lock before this unit has made progress. Releases
 * are requests, too.
 *
 * Registered memory is mapped by its unit alone; there the word is swapped for the holder's number by a DART atomic, and
 * polled. */
#include <string.h>

#include <dash/dart/ext/dart_lock_at.h>
#include <dash/dart/ext/dart_notify.h>
#include <dash/dart/ext/dart_profile.h>

#include "base/log.h"
#include "base/profile.h"
#include "far/far_ops.h"
#include "far/handlers.h"
#include "far/progress.h"
#include "lock/lock.h"
#include "lock/told.h"
#include "memory/pool.h"
#include "model/address.h"
#include "model/holds.h"
#include "model/lost.h"
#include "model/world.h"
#include "rma/remote.h"
#include "wait/mutex.h"
#include "wait/timed.h"
#include "wait/waiting.h"

DART__PROFILED(dart_lock_at_acquire, dart_lock_at_try_acquire, dart_lock_at_release);

#define LATE_AFTER_NS (DART__LATE_US * INT64_C(1000))

_Static_assert(sizeof(dart__mutex_t) == sizeof(uint64_t), "a lock is a word");

/* ---- requests of far units, at the lock's unit ------------------------------------------------- */

enum { ASK_LOCK = DART__OBJECT_LOCK_AT * DART__OBJECT_REQUESTS, ASK_TRY, ASK_RELEASE };

typedef struct {
  uint32_t kind;
  int32_t  unit; /* that asks, by global id */
  uint64_t flag; /* ASK_LOCK: where in its pool it waits to be told */
} request_t;

typedef enum { BUSY, HELD, LISTED, BROKEN } answer_t; /* BROKEN: held, and before by a lost unit */

#define TOLD_BROKEN 2 /* what is added to the flag, in place of 1 */

/* A request that waits. */
typedef struct {
  dart__told_t   told;
  dart__mutex_t *mutex;
  int64_t        since; /* ns */
  bool           is_late;
  uint32_t       ticket; /* of a late one */
} waiter_t;

static dart__grant_turn_t look_at_word(dart__grant_t *grant, const dart__am_host_t *host,
                                       dart__deferred_t *updates)
{
  waiter_t *w    = (waiter_t *)grant;
  int32_t   unit = w->told.unit;
  bool      done;

  (void)host, (void)updates;
  if (dart__outlives(unit))
    return DART__GRANT_OVER;
  if (dart__mutex_take_broken_for(w->mutex, unit)) {
    w->told.by = TOLD_BROKEN;
    return DART__GRANT_NOW;
  }
  if (!w->is_late && dart__world.has_agent && dart__coarse_ns() - w->since > LATE_AFTER_NS) {
    w->ticket  = dart__mutex_draw_ticket(w->mutex);
    w->is_late = true;
  }
  done = w->is_late ? dart__mutex_take_late(w->mutex, w->ticket, unit)
                    : dart__mutex_take_for(w->mutex, unit);
  return done ? DART__GRANT_NOW : DART__GRANT_LATER;
}

static const dart__grant_kind_t word_lock = { look_at_word, dart__tell_grant };

static bool is_waited_for(const dart__mutex_t *mutex)
{
  const dart__grant_t *g = dart__grants_waiting();

  while (g != NULL && (g->kind != &word_lock || ((const waiter_t *)g)->mutex != mutex))
    g = g->next;
  return g != NULL;
}

static answer_t take_or_list(dart__mutex_t *mutex, const request_t *request)
{
  waiter_t *w;

  if (!is_waited_for(mutex) && dart__mutex_take_broken_for(mutex, request->unit))
    return BROKEN;
  if (!is_waited_for(mutex) && dart__mutex_take_for(mutex, request->unit))
    return HELD;
  if (request->kind == ASK_TRY)
    return BUSY;
  w  = dart__grant_new(sizeof *w);
  *w = (waiter_t){ .told  = { .unit = request->unit, .counter = request->flag, .by = 1 },
                   .mutex = mutex,
                   .since = dart__coarse_ns() };
  dart__grant_wait(&w->told.grant, &word_lock);
  return LISTED;
}

static void release_mutex(dart__mutex_t *mutex, int32_t unit)
{
  if (!dart__mutex_unlock_for(mutex, unit) && !dart__outlives(unit))
    dart__error("dart_lock_at_release: unit %d has released a lock of unit %d that nobody holds",
                unit, dart__world.me);
}

static uint64_t called_lock_at(char *object, const void *operand, size_t nbytes)
{
  dart__mutex_t *mutex = (dart__mutex_t *)(void *)object;
  request_t      request;

  (void)nbytes;
  memcpy(&request, operand, sizeof request);
  if (request.kind != ASK_RELEASE)
    return take_or_list(mutex, &request);
  release_mutex(mutex, request.unit);
  return HELD;
}

void dart__lock_at_open(void)
{
  dart__handle_object(DART__OBJECT_LOCK_AT, called_lock_at);
}

/* ---- requests to a far lock -------------------------------------------------------------------- */

static dart_ret_t request_lock_at(const dart__address_t *at, uint32_t kind, uint64_t flag,
                                  answer_t *answer_out)
{
  request_t  request = { kind, dart__world.me, flag };
  uint64_t   answer  = BUSY;
  dart_ret_t ret =
      dart__far_call(at, &request, sizeof request, kind == ASK_RELEASE ? NULL : &answer);

  if (ret == DART_OK && answer == BROKEN) {
    dart__lost_note_broken();
    answer = HELD;
  }
  *answer_out = (answer_t)answer;
  return ret;
}

/* Where units may be lost, in pieces: any loss ends such a wait, but only that of the lock's unit ends this one. */
static dart_ret_t wait_beside_lost(const dart__address_t *at, dart_gptr_t flag)
{
  dart_unit_t   home  = dart__team_member(at->team, at->unit);
  char         *word  = dart__pool_address(dart__world.me, flag.addr_or_offs.offset);
  dart__turns_t turns = { 0 };

  while (pdart_notify_wait(flag, 1, DART__LATE_US) != DART_OK) {
    if (dart__is_lost(home))
      return DART_ERR_UNIT_LOST;
    dart__wait_turn(&turns, &dart__world.wait); /* a loss that is news ends each piece at once */
  }
  /* relaxed: the wait has acquired it */
  if (atomic_load_explicit((_Atomic uint64_t *)(void *)word, memory_order_relaxed) == TOLD_BROKEN)
    dart__lost_note_broken();
  return DART_OK;
}

static dart_ret_t wait_until_told(const dart__address_t *at, uint64_t flag)
{
  dart_gptr_t word = dart__pool_gptr(dart__world.me, flag);

  return dart__survives() ? wait_beside_lost(at, word) : pdart_notify_wait(word, 1, -1);
}

static dart_ret_t try_far(const dart__address_t *at, bool *done_out)
{
  answer_t   answer;
  dart_ret_t ret = request_lock_at(at, ASK_TRY, 0, &answer);

  *done_out = ret == DART_OK && answer == HELD;
  return ret;
}

static dart_ret_t wait_far(const dart__address_t *at)
{
  uint64_t   flag;
  answer_t   answer;
  dart_ret_t ret;

  if (dart__pool_alloc(sizeof(uint64_t), &flag) != DART_OK)
    return DART_ERR_NOMEM;
  memset(dart__pool_address(dart__world.me, flag), 0, sizeof(uint64_t));
  ret = request_lock_at(at, ASK_LOCK, flag, &answer);
  if (ret == DART_OK && answer == LISTED)
    ret = wait_until_told(at, flag);
  if (ret == DART_OK) /* else it may be told yet */
    dart__pool_free(flag);
  return ret;
}

/* ---- registered memory ------------------------------------------------------------------------- */

static bool is_registered(const dart__address_t *at)
{
  return at->segment->address != NULL;
}

/* Of far memory. It is completed by `settle`: a flush would report what became of the program's own requests. Of
 * refused requests it says nothing, and their results are 0. So the word is looked at, too, in the same message: a
 * unit that has swapped 0 for 1 finds 1. */
static dart_ret_t swap_far(const char *function, const dart__address_t *at, uint64_t from,
                           uint64_t to, uint64_t *seen_out)
{
  uint64_t    now  = 0;
  dart__rma_t swap = dart__rma_swap(at, &to, &from, seen_out, DART_TYPE_ULONG);
  dart__rma_t look = dart__rma_fetch(at, NULL, &now, 1, DART_TYPE_ULONG, DART_OP_NO_OP);

  dart__far_start(&swap, NULL);
  dart__far_start(&look, NULL);
  dart__far_settle(at->team, at->unit);
  if (dart__outlives(dart__team_member(at->team, at->unit)))
    return DART_ERR_UNIT_LOST;
  if (from != 0 || *seen_out != 0 || now != 0)
    return DART_OK;
  return dart__fail(DART_ERR_INVAL, "%s: the memory of the lock at offset %lld of unit %d is gone",
                    function, (long long)at->offset, at->unit);
}

/* `*seen_out`: what was there; `from`, and it is swapped. */
static dart_ret_t swap(const char *function, const dart__address_t *at, uint64_t from, uint64_t to,
                       uint64_t *seen_out)
{
  uint64_t    seen = to;
  dart__rma_t rma  = dart__rma_swap(at, &to, &from, &seen, DART_TYPE_ULONG);
  dart_ret_t  ret  = dart__team_is_on_node(at->team, at->unit)
                         ? dart__remote_start(&rma, NULL)
                         : swap_far(function, at, from, to, &seen);

  *seen_out = ret == DART_OK ? seen : ~from;
  return ret;
}

static uint64_t own_number(void)
{
  return (uint64_t)dart__world.me + 1;
}

/* From nobody, or from a unit that is lost. */
static dart_ret_t try_registered(const char *function, const dart__address_t *at, bool *done_out)
{
  uint64_t   seen, before;
  dart_ret_t ret = swap(function, at, 0, own_number(), &before);

  *done_out = ret == DART_OK && before == 0;
  if (ret != DART_OK || *done_out || before > (uint64_t)dart__world.nunits ||
      dart__lost_result((dart_unit_t)before - 1, DART_OK) == DART_OK)
    return ret;
  ret       = swap(function, at, before, own_number(), &seen);
  *done_out = ret == DART_OK && seen == before;
  if (*done_out)
    dart__lost_note_broken();
  return ret;
}

typedef struct {
  const char            *function;
  const dart__address_t *at;
  dart_ret_t             ret;
} attempt_t;

static bool is_decided(void *context)
{
  attempt_t *a    = context;
  bool       done = false;

  a->ret = try_registered(a->function, a->at, &done);
  return done || a->ret != DART_OK;
}

/* The first attempt was in vain. */
static dart_ret_t wait_registered(const char *function, const dart__address_t *at)
{
  attempt_t attempt = { function, at, DART_OK };

  dart__wait_until(
      &(dart__wait_t){
          .look = is_decided, .context = &attempt, .limit_ns = INT64_MAX, .looks_once = true },
      &dart__world.wait);
  return attempt.ret;
}

/* ---- near memory ------------------------------------------------------------------------------- */

/* The lock's unit is lost, and with it word of the release of a far unit. Ends a wait, or a loop of tries. */
static bool is_never_released(void *subject)
{
  const dart__address_t *at     = subject;
  int32_t                holder = dart__mutex_holder((const dart__mutex_t *)(void *)at->near);

  return dart__is_lost(dart__team_member(at->team, at->unit)) && holder >= 0 &&
         !dart__pool_is_near(holder);
}

static dart_ret_t try_near(const dart__address_t *at, bool *done_out)
{
  bool is_broken;

  *done_out = dart__lost_try((dart__mutex_t *)(void *)at->near, &is_broken);
  if (is_broken)
    dart__lost_note_broken();
  return !*done_out && dart__survives() && is_never_released((void *)(uintptr_t)at)
             ? DART_ERR_UNIT_LOST
             : DART_OK;
}

static dart_ret_t wait_near(const dart__address_t *at)
{
  dart__mutex_t      *mutex  = (dart__mutex_t *)(void *)at->near;
  dart__wait_policy_t policy = dart__world.wait;
  bool                is_broken;

  if (!dart__survives()) {
    dart__mutex_wait(mutex, &policy);
    return DART_OK;
  }
  policy.check   = is_never_released;
  policy.subject = (void *)(uintptr_t)at;
  if (!dart__mutex_wait_robust(mutex, &policy, &is_broken))
    return DART_ERR_UNIT_LOST;
  if (is_broken)
    dart__lost_note_broken();
  return DART_OK;
}

/* ---- entry points ------------------------------------------------------------------------------ */

/* By the direct map, if there is no progress to make. NULL: the general way. */
static inline dart__mutex_t *near_lock(dart_gptr_t gptr)
{
  char *near = dart_inline_bytes(dart__progress_maps, dart_inline_ids(&gptr), sizeof(uint64_t));

  return (uintptr_t)near % sizeof(uint64_t) == 0 ? (dart__mutex_t *)(void *)near : NULL;
}

static dart_ret_t locate(const char *function, dart_gptr_t gptr, dart__address_t *at_out)
{
  dart_ret_t ret = dart__locate(function, gptr, sizeof(uint64_t), at_out);

  if (ret != DART_OK)
    return ret;
  if (!dart__is_aligned(at_out, sizeof(uint64_t)))
    return dart__fail(DART_ERR_INVAL, "%s: a lock at offset %lld is not aligned to 8 bytes",
                      function, (long long)at_out->offset);
  dart__progress(); /* others may be waiting for deferred updates of this unit */
  return DART_OK;
}

static dart_ret_t try_any(const char *function, const dart__address_t *at, bool *done_out)
{
  if (is_registered(at))
    return try_registered(function, at, done_out);
  return at->near == NULL ? try_far(at, done_out) : try_near(at, done_out);
}

static dart_ret_t wait_any(const char *function, const dart__address_t *at)
{
  dart_unit_t      home    = dart__team_member(at->team, at->unit);
  uint64_t         ids     = (uint64_t)(uint32_t)at->unit << 32 | (uint32_t)at->segment->id;
  dart__waiting_t *waiting = dart__waiting_begin(
      "dart_lock_at_acquire",
      (dart__wait_for_t){ DART__WAIT_LOCK_AT, at->team->id, home, at->offset, ids });
  dart__timed_t timed = dart__timed_begin(DART__COUNT_LOCK_WAIT);
  dart_ret_t    ret   = is_registered(at)  ? wait_registered(function, at)
                        : at->near == NULL ? wait_far(at)
                                           : wait_near(at);

  dart__timed_end(DART__COUNT_LOCK_WAIT, timed);
  dart__waiting_end(waiting);
  return ret;
}

static __attribute__((noinline)) dart_ret_t acquire(const char *function, dart_gptr_t gptr)
{
  dart__address_t at;
  dart_ret_t      ret = locate(function, gptr, &at);
  bool            done;

  if (ret == DART_OK)
    ret = try_any(function, &at, &done);
  return ret != DART_OK || done ? ret : wait_any(function, &at);
}

dart_ret_t dart_lock_at_acquire(dart_gptr_t gptr)
{
  dart__mutex_t *mutex = near_lock(gptr);

  if (mutex == NULL || !dart__mutex_try(mutex)) {
    dart_ret_t ret = acquire(__func__, gptr);

    if (ret != DART_OK)
      return ret;
  }
  dart__held_word_note(dart__world.holds_words, gptr);
  return DART_OK;
}

dart_ret_t dart_lock_at_try_acquire(dart_gptr_t gptr, int32_t *result)
{
  dart__address_t at;
  dart_ret_t      ret;
  bool            done;

  if (result == NULL)
    return dart__fail(DART_ERR_INVAL, "%s: result is NULL", __func__);
  *result = 0;
  ret     = locate(__func__, gptr, &at);
  if (ret != DART_OK)
    return ret;
  ret = try_any(__func__, &at, &done);
  if (!done && dart__world.pace.progress != NULL)
    dart__world.pace.progress(); /* the holder may need it before it can release the lock */
  if (done)
    dart__held_word_note(dart__world.holds_words, gptr);
  *result = done;
  return ret;
}

static dart_ret_t refuse_free_lock(const char *function, const dart__address_t *at)
{
  return dart__fail(DART_ERR_INVAL, "%s: nobody holds the lock at offset %lld of unit %d", function,
                    (long long)at->offset, at->unit);
}

static __attribute__((noinline)) dart_ret_t release_by_rules(const char *function, dart_gptr_t gptr)
{
  dart__address_t at;
  dart__mutex_t  *mutex;
  answer_t        answer;
  uint64_t        seen;
  dart_ret_t      ret = locate(function, gptr, &at);

  if (ret != DART_OK)
    return ret;
  if (is_registered(&at)) {
    ret = swap(function, &at, own_number(), 0, &seen);
    return ret != DART_OK || seen == own_number() ? ret : refuse_free_lock(function, &at);
  }
  if (at.near == NULL)
    return request_lock_at(&at, ASK_RELEASE, 0, &answer);
  mutex = (dart__mutex_t *)(void *)at.near;
  if (!dart__mutex_is_held(mutex))
    return refuse_free_lock(function, &at);
  dart__mutex_unlock(mutex);
  return DART_OK;
}

dart_ret_t dart_lock_at_release(dart_gptr_t gptr)
{
  dart__mutex_t *mutex = near_lock(gptr);

  dart__held_word_forget(dart__world.holds_words, gptr);
  if (mutex == NULL || !dart__mutex_is_held(mutex))
    return release_by_rules(__func__, gptr);
  dart__mutex_unlock(mutex);
  return DART_OK;
}
