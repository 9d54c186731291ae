/* Locks of dart/ext/dart_epoch.h, several at a time: in which order a unit has them, and that it waits for none with
 * another held that its program did not hold first. */
#include "dart_test.h"
#include "epoch_memory.h"

SUITE(epoch_several);

/* Locks of several portions at a time, of two segments, in an order that all units keep. */
TEST(locks_of_several_portions) /* R11 */
{
  int64_t     zero = 0, one = 1;
  dart_gptr_t a = test_alloc(&zero, 1, 0), b = test_alloc(&zero, 1, 0);

  for (int round = 0; round < 20; round++) {
    for (int unit = 0; unit < n; unit++)
      lock(test_unit(a, unit), DART_EPOCH_SHARED);
    lock(test_unit(b, 0), DART_EPOCH_EXCLUSIVE);
    for (int unit = 0; unit < n; unit++)
      EXPECT_OK(dart_accumulate(test_unit(a, unit), &one, 1, T_INT64, DART_OP_SUM));
    EXPECT_OK(dart_accumulate(test_unit(b, 0), &one, 1, T_INT64, DART_OP_SUM));
    EXPECT_OK(dart_epoch_unlock(test_unit(b, 0), 0));
    for (int unit = 0; unit < n; unit++)
      EXPECT_OK(dart_epoch_unlock(test_unit(a, unit), 0));
  }
  test_barrier();
  EXPECT_EQ(*test_mine(a), 20 * n);
  EXPECT_EQ(*test_mine(b), me == 0 ? 20 * n : 0);
  test_barrier();
}

/* Two portions that units 0 and 1 lock one after the other, both in this order: of one segment, or of two. */
typedef struct {
  dart_gptr_t first, second;
} pair_t;

static pair_t pair_of(bool one_segment)
{
  int64_t     zero = 0;
  dart_gptr_t a = test_alloc(&zero, 1, 0), b = test_alloc(&zero, 1, 0);

  return (pair_t){ test_unit(a, 2), one_segment ? test_unit(a, 3) : test_unit(b, 2) };
}

static void lock_both(const pair_t *pair)
{
  lock(pair->first, DART_EPOCH_EXCLUSIVE);
  lock(pair->second, DART_EPOCH_EXCLUSIVE);
}

static void increment(dart_gptr_t word)
{
  int64_t got = -1;

  EXPECT_OK(dart_get_blocking(&got, word, 1, T_INT64, T_INT64));
  got++;
  EXPECT_OK(dart_put_blocking(word, &got, 1, T_INT64, T_INT64));
}

/* Each of the two was incremented by unit 1, and then, or before, put to or incremented by unit 0. */
static void expect_in_pair(const pair_t *pair, int64_t first, int64_t second)
{
  int64_t got[2] = { -1, -1 };

  test_barrier();
  EXPECT_OK(dart_get_blocking(&got[0], pair->first, 1, T_INT64, T_INT64));
  EXPECT_OK(dart_get_blocking(&got[1], pair->second, 1, T_INT64, T_INT64));
  EXPECT_EQ(got[0], first);
  EXPECT_EQ(got[1], second);
  test_barrier();
}

/* Unit 0 puts to both, the first of which unit 1 holds and the second of which is free: it does not hold that while it
 * waits for the first, for unit 1 wants it next. */
TEST_N(4, deferred_operations_are_not_awaited_with_a_lock_held) /* R11 */
{
  int64_t value = 42;

  for (int one_segment = 0; one_segment < 2; one_segment++) {
    pair_t pair = pair_of(one_segment);

    if (me == 1) {
      lock_both(&pair);
      increment(pair.first);
    }
    test_barrier();
    if (me == 0) {
      lock_both(&pair);
      EXPECT_OK(dart_put(pair.first, &value, 1, T_INT64, T_INT64));
      EXPECT_OK(dart_put(pair.second, &value, 1, T_INT64, T_INT64));
    }
    test_barrier();
    if (me == 1)
      increment(pair.second);
    if (me <= 1) {
      unlock(pair.first);
      unlock(pair.second);
    }
    expect_in_pair(&pair, 42, 42);
  }
}

/* The same in another order than that of the locks: whatever was deferred, its locks are taken one at a time. */
TEST_N(4, deferred_operations_need_no_order) /* R11 */
{
  int64_t value = 42;
  pair_t  pair  = pair_of(true);

  for (int round = 0; round < test_rounds(100); round++) {
    pair_t turned = { pair.second, pair.first };
    pair_t mine   = me == 0 ? pair : turned;

    if (me <= 1) {
      lock_both(&mine);
      EXPECT_OK(dart_put(mine.first, &value, 1, T_INT64, T_INT64));
      EXPECT_OK(dart_put(mine.second, &value, 1, T_INT64, T_INT64));
      unlock(mine.second);
      unlock(mine.first);
    }
  }
  expect_in_pair(&pair, 42, 42);
}

/* An operation that starts at once takes its lock after those that were accessed before: by a put that was deferred
 * before the second was locked, too. */
TEST_N(4, locks_are_taken_in_the_order_of_first_operations) /* R11 */
{
  int64_t value = 42;
  pair_t  pair  = pair_of(true);

  for (int flushes = 0; flushes < 2; flushes++) {
    if (me == 1) {
      lock_both(&pair);
      increment(pair.first);
    }
    test_barrier();
    if (me == 0) {
      lock(pair.first, DART_EPOCH_EXCLUSIVE);
      EXPECT_OK(dart_put(pair.first, &value, 1, T_INT64, T_INT64));
      lock(pair.second, DART_EPOCH_EXCLUSIVE);
      if (flushes) {
        EXPECT_OK(dart_put(pair.second, &value, 1, T_INT64, T_INT64));
        EXPECT_OK(dart_flush(pair.second));
      } else {
        increment(pair.second);
      }
    }
    if (me == 1) {
      nap_ms(20); /* unit 0 gets as far as it can */
      increment(pair.second);
    }
    if (me <= 1) {
      unlock(pair.first);
      unlock(pair.second);
    }
    expect_in_pair(&pair, 42, flushes ? 42 : 2);
  }
}
