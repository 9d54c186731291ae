/* Locks of dart/ext/dart_epoch.h: what they promise, and then what happens when it gets tight: gets that wait for their
 * lock, memory that ends meanwhile, and all units locked while others want theirs alone. Who comes when is
 * suite_epoch_turns.c's. */
#include <stdlib.h>
#include <string.h>

#include <dash/dart/ext/dart_epoch.h>
#include <dash/dart/ext/dart_near.h>
#include <dash/dart/ext/dart_order.h>
#include <dash/dart/ext/dart_wait_word.h>

#include "dart_test.h"
#include "epoch/epoch.h"
#include "epoch_memory.h"

SUITE(epoch_lock);

/* ---- what a lock is for -------------------------------------------------------------------------- */

/* What is read and then written under an exclusive lock nobody else changes in between. */
TEST(exclusive_locks_exclude) /* R9 */
{
  for (int kind = 0; kind < KINDS; kind++) {
    memory_t m      = memory_of(kind);
    int      rounds = test_rounds(200), target = n - 1;

    for (int round = 0; round < rounds; round++) {
      int64_t     got  = 0;
      dart_gptr_t word = test_unit(m.gptr, target);

      lock(word, DART_EPOCH_EXCLUSIVE);
      EXPECT_OK(dart_get_blocking(&got, word, 1, T_INT64, T_INT64));
      got++;
      EXPECT_OK(dart_put(word, &got, 1, T_INT64, T_INT64));
      EXPECT_OK(dart_epoch_unlock(word, 0));
    }
    test_barrier();
    if (me == target)
      EXPECT_EQ(m.mine[0], (int64_t)n * rounds);
    end_memory(&m, kind);
  }
}

/* A put that was deferred, behind an exclusive lock, does not keep others from a shared one when that is over. */
TEST_N(3, deferred_operations_hold_up_nobody) /* R10 */
{
  int64_t     zero = 0, value = 42, got = -1;
  dart_gptr_t data = test_alloc(&zero, 1, 0), word = test_unit(data, 2);

  if (me == 2)
    lock(word, DART_EPOCH_EXCLUSIVE);
  test_barrier();
  if (me == 0) {
    lock(word, DART_EPOCH_SHARED);
    EXPECT_OK(dart_put(word, &value, 1, T_INT64, T_INT64));
  }
  test_barrier();
  if (me == 2)
    EXPECT_OK(dart_epoch_unlock(word, 0));
  test_barrier();
  if (me == 1) {
    lock(word, DART_EPOCH_SHARED);
    EXPECT_OK(dart_get_blocking(&got, word, 1, T_INT64, T_INT64));
    EXPECT_EQ(got, 0);
    EXPECT_OK(dart_epoch_unlock(word, 0));
  }
  test_barrier();
  if (me == 0)
    EXPECT_OK(dart_epoch_unlock(word, 0));
  test_barrier();
  if (me == 2)
    EXPECT_EQ(*test_mine(data), 42);
  test_barrier();
}

/* Writers keep two words equal, under exclusive locks that travel with both puts; readers see them equal. */
TEST(operations_that_travel_with_their_lock_are_applied_together) /* R9 */
{
  int64_t     zeros[2] = { 0 }, mine[2], got[2];
  dart_gptr_t data     = test_alloc(zeros, 2, 0);
  int         wrong = 0, rounds = test_rounds(300);

  for (int round = 0; round < rounds; round++) {
    dart_gptr_t target = test_unit(data, round % n);

    mine[0] = mine[1] = value_of(me, round, 0);
    lock(target, DART_EPOCH_EXCLUSIVE);
    EXPECT_OK(dart_put(target, &mine[0], 1, T_INT64, T_INT64));
    EXPECT_OK(dart_put(test_at(target, 1), &mine[1], 1, T_INT64, T_INT64));
    EXPECT_OK(dart_epoch_unlock(target, 0));
    lock(target, DART_EPOCH_SHARED);
    EXPECT_OK(dart_get(got, target, 2, T_INT64, T_INT64));
    EXPECT_OK(dart_epoch_unlock(target, 0));
    wrong += got[0] != got[1];
  }
  EXPECT_EQ(wrong, 0);
  test_barrier();
}

TEST(puts_are_there_after_an_unlock) /* R10 */
{
  for (int kind = 0; kind < KINDS; kind++) {
    memory_t m      = memory_of(kind);
    int64_t *values = malloc(LARGE * sizeof *values);
    int      wrong  = 0;

    for (int round = 0; round < 18; round++) {
      size_t      length = lengths[round % LENGTHS];
      dart_gptr_t right  = test_unit(m.gptr, right_of(me));

      fill(values, length, round);
      lock(right, round % 2 ? DART_EPOCH_SHARED : DART_EPOCH_EXCLUSIVE);
      EXPECT_OK(dart_put(right, values, length, T_INT64, T_INT64));
      EXPECT_OK(dart_epoch_unlock(right, 0));
      memset(values, 0x5a, length * sizeof *values);
      test_barrier();
      wrong += wrong_in(m.mine, length, left_of(me), round);
      test_barrier();
    }
    EXPECT_EQ(wrong, 0);
    end_memory(&m, kind);
    free(values);
  }
}

/* Accumulates of all units under shared locks, of one unit after the other, and of all at once. */
TEST(shared_locks_and_lock_all) /* R11 */
{
  int64_t     zeros[3] = { 0 }, one = 1;
  dart_gptr_t data   = test_alloc(zeros, 3, 0);
  int         rounds = test_rounds(50);

  for (int round = 0; round < rounds; round++) {
    for (int unit = 0; unit < n; unit++) {
      dart_gptr_t target = test_unit(data, unit);

      lock(target, DART_EPOCH_SHARED);
      EXPECT_OK(dart_accumulate(target, &one, 1, T_INT64, DART_OP_SUM));
      EXPECT_OK(dart_epoch_unlock(target, 0));
    }
    EXPECT_OK(dart_epoch_lock_all(data, 0));
    for (int unit = 0; unit < n; unit++)
      EXPECT_OK(dart_accumulate(test_at(test_unit(data, unit), 1), &one, 1, T_INT64, DART_OP_SUM));
    EXPECT_OK(dart_epoch_unlock_all(data, 0));
  }
  test_barrier();
  EXPECT_EQ(test_mine(data)[0], (int64_t)n * rounds);
  EXPECT_EQ(test_mine(data)[1], (int64_t)n * rounds);
  EXPECT_EQ(test_mine(data)[2], 0);
  test_barrier();
}

/* Whether a word becomes at least `value` within 20 s, which a test on a busy machine may take. */
static bool becomes(dart_gptr_t word, int64_t value)
{
  int64_t got = -1;

  for (int ms = 0; ms < 20000; ms++) {
    EXPECT_OK(dart_get_blocking(&got, word, 1, T_INT64, T_INT64));
    if (got >= value)
      return true;
    nap_ms(1);
  }
  return false;
}

/* All units are inside at a time: by locks of one portion, by locks of all, and by some of both. */
TEST(shared_locks_are_held_together) /* R9, R11 */
{
  enum { ONE, ALL, BOTH, WAYS };
  int64_t     zero = 0, one = 1;
  dart_gptr_t data = test_unit(test_alloc(&zero, 1, 0), n - 1);

  for (int way = ONE; way < WAYS; way++) {
    bool all = way == BOTH ? me % 2 == 0 : way == ALL;

    EXPECT_OK(all ? dart_epoch_lock_all(data, 0) : dart_epoch_lock(data, DART_EPOCH_SHARED, 0));
    EXPECT_OK(dart_fetch_and_op(data, &one, &zero, T_INT64, DART_OP_SUM));
    EXPECT_OK(dart_flush(data));
    EXPECT_TRUE(becomes(data, (way + 1) * (int64_t)n));
    EXPECT_OK(all ? dart_epoch_unlock_all(data, 0) : dart_epoch_unlock(data, 0));
    test_barrier();
  }
}

/* An unlock that does not wait is complete at its target after a flush. */
TEST(lazy_unlocks)
{
  enum { LAZY = 200 };
  int64_t    *zeros = calloc(LAZY, sizeof *zeros), *values = malloc(LAZY * sizeof *values);
  dart_gptr_t data = test_alloc(zeros, LAZY, 0);

  fill(values, LAZY, 5);
  for (size_t i = 0; i < LAZY; i++) {
    dart_gptr_t at = test_at(test_unit(data, right_of(me)), i);

    lock(at, i % 3 ? DART_EPOCH_SHARED : DART_EPOCH_EXCLUSIVE);
    EXPECT_OK(dart_put(at, &values[i], 1, T_INT64, T_INT64));
    EXPECT_OK(dart_epoch_unlock(at, DART_EPOCH_LAZY));
    values[i] = -1;
  }
  EXPECT_OK(dart_flush(test_unit(data, right_of(me))));
  test_barrier();
  EXPECT_EQ(wrong_in(test_mine(data), LAZY, left_of(me), 5), 0);
  test_barrier();
  free(zeros);
  free(values);
}

/* Whatever an unlock that does not wait has not sent with its lock, a flush of other memory completes as well. */
TEST(lazy_unlocks_of_much)
{
  int64_t    *zeros = calloc(LARGE, sizeof *zeros), *values = malloc(LARGE * sizeof *values);
  int64_t     zero = 0;
  dart_gptr_t data = test_alloc(zeros, LARGE, 0), other = test_alloc(&zero, 1, 0);
  dart_gptr_t to = test_unit(data, right_of(me));

  fill(values, LARGE, 5);
  lock(to, DART_EPOCH_EXCLUSIVE);
  EXPECT_OK(dart_put(to, values, LARGE, T_INT64, T_INT64));
  EXPECT_OK(dart_epoch_unlock(to, DART_EPOCH_LAZY));
  fill(values, LARGE, 6); /* it is complete locally */
  EXPECT_OK(dart_flush(test_unit(other, left_of(me))));
  test_barrier();
  EXPECT_EQ(wrong_in(test_mine(data), LARGE, left_of(me), 5), 0);
  test_barrier();
  free(zeros);
  free(values);
}

/* The same of those that have not taken their lock, of one unit and of all. */
TEST(lazy_unlocks_without_check)
{
  enum { LAZY = 100 };
  int64_t    *zeros = calloc(LARGE, sizeof *zeros), *values = malloc(LARGE * sizeof *values);
  int64_t     zero = 0, got;
  dart_gptr_t data = test_alloc(zeros, LARGE, 0), other = test_alloc(&zero, 1, 0);
  dart_gptr_t to = test_unit(data, right_of(me));

  fill(values, LARGE, 6);
  for (size_t i = 0; i < LAZY; i++) {
    EXPECT_OK(dart_epoch_lock(to, DART_EPOCH_EXCLUSIVE, DART_EPOCH_NOCHECK));
    EXPECT_OK(dart_put(test_at(to, i), &values[i], 1, T_INT64, T_INT64));
    got = -1;
    EXPECT_OK(dart_get(&got, test_at(to, i), 1, T_INT64, T_INT64));
    EXPECT_OK(dart_epoch_unlock(to, DART_EPOCH_LAZY));
    EXPECT_EQ(got, values[i]);
    values[i] = -1;
  }
  test_barrier(); /* this unit's portion is locked, too */
  EXPECT_OK(dart_epoch_lock_all(data, DART_EPOCH_NOCHECK));
  EXPECT_OK(dart_put(test_at(to, LAZY), &values[LAZY], LARGE - LAZY, T_INT64, T_INT64));
  EXPECT_OK(dart_epoch_unlock_all(data, DART_EPOCH_LAZY));
  memset(values, 0x5a, LARGE * sizeof *values);
  EXPECT_OK(dart_flush(test_unit(other, left_of(me))));
  test_barrier();
  EXPECT_EQ(wrong_in(test_mine(data), LARGE, left_of(me), 6), 0);
  test_barrier();
  free(zeros);
  free(values);
}

/* The memory of the target is no more: that is said by the next flush, which does not wait for a report for ever. */
TEST(lazy_unlocks_of_what_is_gone)
{
  int64_t    *block = calloc(LARGE, sizeof *block), one = 1, zero = 0;
  dart_gptr_t gptr, cell = test_alloc(&zero, 1, 0);
  bool        is_far = dart_near_ptr(test_unit(cell, right_of(me))) == NULL;

  EXPECT_OK(dart_team_memregister(DART_TEAM_ALL, LARGE, T_INT64, block, &gptr));
  test_barrier();
  if (me % 2 != 0 || n == 1)
    EXPECT_OK(dart_team_memderegister(gptr));
  test_barrier();
  if (n > 1 && me % 2 == 0) {
    dart_gptr_t to = test_unit(gptr, right_of(me));

    if (is_far && right_of(me) % 2 != 0) {
      for (int checked = 0; checked < 2; checked++) {
        EXPECT_OK(dart_epoch_lock(to, DART_EPOCH_SHARED, checked ? 0 : DART_EPOCH_NOCHECK));
        EXPECT_OK(dart_put(to, &one, 1, T_INT64, T_INT64));
        EXPECT_OK(dart_epoch_unlock(to, DART_EPOCH_LAZY));
        EXPECT_RET(dart_flush(to), DART_ERR_INVAL);
      }
    }
    EXPECT_OK(dart_team_memderegister(gptr));
  }
  test_barrier();
  free(block);
}

/* This unit's portion is locked when the call returns: plain accesses are safe then. */
TEST(plain_accesses_under_the_own_lock) /* R12 */
{
  int64_t     zero = 0, one = 1, got;
  dart_gptr_t data   = test_alloc(&zero, 1, 0);
  int         rounds = test_rounds(100);

  for (int round = 0; round < rounds; round++) {
    dart_gptr_t mine = test_unit(data, me), other = test_unit(data, right_of(me));

    lock(mine, DART_EPOCH_EXCLUSIVE);
    ++*(volatile int64_t *)test_mine(data);
    EXPECT_OK(dart_epoch_unlock(mine, 0));
    lock(other, DART_EPOCH_EXCLUSIVE);
    EXPECT_OK(dart_get_blocking(&got, other, 1, T_INT64, T_INT64));
    got += one;
    EXPECT_OK(dart_put(other, &got, 1, T_INT64, T_INT64));
    EXPECT_OK(dart_epoch_unlock(other, 0));
  }
  test_barrier();
  EXPECT_EQ(*test_mine(data), 2 * rounds);
  test_barrier();
}

/* A lock that nobody else wants needs no request. */
TEST(locks_without_check) /* R14 */
{
  int64_t     zero = 0, value = value_of(me, 9, 0);
  dart_gptr_t data = test_alloc(&zero, 1, 0), right = test_unit(data, right_of(me));

  EXPECT_OK(dart_epoch_lock(right, DART_EPOCH_EXCLUSIVE, DART_EPOCH_NOCHECK));
  EXPECT_OK(dart_put(right, &value, 1, T_INT64, T_INT64));
  EXPECT_OK(dart_epoch_unlock(right, 0));
  test_barrier();
  EXPECT_EQ(*test_mine(data), value_of(left_of(me), 9, 0));
  test_barrier();
  EXPECT_OK(dart_epoch_lock_all(data, DART_EPOCH_NOCHECK));
  EXPECT_OK(dart_put(right, &zero, 1, T_INT64, T_INT64));
  EXPECT_OK(dart_epoch_unlock_all(data, 0));
  test_barrier();
  EXPECT_EQ(*test_mine(data), 0);
  test_barrier();
}

TEST(many_operations_under_a_lock)
{
  int64_t    *zeros = calloc(MANY, sizeof *zeros), *values = malloc(MANY * sizeof *values);
  dart_gptr_t data = test_alloc(zeros, MANY, 0), right = test_unit(data, right_of(me));

  fill(values, MANY, 4);
  lock(right, DART_EPOCH_EXCLUSIVE);
  for (size_t i = 0; i < MANY; i++)
    EXPECT_OK(dart_put(test_at(right, i), &values[i], 1, T_INT64, T_INT64));
  EXPECT_OK(dart_epoch_unlock(right, 0));
  test_barrier();
  EXPECT_EQ(wrong_in(test_mine(data), MANY, left_of(me), 4), 0);
  test_barrier();
  free(zeros);
  free(values);
}

/* ---- gets that travel with their request ----------------------------------------------------- */

enum { BYTES = 3000 };

/* Some bytes at a time, so that some gets travel, and others are too long for it. */
static const size_t sizes[] = { 1, 7, 8, 100, 1024, 1025, 2000 };
enum { SIZES = sizeof sizes / sizeof *sizes };

static int wrong_bytes(const unsigned char *got, int round, size_t first, size_t nbytes)
{
  int wrong = 0;

  for (size_t i = 0; i < nbytes; i++)
    wrong += got[i] != test_pattern(0, round, first + i);
  return wrong;
}

/* Read in two pieces, with a put and an accumulate elsewhere in the same epoch. */
static int read_under_lock(dart_gptr_t data, dart_gptr_t own, int round, size_t nbytes)
{
  unsigned char first[BYTES], second[3];
  int64_t       value = me + round, one = 1;

  memset(first, 0x5a, sizeof first);
  lock(data, round % 2 ? DART_EPOCH_SHARED : DART_EPOCH_EXCLUSIVE);
  EXPECT_OK(dart_get(first, data, nbytes, DART_TYPE_BYTE, DART_TYPE_BYTE));
  EXPECT_OK(dart_put(own, &value, 1, T_INT64, T_INT64));
  EXPECT_OK(dart_get(second, test_byte(data, BYTES - 3), 3, DART_TYPE_BYTE, DART_TYPE_BYTE));
  EXPECT_OK(dart_accumulate(test_at(own, 1), &one, 1, T_INT64, DART_OP_SUM));
  unlock(data);
  return wrong_bytes(first, round, 0, nbytes) + wrong_bytes(second, round, BYTES - 3, 3) +
         (nbytes < BYTES && first[nbytes] != 0x5a);
}

/* Unit 0 holds the lock when the others ask for it, and writes what they are going to read. */
TEST(gets_wait_for_their_lock)
{
  int         target = n - 1, wrong = 0;
  dart_gptr_t data  = test_unit(test_segment(DART_TEAM_ALL, BYTES + 8 + (size_t)n * 16, 0), target);
  dart_gptr_t words = test_byte(data, (BYTES + 7) / 8 * 8);

  for (int round = 0; round < 2 * SIZES; round++) {
    unsigned char values[BYTES];

    if (me == 0) {
      test_fill(values, 0, round, BYTES);
      lock(data, DART_EPOCH_EXCLUSIVE);
      EXPECT_OK(dart_put_blocking(data, values, BYTES / 2, DART_TYPE_BYTE, DART_TYPE_BYTE));
      test_barrier();
      nap_ms(5);
      EXPECT_OK(dart_put(test_byte(data, BYTES / 2), values + BYTES / 2, BYTES - BYTES / 2,
                         DART_TYPE_BYTE, DART_TYPE_BYTE));
      unlock(data);
    } else {
      test_barrier();
      wrong += read_under_lock(data, test_at(words, 2 * (size_t)me), round, sizes[round / 2]);
    }
    test_barrier();
  }
  EXPECT_EQ(wrong, 0);
  if (me == target && me > 0)
    for (int unit = 1; unit < n; unit++) {
      int64_t *pair = test_mine(data) + (BYTES + 7) / 8 + 2 * unit;

      EXPECT_EQ(pair[0], unit + 2 * SIZES - 1);
      EXPECT_EQ(pair[1], 2 * SIZES);
    }
  test_barrier();
}

/* Nobody holds it. */
TEST(gets_of_a_free_lock)
{
  unsigned char values[BYTES];
  int           wrong = 0, right = (me + 1) % n;
  dart_gptr_t   data  = test_unit(test_segment(DART_TEAM_ALL, BYTES + 24, 0), right);
  dart_gptr_t   words = test_byte(data, (BYTES + 7) / 8 * 8);

  test_fill(values, 0, 1, BYTES);
  memcpy(test_mine(data), values, BYTES);
  test_barrier();
  for (int i = 0; i < SIZES; i++)
    wrong += read_under_lock(data, words, 1, sizes[i]);
  EXPECT_EQ(wrong, 0);
  test_barrier();
  EXPECT_EQ(test_mine(data)[(BYTES + 7) / 8 + 1], SIZES);
  test_barrier();
}

/* A lazy unlock of gets brings what they read, for that is local completion. */
TEST(gets_of_a_lazy_unlock)
{
  int64_t     mine = 100 + me, got = -1, value = me;
  dart_gptr_t data = test_alloc((int64_t[2]){ mine, 0 }, 2, (me + 1) % n);

  for (int round = 0; round < 20; round++) {
    got = -1;
    lock(data, DART_EPOCH_EXCLUSIVE);
    EXPECT_OK(dart_put(test_at(data, 1), &value, 1, T_INT64, T_INT64));
    EXPECT_OK(dart_get(&got, data, 1, T_INT64, T_INT64));
    EXPECT_OK(dart_epoch_unlock(data, DART_EPOCH_LAZY));
    EXPECT_EQ(got, 100 + (me + 1) % n);
  }
  EXPECT_OK(dart_flush(data));
  test_barrier();
  EXPECT_EQ(test_mine(data)[1], (me + n - 1) % n);
  test_barrier();
}

/* Two units of different nodes hold their own locks, and each leaves many lazy unlocks to wait at the other: as many as
 * it likes, for they could not take effect before it goes on. */
TEST(lazy_unlocks_with_a_lock_held)
{
  enum { LAZY = 100 };
  int64_t     zeros[LAZY] = { 0 }, values[LAZY];
  dart_gptr_t data        = test_alloc(zeros, LAZY, 0);
  int         partner = (me + n / 2) % n, wrong = 0;
  bool        goes = n % 2 == 0 && dart_near_ptr(test_unit(data, partner)) == NULL;

  if (goes)
    lock(test_unit(data, me), DART_EPOCH_EXCLUSIVE);
  test_barrier();
  for (size_t i = 0; goes && i < LAZY; i++) {
    dart_gptr_t to = test_at(test_unit(data, partner), i);

    values[i] = me * INT64_C(1000) + (int64_t)i;
    lock(to, DART_EPOCH_EXCLUSIVE);
    EXPECT_OK(dart_put(to, &values[i], 1, T_INT64, T_INT64));
    EXPECT_OK(dart_epoch_unlock(to, DART_EPOCH_LAZY));
  }
  if (goes)
    unlock(test_unit(data, me));
  EXPECT_OK(dart_flush(data));
  test_barrier();
  for (int i = 0; goes && i < LAZY; i++)
    wrong += test_mine(data)[i] != partner * 1000 + i;
  EXPECT_EQ(wrong, 0);
  test_barrier();
}

/* The last unit has its portion locked, so the first one's put waits there with the lock that it asked for: a flag in
 * another segment, put after dart_order, is not seen before it. */
TEST_N(2, order_is_after_lazy_unlocks)
{
  const int64_t value = 42, one = 1;
  int64_t       zero = 0;
  dart_gptr_t   data = test_alloc(&zero, 1, n - 1), flag = test_alloc(&zero, 1, n - 1);

  if (me == n - 1)
    lock(data, DART_EPOCH_EXCLUSIVE);
  test_barrier();
  if (me == 0) {
    lock(data, DART_EPOCH_EXCLUSIVE);
    EXPECT_OK(dart_put(data, &value, 1, T_INT64, T_INT64));
    EXPECT_OK(dart_epoch_unlock(data, DART_EPOCH_LAZY));
    EXPECT_OK(dart_order(flag));
    EXPECT_OK(dart_put(flag, &one, 1, T_INT64, T_INT64));
    EXPECT_OK(dart_flush(flag));
  }
  if (me == n - 1) {
    EXPECT_RET(dart_wait_word(flag, T_INT64, DART_WAIT_EQ, &one, 20000), DART_PENDING);
    unlock(data);
    EXPECT_OK(dart_wait_word(flag, T_INT64, DART_WAIT_EQ, &one, -1));
    EXPECT_EQ(test_mine(data)[0], value);
  }
  test_barrier();
}

/* The lock is held when the unlock comes: it does not wait either, and whoever locks the portion next sees what was
 * written, though nobody flushes. */
TEST(lazy_unlocks_of_held_locks)
{
  int64_t     zeros[2] = { 0 }, got[2], next;
  int         rounds   = test_rounds(100);
  dart_gptr_t data     = test_alloc(zeros, 2, n - 1);

  for (int round = 0; round < rounds; round++) {
    lock(data, DART_EPOCH_EXCLUSIVE);
    EXPECT_OK(dart_get_blocking(got, data, 2, T_INT64, T_INT64));
    EXPECT_EQ(got[0], got[1]);
    next = got[0] + 1;
    EXPECT_OK(dart_put(data, &next, 1, T_INT64, T_INT64));
    EXPECT_OK(dart_put(test_at(data, 1), &next, 1, T_INT64, T_INT64));
    EXPECT_OK(dart_epoch_unlock(data, DART_EPOCH_LAZY));
    next = -1; /* complete locally */
  }
  EXPECT_OK(dart_flush(test_unit(data, me)));
  test_barrier();
  if (me == n - 1)
    EXPECT_EQ(test_mine(data)[0], (int64_t)n * rounds);
  test_barrier();
}

/* ---- memory that ends ------------------------------------------------------------------------- */

/* A request that waits, of each kind that there is: operations that travel, some that do not, and a lazy unlock,
 * which waits for a near lock. */
static void ask_for_what_ends(dart_gptr_t to, int kind, bool is_far)
{
  int64_t value = me, got = 0;

  lock(to, DART_EPOCH_EXCLUSIVE);
  if (kind == 0) {
    EXPECT_RET(dart_get_blocking(&got, to, 1, T_INT64, T_INT64), DART_ERR_INVAL);
    unlock(to);
    return;
  }
  EXPECT_OK(dart_put(to, &value, 1, T_INT64, T_INT64));
  if (kind == 1 || !is_far) {
    EXPECT_RET(dart_epoch_unlock(to, kind == 1 ? 0 : DART_EPOCH_LAZY), DART_ERR_INVAL);
    return;
  }
  EXPECT_OK(dart_epoch_unlock(to, DART_EPOCH_LAZY));
  EXPECT_RET(dart_flush(to), DART_ERR_INVAL);
}

/* The target deregisters its memory while others wait for its lock: they are told, once. */
TEST(requests_that_wait_for_what_ends)
{
  int64_t    *block = calloc(8, sizeof *block), zero = 0, value;
  dart_gptr_t gptr, cell                             = test_alloc(&zero, 1, 0);
  int         last = n - 1;

  EXPECT_OK(dart_team_memregister(DART_TEAM_ALL, 8, T_INT64, block, &gptr));
  if (me == last) {
    const dart__team_t *team = dart__teams[DART_TEAM_ALL];
    dart__rwlock_t     *queue =
        &dart__epoch_shared(team, dart__segment_find(team, gptr.segid), me)->lock;

    lock(test_unit(gptr, me), DART_EPOCH_EXCLUSIVE);
    test_barrier();
    while (atomic_load(&queue->next) < (uint32_t)n)
      EXPECT_OK(dart_get_blocking(&value, cell, 1, T_INT64, T_INT64)); /* serves */
    EXPECT_OK(dart_team_memderegister(gptr));
  } else {
    test_barrier();
    ask_for_what_ends(test_unit(gptr, last), me % 3, dart_near_ptr(test_unit(cell, last)) == NULL);
    EXPECT_OK(dart_flush(test_unit(cell, last)));
    EXPECT_OK(dart_team_memderegister(gptr));
  }
  test_barrier();
  free(block);
}

/* Nobody waits for the lock of memory that is gone: that is said by the first operation, once. */
TEST_N(2, what_is_gone_is_reported_once)
{
  int64_t     block = 0, zero = 0, got;
  dart_gptr_t gptr, cell      = test_unit(test_alloc(&zero, 1, 0), 1);

  EXPECT_OK(dart_team_memregister(DART_TEAM_ALL, 1, T_INT64, &block, &gptr));
  test_barrier();
  if (me == 1)
    EXPECT_OK(dart_team_memderegister(gptr));
  test_barrier();
  if (me == 0) {
    lock(test_unit(gptr, 1), DART_EPOCH_SHARED);
    EXPECT_RET(dart_get_blocking(&got, test_unit(gptr, 1), 1, T_INT64, T_INT64), DART_ERR_INVAL);
    unlock(test_unit(gptr, 1));
    EXPECT_OK(dart_flush(cell));
    lock(test_unit(gptr, 1), DART_EPOCH_SHARED);
    EXPECT_OK(dart_put(test_unit(gptr, 1), &zero, 1, T_INT64, T_INT64));
    EXPECT_RET(dart_flush(test_unit(gptr, 1)), DART_ERR_INVAL);
    unlock(test_unit(gptr, 1));
    EXPECT_OK(dart_flush(cell));
  }
  if (me != 1)
    EXPECT_OK(dart_team_memderegister(gptr));
  test_barrier();
}

/* Unit 0 holds the lock of memory that its owner deregisters, and leaves it when the owner has other blocks of its pool
 * where the lock may have been: these stay as they are, and memory that is registered next has its locks. */
TEST_N(2, locks_are_left_after_their_memory_is_gone)
{
  enum { BLOCKS = 16, BYTES_EACH = 256 };
  int64_t        block = 0, got = -1, value = 42;
  int            wrong = 0;
  dart_gptr_t    gptr, blocks[BLOCKS];
  unsigned char *at;

  for (int round = 0; round < 3; round++) {
    EXPECT_OK(dart_team_memregister(DART_TEAM_ALL, 1, T_INT64, &block, &gptr));
    if (me == 0) {
      lock(test_unit(gptr, 1), DART_EPOCH_EXCLUSIVE);
      EXPECT_OK(dart_get_blocking(&got, test_unit(gptr, 1), 1, T_INT64, T_INT64));
    }
    test_barrier();
    if (me == 1) {
      EXPECT_OK(dart_team_memderegister(gptr));
      for (int i = 0; i < BLOCKS; i++) {
        EXPECT_OK(dart_memalloc(BYTES_EACH, DART_TYPE_BYTE, &blocks[i]));
        EXPECT_OK(dart_gptr_getaddr(blocks[i], (void **)&at));
        memset(at, 0x5a, BYTES_EACH);
      }
    }
    test_barrier();
    if (me == 0)
      dart_epoch_unlock(test_unit(gptr, 1), 0); /* a far one may be told that it is gone */
    if (me != 1)
      EXPECT_OK(dart_team_memderegister(gptr));
    test_barrier();
    for (int i = 0; me == 1 && i < BLOCKS; i++) {
      EXPECT_OK(dart_gptr_getaddr(blocks[i], (void **)&at));
      for (int b = 0; b < BYTES_EACH; b++)
        wrong += at[b] != 0x5a;
      EXPECT_OK(dart_memfree(blocks[i]));
    }
    EXPECT_EQ(wrong, 0);
  }
  EXPECT_OK(dart_team_memregister(DART_TEAM_ALL, 1, T_INT64, &block, &gptr));
  lock(test_unit(gptr, 1), DART_EPOCH_EXCLUSIVE);
  EXPECT_OK(dart_put(test_unit(gptr, 1), &value, 1, T_INT64, T_INT64));
  unlock(test_unit(gptr, 1));
  test_barrier();
  EXPECT_EQ(block, me == 1 ? 42 : 0);
  EXPECT_OK(dart_team_memderegister(gptr));
  test_barrier();
}

/* ---- all units ------------------------------------------------------------------------------- */

/* Units that lock all portions, and each hold their own, wait for others that lock one portion alone after the
 * other, and these for them: all come through. `nelem` elements come from each unit. */
static void lock_all_among_exclusive(size_t nelem)
{
  enum { MOST = 2000 };
  int         rounds = test_rounds(40);
  int64_t    *values = calloc(2 * MOST, sizeof *values), one = 1;
  dart_gptr_t data = test_alloc(values, 2 * MOST, 0);

  for (int round = 0; round < rounds; round++) {
    if (me % 2 == 0) {
      EXPECT_OK(dart_epoch_lock_all(data, 0));
      test_mine(data)[2 * MOST - 1]++; /* under its own lock */
      for (int i = 0; i < n; i++) {
        dart_gptr_t to = test_unit(data, (me + i) % n);

        EXPECT_OK(dart_accumulate(to, &one, 1, T_INT64, DART_OP_SUM));
        EXPECT_OK(dart_get(values, test_at(to, MOST), nelem, T_INT64, T_INT64));
      }
      EXPECT_OK(dart_epoch_unlock_all(data, 0));
      continue;
    }
    for (int unit = 0; unit < n; unit++) {
      dart_gptr_t to = test_unit(data, unit);

      lock(to, DART_EPOCH_EXCLUSIVE);
      EXPECT_OK(dart_accumulate(to, &one, 1, T_INT64, DART_OP_SUM));
      unlock(to);
    }
  }
  test_barrier();
  EXPECT_EQ(test_mine(data)[0], (int64_t)n * rounds);
  EXPECT_EQ(test_mine(data)[2 * MOST - 1], me % 2 == 0 ? rounds : 0);
  test_barrier();
  free(values);
}

TEST(lock_all_among_exclusive_locks)
{
  lock_all_among_exclusive(1);
}

TEST(lock_all_among_exclusive_locks_with_long_gets)
{
  lock_all_among_exclusive(1500);
}

static void put_many(dart_gptr_t to, const int64_t *values, size_t nelem)
{
  for (size_t i = 0; i < nelem; i++)
    EXPECT_OK(dart_put(test_at(to, i), &values[i], 1, T_INT64, T_INT64));
}

/* Units 0 and 2 access much of two portions each, whose units want them alone meanwhile: the second is not waited for
 * while the first is held, however much that is. */
TEST_N(4, lock_all_with_many_operations_among_exclusive_locks)
{
  enum { MANY = 300 };
  int64_t     values[MANY], zeros[2 * MANY] = { 0 };
  dart_gptr_t data = test_alloc(zeros, 2 * MANY, 0);

  for (int i = 0; i < MANY; i++)
    values[i] = me * INT64_C(1000) + i;
  for (int round = 0; round < 3; round++) {
    if (me == 0 || me == 2) {
      dart_gptr_t mine = test_at(data, me == 0 ? 0 : MANY);

      EXPECT_OK(dart_epoch_lock_all(data, 0));
      put_many(test_unit(mine, me + 1), values, MANY);
      test_barrier();
      nap_ms(5); /* for the requests of the others */
      put_many(test_unit(mine, (me + 3) % 4), values, MANY);
      EXPECT_OK(dart_epoch_unlock_all(data, 0));
    } else {
      test_barrier();
      if (me < 4) {
        lock(test_unit(data, me), DART_EPOCH_EXCLUSIVE);
        unlock(test_unit(data, me));
      }
    }
    test_barrier();
  }
  if (me == 1 || me == 3)
    for (int i = 0; i < 2 * MANY; i++)
      EXPECT_EQ(test_mine(data)[i], i / MANY * 2000 + i % MANY);
  test_barrier();
}

/* Nobody writes between two accesses of an epoch of all units, once its first has locked the target. */
TEST(lock_all_excludes_exclusive_locks)
{
  int         rounds = test_rounds(60), wrong = 0;
  dart_gptr_t data = test_alloc((int64_t[2]){ 0 }, 2, 0);

  for (int round = 0; round < rounds; round++) {
    dart_gptr_t to    = test_unit(data, round % n);
    int64_t     first = -1, second = -1, value = me * INT64_C(1000) + round;

    if ((me + round) % 2 == 0) {
      EXPECT_OK(dart_epoch_lock_all(data, 0));
      EXPECT_OK(dart_get_blocking(&first, to, 1, T_INT64, T_INT64));
      EXPECT_OK(dart_get_blocking(&second, test_at(to, 1), 1, T_INT64, T_INT64));
      EXPECT_OK(dart_epoch_unlock_all(data, 0));
      wrong += first != second;
    } else {
      lock(to, DART_EPOCH_EXCLUSIVE);
      EXPECT_OK(dart_put_blocking(to, &value, 1, T_INT64, T_INT64));
      EXPECT_OK(dart_put(test_at(to, 1), &value, 1, T_INT64, T_INT64));
      unlock(to);
    }
    test_barrier(); /* holders of two portions at a time would need an order */
  }
  EXPECT_EQ(wrong, 0);
  test_barrier();
}
