/* dart/ext/dart_epoch.h from several threads of a unit: one exposes while the other accesses, and locks are taken by
 * both. */
#include <pthread.h>

#include <dash/dart/ext/dart_epoch.h>

#include "dart_test.h"

SUITE_WITHOUT_INIT(epoch_threads);

enum { ROUNDS = 40 };

static dart_gptr_t data;

/* The target's side: what came is this round's. */
static void *expose(void *unused)
{
  dart_team_unit_t left = DART_TEAM_UNIT_ID((me + n - 1) % n);

  (void)unused;
  for (int round = 0; round < ROUNDS; round++) {
    EXPECT_OK(dart_epoch_post(data, 1, &left, 0));
    EXPECT_OK(dart_epoch_wait(data));
    EXPECT_EQ(*test_mine(data), 1000 * left.id + round);
  }
  return NULL;
}

static void *reach(void *unused)
{
  dart_team_unit_t right = DART_TEAM_UNIT_ID((me + 1) % n);
  int64_t          value;

  (void)unused;
  for (int round = 0; round < ROUNDS; round++) {
    value = 1000 * me + round;
    EXPECT_OK(dart_epoch_start(data, 1, &right, 0));
    EXPECT_OK(dart_put(test_unit(data, right.id), &value, 1, T_INT64, T_INT64));
    EXPECT_OK(dart_epoch_complete(data));
  }
  return NULL;
}

TEST(both_sides_wait_in_threads_of_their_own)
{
  pthread_t thread;
  int64_t   zero = 0;

  test_init_threads();
  data = test_alloc(&zero, 1, 0);
  EXPECT_EQ(pthread_create(&thread, NULL, expose, NULL), 0);
  reach(NULL);
  EXPECT_EQ(pthread_join(thread, NULL), 0);
  test_barrier();
}
