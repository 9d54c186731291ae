/* See range_table.h.
 *
 * A unit serves a far request in the midst of receiving, and must not send then. The waiters that the request
 * has made holders stay listed in the table, which is put on a stack of those that are due, and is_answer_due says
 * so; progress then calls tell_all_due, outside of receiving, which takes the stack and tells them. Other tables are
 * not looked at, so a release costs the same however many locks there are. (A stack that is pushed without a lock and
 * taken as a whole: Treiber: Systems Programming: Coping with Parallelism, IBM RJ 5118, 1986.) */
#include "lock/range_table.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <dash/dart/ext/dart_range.h>

#include "base/counters.h"
#include "far/engine.h"
#include "far/far_ops.h"
#include "far/handlers.h"
#include "memory/pool.h"
#include "model/address.h"
#include "model/world.h"
#include "p2p/twosided.h"

#define SOME       16 /* waiters told at a time */
#define MOST_SPANS DART_RANGE_SPANS

/* What is asked of a far table. The answer is the state, and above its STATE_BITS the ticket. */
typedef enum { ASK_ENTER, ASK_TRY, ASK_LEAVE, ASK_LEAVE_ALL, ASK_CANCEL } request_kind_t;

typedef struct {
  uint32_t             kind;
  uint32_t             nspans;
  uint64_t             ticket;
  dart__range_waiter_t waiter;
  dart__span_t         spans[]; /* nspans */
} request_t;

#define STATE_BITS 3

/* The tables of this unit. */
typedef struct own {
  struct own  *next;
  struct own  *next_due;
  _Atomic bool is_due; /* is on the stack, or about to be */
  uint64_t     offset;
} own_t;

static struct {
  pthread_mutex_t  guard; /* of `first`, and of taking `due` */
  own_t           *first;
  _Atomic(own_t *) due; /* far requests were served there since its waiters were told */
} tables = { .guard = PTHREAD_MUTEX_INITIALIZER };

/* What is in the pool: this, and the table. */
typedef struct {
  _Alignas(DART__CACHE_LINE) own_t *own; /* an address of the table's unit, and of no other */
} head_t;

static dart__range_table_t *behind(head_t *head)
{
  return (dart__range_table_t *)(void *)(head + 1);
}

static head_t *near_head(dart__table_t at)
{
  return (head_t *)(void *)dart__pool_address(at.unit, at.offset);
}

static dart__range_table_t *near_table(dart__table_t at)
{
  return dart__pool_portions()[at.unit] == NULL ? NULL : behind(near_head(at));
}

dart_gptr_t dart__table_word(int32_t unit, uint64_t offset)
{
  dart_gptr_t gptr = DART_GPTR_NULL;

  gptr.unitid              = unit;
  gptr.segid               = DART_SEGMENT_LOCAL;
  gptr.teamid              = DART_TEAM_ALL;
  gptr.addr_or_offs.offset = offset;
  return gptr;
}

/* ---- telling ------------------------------------------------------------------------------- */

/* No progress is made here, unlike in dart_notify: this may be the thread that makes progress. */
void dart__table_tell(int32_t unit, uint64_t word)
{
  dart__address_t at;
  dart_gptr_t     flag = dart__table_word(unit, word);

  if (dart__locate(__func__, flag, sizeof(uint64_t), &at) != DART_OK)
    return;
  if (at.near == NULL) {
    dart__far_notify(&(dart__signal_t){ &at, 1, DART_OP_SUM });
    dart__engine_push(); /* it is none of a program's burst of notifications, which may wait for more */
    return;
  }
  /* acq_rel: hands on what was released; pairs with the acquire of dart_notify_wait */
  atomic_fetch_add_explicit((_Atomic uint64_t *)(void *)at.near, 1, memory_order_acq_rel);
  dart__event_add(dart__twosided_event(flag.unitid));
}

/* The waiter is likely to be next. */
static void tell_soon(const dart__range_waiter_t *soon)
{
  if (soon->unit >= 0)
    dart__table_tell(soon->unit, dart__twosided_hints(soon->unit));
}

/* Tell `n` waiters, and then those that the table still lists, if there may be more. */
static void tell_all(dart__range_table_t *table, dart__range_waiter_t *waiters, size_t n)
{
  for (;;) {
    for (size_t i = 0; i < n; i++)
      dart__table_tell(waiters[i].unit, waiters[i].flag);
    if (n < SOME)
      return;
    n = dart__range_granted(table, waiters, SOME, NULL);
  }
}

/* ---- serving far units --------------------------------------------------------------------- */

/* A request has left something in this table to be told. */
static void put_on_stack(own_t *own)
{
  /* acq_rel: if it is on the stack already, whoever takes it sees what the request has done */
  if (!atomic_exchange_explicit(&own->is_due, true, memory_order_acq_rel)) {
    own->next_due = atomic_load_explicit(&tables.due, memory_order_relaxed);
    /* release: pairs with the acquire of who takes the stack */
    while (!atomic_compare_exchange_weak_explicit(&tables.due, &own->next_due, own,
                                                  memory_order_release, memory_order_relaxed))
      ;
  }
  dart__answer_is_due();
}

static void tell_granted(own_t *own)
{
  dart__range_table_t *table = near_table((dart__table_t){ dart__world.me, own->offset });
  dart__range_waiter_t waiters[SOME], soon;

  dart__count(DART__COUNT_RANGE_TABLE);
  tell_all(table, waiters, dart__range_granted(table, waiters, SOME, &soon));
  tell_soon(&soon);
}

/* Take the stack, and tell the waiters of its tables. The caller has the guard. */
static void tell_due(void)
{
  own_t *next = atomic_exchange_explicit(&tables.due, NULL, memory_order_acquire);

  while (next != NULL) {
    own_t *own = next;

    next = own->next_due; /* before another request may put it on the stack again */
    /* acq_rel: what was done by a request that found it true is seen */
    atomic_exchange_explicit(&own->is_due, false, memory_order_acq_rel);
    tell_granted(own);
  }
}

static void tell_all_due(void)
{
  /* A thread that is here already, perhaps this one further up, looks at is_answer_due again before it leaves; if it
   * has done so for the last time, progress comes here again. */
  if (pthread_mutex_trylock(&tables.guard) != 0)
    return;
  /* acq_rel: pairs with the release in put_on_stack */
  while (atomic_exchange_explicit(&dart__handlers.is_answer_due, false, memory_order_acq_rel))
    tell_due();
  pthread_mutex_unlock(&tables.guard);
}

static uint64_t called_table(char *object, const void *operand, size_t nbytes)
{
  head_t              *head    = (head_t *)(void *)object;
  dart__range_table_t *table   = behind(head);
  const request_t     *request = operand;
  uint64_t             ticket  = 0, state;
  size_t               none;

  (void)nbytes;
  if (request->kind == ASK_ENTER || request->kind == ASK_TRY) {
    state = dart__range_enter(table, &request->waiter, request->spans, request->nspans,
                              request->kind == ASK_ENTER, &ticket);
    return ticket << STATE_BITS | state;
  }
  if (request->kind == ASK_LEAVE_ALL)
    state = dart__range_leave_all(table, request->waiter.unit, NULL, 0);
  else if (request->kind == ASK_CANCEL)
    state = dart__range_cancel(table, request->ticket, NULL, 0, &none);
  else
    state = dart__range_leave(table, request->ticket, NULL, 0, NULL);
  put_on_stack(head->own);
  return state;
}

void dart__table_open(void)
{
  dart__handle_object(DART__OBJECT_RANGE_TABLE, called_table);
  dart__handle_answer(tell_all_due);
}

void dart__table_settle(void)
{
  pthread_mutex_lock(&tables.guard);
  tell_due();
  pthread_mutex_unlock(&tables.guard);
}

/* The pool that they are in is about to go. */
void dart__table_close(void)
{
  pthread_mutex_lock(&tables.guard);
  while (tables.first != NULL) {
    own_t *own = tables.first;

    tables.first = own->next;
    free(own);
  }
  atomic_store_explicit(&tables.due, NULL, memory_order_relaxed); /* no request comes any more */
  pthread_mutex_unlock(&tables.guard);
}

dart_ret_t dart__table_new(uint32_t capacity, uint64_t *offset_out)
{
  own_t  *own = calloc(1, sizeof *own);
  head_t *head;

  if (own == NULL)
    return DART_ERR_NOMEM;
  if (dart__pool_alloc(sizeof *head + dart__range_bytes(capacity), offset_out) != DART_OK) {
    free(own);
    return DART_ERR_NOMEM;
  }
  head        = near_head((dart__table_t){ dart__world.me, *offset_out });
  head->own   = own;
  own->offset = *offset_out;
  dart__range_format(behind(head), capacity);
  pthread_mutex_lock(&tables.guard);
  own->next    = tables.first;
  tables.first = own;
  pthread_mutex_unlock(&tables.guard);
  return DART_OK;
}

void dart__table_delete(uint64_t offset)
{
  own_t **link = &tables.first, *own;

  pthread_mutex_lock(&tables.guard);
  tell_due(); /* it may be on the stack */
  while (*link != NULL && (*link)->offset != offset)
    link = &(*link)->next;
  own = *link;
  if (own != NULL)
    *link = own->next;
  pthread_mutex_unlock(&tables.guard);
  if (own != NULL)
    dart__pool_free(offset);
  free(own);
}

/* ---- requests ------------------------------------------------------------------------------ */

static uint64_t call_table(dart__table_t table, const request_t *request, bool has_result)
{
  dart__address_t at;
  uint64_t        result = 0;

  if (dart__locate(__func__, dart__table_word(table.unit, table.offset), sizeof result, &at) ==
      DART_OK)
    dart__far_call(&at, request, sizeof *request + request->nspans * sizeof request->spans[0],
                   has_result ? &result : NULL);
  return result;
}

static dart__range_state_t call_enter(dart__table_t at, const dart__range_waiter_t *waiter,
                                      const dart__span_t *spans, size_t n, bool may_wait,
                                      uint64_t *ticket_out)
{
  union {
    request_t head;
    char      bytes[sizeof(request_t) + MOST_SPANS * sizeof(dart__span_t)];
  } request;
  uint64_t result;

  request.head = (request_t){ .kind   = may_wait ? ASK_ENTER : ASK_TRY,
                              .nspans = (uint32_t)n,
                              .waiter = *waiter };
  memcpy(request.head.spans, spans, n * sizeof *spans);
  result      = call_table(at, &request.head, true);
  *ticket_out = result >> STATE_BITS;
  return (dart__range_state_t)(result & ((1 << STATE_BITS) - 1));
}

dart__range_state_t dart__table_enter(dart__table_t at, const dart__range_waiter_t *waiter,
                                      const dart__span_t *spans, size_t n, bool may_wait,
                                      uint64_t *ticket_out)
{
  dart__range_table_t *table = near_table(at);

  if (table == NULL)
    return call_enter(at, waiter, spans, n, may_wait, ticket_out);
  return dart__range_enter(table, waiter, spans, n, may_wait, ticket_out);
}

void dart__table_leave(dart__table_t at, uint64_t ticket)
{
  dart__range_table_t *table = near_table(at);
  dart__range_waiter_t waiters[SOME], soon;

  if (table == NULL) {
    call_table(at, &(request_t){ .kind = ASK_LEAVE, .ticket = ticket }, false);
    return;
  }
  tell_all(table, waiters, dart__range_leave(table, ticket, waiters, SOME, &soon));
  tell_soon(&soon);
}

void dart__table_leave_all(dart__table_t at)
{
  dart__range_table_t *table = near_table(at);
  dart__range_waiter_t waiters[SOME];

  if (table == NULL)
    call_table(at, &(request_t){ .kind = ASK_LEAVE_ALL, .waiter = { .unit = dart__world.me } },
               false);
  else
    tell_all(table, waiters, dart__range_leave_all(table, dart__world.me, waiters, SOME));
}

bool dart__table_cancel(dart__table_t at, uint64_t ticket)
{
  dart__range_table_t *table = near_table(at);
  dart__range_waiter_t waiters[SOME];
  size_t               n;
  bool                 has_left;

  if (table == NULL)
    return call_table(at, &(request_t){ .kind = ASK_CANCEL, .ticket = ticket }, true) != 0;
  has_left = dart__range_cancel(table, ticket, waiters, SOME, &n);
  tell_all(table, waiters, n);
  return has_left;
}
