/* dart/ext/dart_notify.h: data before the notification, none lost, and waits for one, any and some. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <dash/dart/ext/dart_notify.h>
#include <dash/dart/ext/dart_wait_word.h>

#include "dart_test.h"

SUITE(notify);

enum { ROUNDS = 200, MOST = 20000 };

static const size_t lengths[] = {
  1, 2, 7, 64, 1000, MOST
}; /* elements: past every buffer on the way */
enum { LENGTHS = sizeof lengths / sizeof *lengths };

/* Counters, one a unit on every unit, and one more. */
static dart_gptr_t counters(void)
{
  int64_t    *zeros = calloc((size_t)n + 1, sizeof *zeros);
  dart_gptr_t start = test_alloc(zeros, (size_t)n + 1, 0);

  free(zeros);
  return start;
}

static dart_gptr_t counter_of(dart_gptr_t start, int unit, int from)
{
  return test_at(test_unit(start, unit), (size_t)from);
}

static void nap_ms(long ms)
{
  nanosleep(&(struct timespec){ ms / 1000, ms % 1000 * 1000000 }, NULL);
}

/* Round after round each unit puts numbers to the next and waits for those of the one before; the
 * consumer checks them at once, and tells that they may be overwritten. */
TEST(data_are_there_when_the_notification_is)
{
  dart_gptr_t data, arrived = counters(), used = counters();
  int64_t    *values = malloc(MOST * sizeof *values), *zeros = calloc(MOST, sizeof *zeros);
  void       *own;
  int         next = (me + 1) % n, last = (me + n - 1) % n, wrong = 0;

  data = test_alloc(zeros, MOST, 0);
  EXPECT_OK(dart_gptr_getaddr(test_unit(data, me), &own));
  for (int round = 0; round < ROUNDS; round++) {
    size_t         length = lengths[round % LENGTHS];
    const int64_t *got    = own;

    for (size_t i = 0; i < length; i++)
      values[i] = round * INT64_C(1000000) + (int64_t)i;
    EXPECT_OK(dart_notify_wait(counter_of(used, me, next), (uint64_t)round, -1));
    EXPECT_OK(dart_put_notify(test_unit(data, next), values, length, T_INT64, T_INT64,
                              counter_of(arrived, next, me), 1));
    EXPECT_OK(dart_flush_local(counter_of(arrived, next, me)));
    memset(values, 0x5a, length * sizeof *values); /* the buffer is the caller's again */
    EXPECT_OK(dart_notify_wait(counter_of(arrived, me, last), (uint64_t)round + 1, -1));
    for (size_t i = 0; i < length; i++)
      wrong += got[i] != round * INT64_C(1000000) + (int64_t)i;
    EXPECT_OK(dart_notify(counter_of(used, last, me), 1));
  }
  EXPECT_EQ(wrong, 0);
  EXPECT_OK(dart_barrier(DART_TEAM_ALL));
  free(values);
  free(zeros);
}

/* Large and small data in turns, all under way at the same time: the counter never runs ahead. */
TEST(notifications_keep_their_order)
{
  enum { MANY = 24 };
  int64_t    *zeros = calloc(MOST, sizeof *zeros), *values = malloc(MANY * MOST * sizeof *values);
  dart_gptr_t data[MANY], flags                            = counters();
  int         next = (me + 1) % n, last = (me + n - 1) % n, wrong = 0;

  for (int k = 0; k < MANY; k++) {
    data[k] = test_alloc(zeros, MOST, 0);
    for (size_t i = 0; i < MOST; i++)
      values[k * MOST + i] = 1000 * me + k + (int64_t)i;
  }
  for (int k = 0; k < MANY; k++)
    EXPECT_OK(dart_put_notify(test_unit(data[k], next), values + k * MOST,
                              lengths[(5 * k + 5) % LENGTHS], T_INT64, T_INT64,
                              counter_of(flags, next, me), 1));
  for (int k = 0; k < MANY; k++) {
    size_t length = lengths[(5 * k + 5) % LENGTHS];
    void  *own;

    EXPECT_OK(dart_gptr_getaddr(test_unit(data[k], me), &own));
    EXPECT_OK(dart_notify_wait(counter_of(flags, me, last), (uint64_t)k + 1, -1));
    for (size_t i = 0; i < length; i++)
      wrong += ((int64_t *)own)[i] != 1000 * last + k + (int64_t)i;
  }
  EXPECT_EQ(wrong, 0);
  EXPECT_OK(dart_flush(counter_of(flags, next, me)));
  EXPECT_OK(dart_barrier(DART_TEAM_ALL));
  free(values);
  free(zeros);
}

/* All units raise one counter of each; nothing is lost, and fetching sees it as well. */
TEST(many_raise_one_counter)
{
  dart_gptr_t start = counters();
  uint64_t    all = (uint64_t)n * ROUNDS * 3, seen = 0;

  for (int round = 0; round < ROUNDS; round++)
    for (int unit = 0; unit < n; unit++)
      EXPECT_OK(dart_notify(counter_of(start, unit, 0), 3));
  EXPECT_OK(dart_notify_wait(counter_of(start, me, 0), all, -1));
  EXPECT_OK(
      dart_fetch_and_op(counter_of(start, me, 0), NULL, &seen, DART_TYPE_ULONG, DART_OP_NO_OP));
  EXPECT_OK(dart_flush(counter_of(start, me, 0)));
  EXPECT_EQ(seen, all);
  EXPECT_OK(dart_barrier(DART_TEAM_ALL));
}

TEST(a_wait_ends_with_its_time)
{
  dart_gptr_t start = counters();
  dart_gptr_t flag  = counter_of(start, me, 0);
  uint64_t    least = 1;
  size_t      index = 0, count = 7, indices[1];

  EXPECT_RET(dart_notify_wait(flag, 1, 0), DART_PENDING);
  EXPECT_RET(dart_notify_wait(flag, 1, 2000), DART_PENDING);
  EXPECT_RET(dart_notify_waitany(&flag, &least, 1, 1, &index), DART_PENDING);
  EXPECT_RET(dart_notify_waitsome(&flag, &least, 1, 1000, indices, &count), DART_PENDING);
  EXPECT_EQ(count, 0);
  EXPECT_OK(dart_notify_wait(flag, 0, 0)); /* at least 0 it always is */
  EXPECT_OK(dart_notify(flag, 1));
  EXPECT_OK(dart_flush(flag));
  EXPECT_OK(dart_notify_wait(flag, 1, 0));
  EXPECT_OK(dart_barrier(DART_TEAM_ALL));
}

/* Others raise the counters all the time, but not enough, so the wait looks again and again. */
TEST(a_wait_does_not_end_before_its_time)
{
  enum { WAITS = 3 };
  static const int64_t timeouts[] = { 1, 70, 900, 5000, 30000 }; /* us: looks, then sleeps */
  dart_gptr_t          start      = counters();
  uint64_t             least[2]   = { UINT64_MAX, UINT64_MAX };
  dart_gptr_t          own[2]     = { counter_of(start, me, 0), counter_of(start, me, n) };
  size_t               index, indices[2], count;

  for (size_t i = 0; i < sizeof timeouts / sizeof *timeouts; i++)
    for (int form = 0; form < WAITS; form++) {
      int64_t    began = test_now_ns(), took;
      dart_ret_t ret   = form == 0 ? dart_notify_wait(own[0], least[0], timeouts[i])
                         : form == 1
                             ? dart_notify_waitany(own, least, 2, timeouts[i], &index)
                             : dart_notify_waitsome(own, least, 2, timeouts[i], indices, &count);

      took = test_now_ns() - began;
      test_note("form %d, %lld us of %lld", form, (long long)(took / 1000), (long long)timeouts[i]);
      EXPECT_RET(ret, DART_PENDING);
      EXPECT_TRUE(took >= timeouts[i] * 1000);
      EXPECT_OK(dart_notify(counter_of(start, (me + 1) % n, 0), 1));
    }
  EXPECT_OK(dart_flush(counter_of(start, (me + 1) % n, 0)));
  EXPECT_OK(dart_barrier(DART_TEAM_ALL));
}

/* Each unit is told by all, in an order of its own, and finds them one by one. */
TEST(any_and_some_name_who_came)
{
  dart_gptr_t  start   = counters();
  dart_gptr_t *flags   = calloc((size_t)n, sizeof *flags);
  uint64_t    *least   = calloc((size_t)n, sizeof *least);
  size_t      *indices = calloc((size_t)n, sizeof *indices), index, count;
  int          left    = n;

  for (int unit = 0; unit < n; unit++) {
    flags[unit] = counter_of(start, me, unit);
    least[unit] = 1;
  }
  for (int i = 0; i < n; i++)
    EXPECT_OK(dart_notify(counter_of(start, (me + i) % n, me), 1));
  while (left > 0 && EXPECT_OK(dart_notify_waitany(flags, least, (size_t)n, -1, &index))) {
    EXPECT_EQ(least[index], 1);
    least[index] = UINT64_MAX; /* not again */
    left--;
  }
  for (int i = 0; i < n; i++) {
    EXPECT_OK(dart_notify(counter_of(start, (me + i) % n, me), 1));
    least[i] = 2;
  }
  for (left = n; left > 0; left -= (int)count) {
    if (!EXPECT_OK(dart_notify_waitsome(flags, least, (size_t)n, -1, indices, &count)) ||
        !EXPECT_TRUE(count > 0))
      break;
    for (size_t i = 0; i < count; i++) {
      EXPECT_TRUE(i == 0 || indices[i] > indices[i - 1]);
      EXPECT_EQ(least[indices[i]], 2);
      least[indices[i]] = UINT64_MAX;
    }
  }
  EXPECT_OK(dart_barrier(DART_TEAM_ALL));
  free(flags);
  free(least);
  free(indices);
}

/* A unit that sleeps in its wait is woken. */
TEST_N(2, sleepers_wake)
{
  dart_gptr_t start = counters();

  for (int round = 1; round <= 5; round++) {
    if (me == 0) {
      nap_ms(5);
      for (int unit = 1; unit < n; unit++)
        EXPECT_OK(dart_notify(counter_of(start, unit, 0), 1));
    } else {
      EXPECT_OK(dart_notify_wait(counter_of(start, me, 0), (uint64_t)round, -1));
      EXPECT_OK(dart_notify(counter_of(start, 0, me), 1));
    }
    for (int unit = 1; me == 0 && unit < n; unit++)
      EXPECT_OK(dart_notify_wait(counter_of(start, 0, unit), (uint64_t)round, -1));
  }
  EXPECT_OK(dart_barrier(DART_TEAM_ALL));
}

/* Layouts as in any put: every other element, from a contiguous buffer. Few of them, and many. */
TEST(strided_data)
{
  enum { COUNT = 900 };
  static const size_t few_and_many[]   = { 1, 50, 128, 129, COUNT };
  int64_t             zeros[2 * COUNT] = { 0 }, values[COUNT];
  dart_gptr_t         data = test_alloc(zeros, 2 * COUNT, 0), flags = counters();
  dart_datatype_t     every_other;
  int                 next = (me + 1) % n, last = (me + n - 1) % n;
  void               *own;

  EXPECT_OK(dart_type_create_strided(T_INT64, 2, 1, &every_other));
  EXPECT_OK(dart_gptr_getaddr(test_unit(data, me), &own));
  for (uint64_t k = 0; k < sizeof few_and_many / sizeof *few_and_many; k++) {
    size_t count = few_and_many[k];

    for (size_t i = 0; i < count; i++)
      values[i] = 1000 * ((int)k * n + me) + (int64_t)i + 1;
    EXPECT_OK(dart_put_notify(test_unit(data, next), values, count, T_INT64, every_other,
                              counter_of(flags, next, me), 1));
    EXPECT_OK(dart_notify_wait(counter_of(flags, me, last), k + 1, -1));
    for (size_t i = 0; i < count; i++) {
      EXPECT_EQ(((int64_t *)own)[2 * i], 1000 * ((int)k * n + last) + (int64_t)i + 1);
      EXPECT_EQ(((int64_t *)own)[2 * i + 1], 0);
    }
    EXPECT_OK(dart_flush_local(counter_of(flags, next, me)));
    EXPECT_OK(dart_barrier(DART_TEAM_ALL));
  }
  EXPECT_OK(dart_type_destroy(&every_other));
}

/* ---- flags ------------------------------------------------------------------------------------ */

static void wait_for_value(dart_gptr_t flag, uint64_t value)
{
  EXPECT_OK(dart_wait_word(flag, DART_TYPE_ULONG, DART_WAIT_EQ, &value, -1));
}

/* A flag that goes up and down, in turns with one that says that it was seen. Data of every length before it. */
TEST(flags_are_set_after_their_data)
{
  int64_t    *values = malloc(MOST * sizeof *values), *zeros = calloc(MOST, sizeof *zeros);
  dart_gptr_t data = test_alloc(zeros, MOST, 0), flags = counters(), seen = counters();
  int         next = (me + 1) % n, last = (me + n - 1) % n, wrong = 0;
  void       *own;

  EXPECT_OK(dart_gptr_getaddr(test_unit(data, me), &own));
  for (int round = 1; round <= ROUNDS; round++) {
    size_t         length = lengths[round % LENGTHS];
    uint64_t       value  = round % 2 == 0 ? (uint64_t)round : UINT64_MAX - (uint64_t)round;
    const int64_t *got    = own;

    for (size_t i = 0; i < length; i++)
      values[i] = round * INT64_C(1000000) + (int64_t)i;
    EXPECT_OK(dart_put_notify_op(test_unit(data, next), values, length, T_INT64, T_INT64,
                                 counter_of(flags, next, me), value, DART_OP_REPLACE));
    wait_for_value(counter_of(flags, me, last), value);
    for (size_t i = 0; i < length; i++)
      wrong += got[i] != round * INT64_C(1000000) + (int64_t)i;
    EXPECT_OK(dart_notify_op(counter_of(seen, last, me), (uint64_t)round, DART_OP_REPLACE));
    wait_for_value(counter_of(seen, me, next), (uint64_t)round);
  }
  EXPECT_EQ(wrong, 0);
  EXPECT_OK(dart_flush_all(flags));
  EXPECT_OK(dart_flush_all(seen));
  EXPECT_OK(dart_barrier(DART_TEAM_ALL));
  free(values);
  free(zeros);
}

/* Notifications of a unit to another come in their order, whatever the operator. */
TEST(operators_of_flags)
{
  dart_gptr_t start = counters(), next = counter_of(start, (me + 1) % n, 0);
  dart_gptr_t mine = counter_of(start, me, 0);

  EXPECT_OK(dart_notify_op(next, 5, DART_OP_REPLACE));
  EXPECT_OK(dart_notify_op(next, 0x100, DART_OP_BOR));
  EXPECT_OK(dart_notify_op(next, 7, DART_OP_SUM));
  EXPECT_OK(dart_notify_op(next, 3, DART_OP_MAX));
  EXPECT_OK(dart_notify_op(next, 77, DART_OP_NO_OP));
  EXPECT_OK(dart_notify_op(next, UINT64_MAX - 1, DART_OP_MIN));
  EXPECT_OK(dart_notify_op(next, 0x1000000000000000, DART_OP_BXOR));
  wait_for_value(mine, 0x100000000000010c);
  EXPECT_OK(dart_flush(next));
  EXPECT_OK(dart_barrier(DART_TEAM_ALL));
}

/* All to all, data and flags in registered memory; a counter that all raise, and a flag that is set last. */
TEST(flags_in_registered_memory)
{
  static struct {
    int64_t  data[64];
    uint64_t counter[64], flag[64];
  } own;
  enum { FIRST_COUNTER = 64, FIRST_FLAG = 128 };
  dart_gptr_t gptr;
  int         most = n < 64 ? n : 64;

  memset(&own, 0, sizeof own);
  EXPECT_OK(
      dart_team_memregister(DART_TEAM_ALL, sizeof own / sizeof(int64_t), T_INT64, &own, &gptr));
  EXPECT_OK(dart_barrier(DART_TEAM_ALL));
  for (uint64_t round = 1; round <= 20; round++) {
    for (int to = 0; me < most && to < most; to++) {
      dart_gptr_t there = test_unit(gptr, to);
      int64_t     value = (int64_t)round * 1000 + me;

      EXPECT_OK(dart_notify(test_at(there, FIRST_COUNTER), 1));
      EXPECT_OK(dart_put_notify_op(test_at(there, (size_t)me), &value, 1, T_INT64, T_INT64,
                                   test_at(there, FIRST_FLAG + (size_t)me), 100 - round,
                                   DART_OP_REPLACE));
      EXPECT_OK(dart_flush(there));
    }
    for (int from = 0; me < most && from < most; from++) {
      wait_for_value(test_at(test_unit(gptr, me), FIRST_FLAG + (size_t)from), 100 - round);
      EXPECT_EQ(own.data[from], (int64_t)round * 1000 + from);
    }
    if (me < most)
      EXPECT_OK(dart_notify_wait(test_at(test_unit(gptr, me), FIRST_COUNTER),
                                 round * (uint64_t)most, -1));
    EXPECT_OK(dart_barrier(DART_TEAM_ALL));
  }
  EXPECT_OK(dart_team_memderegister(gptr));
}

/* ---- errors ----------------------------------------------------------------------------------- */

/* NO_OP only wakes: what the owner of registered memory stores meanwhile stays. */
TEST(no_operation_changes_nothing)
{
  static volatile int64_t own;
  int64_t                 zero = 0, stored = 0;
  dart_gptr_t             gptr, done       = test_alloc(&zero, 1, 0);
  int                     undone = 0;

  own = 0;
  EXPECT_OK(dart_team_memregister(DART_TEAM_ALL, 1, T_INT64, (void *)(uintptr_t)&own, &gptr));
  test_barrier();
  for (int i = 0; me != 0 && i < test_rounds(10000); i++)
    EXPECT_OK(dart_notify_op(test_unit(gptr, 0), 7, DART_OP_NO_OP));
  if (me != 0)
    EXPECT_OK(dart_notify(done, 1));
  while (me == 0 && dart_notify_wait(done, (uint64_t)n - 1, 0) == DART_PENDING)
    for (int i = 0; i < 1000; i++) {
      own = ++stored;
      for (int look = 0; look < 20; look++)
        undone += own != stored;
    }
  EXPECT_EQ(undone, 0);
  test_barrier();
  EXPECT_OK(dart_team_memderegister(gptr));
}

TEST(bad_arguments_are_refused)
{
  dart_gptr_t    flags = counters(), data = test_segment(DART_TEAM_ALL, 64, 0x11);
  dart_gptr_t    mine = counter_of(flags, me, 0), other = counter_of(flags, (me + 1) % n, 0);
  dart_gptr_t    registered = DART_GPTR_NULL;
  uint64_t       least = 1, value = 7, seen = 1;
  size_t         index, count, indices[1];
  static int64_t words[4];

  EXPECT_REFUSED(dart_notify, (test_byte(mine, 4), 1), DART_ERR_INVAL, "aligned");
  EXPECT_REFUSED(dart_notify, (DART_GPTR_NULL, 1), DART_ERR_INVAL, "null");
  EXPECT_REFUSED(dart_notify, (test_at(mine, (size_t)n + 1), 1), DART_ERR_INVAL, "exceed");
  EXPECT_REFUSED(dart_put_notify,
                 (test_byte(test_unit(data, me), 60), &value, 1, T_INT64, T_INT64, mine, 1),
                 DART_ERR_INVAL, "exceed");
  EXPECT_REFUSED(dart_put_notify, (test_unit(data, me), &value, 1, DART_TYPE_INT, T_INT64, mine, 1),
                 DART_ERR_INVAL, "type");
  if (n > 1) {
    EXPECT_REFUSED(dart_put_notify, (test_unit(data, me), &value, 1, T_INT64, T_INT64, other, 1),
                   DART_ERR_INVAL, "counter is unit");
    EXPECT_REFUSED(dart_notify_wait, (other, 1, 0), DART_ERR_INVAL, "counter is unit");
  }
  EXPECT_REFUSED(dart_notify_waitany, (NULL, &least, 1, 0, &index), DART_ERR_INVAL, "flags");
  EXPECT_REFUSED(dart_notify_waitany, (&mine, NULL, 1, 0, &index), DART_ERR_INVAL, "least");
  EXPECT_REFUSED(dart_notify_waitany, (&mine, &least, 0, 0, &index), DART_ERR_INVAL, "0 counters");
  EXPECT_REFUSED(dart_notify_waitany, (&mine, &least, 1, 0, NULL), DART_ERR_INVAL, "NULL");
  EXPECT_REFUSED(dart_notify_waitsome, (&mine, &least, 1, 0, NULL, &count), DART_ERR_INVAL, "NULL");
  EXPECT_REFUSED(dart_notify_waitsome, (&mine, &least, 1, 0, indices, NULL), DART_ERR_INVAL,
                 "NULL");
  EXPECT_OK(
      dart_team_memregister(DART_TEAM_ALL, 24, DART_TYPE_BYTE, (char *)words + 4, &registered));
  EXPECT_REFUSED(dart_notify, (test_unit(registered, me), 1), DART_ERR_INVAL, "aligned");
  EXPECT_REFUSED(dart_notify_wait, (test_unit(registered, me), 1, 0), DART_ERR_INVAL, "aligned");
  EXPECT_OK(dart_barrier(DART_TEAM_ALL));
  EXPECT_OK(dart_team_memderegister(registered));
  EXPECT_REFUSED(dart_notify_op, (mine, 1, DART_OP_MINMAX), DART_ERR_INVAL, "operator");
  EXPECT_REFUSED(dart_put_notify_op,
                 (test_unit(data, me), &value, 1, T_INT64, T_INT64, mine, 1, DART_OP_UNDEFINED),
                 DART_ERR_INVAL, "operator");
  EXPECT_OK(dart_fetch_and_op(mine, NULL, &seen, DART_TYPE_ULONG, DART_OP_NO_OP));
  EXPECT_OK(dart_flush(mine));
  EXPECT_EQ(seen, 0); /* nothing was raised, nothing was put */
  EXPECT_OK(dart_get_blocking(&value, test_unit(data, me), 1, T_INT64, T_INT64));
  EXPECT_EQ(value, INT64_C(0x1111111111111111));
  EXPECT_OK(dart_barrier(DART_TEAM_ALL));
}
