/* dart/ext/dart_range.h: who holds what, all or nothing, no deadlock, and what holders see. */
#include <stdlib.h>
#include <time.h>

#include <dash/dart/ext/dart_near.h>
#include <dash/dart/ext/dart_notify.h>
#include <dash/dart/ext/dart_range.h>

#include "counted.h"
#include "dart_test.h"

SUITE(range);

#define STRIPE 16 /* so that requests of some tens of numbers cross stripes */

static dart_range_t new_range(dart_team_t team)
{
  dart_range_t range = DART_RANGE_NULL;

  EXPECT_OK(dart_team_range_init(team, STRIPE, 0, &range));
  EXPECT_TRUE(range != DART_RANGE_NULL);
  return range;
}

static dart_range_span_t span(uint64_t first, uint64_t last, dart_range_mode_t mode)
{
  return (dart_range_span_t){ first, last, mode };
}

static dart_range_hold_t hold(dart_range_t range, uint64_t first, uint64_t last,
                              dart_range_mode_t mode)
{
  dart_range_span_t one = span(first, last, mode);
  dart_range_hold_t got = DART_RANGE_HOLD_NULL;

  EXPECT_OK(dart_range_acquire(range, &one, 1, -1, &got));
  EXPECT_TRUE(got != DART_RANGE_HOLD_NULL);
  return got;
}

/* It can be held, perhaps not at once: the message that released it may be under way. */
static void expect_free(dart_range_t range, uint64_t first, uint64_t last, dart_range_mode_t mode)
{
  dart_range_hold_t got = hold(range, first, last, mode);

  EXPECT_OK(dart_range_release(&got));
  EXPECT_TRUE(got == DART_RANGE_HOLD_NULL);
}

static void expect_held(dart_range_t range, uint64_t first, uint64_t last, dart_range_mode_t mode)
{
  dart_range_span_t one = span(first, last, mode);
  dart_range_hold_t got;

  EXPECT_RET(dart_range_acquire(range, &one, 1, 0, &got), DART_PENDING);
  EXPECT_TRUE(got == DART_RANGE_HOLD_NULL);
}

TEST(modes_and_ends_decide_who_may_hold)
{
  dart_range_t      range  = new_range(DART_TEAM_ALL);
  dart_range_hold_t shared = DART_RANGE_HOLD_NULL, exclusive = DART_RANGE_HOLD_NULL;
  uint64_t          top = UINT64_MAX;

  if (me == 0) {
    shared    = hold(range, 100, 299, DART_RANGE_SHARED); /* over many stripes */
    exclusive = hold(range, 1000, 1000, DART_RANGE_EXCLUSIVE);
  }
  test_barrier();
  expect_free(range, 100, 299, DART_RANGE_SHARED);
  expect_free(range, 0, 500, DART_RANGE_SHARED);
  expect_free(range, 0, 999, DART_RANGE_SHARED);
  expect_held(range, 0, 1000, DART_RANGE_SHARED);
  expect_held(range, 1000, top, DART_RANGE_SHARED);
  expect_free(range, 1001, top, DART_RANGE_SHARED);
  test_barrier(); /* nobody tries to hold shared any more, which would hold up the others */
  for (int unit = 0; unit < n; unit++) {
    if (unit == me) {
      expect_free(range, 0, 99, DART_RANGE_EXCLUSIVE);
      expect_held(range, 0, 100, DART_RANGE_EXCLUSIVE);
      expect_held(range, 150, 150, DART_RANGE_EXCLUSIVE);
      expect_held(range, 299, top, DART_RANGE_EXCLUSIVE);
      expect_free(range, 300, 999, DART_RANGE_EXCLUSIVE);
      expect_free(range, top, top, DART_RANGE_EXCLUSIVE);
    }
    test_barrier();
  }
  if (me == 0) {
    EXPECT_OK(dart_range_release(&shared));
    EXPECT_OK(dart_range_release(&exclusive));
  }
  test_barrier();
  for (int unit = 0; unit < n; unit++) {
    if (unit == me)
      expect_free(range, 0, top, DART_RANGE_EXCLUSIVE);
    test_barrier();
  }
  EXPECT_OK(dart_team_range_destroy(&range));
  EXPECT_TRUE(range == DART_RANGE_NULL);
}

/* All units add to random cells of an array, under exclusive locks of all they touch in one call, and read others
 * under shared ones: no addition is lost, and no cell is seen half written. */
TEST(additions_under_random_ranges_are_exact)
{
  enum { CELLS = 128, MOST = 4 };
  int               rounds = test_rounds(200);
  dart_range_t      range  = new_range(DART_TEAM_ALL);
  dart_gptr_t       cells  = test_segment(DART_TEAM_ALL, 2 * CELLS * sizeof(int64_t), 0);
  test_random_t     random = { 77 + (uint64_t)me };
  int64_t           added = 0, sum = 0, pair[2];
  dart_range_span_t spans[MOST];

  cells = test_unit(cells, n - 1);
  for (int round = 0; round < rounds; round++) {
    dart_range_hold_t got;
    size_t            count = 1 + test_random(&random) % MOST;

    for (size_t i = 0; i < count; i++) {
      uint64_t first = test_random(&random) % CELLS, last = first + test_random(&random) % 40;

      spans[i] = span(first, last < CELLS ? last : CELLS - 1,
                      test_random(&random) % 3 == 0 ? DART_RANGE_EXCLUSIVE : DART_RANGE_SHARED);
    }
    if (!EXPECT_OK(dart_range_acquire(range, spans, count, -1, &got)))
      break;
    for (size_t i = 0; i < count; i++) {
      dart_gptr_t cell = test_at(cells, 2 * spans[i].last);

      EXPECT_OK(dart_get_blocking(pair, cell, 2, T_INT64, T_INT64));
      EXPECT_EQ(pair[0], pair[1]);
      if (spans[i].mode == DART_RANGE_SHARED)
        continue;
      pair[0]++;
      EXPECT_OK(dart_put_blocking(cell, &pair[0], 1, T_INT64, T_INT64));
      EXPECT_OK(dart_put_blocking(test_at(cell, 1), &pair[0], 1, T_INT64, T_INT64));
      added++;
    }
    EXPECT_OK(dart_range_release(&got));
  }
  test_barrier();
  EXPECT_OK(dart_allreduce(&added, &sum, 1, T_INT64, DART_OP_SUM, DART_TEAM_ALL));
  for (size_t i = 0; i < CELLS; i++) {
    EXPECT_OK(dart_get_blocking(pair, test_at(cells, 2 * i), 2, T_INT64, T_INT64));
    EXPECT_EQ(pair[0], pair[1]);
    sum -= pair[0];
  }
  EXPECT_EQ(sum, 0);
  EXPECT_OK(dart_team_range_destroy(&range));
}

/* Units take the same ranges in one call, each in another order: none of them waits for ever. */
TEST(several_ranges_in_one_call_do_not_deadlock)
{
  dart_range_t      range = new_range(DART_TEAM_ALL);
  dart_range_span_t spans[8];
  dart_range_hold_t got;

  for (int round = 0; round < test_rounds(200); round++) {
    for (int i = 0; i < 8; i++)
      spans[(i + me) % 8] = span((uint64_t)i * STRIPE, (uint64_t)i * STRIPE, DART_RANGE_EXCLUSIVE);
    EXPECT_OK(dart_range_acquire(range, spans, 8, -1, &got));
    EXPECT_OK(dart_range_release(&got));
  }
  EXPECT_OK(dart_team_range_destroy(&range));
}

TEST(as_many_spans_as_promised)
{
  dart_range_t      range;
  dart_range_span_t spans[DART_RANGE_SPANS];
  dart_range_hold_t got = DART_RANGE_HOLD_NULL;

  EXPECT_OK(dart_team_range_init(DART_TEAM_ALL, 1000, (size_t)n * DART_RANGE_SPANS, &range));
  for (uint64_t i = 0; i < DART_RANGE_SPANS; i++)
    spans[i] = span(5 + 8 * i, 8 + 8 * i, DART_RANGE_EXCLUSIVE);
  for (int round = 0; round < 5; round++) {
    EXPECT_OK(dart_range_acquire(range, spans, DART_RANGE_SPANS, -1, &got));
    EXPECT_OK(dart_range_release(&got));
  }
  EXPECT_OK(dart_team_range_destroy(&range));
}

TEST_N(2, a_time_out_leaves_nothing_behind)
{
  dart_range_t      range  = new_range(DART_TEAM_ALL);
  dart_range_span_t two[2] = { span(0, 15, DART_RANGE_EXCLUSIVE), span(90, 99, DART_RANGE_SHARED) };
  dart_range_hold_t got = DART_RANGE_HOLD_NULL, mine = DART_RANGE_HOLD_NULL;

  if (me == 0)
    mine = hold(range, 95, 200, DART_RANGE_EXCLUSIVE);
  test_barrier();
  if (me > 0) {
    EXPECT_RET(dart_range_acquire(range, two, 2, 0, &got), DART_PENDING);
    EXPECT_TRUE(got == DART_RANGE_HOLD_NULL);
    EXPECT_RET(dart_range_acquire(range, two, 2, 3000, &got), DART_PENDING);
    EXPECT_TRUE(got == DART_RANGE_HOLD_NULL);
  }
  test_barrier();
  if (me == 0) {
    expect_free(range, 0, 94, DART_RANGE_EXCLUSIVE);
    EXPECT_OK(dart_range_release(&mine));
    expect_free(range, 0, UINT64_MAX, DART_RANGE_EXCLUSIVE);
  }
  EXPECT_OK(dart_team_range_destroy(&range));
}

/* All units but one want what that one holds, each of them for another time: those that come first in the queue
 * leave it, so that others are next and wait awake. Nobody is told that its time is over before it is. */
TEST_N(2, a_time_out_is_not_early)
{
  static const int64_t timeouts[] = { 1, 60, 900, 7000, 25000 }; /* us */
  enum { TIMEOUTS = sizeof timeouts / sizeof *timeouts };
  dart_range_t      range  = new_range(DART_TEAM_ALL);
  dart_range_span_t two[2] = { span(1000, 1010, DART_RANGE_EXCLUSIVE),
                               span(0, 40, DART_RANGE_SHARED) }; /* over several stripes */
  dart_range_hold_t got = DART_RANGE_HOLD_NULL, mine = DART_RANGE_HOLD_NULL;

  if (me == 0)
    mine = hold(range, 20, 1005, DART_RANGE_EXCLUSIVE);
  test_barrier();
  for (int i = 0; i < 2 * TIMEOUTS && me > 0; i++) {
    int64_t    timeout = timeouts[(i + me) % TIMEOUTS], began = test_now_ns(), took;
    dart_ret_t ret = dart_range_acquire(range, two, 1 + (size_t)i % 2, timeout, &got);

    took = test_now_ns() - began;
    test_note("%lld us of %lld", (long long)(took / 1000), (long long)timeout);
    EXPECT_RET(ret, DART_PENDING);
    EXPECT_TRUE(took >= timeout * 1000);
  }
  test_barrier();
  if (me == 0)
    EXPECT_OK(dart_range_release(&mine));
  EXPECT_OK(dart_team_range_destroy(&range));
}

/* Waiters give up at about the time at which what they wait for is released: each of them has it or has it not, and
 * it can be had afterwards. */
TEST_N(2, time_outs_and_grants_meet)
{
  dart_range_t      range = new_range(DART_TEAM_ALL);
  dart_range_span_t wide  = span(0, 100, DART_RANGE_EXCLUSIVE);
  int               had   = 0;

  for (int round = 0; round < test_rounds(300); round++) {
    dart_range_hold_t got = DART_RANGE_HOLD_NULL;
    dart_ret_t        ret = dart_range_acquire(range, &wide, 1, 1 + (round * 7 + me) % 60, &got);

    EXPECT_TRUE(ret == DART_OK || ret == DART_PENDING);
    EXPECT_EQ(ret == DART_OK, got != DART_RANGE_HOLD_NULL);
    if (ret == DART_OK) {
      had++;
      EXPECT_OK(dart_range_release(&got));
    }
  }
  test_barrier();
  for (int unit = 0; unit < n; unit++) {
    if (unit == me)
      expect_free(range, 0, UINT64_MAX, DART_RANGE_EXCLUSIVE);
    test_barrier();
  }
  EXPECT_OK(dart_team_range_destroy(&range));
}

/* Unit 0 takes and releases all the time; everyone else gets it in between some times. */
TEST_N(2, nobody_is_passed_for_ever)
{
  dart_range_t range = new_range(DART_TEAM_ALL);
  int64_t      done = 0, one = 1;
  dart_gptr_t  count = test_segment(DART_TEAM_ALL, sizeof done, 0);

  if (me > 0) {
    for (int i = 0; i < 20; i++) {
      dart_range_hold_t got = hold(range, 0, 50, DART_RANGE_EXCLUSIVE);

      EXPECT_OK(dart_range_release(&got));
    }
    EXPECT_OK(dart_accumulate(count, &one, 1, T_INT64, DART_OP_SUM));
    EXPECT_OK(dart_flush(count));
  }
  while (me == 0 && done < n - 1) {
    dart_range_hold_t got = hold(range, 10, 60, DART_RANGE_SHARED);

    EXPECT_OK(dart_range_release(&got));
    EXPECT_OK(dart_get_blocking(&done, count, 1, T_INT64, T_INT64));
  }
  EXPECT_OK(dart_team_range_destroy(&range));
}

/* With readers there all the time, a writer gets in: readers that come after it wait for it. */
TEST_N(3, readers_do_not_keep_a_writer_out)
{
  dart_range_t      range = new_range(DART_TEAM_ALL);
  int64_t           done = 0, one = 1;
  dart_gptr_t       flag = test_segment(DART_TEAM_ALL, sizeof done, 0);
  dart_range_hold_t first, next;

  first = me == 0 ? DART_RANGE_HOLD_NULL : hold(range, 0, 9, DART_RANGE_SHARED);
  test_barrier();
  if (me == 0) {
    first = hold(range, 0, 9, DART_RANGE_EXCLUSIVE);
    EXPECT_OK(dart_put_blocking(flag, &one, 1, T_INT64, T_INT64));
    EXPECT_OK(dart_range_release(&first));
  }
  while (
      me > 0 &&
      done ==
          0) { /* always holding it; the next before the last is released, unless one must wait */
    dart_range_span_t again = span(0, 9, DART_RANGE_SHARED);
    dart_ret_t        ret   = dart_range_acquire(range, &again, 1, 0, &next);

    EXPECT_OK(dart_range_release(&first));
    first = ret == DART_OK ? next : hold(range, 0, 9, DART_RANGE_SHARED);
    EXPECT_OK(dart_get_blocking(&done, flag, 1, T_INT64, T_INT64));
  }
  if (me > 0)
    EXPECT_OK(dart_range_release(&first));
  EXPECT_OK(dart_team_range_destroy(&range));
}

TEST(capacity_is_a_limit_not_an_end)
{
  enum { CAPACITY = 5 };
  dart_range_t      range;
  dart_range_hold_t got[CAPACITY], one_more = DART_RANGE_HOLD_NULL;
  dart_range_span_t next   = span(90, 90, DART_RANGE_SHARED);
  dart_gptr_t       memory = test_segment(DART_TEAM_ALL, 8, 0);

  EXPECT_OK(
      dart_team_range_init(DART_TEAM_ALL, UINT64_MAX, CAPACITY, &range)); /* all of it unit 0's */
  for (int unit = 0; unit < n; unit++) {
    for (int i = 0; unit == me && i < CAPACITY; i++)
      got[i] = hold(range, (uint64_t)i, (uint64_t)i, DART_RANGE_EXCLUSIVE);
    if (unit == me) {
      EXPECT_RET(dart_range_acquire(range, &next, 1, -1, &one_more), DART_ERR_NOMEM);
      EXPECT_TRUE(one_more == DART_RANGE_HOLD_NULL);
      EXPECT_OK(dart_range_release(&got[2]));
      EXPECT_OK(dart_range_acquire(range, &next, 1, -1, &got[2]));
    }
    for (int i = 0; unit == me && i < CAPACITY; i++)
      EXPECT_OK(dart_range_release(&got[i]));
    EXPECT_OK(dart_flush(memory)); /* the releases have arrived */
    test_barrier();
  }
  EXPECT_OK(dart_team_range_destroy(&range));
}

enum { OBJECTS = 8 };

/* Objects whose numbers are all unit 0's. */
static void new_ranges(dart_range_t ranges[OBJECTS])
{
  for (int i = 0; i < OBJECTS; i++)
    EXPECT_OK(dart_team_range_init(DART_TEAM_ALL, UINT64_MAX, 0, &ranges[i]));
}

static void destroy_ranges(dart_range_t ranges[OBJECTS])
{
  for (int i = 0; i < OBJECTS; i++)
    EXPECT_OK(dart_team_range_destroy(&ranges[i]));
}

/* The last unit holds all objects, and lets them go in one go: whoever waits for one is told, whichever it is. */
TEST_N(2, waiters_of_many_objects_are_told)
{
  dart_range_t      ranges[OBJECTS];
  dart_range_hold_t holds[OBJECTS] = { DART_RANGE_HOLD_NULL };

  new_ranges(ranges);
  for (int round = 0; round < test_rounds(30); round++) {
    for (int i = 0; i < OBJECTS && me == n - 1; i++)
      holds[i] = hold(ranges[i], 0, 9, DART_RANGE_EXCLUSIVE);
    test_barrier();
    for (int i = 0; i < OBJECTS && me == n - 1; i++)
      EXPECT_OK(dart_range_release(&holds[i]));
    if (me < n - 1)
      expect_free(ranges[(round + me) % OBJECTS], 5, 20, DART_RANGE_EXCLUSIVE);
    test_barrier();
  }
  destroy_ranges(ranges);
}

TEST_N(2, a_far_release_concerns_its_object_alone)
{
  enum { RELEASES = 20 };
  dart_range_t ranges[OBJECTS];
  dart_gptr_t  memory = test_segment(DART_TEAM_ALL, 8, 0);
  int64_t      mine = dart_near_ptr(test_unit(memory, 0)) == NULL ? RELEASES : 0, all = 0;

  new_ranges(ranges);
  look();
  for (int i = 0; i < mine; i++)
    expect_free(ranges[3], (uint64_t)me, (uint64_t)me, DART_RANGE_EXCLUSIVE);
  EXPECT_OK(dart_allreduce(&mine, &all, 1, T_INT64, DART_OP_SUM, DART_TEAM_ALL));
  destroy_ranges(ranges); /* releases have come then */
  EXPECT_TRUE(since(DART__COUNT_RANGE_TABLE) <= (uint64_t)all);
  EXPECT_EQ(me == 0 && all > 0, since(DART__COUNT_RANGE_TABLE) > 0);
}

TEST(sub_teams_have_their_own)
{
  dart_team_t       half  = test_split(DART_TEAM_ALL, 2);
  dart_range_t      range = new_range(half), other = new_range(DART_TEAM_ALL);
  dart_range_hold_t got;

  if (test_team_me(half) == 0) { /* two units, of two teams */
    got = hold(range, 0, 1000, DART_RANGE_EXCLUSIVE);
    EXPECT_OK(dart_range_release(&got));
  }
  got = hold(other, (uint64_t)me, (uint64_t)me, DART_RANGE_EXCLUSIVE);
  test_barrier();
  EXPECT_OK(dart_range_release(&got));
  EXPECT_OK(dart_team_range_destroy(&range));
  EXPECT_OK(dart_team_range_destroy(&other));
}

TEST(objects_may_outlive_team_and_runtime)
{
  dart_team_t       team = DART_TEAM_NULL;
  dart_range_t      range, old;
  dart_range_span_t one = span(0, 1000, DART_RANGE_EXCLUSIVE);
  dart_range_hold_t got;

  EXPECT_OK(dart_team_clone(DART_TEAM_ALL, &team));
  range = new_range(team);
  got   = hold(range, 0, 1000, DART_RANGE_SHARED);
  EXPECT_OK(dart_range_release(&got));
  EXPECT_OK(dart_team_destroy(&team));
  EXPECT_INVAL(dart_range_acquire(range, &one, 1, -1, &got));
  EXPECT_OK(dart_team_range_destroy(&range));
  old = new_range(DART_TEAM_ALL);
  EXPECT_OK(dart_exit());
  EXPECT_OK(dart_init(NULL, NULL));
  EXPECT_INVAL(dart_range_acquire(old, &one, 1, -1, &got));
  range = new_range(DART_TEAM_ALL);
  EXPECT_OK(dart_team_range_destroy(&old));
  got = hold(range, 0, 1000, DART_RANGE_SHARED);
  EXPECT_OK(dart_range_release(&got));
  EXPECT_OK(dart_team_range_destroy(&range));
}

TEST(what_is_held_is_not_destroyed)
{
  dart_range_t      range = new_range(DART_TEAM_ALL);
  dart_range_hold_t got   = hold(range, (uint64_t)me, (uint64_t)me, DART_RANGE_SHARED);

  EXPECT_INVAL(dart_team_range_destroy(&range));
  EXPECT_OK(dart_range_release(&got));
  EXPECT_OK(dart_team_range_destroy(&range));
}

/* `odd`: this unit is the one whose arguments are not right, or not those of the others. */
static void expect_refused_everywhere(bool odd)
{
  dart_range_t      range = new_range(DART_TEAM_ALL), other = range;
  dart_range_hold_t got = DART_RANGE_HOLD_NULL;

  EXPECT_INVAL(dart_team_range_init(DART_TEAM_ALL, 0, 0, odd ? NULL : &other));
  EXPECT_INVAL(dart_team_range_init(DART_TEAM_ALL, 0, odd ? (size_t)1 << 30 : 0, &other));
  EXPECT_TRUE(other == DART_RANGE_NULL);
  EXPECT_INVAL(dart_team_range_init(DART_TEAM_ALL, odd ? 5 : 6, 0, &other));
  EXPECT_INVAL(dart_team_range_init(DART_TEAM_ALL, 0, odd ? 5 : 6, &other));
  if (odd)
    got = hold(range, 0, 9, DART_RANGE_EXCLUSIVE);
  EXPECT_INVAL(dart_team_range_destroy(&range));
  EXPECT_TRUE(range != DART_RANGE_NULL);
  if (odd)
    EXPECT_OK(dart_range_release(&got));
  EXPECT_OK(dart_team_range_destroy(&range));
}

TEST_N(2, units_agree_on_wrong_arguments)
{
  expect_refused_everywhere(me == 0);
  expect_refused_everywhere(me == n - 1);
}

TEST(wrong_arguments_are_refused)
{
  dart_range_t      range = new_range(DART_TEAM_ALL), none = (dart_range_t)&none;
  dart_range_span_t bad = span(5, 4, DART_RANGE_SHARED), good = span(4, 4, DART_RANGE_SHARED);
  dart_range_hold_t got;

  EXPECT_REFUSED(dart_team_range_init, (12345, 0, 0, &none), DART_ERR_INVAL, "12345");
  EXPECT_TRUE(none == DART_RANGE_NULL);
  EXPECT_REFUSED(dart_team_range_init, (DART_TEAM_ALL, 0, 0, NULL), DART_ERR_INVAL, "range");
  EXPECT_REFUSED(dart_team_range_init, (DART_TEAM_ALL, 0, (size_t)1 << 30, &none), DART_ERR_INVAL,
                 "1073741824");
  EXPECT_REFUSED(dart_range_acquire, (range, &bad, 1, -1, &got), DART_ERR_INVAL, "from 5 to 4");
  EXPECT_TRUE(got == DART_RANGE_HOLD_NULL);
  bad = span(4, 5, (dart_range_mode_t)2);
  EXPECT_REFUSED(dart_range_acquire, (range, &bad, 1, -1, &got), DART_ERR_INVAL, "mode 2");
  EXPECT_REFUSED(dart_range_acquire, (range, &good, 0, -1, &got), DART_ERR_INVAL, "0 spans");
  EXPECT_REFUSED(dart_range_acquire, (range, NULL, 1, -1, &got), DART_ERR_INVAL, "spans");
  EXPECT_REFUSED(dart_range_acquire, (range, &good, DART_RANGE_SPANS + 1, -1, &got), DART_ERR_INVAL,
                 "129");
  EXPECT_REFUSED(dart_range_acquire, (range, &good, 1, -1, NULL), DART_ERR_INVAL, "hold");
  EXPECT_REFUSED(dart_range_acquire, (DART_RANGE_NULL, &good, 1, -1, &got), DART_ERR_INVAL,
                 "range");
  got = DART_RANGE_HOLD_NULL;
  EXPECT_REFUSED(dart_range_release, (&got), DART_ERR_INVAL, "hold");
  EXPECT_REFUSED(dart_range_release, (NULL), DART_ERR_INVAL, "hold");
  EXPECT_OK(dart_team_range_destroy(&range));
  EXPECT_OK(dart_team_range_destroy(&range));
  EXPECT_OK(dart_team_range_destroy(NULL));
}
