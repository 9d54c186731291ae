/* Statistics of units with many threads: each counts by itself. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <dash/dart/ext/dart_stats.h>

#include "dart_test.h"

SUITE_WITHOUT_INIT(stats_threads);

enum { THREADS = 6, EACH = 200, ROUNDS = 3, READS = 1000000 };

static dart_gptr_t memory;

static uint64_t counted(const char *name)
{
  uint64_t values[256];
  size_t   index = 0;

  EXPECT_OK(dart_stats_find(name, &index));
  EXPECT_OK(dart_stats_read(values, index + 1));
  return values[index];
}

static void *add_often(void *number)
{
  int64_t     one = 1;
  dart_gptr_t at  = test_at(test_unit(memory, (me + 1) % n), *(size_t *)number);

  for (int i = 0; i < EACH; i++)
    EXPECT_OK(dart_accumulate(at, &one, 1, T_INT64, DART_OP_SUM));
  EXPECT_OK(dart_flush(at));
  return NULL;
}

static void begin(void)
{
  setenv("DART_STATS", "near", 1);
  test_init_threads();
  unsetenv("DART_STATS");
  EXPECT_OK(dart_team_memalloc_aligned(DART_TEAM_ALL, THREADS, T_INT64, &memory));
  memset(test_mine(memory), 0, THREADS * sizeof(int64_t));
  test_barrier();
}

static void end(void)
{
  test_barrier();
  EXPECT_OK(dart_team_memfree(memory));
  EXPECT_OK(dart_exit());
}

/* Later threads go on with what earlier ones have counted. */
TEST(threads_count_together)
{
  pthread_t threads[THREADS];
  size_t    numbers[THREADS];

  begin();
  for (int round = 1; round <= ROUNDS; round++) {
    for (size_t i = 0; i < THREADS; i++) {
      numbers[i] = i;
      EXPECT_EQ(pthread_create(&threads[i], NULL, add_often, &numbers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++)
      pthread_join(threads[i], NULL);
    EXPECT_EQ(counted("atomic_near") + counted("atomic_far"), (uint64_t)round * THREADS * EACH);
    EXPECT_EQ(counted("atomic_near_bytes") + counted("atomic_far_bytes"),
              (uint64_t)round * THREADS * EACH * sizeof(int64_t));
  }
  test_barrier();
  for (int i = 0; i < THREADS; i++)
    EXPECT_EQ(test_mine(memory)[i], ROUNDS * EACH);
  end();
}

static atomic_bool stops;

/* Of one byte: less than a word, which is what the library counts best. */
static void *put_often(void *unused)
{
  char byte = 1;

  while (!atomic_load(&stops))
    EXPECT_OK(dart_put_blocking(test_unit(memory, me), &byte, 1, DART_TYPE_BYTE, DART_TYPE_BYTE));
  return unused;
}

/* It has begun when this returns. */
static void start_putting(pthread_t *thread)
{
  atomic_store(&stops, false);
  EXPECT_EQ(pthread_create(thread, NULL, put_often, NULL), 0);
  while (counted("put_near") == 0)
    sched_yield();
}

static void *reset_often(void *unused)
{
  while (!atomic_load(&stops))
    EXPECT_OK(dart_stats_reset());
  return unused;
}

/* Here and below only the first two are read, events and their bytes, so that a read soon follows the one before. */
TEST(what_is_read_does_not_go_back)
{
  uint64_t  last[2] = { 0, 0 }, now[2], fell = 0;
  size_t    index;
  pthread_t thread;

  begin();
  EXPECT_OK(dart_stats_find("put_near_bytes", &index));
  EXPECT_EQ(index, 1);
  start_putting(&thread);
  for (int i = 0; i < READS; i++) {
    EXPECT_OK(dart_stats_read(now, 2));
    fell += (now[0] < last[0]) + (now[1] < last[1]);
    memcpy(last, now, sizeof last);
  }
  atomic_store(&stops, true);
  pthread_join(thread, NULL);
  EXPECT_EQ(fell, 0);
  EXPECT_EQ(counted("put_near_bytes"), counted("put_near"));
  end();
}

/* No value is less than where it began, which as an unsigned number is a large one. */
TEST(a_reset_meanwhile_leaves_no_value_below_0)
{
  pthread_t threads[2];
  uint64_t  now[2], wrapped = 0;

  begin();
  start_putting(&threads[0]);
  EXPECT_EQ(pthread_create(&threads[1], NULL, reset_often, NULL), 0);
  for (int i = 0; i < READS; i++) {
    EXPECT_OK(dart_stats_read(now, 2));
    wrapped += (now[0] > UINT64_MAX / 2) + (now[1] > UINT64_MAX / 2);
  }
  atomic_store(&stops, true);
  for (int i = 0; i < 2; i++)
    pthread_join(threads[i], NULL);
  EXPECT_EQ(wrapped, 0);
  end();
}
