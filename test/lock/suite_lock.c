/* Locks: statements N135 to N140. */
#include <dash/dart/ext/dart_epoch.h>
#include <dash/dart/ext/dart_near.h>

#include "dart_test.h"

SUITE(lock);

static dart_lock_t new_lock(dart_team_t team)
{
  dart_lock_t lock = DART_LOCK_NULL;

  EXPECT_OK(dart_team_lock_init(team, &lock));
  EXPECT_TRUE(lock != NULL);
  return lock;
}

static void count_under(dart_lock_t lock, dart_team_t team, int rounds, bool try)
{
  int64_t     value;
  dart_gptr_t counter = test_segment(team, sizeof value, 0);

  counter = test_unit(counter, test_team_size(team) - 1);
  for (int i = 0; i < rounds; i++) {
    int32_t mine = 0;

    while (try && mine != 1) {
      mine = -1;
      if (!EXPECT_OK(dart_lock_try_acquire(lock, &mine)) || !EXPECT_TRUE(mine == 0 || mine == 1))
        return;
      test_pause();
    }
    if (!try)
      EXPECT_OK(dart_lock_acquire(lock));
    EXPECT_OK(dart_get_blocking(&value, counter, 1, T_INT64, T_INT64));
    value++;
    EXPECT_OK(dart_put_blocking(counter, &value, 1, T_INT64, T_INT64));
    EXPECT_OK(dart_lock_release(lock));
  }
  EXPECT_OK(dart_barrier(team));
  EXPECT_OK(dart_get_blocking(&value, counter, 1, T_INT64, T_INT64));
  EXPECT_EQ(value, rounds * test_team_size(team));
}

TEST(counting_under_the_lock_is_exact) /* N135 */
{
  dart_team_t team[2] = { DART_TEAM_ALL, test_split(DART_TEAM_ALL, 2) };
  int         rounds  = test_rounds(300);

  for (int i = 0; i < 2; i++) {
    dart_lock_t lock = new_lock(team[i]);

    test_note("team %d, acquire", team[i]);
    count_under(lock, team[i], rounds, false);
    test_note("team %d, try_acquire", team[i]);
    count_under(lock, team[i], rounds, true);
    EXPECT_OK(dart_team_lock_destroy(&lock));
    EXPECT_TRUE(lock == NULL); /* N138 */
  }
}

/* Locks keep their state in the pool, and are not part of what the program does there. */
TEST_N(2, epochs_of_the_pool_do_not_touch_locks)
{
  dart_lock_t      lock = new_lock(DART_TEAM_ALL);
  dart_team_unit_t next = { (me + 1) % n }, last = { (me + n - 1) % n };
  dart_gptr_t      pool;

  EXPECT_OK(dart_memalloc(8, DART_TYPE_BYTE, &pool));
  EXPECT_OK(dart_epoch_fence(pool, 0));
  count_under(lock, DART_TEAM_ALL, test_rounds(20), false);
  EXPECT_OK(dart_epoch_fence(pool, DART_EPOCH_NOSUCCEED));
  EXPECT_OK(dart_epoch_post(pool, 1, &last, 0));
  EXPECT_OK(dart_epoch_start(pool, 1, &next, 0));
  count_under(lock, DART_TEAM_ALL, test_rounds(20), false);
  EXPECT_OK(dart_epoch_complete(pool));
  EXPECT_OK(dart_epoch_wait(pool));
  EXPECT_OK(dart_team_lock_destroy(&lock));
  EXPECT_OK(dart_memfree(pool));
}

/* The last unit takes it some times; the others, near to one another or not, take it until then. */
TEST_N(2, nobody_waits_for_ever) /* N135 */
{
  enum { TIMES = 20 };
  int64_t     done = 0, one = 1;
  dart_lock_t lock = new_lock(DART_TEAM_ALL);
  dart_gptr_t flag = test_segment(DART_TEAM_ALL, sizeof done, 0);

  for (int i = 0; me == n - 1 && i < TIMES; i++) {
    EXPECT_OK(dart_lock_acquire(lock));
    EXPECT_OK(dart_lock_release(lock));
  }
  if (me == n - 1)
    EXPECT_OK(dart_put_blocking(flag, &one, 1, T_INT64, T_INT64));
  while (me < n - 1 && done == 0) {
    if (!EXPECT_OK(dart_lock_acquire(lock)))
      break;
    EXPECT_OK(dart_get_blocking(&done, flag, 1, T_INT64, T_INT64));
    EXPECT_OK(dart_lock_release(lock));
  }
  EXPECT_OK(dart_team_lock_destroy(&lock));
}

/* Take a lock that unit `last` has released before. On its node the first try succeeds; from another one it may come
 * before word of the release. */
static void take_free(dart_lock_t lock, dart_gptr_t segment, int last)
{
  int32_t mine = 0;

  EXPECT_OK(dart_lock_try_acquire(lock, &mine));
  if (dart_near_ptr(test_unit(segment, last)) != NULL &&
      dart_near_ptr(test_unit(segment, 0)) != NULL)
    EXPECT_EQ(mine, 1);
  while (mine != 1 && EXPECT_OK(dart_lock_try_acquire(lock, &mine)))
    test_pause();
}

TEST_N(2, only_one_unit_holds_it) /* N136 */
{
  dart_lock_t lock    = new_lock(DART_TEAM_ALL);
  dart_gptr_t segment = test_segment(DART_TEAM_ALL, 8, 0);

  for (int holder = 0; holder < n; holder++) {
    int32_t mine = -1;

    if (me == holder)
      EXPECT_OK(dart_lock_acquire(lock));
    test_barrier();
    if (me != holder) {
      EXPECT_OK(dart_lock_try_acquire(lock, &mine));
      EXPECT_EQ(mine, 0);
      EXPECT_INVAL(dart_lock_release(lock)); /* N137: of another's */
    }
    test_barrier();
    if (me == holder)
      EXPECT_OK(dart_lock_release(lock));
    test_barrier();
    if (me == (holder + 1) % n) {
      take_free(lock, segment, holder);
      EXPECT_OK(dart_lock_release(lock));
    }
    test_barrier();
  }
  EXPECT_OK(dart_team_lock_destroy(&lock));
}

TEST(the_holder_cannot_acquire_again) /* N137 */
{
  dart_lock_t lock    = new_lock(DART_TEAM_ALL);
  dart_gptr_t segment = test_segment(DART_TEAM_ALL, 8, 0);

  for (int holder = 0; holder < n; holder++) {
    int32_t mine = -1;

    if (me == holder) {
      EXPECT_INVAL(dart_lock_release(lock));
      EXPECT_OK(dart_lock_acquire(lock));
      EXPECT_INVAL(dart_lock_acquire(lock));
      EXPECT_INVAL(dart_lock_try_acquire(lock, &mine));
      EXPECT_EQ(mine, 0);
      EXPECT_OK(dart_lock_release(lock));
      EXPECT_INVAL(dart_lock_release(lock)); /* it was held once */
    }
    test_barrier();
    if (me == (holder + 1) % n) { /* and is free now */
      take_free(lock, segment, holder);
      EXPECT_OK(dart_lock_release(lock));
    }
    test_barrier();
  }
  EXPECT_OK(dart_team_lock_destroy(&lock));
}

TEST(locks_know_whether_they_live) /* N138 */
{
  dart_lock_t lock, none = DART_LOCK_NULL;
  int32_t     mine;

  EXPECT_TRUE(!dart_lock_initialized(none));
  lock = new_lock(DART_TEAM_ALL);
  EXPECT_TRUE(dart_lock_initialized(lock));
  EXPECT_OK(dart_team_lock_destroy(&lock));
  EXPECT_TRUE(lock == NULL);
  if (me == 0) { /* local */
    EXPECT_OK(dart_team_lock_destroy(&none));
    EXPECT_OK(dart_team_lock_destroy(NULL));
  }
  EXPECT_INVAL(dart_lock_acquire(none));
  EXPECT_INVAL(dart_lock_release(none));
  EXPECT_INVAL(dart_lock_try_acquire(none, &mine));
  lock = (dart_lock_t)&lock;
  EXPECT_INVAL(dart_team_lock_init(12345, &lock));
  EXPECT_TRUE(lock == NULL);
  EXPECT_INVAL(dart_team_lock_init(DART_TEAM_ALL, NULL));
}

/* Nothing has changed on any unit, and the lock can be used. */
TEST(a_lock_that_is_held_is_destroyed_on_no_unit)
{
  dart_lock_t lock = new_lock(DART_TEAM_ALL), same = lock;

  for (int holder = 0; holder < n; holder++) {
    if (me == holder)
      EXPECT_OK(dart_lock_acquire(lock));
    EXPECT_REFUSED(dart_team_lock_destroy, (&lock), DART_ERR_INVAL, "holds the lock");
    EXPECT_TRUE(lock == same);
    if (me == holder)
      EXPECT_OK(dart_lock_release(lock));
  }
  count_under(lock, DART_TEAM_ALL, 3, false);
  EXPECT_OK(dart_team_lock_destroy(&lock));
}

TEST(a_lock_is_made_on_all_units_or_on_none)
{
  dart_lock_t lock = (dart_lock_t)&lock;

  EXPECT_REFUSED(dart_team_lock_init, (DART_TEAM_ALL, me == n - 1 ? NULL : &lock), DART_ERR_INVAL,
                 me == n - 1 ? "lock is NULL" : "another unit");
  EXPECT_TRUE(me == n - 1 || lock == DART_LOCK_NULL);
}

TEST(locks_may_outlive_their_team) /* N139 */
{
  dart_team_t team = DART_TEAM_NULL;
  dart_lock_t lock;

  EXPECT_OK(dart_team_clone(DART_TEAM_ALL, &team));
  lock = new_lock(team);
  EXPECT_OK(dart_lock_acquire(lock));
  EXPECT_OK(dart_lock_release(lock));
  EXPECT_OK(dart_team_destroy(&team));
  EXPECT_OK(dart_team_lock_destroy(&lock));
  EXPECT_TRUE(lock == NULL);
}

TEST(locks_may_outlive_the_runtime) /* N139 */
{
  dart_lock_t lock = new_lock(DART_TEAM_ALL), old = new_lock(DART_TEAM_ALL);

  EXPECT_OK(dart_exit());
  EXPECT_OK(dart_team_lock_destroy(&lock));
  EXPECT_TRUE(lock == NULL);
  EXPECT_OK(dart_init(NULL, NULL));
  lock = new_lock(DART_TEAM_ALL);
  EXPECT_OK(dart_team_lock_destroy(&old)); /* in the next life */
  EXPECT_TRUE(old == NULL);
  EXPECT_OK(dart_lock_acquire(lock));
  EXPECT_OK(dart_lock_release(lock));
  EXPECT_OK(dart_team_lock_destroy(&lock));
}

TEST(a_hundred_locks_are_independent) /* N140 */
{
  enum { LOCKS = 100 };
  dart_lock_t lock[LOCKS];
  int32_t     mine;

  for (int i = 0; i < LOCKS; i++)
    lock[i] = new_lock(DART_TEAM_ALL);
  for (int i = me; i < LOCKS; i += n) { /* every unit takes its share, all at once */
    mine = -1;
    EXPECT_OK(dart_lock_try_acquire(lock[i], &mine));
    EXPECT_EQ(mine, 1);
  }
  test_barrier();
  for (int i = 0; i < LOCKS; i++) {
    if (i % n == me)
      continue;
    mine = -1;
    EXPECT_OK(dart_lock_try_acquire(lock[i], &mine));
    EXPECT_EQ(mine, 0);
  }
  test_barrier();
  for (int i = me; i < LOCKS; i += n)
    EXPECT_OK(dart_lock_release(lock[i]));
  for (int i = 0; i < LOCKS; i++)
    EXPECT_OK(dart_team_lock_destroy(&lock[i]));
}

TEST(stores_in_a_critical_section_are_seen_in_the_next) /* N140: the data behind the counter, too */
{
  enum { COUNT = 50 };
  int         rounds = test_rounds(200);
  dart_lock_t lock   = new_lock(DART_TEAM_ALL);
  dart_gptr_t shared = test_segment(DART_TEAM_ALL, COUNT * sizeof(int64_t), 0);
  int64_t     values[COUNT];

  for (int i = 0; i < rounds; i++) {
    int torn = 0;

    EXPECT_OK(dart_lock_acquire(lock));
    EXPECT_OK(dart_get_blocking(values, shared, COUNT, T_INT64, T_INT64));
    for (int k = 0; k < COUNT; k++)
      torn += values[k] != values[0] + (values[0] > 0 ? k : 0);
    EXPECT_EQ(torn, 0);
    for (int k = 0; k < COUNT; k++)
      values[k] = 1 + 1000 * me + i + k;
    if (me == 0) /* the owner by plain stores */
      for (int k = 0; k < COUNT; k++)
        test_mine(shared)[k] = values[k];
    else
      EXPECT_OK(dart_put_blocking(shared, values, COUNT, T_INT64, T_INT64));
    EXPECT_OK(dart_lock_release(lock));
  }
  EXPECT_OK(dart_team_lock_destroy(&lock));
}
