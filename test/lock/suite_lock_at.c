/* dart/ext/dart_lock_at.h: one holder at a time, wherever the word lies, and nobody left waiting. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <dash/dart/ext/dart_lock_at.h>
#include <dash/dart/ext/dart_near.h>

#include "dart_test.h"
#include "late_waiters.h"
#include "model/world.h"
#include "wait/mutex.h"

SUITE(lock_at);

enum { LOCKS = 5 };

static int64_t zeros[2 * LOCKS];

static void nap_ms(long ms)
{
  nanosleep(&(struct timespec){ ms / 1000, ms % 1000 * 1000000 }, NULL);
}

static void acquire(dart_gptr_t lock, bool try)
{
  int32_t mine = 0;

  if (!try)
    EXPECT_OK(dart_lock_at_acquire(lock));
  while (try && mine != 1) {
    mine = -1;
    if (!EXPECT_OK(dart_lock_at_try_acquire(lock, &mine)) || !EXPECT_TRUE(mine == 0 || mine == 1))
      return;
    test_pause();
  }
}

static void add_one(dart_gptr_t counter)
{
  int64_t value;

  EXPECT_OK(dart_get_blocking(&value, counter, 1, T_INT64, T_INT64));
  value++;
  EXPECT_OK(dart_put_blocking(counter, &value, 1, T_INT64, T_INT64));
}

/* All units count at the same time, under a lock, at `counter`; both were zero. */
static void count_under(dart_gptr_t lock, dart_gptr_t counter, int rounds, bool try)
{
  int64_t value, before;

  EXPECT_OK(dart_get_blocking(&before, counter, 1, T_INT64, T_INT64));
  EXPECT_OK(dart_barrier(DART_TEAM_ALL));
  for (int i = 0; i < rounds; i++) {
    acquire(lock, try);
    add_one(counter);
    EXPECT_OK(dart_lock_at_release(lock));
  }
  EXPECT_OK(dart_flush(lock));
  EXPECT_OK(dart_barrier(DART_TEAM_ALL));
  EXPECT_OK(dart_get_blocking(&value, counter, 1, T_INT64, T_INT64));
  EXPECT_EQ(value - before, rounds * n);
  EXPECT_OK(dart_barrier(DART_TEAM_ALL));
}

TEST(counting_is_exact_at_the_lock_of_every_unit)
{
  dart_gptr_t start = test_alloc(zeros, 2, 0);

  for (int unit = 0; unit < n; unit++) {
    test_note("lock of unit %d", unit);
    count_under(test_unit(start, unit), test_at(test_unit(start, (unit + 1) % n), 1),
                test_rounds(100), false);
    count_under(test_unit(start, unit), test_at(test_unit(start, unit), 1), test_rounds(30), true);
  }
}

/* Units that wait have waited for long, and become late; holders are near and far. */
TEST(waiters_are_served_however_long_it_takes)
{
  dart_gptr_t lock = test_alloc(zeros, 2, n - 1), counter = test_at(lock, 1);
  int64_t     value;

  for (int i = 0; i < 3; i++) {
    EXPECT_OK(dart_lock_at_acquire(lock));
    add_one(counter);
    nap_ms(me % 2 == 0 ? 15 : 1);
    EXPECT_OK(dart_lock_at_release(lock));
  }
  EXPECT_OK(dart_flush(lock));
  EXPECT_OK(dart_barrier(DART_TEAM_ALL));
  EXPECT_OK(dart_get_blocking(&value, counter, 1, T_INT64, T_INT64));
  EXPECT_EQ(value, 3 * n);
  EXPECT_OK(dart_barrier(DART_TEAM_ALL));
}

/* The first unit but 0 for which `near`, whether unit 0 is near, is `wanted`. -1: none. */
static int first_where(const bool near[], bool wanted)
{
  int unit = 1;

  while (unit < n && near[unit] != wanted)
    unit++;
  return unit < n ? unit : -1;
}

static bool is_within_s(_Atomic int64_t *flag, int64_t seconds)
{
  int64_t since = test_now_ns();

  while (*flag == 0 && test_now_ns() - since < seconds * 1000000000)
    nap_ms(1);
  return *flag != 0;
}

/* Unit 0 has the lock, and computes until a near unit has released and acquired it again. A far one, if there is any,
 * has waited for it for long before. */
TEST(a_free_lock_is_had_by_near_units_while_its_unit_computes)
{
  dart_gptr_t      start = test_alloc(zeros, 3, 0);
  _Atomic int64_t *words = dart_near_ptr(start);
  bool             near[n], is_near = words != NULL;
  int              holder, waiter;
  int32_t          mine;

  EXPECT_OK(dart_allgather(&is_near, near, sizeof is_near, DART_TYPE_BYTE, DART_TEAM_ALL));
  holder = first_where(near, true);
  waiter = first_where(near, false);
  if (me == holder)
    EXPECT_OK(dart_lock_at_acquire(start));
  test_barrier();
  if (me == 0 && holder > 0) {
    for (int64_t since = test_now_ns(); test_now_ns() - since < 30000000; test_pause()) {
      EXPECT_OK(dart_lock_at_try_acquire(start, &mine));
      EXPECT_EQ(mine, 0);
    }
    words[1] = 1;
    EXPECT_TRUE(is_within_s(&words[2], 10));
  } else if (me == holder) {
    EXPECT_TRUE(is_within_s(&words[1], 10));
    EXPECT_OK(dart_lock_at_release(start));
    nap_ms(2);
    acquire(start, true);
    EXPECT_OK(dart_lock_at_release(start));
    words[2] = 1;
  } else if (me == waiter) {
    EXPECT_OK(dart_lock_at_acquire(start));
    EXPECT_OK(dart_lock_at_release(start));
    EXPECT_OK(dart_flush(start));
  }
  test_barrier();
}

/* A near unit acquires the lock of unit 0 again and again. A far one that has a ticket is passed by it a few times at
 * most. Returns how often it was, at the near unit. */
static int passes_of(dart_gptr_t lock, _Atomic int64_t *has_been_held)
{
  dart__mutex_t *mutex  = dart_near_ptr(lock);
  int            passes = 0;

  for (int ms = 0; ms < 20000 && test_nlate(mutex) == 0; ms++)
    nap_ms(1);
  EXPECT_TRUE(test_nlate(mutex) > 0);
  for (bool is_over = false; !is_over; passes += !is_over) {
    EXPECT_OK(dart_lock_at_release(lock));
    EXPECT_OK(dart_lock_at_acquire(lock));
    is_over = *has_been_held != 0 || passes > 100;
  }
  return passes;
}

TEST_N(3, who_has_waited_for_long_has_its_place)
{
  dart_gptr_t      start = test_alloc(zeros, 2, 0);
  _Atomic int64_t *words = dart_near_ptr(start);
  bool             near[n], is_near = words != NULL, has_agent = dart__world.has_agent;
  int64_t          one = 1;
  int              holder, waiter;

  EXPECT_OK(dart_allgather(&is_near, near, sizeof is_near, DART_TYPE_BYTE, DART_TEAM_ALL));
  EXPECT_OK(dart_bcast(&has_agent, sizeof has_agent, DART_TYPE_BYTE, DART_TEAM_UNIT_ID(0),
                       DART_TEAM_ALL));
  holder = first_where(near, true);
  waiter = first_where(near, false);
  if (me == holder)
    EXPECT_OK(dart_lock_at_acquire(start));
  test_barrier();
  if (me == waiter) {
    EXPECT_OK(dart_lock_at_acquire(start));
    EXPECT_OK(dart_put_blocking(test_at(start, 1), &one, 1, T_INT64, T_INT64));
    EXPECT_OK(dart_lock_at_release(start));
    EXPECT_OK(dart_flush(start));
  } else if (me == holder) {
    if (waiter > 0 && has_agent)
      EXPECT_TRUE(passes_of(start, &words[1]) <= (int)DART__MUTEX_MOST_PASSES);
    EXPECT_OK(dart_lock_at_release(start));
  }
  test_barrier();
}

/* Several at a time, of different units, in ascending order, by the units that are concerned alone. */
TEST(many_locks_are_held_at_a_time)
{
  int64_t      *nothing = calloc(2 * (size_t)n, sizeof *nothing);
  dart_gptr_t   start   = test_alloc(nothing, 2 * (size_t)n, 0);
  test_random_t random  = { (uint64_t)me + 5 };
  int64_t       taken = 0, all = 0, sum = 0, value;

  for (int round = 0; round < test_rounds(40); round++) {
    int first = (int)(test_random(&random) % (uint64_t)n), second = first + 1;

    acquire(test_unit(start, first), round % 2 == 0);
    if (second < n)
      acquire(test_unit(start, second), false);
    for (int unit = first; unit < n && unit <= second; unit++) {
      add_one(test_at(test_unit(start, unit), (size_t)n));
      taken++;
    }
    if (second < n)
      EXPECT_OK(dart_lock_at_release(test_unit(start, second)));
    EXPECT_OK(dart_lock_at_release(test_unit(start, first)));
  }
  EXPECT_OK(dart_flush_all(start));
  EXPECT_OK(dart_allreduce(&taken, &all, 1, T_INT64, DART_OP_SUM, DART_TEAM_ALL));
  for (int unit = 0; unit < n; unit++) {
    EXPECT_OK(
        dart_get_blocking(&value, test_at(test_unit(start, unit), (size_t)n), 1, T_INT64, T_INT64));
    sum += value;
  }
  EXPECT_EQ(sum, all);
  EXPECT_OK(dart_barrier(DART_TEAM_ALL));
  free(nothing);
}

TEST(registered_memory)
{
  static int64_t words[2];
  dart_gptr_t    gptr;

  words[0] = words[1] = 0;
  EXPECT_OK(dart_team_memregister(DART_TEAM_ALL, 2, T_INT64, words, &gptr));
  EXPECT_OK(dart_barrier(DART_TEAM_ALL));
  for (int unit = 0; unit<n; unit += n> 1 ? n - 1 : 1)
    for (int try = 0; try < 2; try++)
      count_under(test_unit(gptr, unit), test_at(test_unit(gptr, unit), 1), test_rounds(30), try);
  EXPECT_REFUSED(dart_lock_at_release, (test_unit(gptr, me)), DART_ERR_INVAL, "nobody holds");
  EXPECT_OK(dart_barrier(DART_TEAM_ALL));
  EXPECT_OK(dart_team_memderegister(gptr));
}

/* That the owner has deregistered memory is the program's to hear, by its own flush; a lock of the same unit is taken
 * and released nevertheless. */
TEST(refused_operations_do_not_break_a_registered_lock)
{
  int64_t     lock = 0, gone = 0, one = 1;
  dart_gptr_t at_lock, at_gone;
  bool        is_far;
  int32_t     mine;

  EXPECT_OK(dart_team_memregister(DART_TEAM_ALL, 1, T_INT64, &lock, &at_lock));
  EXPECT_OK(dart_team_memregister(DART_TEAM_ALL, 1, T_INT64, &gone, &at_gone));
  is_far = dart_near_ptr(test_unit(test_alloc(zeros, 1, 0), 0)) == NULL;
  if (me == 0)
    EXPECT_OK(dart_team_memderegister(at_gone));
  test_barrier();
  for (int round = 0; round < 3; round++) {
    for (int try = 0; try < 2; try++) {
      if (is_far)
        EXPECT_OK(dart_accumulate(at_gone, &one, 1, T_INT64, DART_OP_SUM));
      acquire(at_lock, try);
      if (is_far)
        EXPECT_OK(dart_accumulate(at_gone, &one, 1, T_INT64, DART_OP_SUM));
      EXPECT_OK(dart_lock_at_release(at_lock));
    }
    if (is_far)
      EXPECT_INVAL(dart_flush(at_gone));
    test_barrier();
    EXPECT_EQ(lock, 0);
    test_barrier();
  }
  if (is_far) { /* of a lock whose memory is gone nobody believes to hold it */
    EXPECT_REFUSED(dart_lock_at_acquire, (at_gone), DART_ERR_INVAL, "gone");
    EXPECT_REFUSED(dart_lock_at_try_acquire, (at_gone, &mine), DART_ERR_INVAL, "gone");
    EXPECT_EQ(mine, 0);
    EXPECT_REFUSED(dart_lock_at_release, (at_gone), DART_ERR_INVAL, "nobody holds");
    EXPECT_INVAL(dart_flush(at_gone));
  }
  test_barrier();
  if (me != 0)
    EXPECT_OK(dart_team_memderegister(at_gone));
  EXPECT_OK(dart_team_memderegister(at_lock));
  EXPECT_EQ(gone, 0);
}

TEST(memory_of_the_pool)
{
  dart_gptr_t mine, last;
  void       *own;

  EXPECT_OK(dart_memalloc(2, T_INT64, &mine));
  EXPECT_OK(dart_gptr_getaddr(mine, &own));
  memset(own, 0, 2 * sizeof(int64_t));
  last = mine;
  EXPECT_OK(
      dart_bcast(&last, sizeof last, DART_TYPE_BYTE, DART_TEAM_UNIT_ID(n - 1), DART_TEAM_ALL));
  count_under(last, test_at(last, 1), test_rounds(30), false);
  EXPECT_OK(dart_memfree(mine));
}

/* What the holder has put by one way is seen by the next one by another. */
TEST(holders_see_what_earlier_ones_did)
{
  enum { BYTES = 500 };
  dart_gptr_t   lock = test_alloc(zeros, 1, 0), data = test_segment(DART_TEAM_ALL, BYTES, 0);
  unsigned char bytes[BYTES];
  int           wrong = 0;

  data = test_unit(data, n - 1);
  for (int round = 0; round < test_rounds(50); round++) {
    EXPECT_OK(dart_lock_at_acquire(lock));
    EXPECT_OK(dart_get_blocking(bytes, data, BYTES, DART_TYPE_BYTE, DART_TYPE_BYTE));
    for (int i = 0; i < BYTES; i++)
      wrong += bytes[i] != bytes[0];
    memset(bytes, me + round + 1, BYTES);
    EXPECT_OK(dart_put(data, bytes, BYTES, DART_TYPE_BYTE, DART_TYPE_BYTE));
    EXPECT_OK(dart_flush(data));
    EXPECT_OK(dart_lock_at_release(lock));
  }
  EXPECT_EQ(wrong, 0);
  EXPECT_OK(dart_flush(lock));
  EXPECT_OK(dart_barrier(DART_TEAM_ALL));
}

TEST(a_held_lock_is_not_taken)
{
  dart_gptr_t lock = test_alloc(zeros, 1, n - 1);
  int32_t     mine = 7;

  if (me == 0)
    EXPECT_OK(dart_lock_at_acquire(lock));
  EXPECT_OK(dart_barrier(DART_TEAM_ALL));
  EXPECT_OK(dart_lock_at_try_acquire(lock, &mine));
  EXPECT_EQ(mine, 0);
  EXPECT_OK(dart_barrier(DART_TEAM_ALL));
  if (me == 0) {
    EXPECT_OK(dart_lock_at_release(lock));
    EXPECT_OK(dart_lock_at_try_acquire(lock, &mine));
    EXPECT_EQ(mine, 1);
    EXPECT_OK(dart_lock_at_release(lock));
    EXPECT_OK(dart_flush(lock));
  }
  EXPECT_OK(dart_barrier(DART_TEAM_ALL));
}

TEST(bad_arguments_are_refused)
{
  dart_gptr_t lock   = test_alloc(zeros, 2, me);
  int32_t     result = 7;

  EXPECT_REFUSED(dart_lock_at_acquire, (test_byte(lock, 4)), DART_ERR_INVAL, "aligned");
  EXPECT_REFUSED(dart_lock_at_acquire, (test_at(lock, 2)), DART_ERR_INVAL, "exceed");
  EXPECT_REFUSED(dart_lock_at_acquire, (DART_GPTR_NULL), DART_ERR_INVAL, "null");
  EXPECT_REFUSED(dart_lock_at_try_acquire, (lock, NULL), DART_ERR_INVAL, "NULL");
  EXPECT_REFUSED(dart_lock_at_try_acquire, (test_byte(lock, 1), &result), DART_ERR_INVAL,
                 "aligned");
  EXPECT_EQ(result, 0);
  EXPECT_REFUSED(dart_lock_at_release, (test_byte(lock, 2)), DART_ERR_INVAL, "aligned");
  EXPECT_REFUSED(dart_lock_at_release, (lock), DART_ERR_INVAL, "nobody holds");
  EXPECT_EQ(test_mine(lock)[0], 0);
  EXPECT_OK(dart_lock_at_acquire(lock));
  EXPECT_OK(dart_lock_at_release(lock));
  EXPECT_OK(dart_barrier(DART_TEAM_ALL));
}
