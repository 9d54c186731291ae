/* Locks in words (dart_lock_at.h) that threads of all units take: one holder at a time, and nobody left waiting. */
#include <pthread.h>
#include <stdatomic.h>

#include <dash/dart/ext/dart_lock_at.h>

#include "dart_test.h"

SUITE_WITHOUT_INIT(lock_at_threads);

enum { THREADS = 3, ROUNDS = 60 };

typedef struct {
  pthread_t    thread;
  dart_gptr_t  lock, counter;
  int          rounds;
  bool         is_trying;
  _Atomic int *inside; /* threads of this unit that hold the lock; NULL: not looked at */
} worker_t;

static void acquire(const worker_t *w)
{
  int32_t mine = 0;

  if (!w->is_trying) {
    EXPECT_OK(dart_lock_at_acquire(w->lock));
    return;
  }
  while (mine != 1) {
    mine = -1;
    if (!EXPECT_OK(dart_lock_at_try_acquire(w->lock, &mine)) ||
        !EXPECT_TRUE(mine == 0 || mine == 1))
      return;
    test_pause();
  }
}

static void *count(void *argument)
{
  const worker_t *w = argument;

  for (int i = 0; i < w->rounds; i++) {
    int64_t value = -1;

    acquire(w);
    EXPECT_EQ(atomic_fetch_add(w->inside, 1), 0);
    EXPECT_OK(dart_get_blocking(&value, w->counter, 1, T_INT64, T_INT64));
    value++;
    EXPECT_OK(dart_put_blocking(w->counter, &value, 1, T_INT64, T_INT64));
    EXPECT_EQ(atomic_fetch_sub(w->inside, 1), 1);
    EXPECT_OK(dart_lock_at_release(w->lock));
  }
  return NULL;
}

/* All threads of all units, some of them trying, count at `counter`, which was zero. */
static void count_under(dart_gptr_t lock, dart_gptr_t counter, int rounds)
{
  worker_t    worker[THREADS];
  _Atomic int inside = 0;
  int64_t     value  = -1;

  test_barrier();
  for (int i = 0; i < THREADS; i++) {
    worker[i] = (worker_t){ .lock      = lock,
                            .counter   = counter,
                            .rounds    = rounds,
                            .is_trying = i == THREADS - 1,
                            .inside    = &inside };
    EXPECT_EQ(pthread_create(&worker[i].thread, NULL, count, &worker[i]), 0);
  }
  for (int i = 0; i < THREADS; i++)
    EXPECT_EQ(pthread_join(worker[i].thread, NULL), 0);
  EXPECT_OK(dart_flush(lock));
  test_barrier();
  EXPECT_OK(dart_get_blocking(&value, counter, 1, T_INT64, T_INT64));
  EXPECT_EQ(value, THREADS * rounds * n);
  test_barrier();
}

TEST(counting_by_threads_is_exact_at_the_lock_of_every_unit)
{
  static int64_t zeros[2];

  test_init_threads();
  for (int unit = 0; unit < n; unit++) {
    dart_gptr_t lock = test_alloc(zeros, 2, unit);

    test_note("lock of unit %d", unit);
    count_under(lock, test_at(lock, 1), test_rounds(ROUNDS));
  }
}

TEST(counting_by_threads_is_exact_in_registered_memory)
{
  static int64_t words[2];
  dart_gptr_t    gptr = DART_GPTR_NULL;

  test_init_threads();
  words[0] = words[1] = 0;
  test_barrier();
  EXPECT_OK(dart_team_memregister(DART_TEAM_ALL, sizeof words, DART_TYPE_BYTE, words, &gptr));
  count_under(test_unit(gptr, n - 1), test_at(test_unit(gptr, n - 1), 1), test_rounds(ROUNDS / 4));
  EXPECT_OK(dart_team_memderegister(gptr));
}

/* A thread may release what another one of its unit acquired, while others wait. */
static void *release(void *argument)
{
  const worker_t *w = argument;

  EXPECT_OK(dart_lock_at_release(w->lock));
  return NULL;
}

TEST(another_thread_of_the_holder_may_release)
{
  static int64_t zeros[2];
  dart_gptr_t    lock;
  int64_t        value = -1;

  test_init_threads();
  lock = test_alloc(zeros, 2, 0);
  for (int i = 0; i < test_rounds(ROUNDS); i++) {
    worker_t w = { .lock = lock, .counter = test_at(lock, 1) };

    acquire(&w);
    EXPECT_OK(dart_get_blocking(&value, w.counter, 1, T_INT64, T_INT64));
    value++;
    EXPECT_OK(dart_put_blocking(w.counter, &value, 1, T_INT64, T_INT64));
    EXPECT_EQ(pthread_create(&w.thread, NULL, release, &w), 0);
    EXPECT_EQ(pthread_join(w.thread, NULL), 0);
  }
  EXPECT_OK(dart_flush(lock));
  test_barrier();
  EXPECT_OK(dart_get_blocking(&value, test_at(lock, 1), 1, T_INT64, T_INT64));
  EXPECT_EQ(value, test_rounds(ROUNDS) * n);
  test_barrier();
}
