/* Statistics of units with many threads: each counts by itself. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <dash/dart/ext/dart_stats.h>

#include "dart_test.h"

SUITE_WITHOUT_INIT(stats_threads);

enum { THREADS = 6, EACH = 200, ROUNDS = 3 };

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

/* Later threads go on with what earlier ones have counted. */
TEST(threads_count_together)
{
  pthread_t threads[THREADS];
  size_t    numbers[THREADS];

  setenv("DART_STATS_NEAR", "1", 1);
  test_init_threads();
  unsetenv("DART_STATS_NEAR");
  EXPECT_OK(dart_team_memalloc_aligned(DART_TEAM_ALL, THREADS, T_INT64, &memory));
  memset(test_mine(memory), 0, THREADS * sizeof(int64_t));
  test_barrier();
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
  test_barrier();
  EXPECT_OK(dart_team_memfree(memory));
  EXPECT_OK(dart_exit());
}
