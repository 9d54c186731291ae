/* The node's barrier: nobody leaves early, nobody stays behind, and what units wrote before is
 * there after; in one piece and in halves, with the leader's work in between. */
#include "node_threads.h"

#include "wait/barrier.h"

enum { ROUNDS = 1000, PROCESS_ROUNDS = 300, LEADER = 0 };

typedef struct {
  dart__barrier_t barrier;
  uint32_t        start;                       /* episode of the first round */
  uint64_t        wrote[2][TEST_MOST_THREADS]; /* plain: by each unit, rounds alternate */
  uint64_t        between;                     /* plain: by the leader while the others wait */
} stage_t;

static stage_t stage;

/* A barrier that has seen `episodes` episodes. */
static void prepare(stage_t *s, uint32_t n, uint32_t episodes)
{
  memset(s, 0x5a, sizeof *s);
  dart__barrier_init(&s->barrier, n, 0);
  assert_int_equal(dart__event_count(&s->barrier.open), 0);
  atomic_store(&s->barrier.open.count, episodes);
  atomic_store(&s->barrier.full.count, episodes);
  s->start = episodes;
}

static void expect_at_rest(stage_t *s, uint32_t n, uint32_t rounds)
{
  assert_int_equal(atomic_load(&s->barrier.missing), n);
  assert_int_equal(dart__event_count(&s->barrier.open), (uint32_t)(s->start + rounds));
  assert_int_equal(atomic_load(&s->barrier.open.sleepers), 0);
  assert_int_equal(atomic_load(&s->barrier.full.sleepers), 0);
}

static void write_own(stage_t *s, uint32_t me, uint32_t round)
{
  s->wrote[round & 1][me] = (uint64_t)round << 8 | me;
}

/* After the barrier: exactly what was written in this round. Who is ahead writes elsewhere. */
static void check_all(const stage_t *s, uint32_t n, uint32_t round)
{
  for (uint32_t unit = 0; unit < n; unit++)
    CHECK(s->wrote[round & 1][unit] == ((uint64_t)round << 8 | unit));
}

/* --- One piece --- */

static void pass(uint32_t me, uint32_t n, stage_t *s, uint32_t rounds,
                 const dart__wait_policy_t *policy)
{
  uint32_t episode = s->start, random = me + 1;

  for (uint32_t round = 0; round < rounds; round++) {
    write_own(s, me, round);
    if (round % 8 == 0)
      test_dawdle(&random);
    dart__barrier_wait(&s->barrier, &episode, 0, policy);
    CHECK(episode == s->start + round + 1);
    check_all(s, n, round);
  }
}

static void pass_often(uint32_t me, uint32_t n, void *shared, const dart__wait_policy_t *policy)
{
  pass(me, n, shared, test_rounds(policy, n, ROUNDS), policy);
}

static void pass_seldom(uint32_t me, uint32_t n, void *shared, const dart__wait_policy_t *policy)
{
  pass(me, n, shared, PROCESS_ROUNDS, policy);
}

static void units_see_what_all_wrote_before(void **state)
{
  (void)state;
  TEST_FOR_POLICIES(policy)
  TEST_FOR_THREADS(n)
  {
    prepare(&stage, n, 0);
    test_threads(n, pass_often, &stage, policy);
    expect_at_rest(&stage, n, test_rounds(policy, n, ROUNDS));
  }
}

static void one_unit_passes_alone(void **state)
{
  uint32_t episode = 0;

  (void)state;
  prepare(&stage, 1, 0);
  for (uint32_t round = 0; round < 10; round++) {
    dart__barrier_wait(&stage.barrier, &episode, 0, &test_policies[0]);
    dart__barrier_collect(&stage.barrier, &episode, 0, &test_policies[0]);
    dart__barrier_open(&stage.barrier, &episode);
  }
  assert_int_equal(episode, 20);
  expect_at_rest(&stage, 1, 20);
}

static void episodes_may_wrap(void **state)
{
  (void)state;
  TEST_FOR_THREADS(n)
  {
    uint32_t rounds = test_rounds(&test_policies[1], n, ROUNDS);

    prepare(&stage, n, UINT32_MAX - rounds / 2);
    test_threads(n, pass_often, &stage, &test_policies[1]);
    expect_at_rest(&stage, n, rounds);
  }
}

static void it_works_between_processes(void **state)
{
  stage_t *shared = test_share(sizeof *shared);

  (void)state;
  TEST_FOR_THREADS(n)
  {
    prepare(shared, n, 0);
    test_processes(n, pass_seldom, shared, &test_policies[0]);
    expect_at_rest(shared, n, PROCESS_ROUNDS);
  }
  munmap(shared, sizeof *shared);
}

/* --- Halves --- */

/* One round: the leader sees all, works, and opens; nobody sees less than its work. */
static void pass_in_halves(uint32_t me, uint32_t n, stage_t *s, uint32_t round, uint32_t *episode,
                           uint32_t *random, const dart__wait_policy_t *policy)
{
  write_own(s, me, round);
  if (round % 8 == 0)
    test_dawdle(random);
  if (me == LEADER) {
    dart__barrier_collect(&s->barrier, episode, 0, policy);
    check_all(s, n, round);
    s->between = round * UINT64_C(3);
    if (round % 8 == 4)
      test_dawdle(random);
    dart__barrier_open(&s->barrier, episode);
  } else {
    dart__barrier_follow(&s->barrier, episode, 0, policy);
  }
  CHECK(*episode == s->start + round + 1);
  CHECK(s->between == round * UINT64_C(3));
  check_all(s, n, round);
}

static void lead_and_follow(uint32_t me, uint32_t n, void *shared,
                            const dart__wait_policy_t *policy)
{
  stage_t *s       = shared;
  uint32_t episode = s->start, random = me + 1;

  for (uint32_t round = 0; round < test_rounds(policy, n, ROUNDS); round++)
    pass_in_halves(me, n, s, round, &episode, &random, policy);
}

static void followers_wait_for_what_the_leader_does_in_between(void **state)
{
  (void)state;
  TEST_FOR_POLICIES(policy)
  TEST_FOR_THREADS(n)
  {
    prepare(&stage, n, 0);
    test_threads(n, lead_and_follow, &stage, policy);
    expect_at_rest(&stage, n, test_rounds(policy, n, ROUNDS));
  }
}

static void halves_may_wrap(void **state)
{
  (void)state;
  TEST_FOR_THREADS(n)
  {
    uint32_t rounds = test_rounds(&test_policies[1], n, ROUNDS);

    prepare(&stage, n, UINT32_MAX - rounds / 2);
    test_threads(n, lead_and_follow, &stage, &test_policies[1]);
    expect_at_rest(&stage, n, rounds);
  }
}

static void follow_and_lead_seldom(uint32_t me, uint32_t n, void *shared,
                                   const dart__wait_policy_t *policy)
{
  stage_t *s       = shared;
  uint32_t episode = s->start, random = me + 1;

  for (uint32_t round = 0; round < PROCESS_ROUNDS; round++)
    pass_in_halves(me, n, s, round, &episode, &random, policy);
}

static void halves_work_between_processes(void **state)
{
  stage_t *shared = test_share(sizeof *shared);

  (void)state;
  TEST_FOR_THREADS(n)
  {
    prepare(shared, n, 0);
    test_processes(n, follow_and_lead_seldom, shared, &test_policies[0]);
    expect_at_rest(shared, n, PROCESS_ROUNDS);
  }
  munmap(shared, sizeof *shared);
}

/* Rounds in one piece and in halves, in an order all agree on. */
static void alternate(uint32_t me, uint32_t n, void *shared, const dart__wait_policy_t *policy)
{
  stage_t *s       = shared;
  uint32_t episode = s->start, random = me + 1, form = 4711;

  for (uint32_t round = 0; round < test_rounds(policy, n, ROUNDS); round++) {
    if (test_random(&form) % 2 == 0) {
      pass_in_halves(me, n, s, round, &episode, &random, policy);
      continue;
    }
    write_own(s, me, round);
    dart__barrier_wait(&s->barrier, &episode, 0, policy);
    check_all(s, n, round);
  }
}

static void both_forms_share_their_episodes(void **state)
{
  (void)state;
  TEST_FOR_POLICIES(policy)
  TEST_FOR_THREADS(n)
  {
    prepare(&stage, n, 0);
    test_threads(n, alternate, &stage, policy);
    expect_at_rest(&stage, n, test_rounds(policy, n, ROUNDS));
  }
}

/* The leader is the last to arrive, again and again, while the count of episodes wraps; then it is
 * the first, in the episode whose number is the one a fresh barrier starts with. It waits. */
enum { LATE_ROUNDS = 5 };

static _Atomic uint32_t follower_came;

static void come_late_then_early(uint32_t me, uint32_t n, void *shared,
                                 const dart__wait_policy_t *policy)
{
  stage_t *s       = shared;
  uint32_t episode = s->start;

  (void)n;
  for (uint32_t round = 0; round < LATE_ROUNDS; round++) {
    if (me != LEADER) {
      dart__barrier_follow(&s->barrier, &episode, 0, policy);
      continue;
    }
    while (atomic_load(&s->barrier.missing) != 1)
      sched_yield();
    dart__barrier_collect(&s->barrier, &episode, 0, policy);
    dart__barrier_open(&s->barrier, &episode);
  }
  CHECK(episode == UINT32_MAX);
  if (me != LEADER) {
    usleep(50000);
    atomic_store(&follower_came, 1);
    dart__barrier_follow(&s->barrier, &episode, 0, policy);
    return;
  }
  dart__barrier_collect(&s->barrier, &episode, 0, policy);
  CHECK(atomic_load(&follower_came) == 1);
  dart__barrier_open(&s->barrier, &episode);
}

static void an_early_leader_waits_where_counts_wrap(void **state)
{
  (void)state;
  prepare(&stage, 2, UINT32_MAX - LATE_ROUNDS);
  atomic_store(&stage.barrier.full.count, 0); /* the leader was last in every episode so far */
  atomic_store(&follower_came, 0);
  test_threads(2, come_late_then_early, &stage, &test_policies[1]);
  expect_at_rest(&stage, 2, LATE_ROUNDS + 1);
}

/* --- Kinds --- */

enum { KIND_ROUNDS = 200 };

/* All bring the same, and in the last round one brings another one: which unit, and who arrives last, is drawn. */
static void bring_kinds(uint32_t me, uint32_t n, void *shared, const dart__wait_policy_t *policy)
{
  stage_t *s       = shared;
  uint32_t episode = s->start, random = me + 1, odd = s->start % n;

  for (uint32_t round = 0; round <= KIND_ROUNDS; round++) {
    uint32_t kind = round * 0x9e3779b9u + (round == KIND_ROUNDS && me == odd);

    test_dawdle(&random);
    if (round % 2 == 0) {
      dart__barrier_wait(&s->barrier, &episode, kind, policy);
    } else if (me != LEADER) {
      dart__barrier_follow(&s->barrier, &episode, kind, policy);
    } else {
      dart__barrier_collect(&s->barrier, &episode, kind, policy);
      dart__barrier_open(&s->barrier, &episode);
    }
    CHECK(dart__barrier_differs(&s->barrier) == (round == KIND_ROUNDS));
  }
}

static void all_units_see_that_kinds_differ(void **state)
{
  (void)state;
  for (uint32_t start = 0; start < 12; start++) {
    prepare(&stage, 2 + start % 3, start);
    test_threads(2 + start % 3, bring_kinds, &stage, &test_policies[start % 2]);
  }
}

static void one_unit_agrees_with_itself(void **state)
{
  uint32_t episode = 0;

  (void)state;
  prepare(&stage, 1, 0);
  for (uint32_t kind = 0; kind < 100; kind++)
    dart__barrier_wait(&stage.barrier, &episode, kind * kind, &test_policies[0]);
  assert_false(dart__barrier_differs(&stage.barrier));
}

int main(void)
{
  const struct CMUnitTest tests[] = { cmocka_unit_test(units_see_what_all_wrote_before),
                                      cmocka_unit_test(one_unit_passes_alone),
                                      cmocka_unit_test(episodes_may_wrap),
                                      cmocka_unit_test(it_works_between_processes),
                                      cmocka_unit_test(
                                          followers_wait_for_what_the_leader_does_in_between),
                                      cmocka_unit_test(halves_may_wrap),
                                      cmocka_unit_test(halves_work_between_processes),
                                      cmocka_unit_test(both_forms_share_their_episodes),
                                      cmocka_unit_test(an_early_leader_waits_where_counts_wrap),
                                      cmocka_unit_test(all_units_see_that_kinds_differ),
                                      cmocka_unit_test(one_unit_agrees_with_itself) };

  test_watch();
  return cmocka_run_group_tests_name("barrier", tests, NULL, NULL);
}
