/* What one unit calls for one other: unit 0 for unit 1, or unit 1 for what unit 0 has. See cases.h. */
#include <string.h>

#include <dash/dart/ext/dart_atomics.h>
#include <dash/dart/ext/dart_context.h>
#include <dash/dart/ext/dart_epoch.h>
#include <dash/dart/ext/dart_lock_at.h>
#include <dash/dart/ext/dart_message.h>
#include <dash/dart/ext/dart_notify.h>
#include <dash/dart/ext/dart_order.h>
#include <dash/dart/ext/dart_range.h>
#include <dash/dart/ext/dart_wait_word.h>

#include "cases.h"

#define HANDLES 10
#define TAG     5

enum { COUNTER = ELEMENTS - 1, WORD = ELEMENTS - 2, LOCK = ELEMENTS - 3 };

static dart_gptr_t     plain;    /* of ELEMENTS words, of which the last ones are named above */
static dart_gptr_t     exchange; /* the same, which has epochs */
static dart_gptr_t     registered;
static uint64_t        own[ELEMENTS]; /* this unit's portion of it */
static dart_context_t  context;
static dart_datatype_t strided;

/* Where unit 0 puts, and unit 1 waits. */
static dart_gptr_t to(size_t element)
{
  return place(plain, 1, element);
}

void cases_open_pairs(void)
{
  BENCH_OK(dart_team_memalloc_aligned(DART_TEAM_ALL, ELEMENTS, DART_TYPE_ULONG, &plain));
  BENCH_OK(dart_team_memalloc_aligned(DART_TEAM_ALL, ELEMENTS, DART_TYPE_ULONG, &exchange));
  BENCH_OK(dart_team_memregister(DART_TEAM_ALL, ELEMENTS, DART_TYPE_ULONG, own, &registered));
  BENCH_OK(dart_type_create_strided(DART_TYPE_ULONG, 2, 1, &strided));
  memset(here(plain, 0), 0, ELEMENTS * sizeof(uint64_t));
}

void cases_settle_pairs(void)
{
  BENCH_OK(dart_flush_all(plain));
  BENCH_OK(dart_flush_all(exchange));
  BENCH_OK(dart_flush_all(registered));
}

void cases_close_pairs(void)
{
  BENCH_OK(dart_type_destroy(&strided));
  BENCH_OK(dart_team_memderegister(registered));
  BENCH_OK(dart_team_memfree(exchange));
  BENCH_OK(dart_team_memfree(plain));
}

/* ---- least ---------------------------------------------------------------------------------------- */

LEAST(least_sent, 1, 0, "one message has all data, and nobody awaits its end")
LEAST(least_each, 2, 1, "one message each")

/* ---- puts and gets -------------------------------------------------------------------------------- */

ORIGIN(put_blocking)
{
  BENCH_OK(dart_put_blocking(to(0), local, n, DART_TYPE_ULONG, DART_TYPE_ULONG));
}

ORIGIN(get_blocking)
{
  BENCH_OK(dart_get_blocking(local, to(0), n, DART_TYPE_ULONG, DART_TYPE_ULONG));
}

static void start_puts(size_t n, dart_handle_t *handles)
{
  for (size_t i = 0; i < n; i++)
    BENCH_OK(dart_put_handle(to(i), &local[i], 1, DART_TYPE_ULONG, DART_TYPE_ULONG, &handles[i]));
}

ORIGIN(put_waitall)
{
  dart_handle_t handles[HANDLES];

  start_puts(n, handles);
  BENCH_OK(dart_waitall(handles, n));
}

ORIGIN(put_waitall_local)
{
  dart_handle_t handles[HANDLES];

  start_puts(n, handles);
  BENCH_OK(dart_waitall_local(handles, n));
}

ORIGIN(put_test)
{
  dart_handle_t handles[HANDLES];
  int32_t       is_finished = 0;

  start_puts(n, handles);
  while (!is_finished)
    BENCH_OK(dart_test(&handles[0], &is_finished));
}

ORIGIN(get_waitall)
{
  dart_handle_t handles[HANDLES];

  for (size_t i = 0; i < n; i++)
    BENCH_OK(dart_get_handle(&local[i], to(i), 1, DART_TYPE_ULONG, DART_TYPE_ULONG, &handles[i]));
  BENCH_OK(dart_waitall(handles, n));
}

ORIGIN(put_strided)
{
  BENCH_OK(dart_put(to(0), local, n, DART_TYPE_ULONG, strided));
  BENCH_OK(dart_flush(to(0)));
}

ORIGIN(get_strided)
{
  BENCH_OK(dart_get(local, to(0), n, strided, DART_TYPE_ULONG));
  BENCH_OK(dart_flush(to(0)));
}

/* ---- registered memory --------------------------------------------------------------------------- */

ORIGIN(put_registered)
{
  for (size_t i = 0; i < n; i++)
    BENCH_OK(dart_put(place(registered, 1, i), &local[i], 1, DART_TYPE_ULONG, DART_TYPE_ULONG));
  BENCH_OK(dart_flush(place(registered, 1, 0)));
}

ORIGIN(get_registered)
{
  for (size_t i = 0; i < n; i++)
    BENCH_OK(dart_get(&local[i], place(registered, 1, i), 1, DART_TYPE_ULONG, DART_TYPE_ULONG));
  BENCH_OK(dart_flush(place(registered, 1, 0)));
}

/* One transfer of all. */
ORIGIN(put_block_registered)
{
  BENCH_OK(dart_put_blocking(place(registered, 1, 0), local, n, DART_TYPE_ULONG, DART_TYPE_ULONG));
}

ORIGIN(fetch_registered)
{
  for (size_t i = 0; i < n; i++)
    BENCH_OK(dart_fetch_and_op(place(registered, 1, i), &local[i], &other[i], DART_TYPE_ULONG,
                               DART_OP_SUM));
  BENCH_OK(dart_flush(place(registered, 1, 0)));
}

ORIGIN(swap_registered)
{
  for (size_t i = 0; i < n; i++)
    BENCH_OK(dart_compare_and_swap(place(registered, 1, i), &local[i], &local[i], &other[i],
                                   DART_TYPE_ULONG));
  BENCH_OK(dart_flush(place(registered, 1, 0)));
}

ORIGIN(accumulate_registered)
{
  for (size_t i = 0; i < n; i++)
    BENCH_OK(dart_accumulate(place(registered, 1, i), &local[i], 1, DART_TYPE_ULONG, DART_OP_SUM));
  BENCH_OK(dart_flush(place(registered, 1, 0)));
}

/* ---- completion ---------------------------------------------------------------------------------- */

static void put_one(void)
{
  BENCH_OK(dart_put(to(0), local, 1, DART_TYPE_ULONG, DART_TYPE_ULONG));
}

ORIGIN(put_flush_local)
{
  put_one();
  BENCH_OK(dart_flush_local(to(0)));
}

ORIGIN(put_flush_local_all)
{
  put_one();
  BENCH_OK(dart_flush_local_all(plain));
}

ORIGIN(put_flush_all)
{
  put_one();
  BENCH_OK(dart_flush_all(plain));
}

ORIGIN(put_order_put)
{
  put_one();
  BENCH_OK(dart_order(to(0)));
  put_one();
  BENCH_OK(dart_flush(to(0)));
}

/* ---- atomics -------------------------------------------------------------------------------------- */

ORIGIN(accumulate_local)
{
  BENCH_OK(dart_accumulate_blocking_local(to(0), local, n, DART_TYPE_ULONG, DART_OP_SUM));
}

ORIGIN(accumulate_handle)
{
  dart_handle_t handle;

  BENCH_OK(dart_accumulate_handle(to(0), local, n, DART_TYPE_ULONG, DART_TYPE_ULONG, DART_OP_SUM,
                                  &handle));
  BENCH_OK(dart_wait(&handle));
}

ORIGIN(accumulate_typed)
{
  BENCH_OK(dart_accumulate_typed(to(0), local, n, DART_TYPE_ULONG, strided, DART_OP_SUM));
  BENCH_OK(dart_flush(to(0)));
}

ORIGIN(fetch_handle)
{
  dart_handle_t handle;

  BENCH_OK(dart_fetch_and_op_handle(to(0), local, other, n, DART_TYPE_ULONG, DART_TYPE_ULONG,
                                    DART_TYPE_ULONG, DART_OP_SUM, &handle));
  BENCH_OK(dart_wait(&handle));
}

ORIGIN(fetch_typed)
{
  BENCH_OK(dart_fetch_and_op_typed(to(0), local, other, n, DART_TYPE_ULONG, DART_TYPE_ULONG,
                                   strided, DART_OP_SUM));
  BENCH_OK(dart_flush(to(0)));
}

/* ---- contexts ------------------------------------------------------------------------------------- */

STEP(make_context)
{
  BENCH_OK(dart_context_create(DART_TEAM_ALL, &context));
  BENCH_OK(dart_context_enter(context));
}

STEP(end_context)
{
  BENCH_OK(dart_context_leave(context));
  BENCH_OK(dart_context_destroy(&context));
}

ORIGIN(put_context_flush)
{
  put_one();
  BENCH_OK(dart_context_flush(context));
}

ORIGIN(put_context_flush_unit)
{
  put_one();
  BENCH_OK(dart_context_flush_unit(context, DART_TEAM_UNIT_ID(1)));
}

ORIGIN(put_context_flush_local)
{
  put_one();
  BENCH_OK(dart_context_flush_local_unit(context, DART_TEAM_UNIT_ID(1)));
  BENCH_OK(dart_context_flush_local(context));
}

ORIGIN(put_context_test)
{
  int32_t is_finished = 0;

  put_one();
  while (!is_finished)
    BENCH_OK(dart_context_test(context, &is_finished));
}

/* ---- notifications and words ---------------------------------------------------------------------- */

STEP(prepare_words)
{
  *here(plain, COUNTER) = *here(plain, WORD) = 0;
}

STEP(put_notify_op)
{
  dart_gptr_t flag  = to(COUNTER);
  uint64_t    least = 1;
  size_t      index;

  if (job.me == 0) {
    BENCH_OK(dart_put_notify_op(to(0), local, n, DART_TYPE_ULONG, DART_TYPE_ULONG, flag, 1,
                                DART_OP_BOR));
    BENCH_OK(dart_flush_local(to(0)));
  }
  if (job.me == 1)
    BENCH_OK(dart_notify_waitany(&flag, &least, 1, -1, &index));
}

STEP(notify_op)
{
  if (job.me == 0) {
    BENCH_OK(dart_notify_op(to(COUNTER), 1, DART_OP_BOR));
    BENCH_OK(dart_flush_local(to(0)));
  }
  if (job.me == 1)
    BENCH_OK(dart_notify_wait(to(COUNTER), 1, -1));
}

STEP(get_notify_op)
{
  if (job.me == 0) {
    BENCH_OK(dart_get_notify_op(local, to(0), n, DART_TYPE_ULONG, DART_TYPE_ULONG, to(COUNTER), 1,
                                DART_OP_BOR));
    BENCH_OK(dart_flush(to(0)));
  }
  if (job.me == 1)
    BENCH_OK(dart_notify_wait(to(COUNTER), 1, -1));
}

STEP(put_wait_word)
{
  const uint64_t one = 1;

  if (job.me == 0) {
    BENCH_OK(dart_put(to(WORD), &one, 1, DART_TYPE_ULONG, DART_TYPE_ULONG));
    BENCH_OK(dart_flush(to(WORD)));
  }
  if (job.me == 1)
    BENCH_OK(dart_wait_word(to(WORD), DART_TYPE_ULONG, DART_WAIT_EQ, &one, -1));
}

/* ---- messages ------------------------------------------------------------------------------------- */

/* Each unit in DART_TEAM_ALL has the same id as in the job. */
STEP(send_to_one)
{
  BENCH_OK(dart_send(local, n, DART_TYPE_ULONG, TAG, DART_GLOBAL_UNIT_ID(1)));
}

STEP(send_recv)
{
  if (job.me == 0)
    send_to_one(n);
  if (job.me == 1)
    BENCH_OK(dart_recv(other, n, DART_TYPE_ULONG, TAG, DART_GLOBAL_UNIT_ID(0)));
}

STEP(send_recv_any)
{
  dart_message_t message;

  if (job.me == 0)
    send_to_one(n);
  if (job.me == 1)
    BENCH_OK(
        dart_recv_any(other, n, DART_TYPE_ULONG, DART_GLOBAL_UNIT_ANY, DART_TAG_ANY, &message));
}

STEP(send_probe_recv)
{
  dart_message_t message;

  if (job.me == 0)
    send_to_one(n);
  if (job.me == 1) {
    BENCH_OK(dart_probe(DART_GLOBAL_UNIT_ANY, DART_TAG_ANY, &message));
    BENCH_OK(dart_recv(other, n, DART_TYPE_ULONG, TAG, message.unit));
  }
}

STEP(sendrecv)
{
  dart_global_unit_t partner = DART_GLOBAL_UNIT_ID(1 - (int32_t)job.me);

  if (job.me < 2)
    BENCH_OK(dart_sendrecv(local, n, DART_TYPE_ULONG, TAG, partner, other, n, DART_TYPE_ULONG, TAG,
                           partner));
}

/* ---- locks of unit 0, which unit 1 takes ---------------------------------------------------------- */

STEP(lock_at)
{
  if (job.me != 1)
    return;
  BENCH_OK(dart_lock_at_acquire(place(plain, 0, LOCK)));
  BENCH_OK(dart_lock_at_release(place(plain, 0, LOCK)));
}

STEP(try_lock_at)
{
  int32_t is_held = 0;

  if (job.me != 1)
    return;
  BENCH_OK(dart_lock_at_try_acquire(place(plain, 0, LOCK), &is_held));
  BENCH_OK(dart_lock_at_release(place(plain, 0, LOCK)));
}

STEP(try_lock)
{
  int32_t is_held = 0;

  if (job.me != 1)
    return;
  BENCH_OK(dart_lock_try_acquire(case_lock, &is_held));
  BENCH_OK(dart_lock_release(case_lock));
}

STEP(take_range)
{
  dart_range_span_t span = { 0, n - 1, DART_RANGE_EXCLUSIVE };
  dart_range_hold_t hold;

  if (job.me != 1)
    return;
  BENCH_OK(dart_range_acquire(case_range, &span, 1, -1, &hold));
  BENCH_OK(dart_range_release(&hold));
}

/* ---- epochs --------------------------------------------------------------------------------------- */

STEP(post_test)
{
  dart_team_unit_t partner     = DART_TEAM_UNIT_ID(1 - (int32_t)job.me);
  int32_t          is_complete = 0;

  if (job.me == 0) {
    BENCH_OK(dart_epoch_start(exchange, 1, &partner, 0));
    BENCH_OK(dart_put(place(exchange, 1, 0), local, n, DART_TYPE_ULONG, DART_TYPE_ULONG));
    BENCH_OK(dart_epoch_complete(exchange));
  }
  if (job.me != 1)
    return;
  BENCH_OK(dart_epoch_post(exchange, 1, &partner, 0));
  while (!is_complete)
    BENCH_OK(dart_epoch_test(exchange, &is_complete));
}

LEAST(least_epoch, 1, 1, "data and end, for each partner")

ORIGIN(lock_get)
{
  BENCH_OK(dart_epoch_lock(place(exchange, 1, 0), DART_EPOCH_EXCLUSIVE, 0));
  BENCH_OK(dart_get(local, place(exchange, 1, 0), n, DART_TYPE_ULONG, DART_TYPE_ULONG));
  BENCH_OK(dart_epoch_unlock(place(exchange, 1, 0), 0));
}

/* clang-format off */
static const case_t cases[] = {
  { "put_blocking", NULL, put_blocking, NULL, least_put, { 1, 4096 }, false, false },
  { "get_blocking", NULL, get_blocking, NULL, least_answer, { 1, 4096 }, false, false },
  { "put_handle, waitall", NULL, put_waitall, NULL, least_put, { 1, HANDLES }, false, false },
  { "put_handle, waitall_local", NULL, put_waitall_local, NULL, least_sent, { 1, HANDLES }, false, false },
  { "put_handle, test", NULL, put_test, NULL, least_put, { 1 }, false, false },
  { "get_handle, waitall", NULL, get_waitall, NULL, least_answer, { 1, HANDLES }, false, false },
  { "put strided, flush", NULL, put_strided, NULL, least_put, { 100 }, false, false },
  { "get strided, flush", NULL, get_strided, NULL, least_answer, { 100 }, false, false },
  { "registered, put, flush", NULL, put_registered, NULL, least_put, { 1, 1000 }, false, false },
  { "registered, get, flush", NULL, get_registered, NULL, least_answer, { 1, 1000 }, false, false },
  { "registered, put_blocking", NULL, put_block_registered, NULL, least_put, { ELEMENTS }, false, false },
  { "registered, fetch_and_op, flush", NULL, fetch_registered, NULL, least_answer, { 1, 1000 }, false, false },
  { "registered, compare_and_swap, flush", NULL, swap_registered, NULL, least_answer, { 1, 1000 }, false, false },
  { "registered, accumulate, flush", NULL, accumulate_registered, NULL, least_answer, { 1, 1000 }, false, false },
  { "put, flush_local", NULL, put_flush_local, NULL, least_sent, { 1 }, false, false },
  { "put, flush_local_all", NULL, put_flush_local_all, NULL, least_sent, { 1 }, false, false },
  { "put, flush_all", NULL, put_flush_all, NULL, least_put, { 1 }, false, false },
  { "put, order, put, flush", NULL, put_order_put, NULL, least_put, { 1 }, false, false },
  { "accumulate_blocking_local", NULL, accumulate_local, NULL, least_sent, { 1, 1000 }, false, false },
  { "accumulate_handle, wait", NULL, accumulate_handle, NULL, least_answer, { 1, 1000 }, false, false },
  { "accumulate_typed, flush", NULL, accumulate_typed, NULL, least_answer, { 100 }, false, false },
  { "fetch_and_op_handle, wait", NULL, fetch_handle, NULL, least_answer, { 1, 1000 }, false, false },
  { "fetch_and_op_typed, flush", NULL, fetch_typed, NULL, least_answer, { 100 }, false, false },
  { "put, context_flush", make_context, put_context_flush, end_context, least_put, { 1 }, false, false },
  { "put, context_flush_unit", make_context, put_context_flush_unit, end_context, least_put, { 1 }, false, false },
  { "put, context_flush_local", make_context, put_context_flush_local, end_context, least_sent, { 1 }, false, false },
  { "put, context_test", make_context, put_context_test, end_context, least_put, { 1 }, false, false },
  { "put_notify_op, waitany", prepare_words, put_notify_op, NULL, least_notify, { 1 }, false, false },
  { "notify_op, wait", prepare_words, notify_op, NULL, least_notify, { 1 }, false, false },
  { "get_notify_op, wait", prepare_words, get_notify_op, NULL, least_answer, { 1 }, false, false },
  { "put, flush, wait_word", prepare_words, put_wait_word, NULL, least_put, { 1 }, false, false },
  { "send, recv", NULL, send_recv, NULL, least_notify, { 1, ELEMENTS }, false, false },
  { "send, recv_any", NULL, send_recv_any, NULL, least_notify, { 1 }, false, false },
  { "send, probe, recv", NULL, send_probe_recv, NULL, least_notify, { 1 }, false, false },
  { "sendrecv", NULL, sendrecv, NULL, least_each, { 1 }, false, false },
  { "lock_at acquire release", NULL, lock_at, NULL, least_lock_free, { 1 }, false, false },
  { "lock_at try_acquire release", NULL, try_lock_at, NULL, least_lock_free, { 1 }, false, false },
  { "lock try_acquire release", make_lock, try_lock, end_lock, least_lock_free, { 1 }, false, false },
  { "range acquire release", make_range, take_range, end_range, least_lock_free, { 100 }, false, false },
  { "post start put complete test", NULL, post_test, NULL, least_epoch, { 1 }, false, false },
  { "lock get unlock", NULL, lock_get, NULL, least_portion, { 1 }, false, false },
};
/* clang-format on */
CASE_LIST(pair_cases, cases)
