/* Puts, gets and atomics on the memory of the victim, and what completes them. */
#include "prepare.h"

#include <signal.h>

#include <dash/dart/ext/dart_atomics.h>
#include <dash/dart/ext/dart_context.h>
#include <dash/dart/ext/dart_notify.h>
#include <dash/dart/ext/dart_order.h>
#include <dash/dart/ext/dart_stats.h>

static dart_ret_t put_and_flush(void)
{
  long value = 7;

  MUST(dart_put(at_unit(memory, victim), &value, 1, DART_TYPE_LONG, DART_TYPE_LONG));
  return dart_flush(at_unit(memory, victim));
}

static dart_ret_t get_blocking(void)
{
  return dart_get_blocking(out, at_unit(memory, victim), 1, DART_TYPE_LONG, DART_TYPE_LONG);
}

static dart_ret_t fetch(void)
{
  long one = 1;

  MUST(dart_fetch_and_op(at_unit(memory, victim), &one, out, DART_TYPE_LONG, DART_OP_SUM));
  return dart_flush_all(memory);
}

static dart_ret_t put_handle(void)
{
  dart_handle_t handle;

  MUST(dart_put_handle(at_unit(memory, victim), in, 10, DART_TYPE_LONG, DART_TYPE_LONG, &handle));
  return dart_wait(&handle);
}

/* More than the network takes of a unit that makes no progress. */
static dart_ret_t put_many(void)
{
  for (int i = 0; i < 100000; i++) {
    dart_ret_t ret =
        dart_put(at_unit(memory, victim), in, 1 + i % 4, DART_TYPE_LONG, DART_TYPE_LONG);

    if (ret != DART_OK)
      return ret;
  }
  return dart_flush(at_unit(memory, victim));
}

static dart_ret_t accumulate_many(void)
{
  long one = 1;

  for (int i = 0; i < 100000; i++) {
    dart_ret_t ret = dart_accumulate(at_unit(memory, victim), &one, 1, DART_TYPE_LONG, DART_OP_SUM);

    if (ret != DART_OK)
      return ret;
  }
  return dart_flush_all(memory);
}

static dart_ret_t put_large(void)
{
  return dart_put_blocking(at_unit(memory, victim), in, LARGE, DART_TYPE_LONG, DART_TYPE_LONG);
}

static dart_ret_t get_large(void)
{
  return dart_get_blocking(out, at_unit(memory, victim), LARGE, DART_TYPE_LONG, DART_TYPE_LONG);
}

static dart_ret_t get_local(void)
{
  MUST(dart_get(out, at_unit(memory, victim), 10, DART_TYPE_LONG, DART_TYPE_LONG));
  return dart_flush_local_all(memory);
}

static dart_ret_t get_handle_test(void)
{
  dart_handle_t handle;
  int32_t       done = 0;
  dart_ret_t    ret  = DART_OK;

  MUST(dart_get_handle(out, at_unit(memory, victim), LARGE, DART_TYPE_LONG, DART_TYPE_LONG,
                       &handle));
  while (done == 0 && ret == DART_OK)
    ret = dart_test(&handle, &done);
  return ret;
}

static dart_ret_t get_handle_test_local(void)
{
  dart_handle_t handle;
  int32_t       done = 0;
  dart_ret_t    ret  = DART_OK;

  MUST(dart_get_handle(out, at_unit(memory, victim), LARGE, DART_TYPE_LONG, DART_TYPE_LONG,
                       &handle));
  while (done == 0 && ret == DART_OK)
    ret = dart_test_local(&handle, &done);
  return ret;
}

/* Of every kind that has one, and twice: they are waited for together. */
static void start_handles(dart_handle_t handles[4])
{
  dart_gptr_t     there = at_unit(memory, victim);
  dart_datatype_t type  = DART_TYPE_LONG;

  MUST(dart_put_handle(there, in, 10, type, type, &handles[0]));
  MUST(dart_get_handle(out, there, 10, type, type, &handles[1]));
  MUST(dart_accumulate_handle(there, in, 10, type, type, DART_OP_SUM, &handles[2]));
  MUST(dart_fetch_and_op_handle(there, in, out + 10, 10, type, type, type, DART_OP_SUM,
                                &handles[3]));
}

static dart_ret_t wait_local(void)
{
  dart_handle_t handles[4];
  dart_ret_t    ret = DART_OK;

  start_handles(handles);
  for (int i = 0; i < 4; i++) {
    dart_ret_t one = dart_wait_local(&handles[i]);

    ret = one != DART_OK ? one : ret;
  }
  return ret;
}

static dart_ret_t waitall(void)
{
  dart_handle_t handles[4];

  start_handles(handles);
  return dart_waitall(handles, 4);
}

static dart_ret_t waitall_local(void)
{
  dart_handle_t handles[4];

  start_handles(handles);
  return dart_waitall_local(handles, 4);
}

static dart_ret_t test_until_done(dart_ret_t (*test)(dart_handle_t[], size_t, int32_t *))
{
  dart_handle_t handles[4];
  int32_t       done = 0;
  dart_ret_t    ret  = DART_OK;

  start_handles(handles);
  while (done == 0 && ret == DART_OK)
    ret = test(handles, 4, &done);
  return ret;
}

static dart_ret_t testall(void)
{
  return test_until_done(dart_testall);
}

static dart_ret_t testall_local(void)
{
  return test_until_done(dart_testall_local);
}

/* Atomics that a flush completes. */
static dart_ret_t typed_atomics(void)
{
  dart_gptr_t     there = at_unit(memory, victim);
  dart_datatype_t type  = DART_TYPE_LONG;

  MUST(dart_accumulate_typed(there, in, 10, type, type, DART_OP_SUM));
  MUST(dart_fetch_and_op_typed(there, in, out, 10, type, type, type, DART_OP_SUM));
  MUST(dart_compare_and_swap(there, in, in + 1, out + 20, type));
  MUST(dart_accumulate_blocking_local(there, in, 10, type, DART_OP_SUM));
  return dart_flush(there);
}

static dart_context_t fill_context(void)
{
  dart_context_t context;

  MUST(dart_context_create(DART_TEAM_ALL, &context));
  MUST(dart_context_enter(context));
  MUST(dart_put(at_unit(memory, victim), in, 10, DART_TYPE_LONG, DART_TYPE_LONG));
  MUST(dart_fetch_and_op(at_unit(memory, victim), in, out, DART_TYPE_LONG, DART_OP_SUM));
  MUST(dart_context_leave(context));
  return context;
}

static dart_ret_t context_flush(void)
{
  dart_context_t context = fill_context();
  dart_ret_t     ret     = dart_context_flush(context);

  if (ret == DART_OK)
    MUST(dart_context_destroy(&context));
  return ret;
}

static dart_ret_t context_destroy(void)
{
  dart_context_t context = fill_context();

  return dart_context_destroy(&context);
}

static dart_ret_t context_flush_local(void)
{
  return dart_context_flush_local(fill_context());
}

static dart_ret_t context_flush_unit(void)
{
  return dart_context_flush_unit(fill_context(), DART_TEAM_UNIT_ID(victim));
}

static dart_ret_t context_flush_local_unit(void)
{
  return dart_context_flush_local_unit(fill_context(), DART_TEAM_UNIT_ID(victim));
}

static dart_ret_t context_test(void)
{
  dart_context_t context = fill_context();
  int32_t        done    = 0;
  dart_ret_t     ret     = DART_OK;

  while (done == 0 && ret == DART_OK)
    ret = dart_context_test(context, &done);
  return ret;
}

static dart_ret_t get_and_flush_local(void)
{
  MUST(dart_get(out, at_unit(memory, victim), 10, DART_TYPE_LONG, DART_TYPE_LONG));
  return dart_flush_local(at_unit(memory, victim));
}

/* DART completes transfers by itself, and drops them then: by dart_order, ... */
static dart_ret_t get_order_flush(void)
{
  MUST(dart_get(out, at_unit(memory, victim), LARGE, DART_TYPE_LONG, DART_TYPE_LONG));
  MUST(dart_order(at_unit(memory, victim)));
  return dart_flush_local(at_unit(memory, victim));
}

/* ... and when many are outstanding. */
static dart_ret_t get_many_flush(void)
{
  for (int i = 0; i < 16384; i++) /* MOST of far/completion.c */
    MUST(dart_get(out, at_unit(memory, victim), 1000, DART_TYPE_LONG, DART_TYPE_LONG));
  return dart_flush_local(at_unit(memory, victim));
}

/* Of another node than this unit's, if there is one that is left. */
static int other_survivor(void)
{
  int other = me;

  for (int u = 0; u < n; u++)
    if (u != victim && u != me && (other == me || !is_near(u)))
      other = u;
  return other;
}

/* A put to the victim is outstanding, and then as many to another unit as DART has outstanding at most (DART__COMPLETION_MOST
 * of far/completion.h). It completes them all by itself, and notes for the flush that one was dropped. */
static dart_ret_t put_beside_many(void)
{
  dart_gptr_t other = at_unit(memory, other_survivor());

  MUST(dart_put(at_unit(memory, victim), in, 512, DART_TYPE_LONG, DART_TYPE_LONG));
  for (int i = 0; i < 16384; i++)
    MUST(dart_put(other, in, 512, DART_TYPE_LONG, DART_TYPE_LONG));
  return dart_flush_all(memory);
}

/* How many requests to lost units this unit has dropped. */
static uint64_t ndropped(void)
{
  uint64_t values[256];
  size_t   index;

  MUST(dart_stats_find("dropped", &index));
  MUST(dart_stats_read(values, index + 1));
  return values[index];
}

/* The first call that completes something tells of all that was dropped before, and the next one of nothing. */
static dart_ret_t told_once(void)
{
  dart_gptr_t there = at_unit(memory, victim);
  dart_ret_t  ret;

  MUST(dart_get(out, there, LARGE, DART_TYPE_LONG, DART_TYPE_LONG));
  MUST(dart_put(there, in, 1, DART_TYPE_LONG, DART_TYPE_LONG));
  ret = dart_put_blocking(there, in, 1, DART_TYPE_LONG, DART_TYPE_LONG);
  if (ret == DART_ERR_UNIT_LOST) {
    MUST(dart_flush(there));
    MUST(dart_flush_all(memory));
    if (ndropped() == 0)
      fail("the statistic `dropped`", __LINE__);
  }
  return ret;
}

static dart_ret_t registered_get(void)
{
  return dart_get_blocking(out, at_unit(registered, victim), 16, DART_TYPE_LONG, DART_TYPE_LONG);
}

static dart_ret_t notify_many(void)
{
  for (int i = 0; i < 100000; i++) {
    dart_ret_t ret = i % 2 == 0 ? dart_notify(at_unit(memory, victim), 1)
                                : dart_notify_op(at_unit(memory, victim), 1, DART_OP_BOR);

    if (ret != DART_OK)
      return ret;
  }
  return dart_flush(at_unit(memory, victim));
}

static dart_ret_t put_notify_large(void)
{
  dart_gptr_t data = at_unit(memory, victim);

  data.addr_or_offs.offset += sizeof(long);
  for (int i = 0; i < 100; i++) {
    dart_gptr_t flag = at_unit(memory, victim);
    dart_ret_t  ret =
        i % 2 == 0 ? dart_put_notify(data, in, LARGE - 1, DART_TYPE_LONG, DART_TYPE_LONG, flag, 1)
                    : dart_put_notify_op(data, in, LARGE - 1, DART_TYPE_LONG, DART_TYPE_LONG, flag,
                                         1, DART_OP_BOR);

    if (ret != DART_OK)
      return ret;
  }
  return dart_flush(at_unit(memory, victim));
}

/* The counter is not raised if the data do not come. */
static dart_ret_t get_notify(void)
{
  dart_gptr_t flag = at_unit(memory, me), data = at_unit(memory, victim);
  dart_ret_t  ret;

  data.addr_or_offs.offset += sizeof(long);
  ret = dart_get_notify(out, data, LARGE - 1, DART_TYPE_LONG, DART_TYPE_LONG, flag, 1);
  return ret != DART_OK ? ret : dart_notify_wait(flag, 1, -1);
}

/* The program knows of the loss, which ends no wait then. */
static dart_ret_t get_notify_known(void)
{
  size_t none = 0;

  await_victim();
  MUST(dart_team_lost(DART_TEAM_ALL, NULL, &none));
  return get_notify();
}

static dart_ret_t get_notify_op(void)
{
  dart_gptr_t flag = at_unit(memory, me), data = at_unit(memory, victim);
  dart_ret_t  ret;

  data.addr_or_offs.offset += sizeof(long);
  ret = dart_get_notify_op(out, data, LARGE - 1, DART_TYPE_LONG, DART_TYPE_LONG, flag, 1,
                           DART_OP_BOR);
  return ret != DART_OK ? ret : dart_notify_wait(flag, 1, -1);
}

static const entry_t entries[] = {
  { "put_and_flush", segment, put_and_flush, NEAR },
  { "put_many", segment, put_many, NEAR },
  { "put_large", large_segment, put_large, NEAR },
  { "get_blocking", segment, get_blocking, NEAR },
  { "get_large", large_segment, get_large, NEAR },
  { "get_local", segment, get_local, NEAR },
  { "get_and_flush_local", segment, get_and_flush_local, NEAR },
  { "get_order_flush", large_segment, get_order_flush, NEAR },
  { "get_many_flush", large_segment, get_many_flush, NEAR },
  { "put_beside_many", large_segment, put_beside_many, NEAR },
  { "told_once", large_segment, told_once, NEAR },
  { "fetch_and_op", segment, fetch, NEAR },
  { "accumulate_many", segment, accumulate_many, NEAR },
  { "put_handle", segment, put_handle, NEAR },
  { "get_handle_test", large_segment, get_handle_test, NEAR },
  { "get_handle_test_local", large_segment, get_handle_test_local, NEAR },
  { "wait_local", segment, wait_local, NEAR },
  { "waitall", segment, waitall, NEAR },
  { "waitall_local", segment, waitall_local, NEAR },
  { "testall", segment, testall, NEAR },
  { "testall_local", segment, testall_local, NEAR },
  { "typed_atomics", segment, typed_atomics, NEAR },
  { "context_destroy", segment, context_destroy, NEAR },
  { "context_flush", segment, context_flush, NEAR },
  { "context_flush_local", segment, context_flush_local, NEAR },
  { "context_flush_unit", segment, context_flush_unit, NEAR },
  { "context_flush_local_unit", segment, context_flush_local_unit, NEAR },
  { "context_test", segment, context_test, NEAR },
  { "registered_get", registered_memory, registered_get, EITHER },
  { "notify_many", segment, notify_many, NEAR },
  { "put_notify_large", large_segment, put_notify_large, NEAR },
  { "get_notify", large_segment, get_notify, NEAR },
  { "get_notify_op", large_segment, get_notify_op, NEAR },
  { "get_notify_known", large_segment, get_notify_known, NEAR },
};

const call_table_t transfer_calls = { entries, sizeof entries / sizeof *entries };
