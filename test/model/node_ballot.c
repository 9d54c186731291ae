/* Votes between threads, of which some stop voting at any moment and are lost a little later: all others get the same. */
#include "node_threads.h"

#include "model/ballot.h"

enum { VOTES = 300 };

static dart__ballot_t ballots[TEST_MOST_THREADS * DART__BALLOTS];
static _Atomic bool   lost[TEST_MOST_THREADS];

/* What each thread got from each vote; nvoters 0: it took no part. */
static struct {
  dart__ballot_values_t values;
  int32_t               nvoters;
} got[TEST_MOST_THREADS][VOTES];

static bool is_lost(dart_unit_t unit)
{
  return atomic_load_explicit(&lost[unit], memory_order_acquire);
}

/* Threads but the first two leave: thread t before vote 40 * t, or, odd ones, after they have written their ballot. */
static bool leaves(uint32_t me, int number, const dart__vote_t *vote)
{
  if (me < 2 || number != 40 * (int)me)
    return false;
  if (me % 2 == 1) {
    dart__ballot_t *own = &ballots[me * DART__BALLOTS];

    atomic_store_explicit(&own->all, ~(UINT64_C(1) << me), memory_order_relaxed);
    atomic_store_explicit(&own->most, 1000 + me, memory_order_relaxed);
    atomic_store_explicit(&own->voted, vote->key, memory_order_release);
  }
  sched_yield();
  atomic_store_explicit(&lost[me], true, memory_order_release);
  return true;
}

static void vote_often(uint32_t me, uint32_t n, void *shared, const dart__wait_policy_t *policy)
{
  dart__members_t members = { .count = (int32_t)n, .stride = 1 };

  (void)shared;
  for (int number = 0; number < VOTES; number++) {
    dart__vote_t          vote = { ballots, &members, (int32_t)me, (uint64_t)number + 1, is_lost };
    dart__ballot_values_t values = { ~(UINT64_C(1) << me), (uint64_t)number * 8 + me };
    dart_unit_t           voters[TEST_MOST_THREADS];

    if (leaves(me, number, &vote))
      return;
    got[me][number].nvoters = dart__ballot_vote(&vote, &values, voters, policy);
    got[me][number].values  = values;
    for (int32_t i = 0; i < got[me][number].nvoters; i++)
      CHECK((values.all >> voters[i] & 1) == 0);
  }
}

static void all_that_are_left_get_the_same(void **state)
{
  (void)state;
  TEST_FOR_THREADS(n)
  TEST_FOR_POLICIES(policy)
  {
    memset(ballots, 0, sizeof ballots);
    memset(lost, 0, sizeof lost);
    memset(got, 0, sizeof got);
    test_threads(n, vote_often, NULL, policy);
    for (int number = 0; number < VOTES; number++) {
      assert_int_equal(__builtin_popcountll(~got[0][number].values.all), got[0][number].nvoters);
      for (uint32_t t = 1; t < n && got[t][number].nvoters > 0; t++)
        assert_memory_equal(&got[0][number], &got[t][number], sizeof got[0][0]);
    }
    for (uint32_t t = 2; t < n; t++) { /* the last vote of an odd one counts, though it is lost */
      assert_int_equal(got[0][40 * t].values.all >> t & 1, t % 2 == 0);
      assert_int_equal(got[0][40 * t + 1].values.all >> t & 1, 1);
    }
  }
}

/* Threads of a unit vote at a time, each in a team of its own with the same units. Keys come again, as they do where a
 * later team has the id of an earlier one. */
static void vote_beside_another(uint32_t me, uint32_t n, void *shared,
                                const dart__wait_policy_t *policy)
{
  uint32_t        unit = me / 2, team = me % 2, nunits = n / 2;
  dart__members_t members = { .count = (int32_t)nunits, .stride = 1 };

  (void)shared;
  for (uint64_t number = 1; unit < nunits && number <= VOTES; number++) {
    uint64_t              key    = (uint64_t)(team + 1) << 32 | (number % 3 + 1);
    dart__vote_t          vote   = { ballots, &members, (int32_t)unit, key, is_lost };
    uint64_t              common = number << 1 | team;
    dart__ballot_values_t values = { common, common * 8 + unit };

    CHECK(dart__ballot_vote(&vote, &values, NULL, policy) == (int32_t)nunits);
    CHECK(values.all == common && values.most == common * 8 + nunits - 1);
  }
}

static void threads_of_a_unit_vote_at_a_time(void **state)
{
  (void)state;
  TEST_FOR_THREADS(n)
  TEST_FOR_POLICIES(policy)
  {
    memset(ballots, 0, sizeof ballots);
    memset(lost, 0, sizeof lost);
    test_threads(n, vote_beside_another, NULL, policy);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = { cmocka_unit_test(all_that_are_left_get_the_same),
                                      cmocka_unit_test(threads_of_a_unit_vote_at_a_time) };

  test_watch();
  return cmocka_run_group_tests_name("ballot", tests, NULL, NULL);
}
