/* See range_table.h. */
#include "lock/range_table.h"

#include <string.h>

#include <dash/dart/ext/dart_range.h>

#include "base/counters.h"
#include "far/engine.h"
#include "far/far_ops.h"
#include "far/handlers.h"
#include "lock/told.h"
#include "memory/pool.h"
#include "model/address.h"
#include "model/lost.h"
#include "model/world.h"
#include "p2p/twosided.h"

#define SOME       16 /* waiters told at a time */
#define MOST_SPANS DART_RANGE_SPANS

/* How many requests after a wait leave with a look for far ones. Without looks one turn of 16 makes progress. Of two units on
 * two nodes that compute for 0.3 µs between their turns, the one with the table then took 12 turns to 1 of the other; with
 * looks it takes 2, and if they do not compute, 1. */
#define MOST_LOOKS 16

/* What is asked of a far table. The answer is the state, and above its STATE_BITS the ticket. */
typedef enum {
  ASK_ENTER,
  ASK_TRY,
  ASK_LEAVE,
  ASK_LEAVE_ALL,
  ASK_CANCEL,
  ASK_LEAVE_LOST,
  ASK_HELD
} request_kind_t;

typedef struct {
  uint32_t             kind;
  uint32_t             nspans;
  uint64_t             ticket;
  dart__range_waiter_t waiter;
  dart__span_t         spans[]; /* nspans */
} request_t;

#define STATE_BITS 3

static dart__range_table_t *near_table(dart__table_t at)
{
  if (!dart__pool_is_near(at.unit))
    return NULL;
  return (dart__range_table_t *)(void *)dart__pool_address(at.unit, at.offset);
}

/* ---- telling ------------------------------------------------------------------------------- */

/* dart__tell; or dart__tell_later, by which a request of a far unit is served, in the midst of receiving. */
typedef void tell_t(int32_t unit, uint64_t counter, uint64_t by);

/* Tell `n` waiters, and then those that the table still lists, if there may be more. */
static void tell_all(dart__range_table_t *table, dart__range_waiter_t *waiters, size_t n,
                     tell_t *tell)
{
  for (;;) {
    for (size_t i = 0; i < n; i++)
      tell(waiters[i].unit, waiters[i].flag, 1);
    if (n < SOME)
      return;
    n = dart__range_granted(table, waiters, SOME);
  }
}

/* ---- on a near table ----------------------------------------------------------------------- */

#define INLINED static inline __attribute__((always_inline)) /* near units ask for constants */

/* What is asked but to enter; LEAVE_ALL: of `unit`. */
INLINED uint64_t serve(dart__range_table_t *table, request_kind_t kind, uint64_t ticket,
                       int32_t unit, tell_t *tell)
{
  dart__range_waiter_t waiters[SOME], soon = { .unit = -1 };
  uint64_t             answer = 0;
  size_t               n;
  bool                 is_broken;

  switch (kind) {
  case ASK_HELD:
    answer = dart__range_is_held(table, ticket, &is_broken);
    return answer | (uint64_t)is_broken << 1;
  case ASK_CANCEL: answer = dart__range_cancel(table, ticket, waiters, SOME, &n); break;
  case ASK_LEAVE_LOST: n = dart__range_leave_lost(table, waiters, SOME); break;
  case ASK_LEAVE_ALL: n = dart__range_leave_all(table, unit, waiters, SOME); break;
  default: n = dart__range_leave(table, ticket, waiters, SOME, &soon);
  }
  tell_all(table, waiters, n, tell);
  if (soon.unit >= 0) /* this waiter is likely to be next */
    tell(soon.unit, dart__twosided_hints(), 1);
  return answer;
}

/* Requests of lost units may have made room for others than for the caller. */
static dart__range_state_t enter(dart__range_table_t *table, const dart__range_waiter_t *waiter,
                                 const dart__span_t *spans, size_t n, bool may_wait,
                                 uint64_t *ticket_out, tell_t *tell)
{
  dart__range_state_t  state = dart__range_enter(table, waiter, spans, n, may_wait, ticket_out);
  dart__range_waiter_t waiters[SOME];

  if (__builtin_expect(dart__lost_count() > 0, 0))
    tell_all(table, waiters, dart__range_granted(table, waiters, SOME), tell);
  return state;
}

/* ---- serving far units --------------------------------------------------------------------- */

static uint64_t called_table(char *object, const void *operand, size_t nbytes)
{
  dart__range_table_t *table   = (dart__range_table_t *)(void *)object;
  const request_t     *request = operand;
  uint64_t             ticket  = 0, state;

  (void)nbytes;
  if (request->kind == ASK_ENTER || request->kind == ASK_TRY) {
    state = enter(table, &request->waiter, request->spans, request->nspans,
                  request->kind == ASK_ENTER, &ticket, dart__tell_later);
    return ticket << STATE_BITS | state;
  }
  if (request->kind != ASK_HELD)
    dart__count(DART__COUNT_RANGE_TABLE);
  return serve(table, (request_kind_t)request->kind, request->ticket, request->waiter.unit,
               dart__tell_later);
}

void dart__table_open(void)
{
  dart__range_set_robust(dart__survives() ? dart__is_lost : NULL);
  dart__handle_object(DART__OBJECT_RANGE_TABLE, called_table);
}

dart_ret_t dart__table_new(uint32_t capacity, uint64_t *offset_out)
{
  dart_ret_t ret = dart__pool_alloc(dart__range_bytes(capacity), offset_out);

  if (ret == DART_OK)
    dart__range_format(near_table((dart__table_t){ dart__world.me, *offset_out }), capacity);
  return ret;
}

void dart__table_delete(uint64_t offset)
{
  dart__pool_free(offset);
}

/* ---- requests ------------------------------------------------------------------------------ */

/* `*result_out` is `none` if the unit is lost; NULL: nothing is waited for. */
static void call_table(dart__table_t table, const request_t *request, uint64_t none,
                       uint64_t *result_out)
{
  size_t          nbytes = sizeof *request + request->nspans * sizeof request->spans[0];
  dart__address_t at;
  dart_ret_t      ret =
      dart__locate(dart__call, dart__pool_gptr(table.unit, table.offset), sizeof(uint64_t), &at);

  if (ret == DART_OK)
    ret = dart__far_call(&at, request, nbytes, result_out);
  if (ret != DART_OK && result_out != NULL)
    *result_out = none;
}

static dart__range_state_t call_enter(dart__table_t at, const dart__range_waiter_t *waiter,
                                      const dart__span_t *spans, size_t n, bool may_wait,
                                      uint64_t *ticket_out)
{
  union {
    request_t head;
    char      bytes[sizeof(request_t) + MOST_SPANS * sizeof(dart__span_t)];
  } request;
  uint64_t result = 0;

  request.head = (request_t){ .kind   = may_wait ? ASK_ENTER : ASK_TRY,
                              .nspans = (uint32_t)n,
                              .waiter = *waiter };
  memcpy(request.head.spans, spans, n * sizeof *spans);
  call_table(at, &request.head, DART__RANGE_GONE, &result);
  *ticket_out = result >> STATE_BITS;
  return (dart__range_state_t)(result & ((1 << STATE_BITS) - 1));
}

dart__range_state_t dart__table_enter(dart__table_t at, const dart__range_waiter_t *waiter,
                                      const dart__span_t *spans, size_t n, bool may_wait,
                                      uint64_t *ticket_out)
{
  dart__range_table_t *table = near_table(at);

  if (__builtin_expect(dart__survives(), 0) && dart__table_is_gone(at))
    return DART__RANGE_GONE;
  if (table == NULL)
    return call_enter(at, waiter, spans, n, may_wait, ticket_out);
  return enter(table, waiter, spans, n, may_wait, ticket_out, dart__tell);
}

/* Of any table; `waits` for the answer of a far one, which is `none` if its unit is lost. */
INLINED uint64_t ask(dart__table_t at, request_kind_t kind, uint64_t ticket, bool waits,
                     uint64_t none)
{
  dart__range_table_t *table  = near_table(at);
  uint64_t             answer = 0;

  if (table != NULL)
    return serve(table, kind, ticket, dart__world.me, dart__tell);
  call_table(at,
             &(request_t){ .kind = kind, .ticket = ticket, .waiter = { .unit = dart__world.me } },
             none, waits ? &answer : NULL);
  return answer;
}

static _Thread_local uint32_t looks __attribute__((tls_model("initial-exec"))); /* to come */

void dart__table_note_wait(dart__table_t at)
{
  if (at.unit == dart__world.me)
    looks = MOST_LOOKS;
}

void dart__table_leave(dart__table_t at, uint64_t ticket)
{
  ask(at, ASK_LEAVE, ticket, false, 0);
  if (looks > 0 && at.unit == dart__world.me) {
    looks--;
    dart__engine_look();
  }
}

void dart__table_leave_all(dart__table_t at)
{
  ask(at, ASK_LEAVE_ALL, 0, false, 0);
}

void dart__table_leave_lost(dart__table_t at)
{
  ask(at, ASK_LEAVE_LOST, 0, false, 0);
}

bool dart__table_is_gone(dart__table_t at)
{
  return dart__world.many_nodes && dart__outlives(at.unit);
}

bool dart__table_is_held(dart__table_t at, uint64_t ticket, bool *is_broken_out)
{
  uint64_t answer = ask(at, ASK_HELD, ticket, true, 0);

  *is_broken_out = (answer & 2) != 0;
  return (answer & 1) != 0;
}

bool dart__table_cancel(dart__table_t at, uint64_t ticket)
{
  return ask(at, ASK_CANCEL, ticket, true, true) != 0;
}
