/* See calls.h. Each call is made by all survivors, on what `prepare` has made together with the victim. */
#include "calls.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include <dash/dart/ext/dart_adopt.h>
#include <dash/dart/ext/dart_atomics.h>
#include <dash/dart/ext/dart_context.h>
#include <dash/dart/ext/dart_epoch.h>
#include <dash/dart/ext/dart_file.h>
#include <dash/dart/ext/dart_lock_at.h>
#include <dash/dart/ext/dart_memalign.h>
#include <dash/dart/ext/dart_message.h>
#include <dash/dart/ext/dart_notify.h>
#include <dash/dart/ext/dart_order.h>
#include <dash/dart/ext/dart_range.h>
#include <dash/dart/ext/dart_stats.h>
#include <dash/dart/ext/dart_team_group.h>
#include <dash/dart/ext/dart_wait_word.h>
#include <dash/dart/if/dart_locality.h>

#define LARGE (64 * 1024) /* elements: blocks go directly between buffers */

static long                   *in, *out; /* n * LARGE elements */
static dart_gptr_t             memory;   /* 16 elements on each unit */
static dart_gptr_t             registered;
static dart_lock_t             lock;
static dart_range_t            range;
static dart_file_t             file;
static dart_team_t             team;
static dart_allocator_t        allocator;
static const dart_range_span_t span = { .first = 0, .last = 9, .mode = DART_RANGE_EXCLUSIVE };

static dart_gptr_t at_unit(dart_gptr_t gptr, int unit)
{
  gptr.unitid = unit;
  return gptr;
}

static void await_victim(void)
{
  dart_unit_status_t status = DART_UNIT_RUNNING;

  while (status == DART_UNIT_RUNNING)
    MUST(dart_unit_status(DART_GLOBAL_UNIT_ID(victim), &status));
}

/* ---- preparations ------------------------------------------------------------------------------- */

static void buffers(void)
{
  in  = calloc((size_t)n * LARGE, sizeof *in);
  out = calloc((size_t)n * LARGE, sizeof *out);
  if (in == NULL || out == NULL)
    fail("no memory", __LINE__);
}

static void segment(void)
{
  dart_gptr_t own;
  void       *here;

  buffers();
  MUST(dart_team_memalloc_aligned(DART_TEAM_ALL, 16, DART_TYPE_LONG, &memory));
  own = at_unit(memory, me);
  MUST(dart_gptr_getaddr(own, &here));
  memset(here, 0, 16 * sizeof(long));
  MUST(dart_barrier(DART_TEAM_ALL));
}

static void large_segment(void)
{
  buffers();
  MUST(dart_team_memalloc_aligned(DART_TEAM_ALL, LARGE, DART_TYPE_LONG, &memory));
}

static void registered_memory(void)
{
  buffers();
  MUST(dart_team_memregister(DART_TEAM_ALL, 16, DART_TYPE_LONG, in, &registered));
}

static void new_team(void)
{
  MUST(dart_team_clone(DART_TEAM_ALL, &team));
}

static void new_lock(void)
{
  MUST(dart_team_lock_init(DART_TEAM_ALL, &lock));
}

static void held_lock(void)
{
  new_lock();
  if (me == victim)
    MUST(dart_lock_acquire(lock));
  MUST(dart_barrier(DART_TEAM_ALL));
}

static void held_word(void)
{
  segment();
  if (me == victim)
    MUST(dart_lock_at_acquire(at_unit(memory, (victim + 1) % n)));
  MUST(dart_barrier(DART_TEAM_ALL));
}

/* Of the node after the victim's, where there are several. */
static int holder(void)
{
  return (victim + 1) % n;
}

/* A word of the victim that another unit holds. */
static void held_word_of_victim(void)
{
  segment();
  if (me == holder())
    MUST(dart_lock_at_acquire(at_unit(memory, victim)));
  MUST(dart_barrier(DART_TEAM_ALL));
}

static void new_range(void)
{
  MUST(dart_team_range_init(DART_TEAM_ALL, 0, 0, &range));
}

static void held_range(void)
{
  static dart_range_hold_t hold;

  new_range();
  if (me == victim)
    MUST(dart_range_acquire(range, &span, 1, -1, &hold));
  MUST(dart_barrier(DART_TEAM_ALL));
}

static void new_file(void)
{
  buffers();
  MUST(dart_file_open(DART_TEAM_ALL, getenv("SURVIVE_FILE"),
                      DART_FILE_CREATE | DART_FILE_READ | DART_FILE_WRITE, 0600, &file));
}

static void new_allocator(void)
{
  MUST(dart_allocator_new(4096, DART_TEAM_ALL, &allocator));
}

static void fenced(void)
{
  segment();
  MUST(dart_epoch_fence(memory, 0));
}

static void posted(void)
{
  dart_team_unit_t origin = DART_TEAM_UNIT_ID(victim);

  segment();
  if (me != victim)
    MUST(dart_epoch_post(memory, 1, &origin, 0));
}

static void held_portion(void)
{
  dart_gptr_t portion;

  segment();
  portion = at_unit(memory, holder());
  if (me == victim) { /* the first operation takes the lock */
    MUST(dart_epoch_lock(portion, DART_EPOCH_EXCLUSIVE, 0));
    MUST(dart_put_blocking(portion, in, 1, DART_TYPE_LONG, DART_TYPE_LONG));
  }
  MUST(dart_barrier(DART_TEAM_ALL));
}

/* ---- collectives --------------------------------------------------------------------------------- */

static dart_team_unit_t root(void)
{
  return DART_TEAM_UNIT_ID((victim + 1) % n);
}

static dart_ret_t barrier(void)
{
  return dart_barrier(DART_TEAM_ALL);
}

static dart_ret_t bcast_of_victim(void)
{
  return dart_bcast(in, 10, DART_TYPE_LONG, DART_TEAM_UNIT_ID(victim), DART_TEAM_ALL);
}

static dart_ret_t bcast_large(void)
{
  return dart_bcast(in, LARGE, DART_TYPE_LONG, root(), DART_TEAM_ALL);
}

static dart_ret_t scatter(void)
{
  return dart_scatter(in, out, 10, DART_TYPE_LONG, root(), DART_TEAM_ALL);
}

static dart_ret_t gather(void)
{
  return dart_gather(in, out, LARGE, DART_TYPE_LONG, root(), DART_TEAM_ALL);
}

static dart_ret_t allgather(void)
{
  return dart_allgather(in, out, 10, DART_TYPE_LONG, DART_TEAM_ALL);
}

static dart_ret_t allgather_large(void)
{
  return dart_allgather(in, out, LARGE, DART_TYPE_LONG, DART_TEAM_ALL);
}

static dart_ret_t allgatherv(void)
{
  size_t count[64], at[64];

  for (int u = 0; u < n; u++) {
    count[u] = (size_t)u + 1;
    at[u]    = (size_t)u * 100;
  }
  return dart_allgatherv(in, count[me], DART_TYPE_LONG, out, count, at, DART_TEAM_ALL);
}

static dart_ret_t alltoall(void)
{
  return dart_alltoall(in, out, 10, DART_TYPE_LONG, DART_TEAM_ALL);
}

static dart_ret_t alltoall_large(void)
{
  return dart_alltoall(in, out, LARGE / 2, DART_TYPE_LONG, DART_TEAM_ALL);
}

static dart_ret_t reduce(void)
{
  return dart_reduce(in, out, 10, DART_TYPE_LONG, DART_OP_SUM, root(), DART_TEAM_ALL);
}

static dart_ret_t allreduce(void)
{
  return dart_allreduce(in, out, 1000, DART_TYPE_LONG, DART_OP_SUM, DART_TEAM_ALL);
}

static dart_ret_t allreduce_large(void)
{
  return dart_allreduce(in, out, LARGE, DART_TYPE_LONG, DART_OP_SUM, DART_TEAM_ALL);
}

/* ---- teams, memory ------------------------------------------------------------------------------- */

static dart_ret_t team_create(void)
{
  dart_group_t group;
  dart_ret_t   ret;

  MUST(dart_team_get_group(DART_TEAM_ALL, &group));
  ret = dart_team_create(DART_TEAM_ALL, group, &team);
  MUST(dart_group_destroy(&group));
  return ret;
}

static dart_ret_t team_create_group(void)
{
  dart_group_t group;
  dart_ret_t   ret;

  MUST(dart_team_get_group(DART_TEAM_ALL, &group));
  ret = dart_team_create_group(DART_TEAM_ALL, group, 3, &team);
  MUST(dart_group_destroy(&group));
  return ret;
}

static dart_ret_t team_clone(void)
{
  return dart_team_clone(DART_TEAM_ALL, &team);
}

static dart_ret_t team_destroy(void)
{
  return dart_team_destroy(&team);
}

static dart_ret_t locality_init(void)
{
  return dart_team_locality_init(team);
}

static dart_ret_t memalloc(void)
{
  return dart_team_memalloc_aligned(DART_TEAM_ALL, 1000, DART_TYPE_LONG, &memory);
}

static dart_ret_t memalign(void)
{
  return dart_team_memalign(DART_TEAM_ALL, 1 << 16, 1000, DART_TYPE_LONG, &memory);
}

static dart_ret_t memalloc_large(void)
{
  return dart_team_memalloc_aligned(DART_TEAM_ALL, 10 << 20, DART_TYPE_LONG, &memory);
}

static dart_ret_t memfree(void)
{
  return dart_team_memfree(memory);
}

static void die_of_timer(int signal)
{
  (void)signal;
  raise(SIGKILL);
}

/* The victim dies in a barrier, which it has called twice: the first time together with the others, after this. */
static void segment_and_barriers(void)
{
  struct itimerval time = { .it_value = { 0, 50000 } };

  segment();
  if (me != victim)
    return;
  MUST(dart_barrier(DART_TEAM_ALL));
  signal(SIGALRM, die_of_timer);
  setitimer(ITIMER_REAL, &time, NULL);
  dart_barrier(DART_TEAM_ALL);
  fail("the barrier", __LINE__);
}

/* All others but one are in that barrier, too. That one learns of the loss by the agreement alone, and does not take what
 * they have left in the barrier for their part of the next call. */
static dart_ret_t memfree_after_agree(void)
{
  uint64_t bits = 1;

  if (me != (victim + 1) % n && dart_barrier(DART_TEAM_ALL) != DART_ERR_UNIT_LOST)
    fail("dart_barrier", __LINE__);
  if (dart_team_agree(DART_TEAM_ALL, &bits) != DART_ERR_UNIT_LOST)
    fail("dart_team_agree", __LINE__);
  return dart_team_memfree(memory);
}

static dart_ret_t memregister(void)
{
  return dart_team_memregister(DART_TEAM_ALL, 100, DART_TYPE_LONG, out, &registered);
}

static dart_ret_t memregister_aligned(void)
{
  return dart_team_memregister_aligned(DART_TEAM_ALL, 100, DART_TYPE_LONG, out, &registered);
}

static dart_ret_t memderegister(void)
{
  return dart_team_memderegister(registered);
}

static dart_ret_t adopt(void)
{
  return dart_team_adopt(DART_TEAM_ALL, in, 100000, &registered);
}

static dart_ret_t allocator_new(void)
{
  return dart_allocator_new(4096, DART_TEAM_ALL, &allocator);
}

static dart_ret_t allocator_destroy(void)
{
  return dart_allocator_destroy(&allocator);
}

/* ---- memory of the victim, and of others ---------------------------------------------------------- */

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

/* ---- locks --------------------------------------------------------------------------------------- */

static dart_ret_t lock_init(void)
{
  return dart_team_lock_init(DART_TEAM_ALL, &lock);
}

static dart_ret_t lock_destroy(void)
{
  return dart_team_lock_destroy(&lock);
}

static dart_ret_t lock_acquire(void)
{
  dart_ret_t ret = dart_lock_acquire(lock);

  if (ret == DART_OK)
    MUST(dart_lock_release(lock));
  return ret;
}

/* The victim dies while others hold the lock, or wait for it. */
static dart_ret_t lock_release(void)
{
  dart_ret_t ret = dart_lock_acquire(lock);

  if (ret != DART_OK)
    return ret;
  await_victim();
  return dart_lock_release(lock);
}

static dart_ret_t lock_try(void)
{
  int32_t done = 0;

  while (done == 0) {
    dart_ret_t ret = dart_lock_try_acquire(lock, &done);

    if (ret != DART_OK)
      return ret;
    usleep(1000);
  }
  return dart_lock_release(lock);
}

static dart_ret_t lock_at(void)
{
  dart_gptr_t word = at_unit(memory, (victim + 1) % n);
  dart_ret_t  ret  = dart_lock_at_acquire(word);

  if (ret == DART_OK)
    MUST(dart_lock_at_release(word));
  return ret;
}

static dart_ret_t lock_at_of_victim(void)
{
  dart_ret_t ret = dart_lock_at_acquire(at_unit(memory, victim));

  if (ret == DART_OK)
    MUST(dart_lock_at_release(at_unit(memory, victim)));
  return ret;
}

static dart_ret_t lock_at_try(void)
{
  dart_gptr_t word = at_unit(memory, (victim + 1) % n);
  int32_t     done = 0;

  while (done == 0) {
    MUST(dart_lock_at_try_acquire(word, &done));
    usleep(1000);
  }
  return dart_lock_at_release(word);
}

/* Between nodes word of the release is gone with the victim. */
static dart_ret_t lock_at_try_of_victim(void)
{
  dart_gptr_t word = at_unit(memory, victim);
  int32_t     done = me == holder();
  dart_ret_t  ret  = DART_OK;

  while (done == 0 && ret == DART_OK)
    ret = dart_lock_at_try_acquire(word, &done);
  return ret == DART_OK ? dart_lock_at_release(word) : ret;
}

static dart_ret_t range_init(void)
{
  return dart_team_range_init(DART_TEAM_ALL, 0, 0, &range);
}

static dart_ret_t range_destroy(void)
{
  return dart_team_range_destroy(&range);
}

static dart_ret_t range_release(void)
{
  dart_range_hold_t hold;
  dart_ret_t        ret = dart_range_acquire(range, &span, 1, -1, &hold);

  if (ret != DART_OK)
    return ret;
  await_victim();
  return dart_range_release(&hold);
}

static dart_ret_t range_acquire(void)
{
  dart_range_hold_t hold;
  dart_ret_t        ret = dart_range_acquire(range, &span, 1, -1, &hold);

  if (ret == DART_OK)
    MUST(dart_range_release(&hold));
  return ret;
}

static dart_ret_t range_try(void)
{
  dart_range_hold_t hold;
  dart_ret_t        ret;

  while ((ret = dart_range_acquire(range, &span, 1, 0, &hold)) == DART_PENDING)
    usleep(1000);
  if (ret == DART_OK)
    MUST(dart_range_release(&hold));
  return ret;
}

/* In the tables of all units. */
static dart_ret_t range_of_all(void)
{
  dart_range_span_t all = { .first = 0, .last = UINT64_MAX, .mode = DART_RANGE_EXCLUSIVE };
  dart_range_hold_t hold;
  dart_ret_t        ret = dart_range_acquire(range, &all, 1, -1, &hold);

  if (ret == DART_OK)
    MUST(dart_range_release(&hold));
  return ret;
}

/* ---- messages, notifications, words ---------------------------------------------------------------- */

static dart_ret_t send_large(void)
{
  return dart_send(in, LARGE, DART_TYPE_LONG, 1, DART_GLOBAL_UNIT_ID(victim));
}

static dart_ret_t send_many(void)
{
  dart_ret_t ret = DART_OK;

  while (ret == DART_OK)
    ret = dart_send(in, 10, DART_TYPE_LONG, 1, DART_GLOBAL_UNIT_ID(victim));
  return ret;
}

static dart_ret_t recv(void)
{
  return dart_recv(out, 10, DART_TYPE_LONG, 1, DART_GLOBAL_UNIT_ID(victim));
}

static dart_ret_t sendrecv(void)
{
  return dart_sendrecv(in, LARGE, DART_TYPE_LONG, 1, DART_GLOBAL_UNIT_ID(victim), out, LARGE,
                       DART_TYPE_LONG, 1, DART_GLOBAL_UNIT_ID(victim));
}

static dart_ret_t recv_any(void)
{
  dart_message_t found;

  return dart_recv_any(out, 10, DART_TYPE_LONG, DART_GLOBAL_UNIT_ID(DART_UNIT_ANY), 1, &found);
}

static dart_ret_t probe(void)
{
  dart_message_t found;

  return dart_probe(DART_GLOBAL_UNIT_ID(victim), 1, &found);
}

/* As many detached messages as a unit has at most (DETACHED_BYTES of p2p/twosided.c) are for the victim, which takes none. */
static void unread_messages(void)
{
  buffers();
  for (int i = 0; i < 4 && me != victim && is_near(victim); i++)
    MUST(dart_send(in, LARGE / 2, DART_TYPE_LONG, 1, DART_GLOBAL_UNIT_ID(victim)));
}

/* Then a message to another unit of the node need not wait until it is taken. */
static dart_ret_t send_after_unread(void)
{
  await_victim();
  for (int u = 0; u < n; u++)
    if (u != me && u != victim && is_near(u))
      MUST(dart_send(in, 1, DART_TYPE_LONG, 2, DART_GLOBAL_UNIT_ID(u)));
  for (int u = 0; u < n; u++)
    if (u != me && u != victim && is_near(u))
      MUST(dart_recv(out, 1, DART_TYPE_LONG, 2, DART_GLOBAL_UNIT_ID(u)));
  return DART_OK;
}

/* A loop of tries ends as dart_probe does. */
static dart_ret_t try_probe(int unit)
{
  dart_message_t message;
  int32_t        found = 0;
  dart_ret_t     ret   = DART_OK;

  while (ret == DART_OK && found == 0)
    ret = dart_try_probe(DART_GLOBAL_UNIT_ID(unit), 1, &found, &message);
  return ret;
}

static dart_ret_t try_probe_victim(void)
{
  return try_probe(victim);
}

static dart_ret_t try_probe_any(void)
{
  return try_probe(DART_UNIT_ANY);
}

static dart_ret_t notify_wait(void)
{
  return dart_notify_wait(at_unit(memory, me), 1, -1);
}

static dart_ret_t notify_waitany(void)
{
  dart_gptr_t flags[2] = { at_unit(memory, me), at_unit(memory, me) };
  uint64_t    least[2] = { 1, 1 };
  size_t      index;

  flags[1].addr_or_offs.offset += sizeof(uint64_t);
  return dart_notify_waitany(flags, least, 2, -1, &index);
}

static dart_ret_t wait_word(void)
{
  long one = 1;

  return dart_wait_word(at_unit(memory, me), DART_TYPE_LONG, DART_WAIT_EQ, &one, -1);
}

/* Words that nobody changes, and what is waited for at each. */
static dart_gptr_t *own_words(void)
{
  static dart_gptr_t words[2];

  words[0] = words[1] = at_unit(memory, me);
  words[1].addr_or_offs.offset += sizeof(long);
  return words;
}

static const long ones[2] = { 1, 1 };

static dart_ret_t wait_word_any(void)
{
  size_t index;

  return dart_wait_word_any(own_words(), 2, DART_TYPE_LONG, DART_WAIT_EQ, ones, -1, &index);
}

static dart_ret_t wait_word_some(void)
{
  size_t indices[2], count;

  return dart_wait_word_some(own_words(), 2, DART_TYPE_LONG, DART_WAIT_EQ, ones, -1, indices,
                             &count);
}

static dart_ret_t wait_word_all(void)
{
  return dart_wait_word_all(own_words(), 2, DART_TYPE_LONG, DART_WAIT_EQ, ones, -1);
}

static dart_ret_t wait_word_range(void)
{
  size_t index;

  return dart_wait_word_range(own_words()[0], 2, sizeof(long), DART_TYPE_LONG, DART_WAIT_EQ, ones,
                              0, -1, &index);
}

static dart_ret_t notify_waitsome(void)
{
  uint64_t least[2] = { 1, 1 };
  size_t   indices[2], count;

  return dart_notify_waitsome(own_words(), least, 2, -1, indices, &count);
}

/* ---- epochs --------------------------------------------------------------------------------------- */

static dart_ret_t fence(void)
{
  long       value = 3;
  dart_ret_t ret =
      dart_put(at_unit(memory, (me + 1) % n), &value, 1, DART_TYPE_LONG, DART_TYPE_LONG);

  return ret != DART_OK ? ret : dart_epoch_fence(memory, 0);
}

static dart_ret_t start_and_complete(void)
{
  dart_team_unit_t target = DART_TEAM_UNIT_ID(victim);
  long             value  = 3;
  dart_ret_t       ret    = dart_epoch_start(memory, 1, &target, 0);

  if (ret == DART_OK)
    ret = dart_put(at_unit(memory, victim), &value, 1, DART_TYPE_LONG, DART_TYPE_LONG);
  return ret != DART_OK ? ret : dart_epoch_complete(memory);
}

/* Both kinds of an epoch with the victim at a time. */
static dart_ret_t post_and_start(void)
{
  dart_team_unit_t partner = DART_TEAM_UNIT_ID(victim);
  dart_ret_t       ret     = dart_epoch_post(memory, 1, &partner, 0), waited;

  if (ret != DART_OK)
    return ret;
  ret = dart_epoch_start(memory, 1, &partner, 0);
  if (ret == DART_OK)
    ret = dart_epoch_complete(memory);
  waited = dart_epoch_wait(memory);
  return ret != DART_OK ? ret : waited;
}

static dart_ret_t epoch_wait(void)
{
  return dart_epoch_wait(memory);
}

static dart_ret_t epoch_test(void)
{
  int32_t    done = 0;
  dart_ret_t ret  = DART_OK;

  while (ret == DART_OK && done == 0)
    ret = dart_epoch_test(memory, &done);
  return ret;
}

static dart_ret_t get_in_lock(void)
{
  dart_gptr_t portion = at_unit(memory, victim);
  dart_ret_t  ret     = dart_epoch_lock(portion, DART_EPOCH_EXCLUSIVE, 0), unlocked;

  if (ret != DART_OK)
    return ret;
  ret      = dart_get_blocking(out, portion, 1, DART_TYPE_LONG, DART_TYPE_LONG);
  unlocked = dart_epoch_unlock(portion, 0);
  return ret != DART_OK ? ret : unlocked;
}

static dart_ret_t portion_lock(void)
{
  dart_gptr_t portion = at_unit(memory, holder());
  dart_ret_t  ret     = dart_epoch_lock(portion, DART_EPOCH_EXCLUSIVE, 0);

  return ret != DART_OK ? ret : dart_epoch_unlock(portion, 0);
}

static dart_ret_t portion_lock_all(void)
{
  dart_ret_t ret = dart_epoch_lock_all(memory, 0);

  return ret != DART_OK ? ret : dart_epoch_unlock_all(memory, 0);
}

/* ---- files ---------------------------------------------------------------------------------------- */

static dart_ret_t file_open(void)
{
  return dart_file_open(DART_TEAM_ALL, getenv("SURVIVE_FILE"),
                        DART_FILE_CREATE | DART_FILE_READ | DART_FILE_WRITE, 0600, &file);
}

static dart_ret_t file_close(void)
{
  return dart_file_close(&file);
}

static dart_ret_t file_write_all(void)
{
  return dart_file_write_all(file, (uint64_t)me * 80, in, 10, DART_TYPE_LONG, DART_TYPE_LONG, NULL);
}

static dart_ret_t file_read_all(void)
{
  return dart_file_read_all(file, 0, out, 10, DART_TYPE_LONG, DART_TYPE_LONG, NULL);
}

static dart_ret_t file_write_ordered(void)
{
  return dart_file_write_ordered(file, in, 10, DART_TYPE_LONG, NULL);
}

static dart_ret_t file_read_ordered(void)
{
  size_t nread;

  return dart_file_read_ordered(file, out, 10, DART_TYPE_LONG, &nread);
}

static dart_ret_t file_read_shared(void)
{
  size_t nread; /* the file is empty */

  return dart_file_read_shared(file, out, 10, DART_TYPE_LONG, &nread);
}

static dart_ret_t file_tell_shared(void)
{
  uint64_t offset;

  return dart_file_tell_shared(file, &offset);
}

static dart_ret_t file_read_at(void)
{
  size_t nread;

  return dart_file_read_at(file, 0, out, 10, DART_TYPE_LONG, DART_TYPE_LONG, &nread);
}

/* Atomic accesses hold ranges of the file. */
static void atomic_file(void)
{
  new_file();
  MUST(dart_file_set_atomicity(file, true));
}

static dart_ret_t file_requests(void)
{
  dart_file_request_t request;
  int32_t             done = 0;
  dart_ret_t          ret;

  ret = dart_file_write_at_request(file, 0, in, 10, DART_TYPE_LONG, DART_TYPE_LONG, &request);
  if (ret == DART_OK)
    ret = dart_file_wait(&request, NULL);
  if (ret == DART_OK)
    ret = dart_file_read_at_request(file, 0, out, 10, DART_TYPE_LONG, DART_TYPE_LONG, &request);
  while (ret == DART_OK && done == 0)
    ret = dart_file_test(&request, &done, NULL);
  return ret;
}

static dart_ret_t file_write_shared(void)
{
  return dart_file_write_shared(file, in, 10, DART_TYPE_LONG, NULL);
}

static dart_ret_t file_write_at(void)
{
  return dart_file_write_at(file, (uint64_t)me * 80, in, 10, DART_TYPE_LONG, DART_TYPE_LONG, NULL);
}

static dart_ret_t file_resize(void)
{
  return dart_file_resize(file, 1000);
}

static dart_ret_t file_sync(void)
{
  return dart_file_sync(file);
}

static dart_ret_t file_set_atomicity(void)
{
  return dart_file_set_atomicity(file, true);
}

static dart_ret_t file_set_view(void)
{
  return dart_file_set_view(file, 0, DART_TYPE_LONG);
}

static dart_ret_t file_seek_shared(void)
{
  return dart_file_seek_shared(file, 0);
}

/* ---- beside a thread in a collective ------------------------------------------------------------ */

static pthread_t  gatherer;
static dart_ret_t gathered;

/* Collectives of the team until one fails. Each that does not has brought what every unit has given for that round. */
static void *gather_until_lost(void *unused)
{
  (void)unused;
  for (long round = 0; gathered == DART_OK; round++) {
    long mine = round * n + me;

    gathered = dart_allgather(&mine, out, 1, DART_TYPE_LONG, team);
    for (int u = 0; u < n && gathered == DART_OK; u++)
      if (out[u] != round * n + u)
        fail("what a unit has given", __LINE__);
  }
  return NULL;
}

static void begin_to_gather(void)
{
  buffers();
  new_team();
  if (pthread_create(&gatherer, NULL, gather_until_lost, NULL) != 0)
    fail("pthread_create", __LINE__);
}

/* This thread learns of the loss by an agreement, and breaks the team in whose collectives the other one is. */
static dart_ret_t agree_beside_gather(void)
{
  uint64_t bits = 1;

  if (dart_team_agree(team, &bits) != DART_ERR_UNIT_LOST)
    fail("dart_team_agree", __LINE__);
  pthread_join(gatherer, NULL);
  return gathered;
}

/* Two threads of each unit agree at a time, each with those of other units in a team of its own. */
static dart_team_t agreeing[2];

static void two_teams(void)
{
  MUST(dart_team_clone(DART_TEAM_ALL, &agreeing[0]));
  MUST(dart_team_clone(DART_TEAM_ALL, &agreeing[1]));
}

static void *agree_until_lost(void *which)
{
  dart_ret_t ret = DART_OK;

  for (uint64_t round = 1; ret == DART_OK; round++) {
    uint64_t bits = round << 1 | (which == &agreeing[1]), before = bits;

    ret = dart_team_agree(*(dart_team_t *)which, &bits);
    if (bits != before)
      fail("what all have agreed on", __LINE__);
  }
  if (ret != DART_ERR_UNIT_LOST)
    fail("dart_team_agree", __LINE__);
  return NULL;
}

static dart_ret_t agree_in_threads(void)
{
  pthread_t thread;

  if (pthread_create(&thread, NULL, agree_until_lost, &agreeing[1]) != 0)
    fail("pthread_create", __LINE__);
  agree_until_lost(&agreeing[0]);
  pthread_join(thread, NULL);
  return DART_ERR_UNIT_LOST;
}

/* ---- the table ------------------------------------------------------------------------------------ */

const entry_t entries[] = {
  { "barrier", NULL, barrier, LOST },
  { "bcast_of_victim", buffers, bcast_of_victim, ROOTED },
  { "bcast_large", buffers, bcast_large, ROOTED },
  { "scatter", buffers, scatter, ROOTED },
  { "gather", buffers, gather, ROOTED },
  { "allgather", buffers, allgather, LOST },
  { "allgather_large", buffers, allgather_large, LOST },
  { "allgatherv", buffers, allgatherv, LOST },
  { "alltoall", buffers, alltoall, LOST },
  { "alltoall_large", buffers, alltoall_large, LOST },
  { "reduce", buffers, reduce, ROOTED },
  { "allreduce", buffers, allreduce, LOST },
  { "agree_beside_gather", begin_to_gather, agree_beside_gather, LOST },
  { "agree_in_threads", two_teams, agree_in_threads, LOST },
  { "allreduce_large", buffers, allreduce_large, LOST },
  { "team_create", NULL, team_create, LOST },
  { "team_create_group", NULL, team_create_group, LOST },
  { "team_clone", NULL, team_clone, LOST },
  { "team_destroy", new_team, team_destroy, DONE },
  { "team_locality_init", new_team, locality_init, LOST },
  { "team_memalloc", NULL, memalloc, LOST },
  { "team_memalign", NULL, memalign, LOST },
  { "team_memalloc_large", NULL, memalloc_large, LOST },
  { "team_memfree", segment, memfree, LOST },
  { "team_memfree_after_agree", segment_and_barriers, memfree_after_agree, LOST },
  { "team_memregister", buffers, memregister, LOST },
  { "team_memregister_aligned", buffers, memregister_aligned, LOST },
  { "team_memderegister", registered_memory, memderegister, EITHER },
  { "team_adopt", buffers, adopt, LOST },
  { "allocator_new", NULL, allocator_new, LOST },
  { "allocator_destroy", new_allocator, allocator_destroy, LOST },
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
  { "lock_init", NULL, lock_init, LOST },
  { "lock_destroy", new_lock, lock_destroy, LOST },
  { "lock_acquire", held_lock, lock_acquire, AT_FIRST },
  { "lock_release", new_lock, lock_release, EITHER },
  { "lock_try_acquire", held_lock, lock_try, AT_FIRST },
  { "lock_at_acquire", held_word, lock_at, ONE_DONE },
  { "lock_at_try_acquire", held_word, lock_at_try, ONE_DONE },
  { "lock_at_of_victim", segment, lock_at_of_victim, WORD },
  { "lock_at_try_of_victim", held_word_of_victim, lock_at_try_of_victim, EITHER },
  { "range_init", NULL, range_init, LOST },
  { "range_destroy", new_range, range_destroy, LOST },
  { "range_acquire", held_range, range_acquire, AT_FIRST },
  { "range_release", new_range, range_release, EITHER },
  { "range_try_acquire", held_range, range_try, AT_FIRST },
  { "range_of_all", new_range, range_of_all, EITHER },
  { "send", buffers, send_large, LOST },
  { "send_many", buffers, send_many, LOST },
  { "send_after_unread", unread_messages, send_after_unread, DONE },
  { "recv", buffers, recv, LOST },
  { "sendrecv", buffers, sendrecv, LOST },
  { "recv_any", buffers, recv_any, LOST },
  { "probe", buffers, probe, LOST },
  { "try_probe", buffers, try_probe_victim, LOST },
  { "try_probe_any", buffers, try_probe_any, LOST },
  { "notify_wait", segment, notify_wait, LOST },
  { "notify_waitany", segment, notify_waitany, LOST },
  { "notify_waitsome", segment, notify_waitsome, LOST },
  { "wait_word", segment, wait_word, LOST },
  { "wait_word_any", segment, wait_word_any, LOST },
  { "wait_word_some", segment, wait_word_some, LOST },
  { "wait_word_all", segment, wait_word_all, LOST },
  { "wait_word_range", segment, wait_word_range, LOST },
  { "epoch_fence", fenced, fence, LOST },
  { "epoch_start_complete", segment, start_and_complete, AHEAD },
  { "epoch_post_start", segment, post_and_start, LOST },
  { "epoch_wait", posted, epoch_wait, LOST },
  { "epoch_test", posted, epoch_test, LOST },
  { "epoch_lock_get", segment, get_in_lock, EITHER },
  { "epoch_lock", held_portion, portion_lock, EITHER },
  { "epoch_lock_all", held_portion, portion_lock_all, EITHER },
  { "file_open", buffers, file_open, LOST },
  { "file_close", new_file, file_close, LOST },
  { "file_write_all", new_file, file_write_all, LOST },
  { "file_read_all", new_file, file_read_all, LOST },
  { "file_write_ordered", new_file, file_write_ordered, LOST },
  { "file_read_ordered", new_file, file_read_ordered, LOST },
  { "file_read_shared", new_file, file_read_shared, EITHER },
  { "file_tell_shared", new_file, file_tell_shared, EITHER },
  { "file_read_at", new_file, file_read_at, DONE },
  { "file_requests", new_file, file_requests, DONE },
  { "file_atomic_requests", atomic_file, file_requests, EITHER },
  { "file_write_shared", new_file, file_write_shared, EITHER },
  { "file_write_at", new_file, file_write_at, DONE },
  { "file_resize", new_file, file_resize, LOST },
  { "file_sync", new_file, file_sync, LOST },
  { "file_set_atomicity", new_file, file_set_atomicity, LOST },
  { "file_set_view", new_file, file_set_view, EITHER },
  { "file_seek_shared", new_file, file_seek_shared, LOST },
};

const int nentries = sizeof entries / sizeof *entries;
