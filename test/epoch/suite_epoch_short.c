/* What epochs leave out in builds without assertions: the short ways are taken, and only where they may be. That
 * results are right there, too, is what the suites of epochs say that run beside this one. */
#include <dash/dart/ext/dart_epoch.h>
#include <dash/dart/ext/dart_near.h>
#include <dash/dart/ext/dart_wait_word.h>

#include "counted.h"
#include "dart_test.h"
#include "epoch/epoch.h"
#include "epoch_memory.h"

SUITE(epoch_short);

#ifndef DART_ENABLE_ASSERTIONS

static dart__segment_t *segment_of(dart_gptr_t gptr)
{
  return dart__segment_find(dart__teams[DART_TEAM_ALL], gptr.segid);
}

static dart__epoch_shared_t *shared_of(dart_gptr_t gptr, int unit)
{
  return dart__epoch_shared(dart__teams[DART_TEAM_ALL], segment_of(gptr), unit);
}

static bool is_near(dart_gptr_t gptr, int unit)
{
  return dart_near_ptr(test_unit(gptr, unit)) != NULL;
}

static bool has_direct_map(dart_gptr_t gptr)
{
  dart_inline_budget = 128; /* neither this look-up nor the next calls make progress instead */
  return dart_inline_bytes(dart__team_direct, dart_inline_ids(&gptr), sizeof(int64_t)) != NULL;
}

/* Operations take the direct map again where a unit knows that all others have begun the epoch, and there alone. */
TEST(fences_withdraw_the_direct_map_where_units_may_be_behind)
{
  int64_t     zero = 0;
  dart_gptr_t data = test_alloc(&zero, 1, 0);
  bool        had  = has_direct_map(data);

  EXPECT_OK(dart_epoch_fence(data, 0));
  EXPECT_EQ(has_direct_map(data), had);
  EXPECT_OK(dart_epoch_fence(data, DART_EPOCH_NOPRECEDE));
  EXPECT_TRUE(!has_direct_map(data));
  EXPECT_OK(dart_epoch_fence(data, 0));
  EXPECT_EQ(has_direct_map(data), had);
  EXPECT_OK(dart_epoch_fence(data, DART_EPOCH_LAZY));
  EXPECT_TRUE(!has_direct_map(data));
  EXPECT_OK(dart_epoch_fence(data, DART_EPOCH_NOSUCCEED));
  EXPECT_EQ(has_direct_map(data), had);
  EXPECT_OK(dart_epoch_lock(test_unit(data, me), DART_EPOCH_SHARED, 0));
  EXPECT_TRUE(!has_direct_map(data));
  EXPECT_OK(dart_epoch_unlock(test_unit(data, me), 0));
  EXPECT_EQ(has_direct_map(data), had);
}

/* Near operations of a fence's epoch are not noted, so the epoch may be left for one of another kind. */
TEST(epochs_with_unnoted_operations_may_be_left)
{
  int64_t     zero = 0, value = value_of(me, 1, 0);
  dart_gptr_t data = test_alloc(&zero, 1, 0), own = test_unit(data, me);
  bool        had = has_direct_map(test_unit(data, right_of(me)));

  EXPECT_OK(dart_epoch_fence(data, 0));
  EXPECT_OK(dart_put(test_unit(data, right_of(me)), &value, 1, T_INT64, T_INT64));
  if (had) {
    EXPECT_OK(dart_epoch_lock(own, DART_EPOCH_SHARED, 0));
    EXPECT_OK(dart_epoch_unlock(own, 0));
  } else {
    EXPECT_REFUSED(dart_epoch_lock, (own, DART_EPOCH_SHARED, 0), DART_ERR_INVAL, "another kind");
  }
  EXPECT_OK(dart_epoch_fence(data, DART_EPOCH_NOSUCCEED));
  EXPECT_EQ(*test_mine(data), value_of(left_of(me), 1, 0));
  test_barrier();
}

/* On one node each unit in turn is an epoch ahead of the others, who come to their fence when they hear from it that
 * its own has returned, not by a barrier, which could be taken for one in the fence. On several nodes units count what
 * they send, but wait for no data. */
TEST(lazy_fences_wait_for_nobody)
{
  const int64_t zero = 0;
  dart_gptr_t   word = test_alloc(&zero, 1, 0), data = test_alloc(&zero, 1, 0);
  bool          one_node = dart__teams[DART_TEAM_ALL]->nnodes == 1;

  EXPECT_OK(dart_epoch_fence(data, 0));
  look();
  for (int ahead = 0; ahead < n; ahead++) {
    const int64_t turn = ahead + 1;

    if (me != ahead && one_node)
      EXPECT_OK(dart_wait_word(test_unit(word, me), T_INT64, DART_WAIT_EQ, &turn, -1));
    EXPECT_OK(dart_put(test_unit(data, right_of(me)), &turn, 1, T_INT64, T_INT64));
    EXPECT_OK(dart_epoch_fence(data, DART_EPOCH_LAZY));
    for (int unit = 0; me == ahead && unit < n; unit++)
      EXPECT_OK(dart_put_blocking(test_unit(word, unit), &turn, 1, T_INT64, T_INT64));
    test_barrier();
  }
  EXPECT_EQ(since(DART__COUNT_EPOCH_WAIT), 0);
  EXPECT_OK(dart_epoch_fence(data, DART_EPOCH_NOSUCCEED));
  EXPECT_EQ(*test_mine(data), n);
  test_barrier();
}

static uint32_t tickets_of(dart_gptr_t gptr, int unit)
{
  return is_near(gptr, unit)
             ? atomic_load_explicit(&shared_of(gptr, unit)->lock.next, memory_order_relaxed)
             : 0;
}

TEST(near_locks_without_check_are_not_taken)
{
  int64_t     zero = 0, value = value_of(me, 2, 0);
  dart_gptr_t data = test_alloc(&zero, 1, 0), right = test_unit(data, right_of(me));
  uint32_t    taken;

  EXPECT_OK(dart_epoch_lock(right, DART_EPOCH_EXCLUSIVE, 0));
  EXPECT_OK(dart_put(right, &zero, 1, T_INT64, T_INT64));
  EXPECT_OK(dart_epoch_unlock(right, 0));
  test_barrier();
  taken = tickets_of(data, right_of(me));
  EXPECT_EQ(taken, is_near(data, right_of(me)) ? 1 : 0);
  EXPECT_OK(dart_epoch_lock(right, DART_EPOCH_EXCLUSIVE, DART_EPOCH_NOCHECK));
  EXPECT_OK(dart_put(right, &value, 1, T_INT64, T_INT64));
  EXPECT_OK(dart_epoch_unlock(right, 0));
  EXPECT_OK(dart_epoch_lock_all(data, DART_EPOCH_NOCHECK));
  EXPECT_OK(dart_put(right, &value, 1, T_INT64, T_INT64));
  EXPECT_OK(dart_epoch_unlock_all(data, 0));
  test_barrier();
  EXPECT_EQ(tickets_of(data, right_of(me)), taken);
  EXPECT_EQ(*test_mine(data), value_of(left_of(me), 2, 0));
  test_barrier();
}

/* Origins look for no post, so none is there for them to see. */
TEST(near_posts_without_check_tell_nobody)
{
  int64_t          zero = 0, value = value_of(me, 3, 0);
  dart_gptr_t      data = test_alloc(&zero, 1, 0), right = test_unit(data, right_of(me));
  dart_team_unit_t from = DART_TEAM_UNIT_ID(left_of(me)), to = DART_TEAM_UNIT_ID(right_of(me));
  dart__epoch_t   *epoch;

  EXPECT_OK(dart_epoch_post(data, 1, &from, DART_EPOCH_NOCHECK));
  test_barrier(); /* this is what makes the promise true */
  EXPECT_OK(dart_epoch_start(data, 1, &to, DART_EPOCH_NOCHECK));
  EXPECT_OK(dart_put(right, &value, 1, T_INT64, T_INT64));
  EXPECT_OK(dart_epoch_complete(data));
  EXPECT_OK(dart_epoch_wait(data));
  EXPECT_EQ(*test_mine(data), value_of(left_of(me), 3, 0));
  epoch = dart__segment_epoch(segment_of(data));
  for (int32_t i = 0; i < dart__teams[DART_TEAM_ALL]->node_nunits; i++)
    EXPECT_EQ(atomic_load_explicit(&epoch->posts[i].posted, memory_order_relaxed), 0);
  EXPECT_EQ(atomic_load_explicit(&epoch->target[me].posted, memory_order_relaxed), 0);
  test_barrier();
}

#endif
