/* Locks between nodes, and what the program's own operations on the same unit come to. */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#include <dash/dart/ext/dart_range.h>

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

/* ---- how soon the unit with the table sees a far request ------------------------------------------- */

enum { LOOKS = 16 };

/* A lock, or a range. */
typedef struct {
  void (*acquire)(void);
  void (*release)(void);
} turn_t;

static dart_lock_t       a_lock;
static dart_range_t      range;
static dart_range_hold_t hold;

static void acquire_lock(void)
{
  EXPECT_OK(dart_lock_acquire(a_lock));
}

static void release_lock(void)
{
  EXPECT_OK(dart_lock_release(a_lock));
}

static void acquire_range(void)
{
  dart_range_span_t span = { 0, 99, DART_RANGE_EXCLUSIVE };

  EXPECT_OK(dart_range_acquire(range, &span, 1, -1, &hold));
}

static void release_range(void)
{
  EXPECT_OK(dart_range_release(&hold));
}

/* Alone, `rounds` turns: how often that made progress. */
static uint64_t looks_of(const turn_t *turn, int rounds)
{
  uint64_t before = dart__counted(DART__COUNT_PROGRESS);

  for (int i = 0; i < rounds; i++) {
    turn->acquire();
    turn->release();
  }
  return dart__counted(DART__COUNT_PROGRESS) - before;
}

/* Unit 1 has a turn for a while, and then unit 0. Whether that had to wait: more than two looks. */
static bool has_waited(const turn_t *turn)
{
  int32_t waited = 0;

  if (me == 1)
    turn->acquire();
  test_barrier();
  if (me == 1) {
    usleep(20000);
    turn->release();
  } else if (me == 0) {
    waited = looks_of(turn, 1) > 2;
  }
  EXPECT_OK(dart_bcast(&waited, 1, DART_TYPE_INT, DART_TEAM_UNIT_ID(0), DART_TEAM_ALL));
  return waited;
}

static void count_looks(const turn_t *turn)
{
  while (!has_waited(turn))
    ;
  if (me == 0) {
    EXPECT_TRUE(looks_of(turn, LOOKS - 1) >= LOOKS - 1);
    EXPECT_TRUE(looks_of(turn, 2 * LOOKS) <= 4);
  }
  test_barrier();
}

TEST_N(2, a_unit_that_has_waited_looks_for_far_requests)
{
  EXPECT_TRUE(dart__world_node(1) != dart__world_node(0));
  EXPECT_OK(dart_team_lock_init(DART_TEAM_ALL, &a_lock));
  EXPECT_OK(dart_team_range_init(DART_TEAM_ALL, 0, 0, &range));
  count_looks(&(turn_t){ acquire_lock, release_lock });
  count_looks(&(turn_t){ acquire_range, release_range });
  EXPECT_OK(dart_team_range_destroy(&range));
  EXPECT_OK(dart_team_lock_destroy(&a_lock));
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
