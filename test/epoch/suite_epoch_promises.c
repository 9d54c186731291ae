/* dart/ext/dart_epoch.h: promises that are not kept (R14). Builds with assertions find what the header says that they
 * verify; in others there is nothing to be found, and no test here. What a target finds is printed on its stderr. */
#include <dash/dart/ext/dart_epoch.h>
#include <dash/dart/ext/dart_near.h>
#include <dash/dart/ext/dart_wait_word.h>

#include "dart_test.h"
#include "epoch/epoch.h"
#include "epoch_memory.h"

SUITE(epoch_promises);

#ifdef DART_ENABLE_ASSERTIONS

static dart_team_unit_t unit_id(int unit)
{
  return DART_TEAM_UNIT_ID(unit);
}

static const dart__segment_t *segment_of(dart_gptr_t gptr)
{
  return dart__segment_find(dart__teams[DART_TEAM_ALL], gptr.segid);
}

static void fence(dart_gptr_t gptr, int assertions)
{
  EXPECT_OK(dart_epoch_fence(gptr, assertions));
}

/* ---- fences -------------------------------------------------------------------------------- */

TEST(operations_against_noprecede_are_found) /* R14 */
{
  int64_t     zero = 0, value = value_of(me, 1, 0);
  dart_gptr_t data = test_alloc(&zero, 1, 0), right = test_unit(data, right_of(me));

  fence(data, 0);
  EXPECT_OK(dart_put(right, &value, 1, T_INT64, T_INT64));
  EXPECT_REFUSED(dart_epoch_fence, (data, DART_EPOCH_NOPRECEDE), DART_ERR_INVAL, "NOPRECEDE");
  fence(data, DART_EPOCH_NOSUCCEED); /* nothing has changed */
  EXPECT_EQ(*test_mine(data), value_of(left_of(me), 1, 0));
  test_barrier();
}

/* By the fence itself; what fences that say nothing to anybody were given, by the next one. */
TEST_N(2, different_assertions_are_found) /* R14 */
{
  int64_t     zero = 0, value = value_of(me, 1, 0);
  dart_gptr_t data = test_alloc(&zero, 1, 0), right = test_unit(data, right_of(me));

  fence(data, DART_EPOCH_NOPRECEDE);
  EXPECT_OK(dart_put(right, &value, 1, T_INT64, T_INT64));
  EXPECT_REFUSED(dart_epoch_fence, (data, me == 0 ? DART_EPOCH_NOSUCCEED : 0), DART_ERR_INVAL,
                 "different assertions");
  EXPECT_EQ(*test_mine(data), value_of(left_of(me), 1, 0)); /* the epoch has ended */
  fence(data, DART_EPOCH_NOSUCCEED);
  fence(data, DART_EPOCH_NOPRECEDE | (me == 0 ? 0 : DART_EPOCH_NOSUCCEED));
  EXPECT_REFUSED(dart_epoch_fence, (data, 0), DART_ERR_INVAL, "different assertions");
  fence(data, DART_EPOCH_NOSUCCEED);
}

/* One that some units alone would not wait in: all do then, so the next epoch finds them together. */
TEST_N(2, fences_that_some_units_call_lazily_are_found) /* R14 */
{
  int64_t     zero = 0, value;
  dart_gptr_t data = test_alloc(&zero, 1, 0), right = test_unit(data, right_of(me));

  fence(data, 0);
  for (int who = 0; who < 2; who++) {
    value = value_of(me, who, 0);
    EXPECT_OK(dart_put(right, &value, 1, T_INT64, T_INT64));
    EXPECT_REFUSED(dart_epoch_fence, (data, (me == 0) == (who == 0) ? DART_EPOCH_LAZY : 0),
                   DART_ERR_INVAL, "different assertions");
    EXPECT_EQ(*test_mine(data), value_of(left_of(me), who, 0));
    fence(data, DART_EPOCH_LAZY); /* all units: nothing to be found */
    fence(data, 0);
  }
  fence(data, DART_EPOCH_NOPRECEDE | (me == 0 ? DART_EPOCH_LAZY : 0));
  EXPECT_REFUSED(dart_epoch_fence, (data, DART_EPOCH_LAZY), DART_ERR_INVAL, "different assertions");
  fence(data, DART_EPOCH_NOSUCCEED);
}

/* A near origin is refused; a far target finds it at the fence. */
TEST(puts_against_noput_are_found) /* R14 */
{
  int64_t     zero = 0, value = 1;
  dart_gptr_t data = test_alloc(&zero, 1, 0), right = test_unit(data, right_of(me));
  dart_gptr_t left    = test_unit(data, left_of(me));
  bool        is_near = dart_near_ptr(right) != NULL;

  fence(data, DART_EPOCH_NOPUT);
  test_barrier(); /* all have begun the epoch */
  if (is_near)
    EXPECT_REFUSED(dart_put, (right, &value, 1, T_INT64, T_INT64), DART_ERR_INVAL, "NOPUT");
  else
    EXPECT_OK(dart_put(right, &value, 1, T_INT64, T_INT64));
  if (dart_near_ptr(left) == NULL)
    EXPECT_REFUSED(dart_epoch_fence, (data, DART_EPOCH_NOSUCCEED), DART_ERR_INVAL, "NOPUT");
  else
    fence(data, DART_EPOCH_NOSUCCEED);
}

/* What was refused was not issued: the next fence may say so, and what is deferred then waits for its target. */
TEST(puts_that_are_refused_are_none) /* R14 */
{
  int64_t     zero = 0, value = value_of(me, 1, 0);
  dart_gptr_t data = test_alloc(&zero, 1, 0), right = test_unit(data, right_of(me));

  fence(data, DART_EPOCH_NOPUT);
  EXPECT_REFUSED(dart_put, (test_unit(data, me), &value, 1, T_INT64, T_INT64), DART_ERR_INVAL,
                 "NOPUT");
  EXPECT_EQ(*test_mine(data), 0); /* and after the fence the left neighbour's put may come */
  EXPECT_OK(dart_epoch_fence(data, DART_EPOCH_NOPRECEDE));
  EXPECT_TRUE(!dart__segment_epoch(segment_of(data))->target[me].is_open);
  EXPECT_OK(dart_put(right, &value, 1, T_INT64, T_INT64));
  fence(data, DART_EPOCH_NOSUCCEED);
  EXPECT_EQ(*test_mine(data), value_of(left_of(me), 1, 0));
  test_barrier();
}

/* ---- post and start ------------------------------------------------------------------------ */

/* Near targets are looked at, each of several; nothing has changed when one of them has not posted. */
TEST(starts_without_a_post_are_found) /* R14 */
{
  int64_t          zero = 0, value = value_of(me, 1, 0);
  dart_gptr_t      data = test_alloc(&zero, 1, 0), right = test_unit(data, right_of(me));
  dart_team_unit_t self = unit_id(me), both[2] = { self, unit_id(right_of(me)) };
  bool             is_near = dart_near_ptr(right) != NULL && n > 1;

  fence(data, 0);
  EXPECT_REFUSED(dart_epoch_start, (data, 1, &self, DART_EPOCH_NOCHECK), DART_ERR_INVAL, "NOCHECK");
  EXPECT_EQ(dart__segment_epoch(segment_of(data))->kind, DART__EPOCH_FENCE);
  EXPECT_OK(dart_put(right, &value, 1, T_INT64, T_INT64));
  fence(data, DART_EPOCH_NOSUCCEED);
  EXPECT_EQ(*test_mine(data), value_of(left_of(me), 1, 0));
  EXPECT_OK(dart_epoch_post(data, 1, &self, DART_EPOCH_NOCHECK)); /* and no other unit's portion */
  test_barrier();
  if (is_near)
    EXPECT_REFUSED(dart_epoch_start, (data, 2, both, DART_EPOCH_NOCHECK), DART_ERR_INVAL,
                   "NOCHECK");
  EXPECT_OK(dart_epoch_start(data, 1, &self, DART_EPOCH_NOCHECK));
  EXPECT_OK(dart_epoch_complete(data));
  EXPECT_OK(dart_epoch_wait(data));
  test_barrier();
}

/* The unit's own portion, posted with NOPUT, was put to by `origin`: a near one was refused, a far one is found. */
static void expect_of_origin(dart_gptr_t data, int origin)
{
  bool is_far = dart_near_ptr(test_unit(data, origin)) == NULL;

  if (is_far)
    EXPECT_REFUSED(dart_epoch_wait, (data), DART_ERR_INVAL, "NOPUT");
  else
    EXPECT_OK(dart_epoch_wait(data));
  EXPECT_EQ(*test_mine(data), is_far ? 1 : 0);
}

/* As with a fence: a near origin is refused, a far one is found by the wait. */
TEST(puts_to_what_was_posted_to_be_read_are_found) /* R14 */
{
  int64_t          zero = 0, value = 1;
  dart_gptr_t      data = test_alloc(&zero, 1, 0), right = test_unit(data, right_of(me));
  dart_team_unit_t from = unit_id(left_of(me)), to = unit_id(right_of(me));
  bool             is_near = dart_near_ptr(right) != NULL;

  EXPECT_OK(dart_epoch_post(data, 1, &from, DART_EPOCH_NOPUT));
  test_barrier(); /* the put finds its target open */
  EXPECT_OK(dart_epoch_start(data, 1, &to, 0));
  if (is_near)
    EXPECT_REFUSED(dart_put, (right, &value, 1, T_INT64, T_INT64), DART_ERR_INVAL, "NOPUT");
  else
    EXPECT_OK(dart_put(right, &value, 1, T_INT64, T_INT64));
  EXPECT_OK(dart_epoch_complete(data));
  expect_of_origin(data, from.id);
  EXPECT_REFUSED(dart_epoch_wait, (data), DART_ERR_INVAL, "not exposed"); /* it has ended */
  test_barrier();
}

/* The put comes before the post; a near one is refused by the call that closes the access. */
TEST(deferred_puts_against_noput_are_found) /* R14 */
{
  int64_t          zero = 0, value = 1;
  dart_gptr_t      data = test_alloc(&zero, 1, 0), right = test_unit(data, right_of(me));
  dart_team_unit_t from = unit_id(left_of(me)), to = unit_id(right_of(me));
  bool             is_near = dart_near_ptr(right) != NULL;

  EXPECT_OK(dart_epoch_start(data, 1, &to, 0));
  EXPECT_OK(dart_put(right, &value, 1, T_INT64, T_INT64));
  test_barrier();
  EXPECT_OK(dart_epoch_post(data, 1, &from, DART_EPOCH_NOPUT));
  if (is_near)
    EXPECT_REFUSED(dart_epoch_complete, (data), DART_ERR_INVAL, "NOPUT");
  else
    EXPECT_OK(dart_epoch_complete(data));
  expect_of_origin(data, from.id);
  test_barrier();
}

/* A put that starts at once waits for the post, and finds the promise then. */
TEST_N(2, a_put_that_waits_for_a_post_finds_its_promise) /* R14 */
{
  int64_t          zero = 0, value = 7;
  dart_gptr_t      data = test_alloc(&zero, 1, 0), other = test_unit(data, 1 - me);
  dart_team_unit_t unit = unit_id(1 - me);

  if (me == 1 && dart_near_ptr(other) != NULL) {
    EXPECT_OK(dart_epoch_start(data, 1, &unit, 0));
    EXPECT_REFUSED(dart_put_blocking, (other, &value, 1, T_INT64, T_INT64), DART_ERR_INVAL,
                   "NOPUT");
    EXPECT_OK(dart_epoch_complete(data));
  }
  if (me == 0 && dart_near_ptr(other) != NULL) {
    nap_ms(50); /* most often the other unit waits by now */
    EXPECT_OK(dart_epoch_post(data, 1, &unit, DART_EPOCH_NOPUT));
    EXPECT_OK(dart_epoch_wait(data));
  }
  EXPECT_EQ(*test_mine(data), 0);
  test_barrier();
}

/* ---- locks --------------------------------------------------------------------------------- */

/* Unit 1 holds its portion until unit 0 has put to it, without asking for the lock: that is deferred in fact, and the
 * unlock reports it. */
TEST_N(2, near_locks_that_are_not_free_are_found) /* R14 */
{
  const int64_t one  = 1;
  int64_t       zero = 0, value = 42;
  dart_gptr_t   data = test_alloc(&zero, 1, 1), flag = test_alloc(&zero, 1, 1);
  bool          is_near = dart_near_ptr(test_unit(data, me == 0 ? 1 : 0)) != NULL;

  for (int all = 0; all < 2; all++) {
    if (me == 1) {
      test_mine(data)[0] = test_mine(flag)[0] = 0;
      EXPECT_OK(dart_epoch_lock(data, DART_EPOCH_EXCLUSIVE, 0));
    }
    test_barrier();
    if (me == 0 && is_near) {
      EXPECT_OK(all ? dart_epoch_lock_all(data, DART_EPOCH_NOCHECK)
                    : dart_epoch_lock(data, DART_EPOCH_SHARED, DART_EPOCH_NOCHECK));
      EXPECT_OK(dart_put(data, &value, 1, T_INT64, T_INT64));
      EXPECT_OK(dart_put_blocking(flag, &one, 1, T_INT64, T_INT64));
      if (all)
        EXPECT_REFUSED(dart_epoch_unlock_all, (data, 0), DART_ERR_INVAL, "NOCHECK");
      else
        EXPECT_REFUSED(dart_epoch_unlock, (data, 0), DART_ERR_INVAL, "NOCHECK");
    }
    if (me == 1) {
      if (is_near)
        EXPECT_OK(dart_wait_word(flag, T_INT64, DART_WAIT_EQ, &one, -1));
      EXPECT_EQ(test_mine(data)[0], 0);
      EXPECT_OK(dart_epoch_unlock(data, 0));
    }
    test_barrier();
    if (me == 1)
      EXPECT_EQ(test_mine(data)[0], is_near ? 42 : 0);
    test_barrier();
  }
}

#endif
