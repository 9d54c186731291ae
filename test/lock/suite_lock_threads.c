/* Locks and ranges that are destroyed while a thread waits for them: all units are told, and nothing has changed. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <time.h>

#include <dash/dart/ext/dart_range.h>

#include "dart_test.h"

SUITE_WITHOUT_INIT(lock_threads);

/* A thread that acquires, and releases when it is told. */
typedef struct {
  dart_lock_t       lock;  /* NULL: */
  dart_range_t      range; /* this */
  dart_range_hold_t hold;
  _Atomic int       has_begun;
  _Atomic int       may_end;
} waiter_t;

static void acquire(waiter_t *w)
{
  dart_range_span_t some = { 5, 100, DART_RANGE_EXCLUSIVE };

  if (w->lock != DART_LOCK_NULL)
    EXPECT_OK(dart_lock_acquire(w->lock));
  else
    EXPECT_OK(dart_range_acquire(w->range, &some, 1, -1, &w->hold));
}

static void release(waiter_t *w)
{
  if (w->lock != DART_LOCK_NULL)
    EXPECT_OK(dart_lock_release(w->lock));
  else
    EXPECT_OK(dart_range_release(&w->hold));
}

static dart_ret_t destroy(waiter_t *w)
{
  return w->lock != DART_LOCK_NULL ? dart_team_lock_destroy(&w->lock)
                                   : dart_team_range_destroy(&w->range);
}

static void *wait_and_release(void *argument)
{
  waiter_t *w = argument;

  atomic_store(&w->has_begun, 1);
  acquire(w);
  while (atomic_load(&w->may_end) == 0)
    sched_yield();
  release(w);
  return NULL;
}

/* The last unit holds it, and lets it go when it destroys it, so that nobody holds it; a thread of unit 0 waits. */
static void destroy_while_a_thread_waits(waiter_t *w)
{
  pthread_t thread;

  if (me == n - 1)
    acquire(w);
  test_barrier();
  if (me == 0) {
    EXPECT_EQ(pthread_create(&thread, NULL, wait_and_release, w), 0);
    while (atomic_load(&w->has_begun) == 0)
      sched_yield();
    nanosleep(&(struct timespec){ 0, 30000000 }, NULL);
  }
  test_barrier();
  if (me == n - 1)
    release(w);
  EXPECT_INVAL(destroy(w));
  if (me == 0) {
    atomic_store(&w->may_end, 1);
    EXPECT_EQ(pthread_join(thread, NULL), 0);
  }
  test_barrier();
  EXPECT_OK(destroy(w));
}

TEST_N(2, a_lock_that_a_thread_waits_for_is_not_destroyed)
{
  test_init_threads();
  for (int round = 0; round < 5; round++) {
    waiter_t w = { .lock = DART_LOCK_NULL };

    EXPECT_OK(dart_team_lock_init(DART_TEAM_ALL, &w.lock));
    destroy_while_a_thread_waits(&w);
  }
}

TEST_N(2, a_range_that_a_thread_waits_for_is_not_destroyed)
{
  test_init_threads();
  for (int round = 0; round < 5; round++) {
    waiter_t w = { .lock = DART_LOCK_NULL };

    EXPECT_OK(
        dart_team_range_init(DART_TEAM_ALL, 16, 0, &w.range)); /* over stripes of several units */
    destroy_while_a_thread_waits(&w);
  }
}
