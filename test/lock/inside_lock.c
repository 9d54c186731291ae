/* Locks between nodes, and what the program's own operations on the same unit come to. */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/counters.h"
#include "dart_test.h"
#include "model/world.h"

SUITE(lock);

/* Operations on memory that its owner has deregistered are refused, which a flush tells. They are none of
 * the lock's, whose words are the same unit's. */
TEST_N(2, refused_operations_do_not_break_a_lock)
{
  int64_t     cell = 0, one = 1;
  bool        is_far = dart__world_node(me) != dart__world_node(0);
  dart_gptr_t gptr;
  dart_lock_t lock;

  EXPECT_OK(dart_team_memregister(DART_TEAM_ALL, 1, T_INT64, &cell, &gptr));
  EXPECT_OK(dart_team_lock_init(DART_TEAM_ALL, &lock));
  if (me == 0)
    EXPECT_OK(dart_team_memderegister(gptr));
  test_barrier();
  for (int round = 0; round < 3; round++) {
    if (is_far)
      EXPECT_OK(dart_accumulate(gptr, &one, 1, T_INT64, DART_OP_SUM));
    EXPECT_OK(dart_lock_acquire(lock));
    if (is_far)
      EXPECT_OK(dart_accumulate(gptr, &one, 1, T_INT64, DART_OP_SUM));
    EXPECT_OK(dart_lock_release(lock));
    if (is_far)
      EXPECT_INVAL(dart_flush(gptr));
    test_barrier();
  }
  if (me != 0)
    EXPECT_OK(dart_team_memderegister(gptr));
  EXPECT_OK(dart_team_lock_destroy(&lock));
  EXPECT_EQ(cell, 0);
}

/* ---- how many near units pass a far one --------------------------------------------------------- */

enum {
  COUNT,
  OVER,
  QUEUED,
  CELLS
}; /* of unit 0: holders since; of the far unit: its request is in the queue */
enum { MOST_PASSES = 64, MANY = 3 * MOST_PASSES };

static dart_gptr_t cells, far_cells;
static uint64_t    waits; /* of this unit for locks, before */

static int64_t get(dart_gptr_t at)
{
  int64_t value = 0;

  EXPECT_OK(dart_get_blocking(&value, at, 1, T_INT64, T_INT64));
  return value;
}

static void put(dart_gptr_t at, int64_t value)
{
  EXPECT_OK(dart_put_blocking(at, &value, 1, T_INT64, T_INT64));
}

/* A thread of the far unit that calls nothing of DART: a wait is counted when the table has answered that the request
 * waits. */
static void *say_when_queued(void *unused)
{
  (void)unused;
  while (dart__counted(DART__COUNT_LOCK_WAIT) == waits)
    usleep(100);
  atomic_store((_Atomic int64_t *)&test_mine(far_cells)[QUEUED], 1);
  return NULL;
}

static void wait_far(dart_lock_t lock)
{
  pthread_t thread;

  waits = dart__counted(DART__COUNT_LOCK_WAIT);
  EXPECT_EQ(pthread_create(&thread, NULL, say_when_queued, NULL), 0);
  EXPECT_OK(dart_lock_acquire(lock));
  EXPECT_TRUE(get(test_at(cells, COUNT)) <= MOST_PASSES);
  put(test_at(cells, OVER), 1);
  EXPECT_OK(dart_lock_release(lock));
  pthread_join(thread, NULL);
}

/* By the near units in turn: each holds it for so long that the other waits again. */
static void go_round(dart_lock_t lock)
{
  for (int64_t over = 0, count = 0; over == 0 && count < MANY;) {
    EXPECT_OK(dart_lock_acquire(lock));
    over  = get(test_at(cells, OVER));
    count = get(test_at(cells, COUNT)) + 1;
    put(test_at(cells, COUNT), count);
    usleep(200);
    EXPECT_OK(dart_lock_release(lock));
  }
}

/* Three units, the second on another node, which comes while unit 0 holds the lock. */
TEST_N(3, near_units_pass_a_far_one_64_times_at_most)
{
  dart_lock_t lock;
  bool        is_far = dart__world_node(me) != dart__world_node(0);

  EXPECT_EQ(n, 3);
  EXPECT_TRUE(dart__world_node(2) == dart__world_node(0));
  EXPECT_TRUE(dart__world_node(1) != dart__world_node(0));
  cells     = test_segment(DART_TEAM_ALL, CELLS * sizeof(int64_t), 0);
  far_cells = test_unit(cells, 1);
  cells     = test_unit(cells, 0);
  EXPECT_OK(dart_team_lock_init(DART_TEAM_ALL, &lock));
  if (me == 0)
    EXPECT_OK(dart_lock_acquire(lock));
  test_barrier();
  if (is_far)
    wait_far(lock);
  else
    while (me == 0 && get(test_at(far_cells, QUEUED)) == 0)
      sched_yield();
  if (me == 0)
    EXPECT_OK(dart_lock_release(lock));
  if (!is_far)
    go_round(lock);
  EXPECT_OK(dart_team_lock_destroy(&lock));
}
