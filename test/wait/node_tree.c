/* The tree of barriers: every unit is in the groups that it should be in, whatever the machine; and units that pass it see
 * what all have written, and the data of all. */
#include "node_threads.h"

#include "wait/tree.h"

/* --- Plans --- */

enum { MOST_UNITS = 256 };

static dart__tree_place_t places[MOST_UNITS];

/* Units in the order of cores, `cache` of which share a cache, and so on. */
static void fill_places(uint32_t cache, uint32_t domain, uint32_t package, uint32_t stride)
{
  for (uint32_t u = 0; u < MOST_UNITS; u++) {
    uint32_t core = u * stride % MOST_UNITS + u * stride / MOST_UNITS;

    places[u] = (dart__tree_place_t){ { (int32_t)(core / cache), (int32_t)(core / domain),
                                        (int32_t)(core / package) } };
  }
}

/* Every unit but the first is a member of one group that it does not lead, the last of its groups; those that it leads come
 * before. Returns the most groups that lie between a unit and the root. */
static uint32_t check_plan(const dart__tree_plan_t *plan, uint32_t n, uint32_t fan)
{
  uint32_t member_of[MOST_UNITS] = { 0 }, height[MOST_UNITS] = { 0 }, root = 0;

  for (uint32_t g = 0; g < plan->ngroups; g++) {
    const uint32_t *member = dart__tree_members(plan, g);
    uint32_t        count = dart__tree_count(plan, g), above = 0;

    assert_in_range(count, 2, fan);
    assert_int_equal(member_of[member[0]], 0); /* its leader goes on */
    for (uint32_t i = 0; i < count; i++) {
      assert_in_range(member[i], 0, n - 1);
      assert_true(i == 0 || member[i] > member[i - 1]);
      above = height[member[i]] > above ? height[member[i]] : above;
    }
    for (uint32_t i = 1; i < count; i++) {
      assert_int_equal(member_of[member[i]], 0);
      member_of[member[i]] = g + 1;
    }
    root = height[member[0]] = above + 1;
  }
  assert_int_equal(member_of[0], 0);
  for (uint32_t u = 1; u < n; u++)
    assert_int_not_equal(member_of[u], 0);
  assert_int_equal(dart__tree_members(plan, plan->ngroups - 1)[0], 0);
  return root;
}

static void every_unit_is_in_one_group_that_it_does_not_lead(void **state)
{
  (void)state;
  for (uint32_t stride = 1; stride <= 16; stride *= 2) {
    fill_places(8, 16, 128, stride);
    for (uint32_t fan = 2; fan <= 9; fan++)
      for (uint32_t n = 2; n <= MOST_UNITS; n++) {
        dart__tree_plan_t *plan = dart__tree_plan(places, n, fan);

        assert_non_null(plan);
        check_plan(plan, n, fan);
        free(plan);
      }
  }
}

/* Two packages of 8 NUMA domains of two caches. */
static void groups_follow_the_machine(void **state)
{
  (void)state;
  for (uint32_t stride = 1; stride <= 16; stride *= 4) {
    dart__tree_plan_t *plan;

    fill_places(8, 16, 128, stride);
    plan = dart__tree_plan(places, MOST_UNITS, 8);
    assert_non_null(plan);
    /* of each cache, each domain, each package, and of the node */
    assert_int_equal(plan->ngroups, 32 + 16 + 2 + 1);
    assert_int_equal(check_plan(plan, MOST_UNITS, 8), 4);
    for (uint32_t g = 0; g < plan->ngroups; g++) {
      const uint32_t *member = dart__tree_members(plan, g);
      int             level  = g < 32 ? 0 : g < 48 ? 1 : 2;

      for (uint32_t i = 1; g < 50 && i < dart__tree_count(plan, g); i++)
        assert_int_equal(places[member[i]].domain[level], places[member[0]].domain[level]);
    }
    free(plan);
  }
}

/* Where nothing is known of the machine: still no more than so many, and a way of logarithmic length. */
static void large_groups_are_divided(void **state)
{
  static const uint32_t heights[][2] = { { 9, 2 }, { 64, 2 }, { 65, 3 }, { 256, 3 } };

  (void)state;
  memset(places, 0xff, sizeof places);
  for (size_t i = 0; i < sizeof heights / sizeof *heights; i++) {
    dart__tree_plan_t *plan = dart__tree_plan(places, heights[i][0], 8);

    assert_non_null(plan);
    assert_int_equal(check_plan(plan, heights[i][0], 8), heights[i][1]);
    free(plan);
  }
}

/* --- Steps --- */

enum { ROUNDS = 300, SLOT = DART__CACHE_LINE };

typedef struct {
  char    *memory;
  uint32_t start; /* episode of the first round */
  uint32_t odd_one;
  _Alignas(DART__CACHE_LINE) char slots[2][TEST_MOST_THREADS][SLOT];
  uint64_t between; /* plain: by the first while the others wait */
} stage_t;

static void add(const void *context, const char *other, char *own)
{
  (void)context;
  *(uint64_t *)(void *)own += *(const uint64_t *)(const void *)other;
}

/* A round of one of four forms: with data or without, in one piece or in halves. */
static void step(const dart__tree_t *tree, stage_t *s, uint32_t n, uint32_t round, uint32_t form,
                 uint32_t *episode, const dart__wait_policy_t *policy)
{
  dart__tree_data_t data = {
    .slots = s->slots[round & 1][0], .slot_bytes = SLOT, .nbytes = sizeof(uint64_t), .combine = add
  };
  bool     has_data = (form & 1) != 0, is_split = (form & 2) != 0;
  uint64_t expected = (uint64_t)n * round + n * (n - 1) / 2, sum;

  *(uint64_t *)(void *)s->slots[round & 1][tree->me] = round + tree->me;
  if (dart__tree_arrive(tree, episode, 0, is_split, has_data ? &data : NULL, policy)) {
    CHECK(is_split && tree->me == 0);
    s->between = round;
    dart__tree_release(tree, episode);
  } else {
    CHECK(!is_split || tree->me > 0);
  }
  CHECK(*episode == s->start + round + 1);
  CHECK(!is_split || s->between == round);
  if (has_data) {
    memcpy(&sum, dart__tree_result(tree, &data), sizeof sum);
    CHECK(sum == expected);
    return;
  }
  sum = 0;
  for (uint32_t u = 0; u < n; u++)
    sum += *(uint64_t *)(void *)s->slots[round & 1][u];
  CHECK(sum == expected);
}

static void pass(uint32_t me, uint32_t n, void *shared, const dart__wait_policy_t *policy)
{
  stage_t     *s       = shared;
  uint32_t     episode = s->start, random = me + 1, form = 4711;
  dart__tree_t tree;

  dart__tree_open(&tree, s->memory, me);
  for (uint32_t round = 0; round < test_rounds(policy, n, ROUNDS); round++) {
    if (test_random(&random) % 8 == 0)
      test_dawdle(&random);
    step(&tree, s, n, round, test_random(&form) % 4, &episode, policy);
    CHECK(!dart__barrier_differs(dart__tree_last(&tree)));
  }
}

static void with_tree(uint32_t n, uint32_t fan, uint32_t start, stage_t *s)
{
  dart__tree_plan_t *plan;

  memset(places, 0, sizeof places);
  memset(s, 0, sizeof *s);
  plan = dart__tree_plan(places, n, fan);
  assert_non_null(plan);
  s->start  = start;
  s->memory = aligned_alloc(DART__CACHE_LINE, dart__tree_bytes(plan));
  assert_non_null(s->memory);
  dart__tree_format(s->memory, plan, start);
  free(plan);
}

static void units_see_what_all_wrote_and_the_data_of_all(void **state)
{
  static stage_t stage;

  (void)state;
  for (uint32_t fan = 2; fan <= 4; fan++)
    TEST_FOR_POLICIES(policy)
  TEST_FOR_THREADS(n)
  {
    with_tree(n, fan, fan == 3 ? UINT32_MAX - 50 : 0, &stage); /* episodes may wrap */
    test_threads(n, pass, &stage, policy);
    free(stage.memory);
  }
}

/* One unit brings another kind: all hear of it in the same step. */
static void differ_once(uint32_t me, uint32_t n, void *shared, const dart__wait_policy_t *policy)
{
  stage_t     *s       = shared;
  uint32_t     episode = s->start;
  dart__tree_t tree;

  dart__tree_open(&tree, s->memory, me);
  dart__tree_arrive(&tree, &episode, 7, false, NULL, policy);
  CHECK(!dart__barrier_differs(dart__tree_last(&tree)));
  if (dart__tree_arrive(&tree, &episode, me == s->odd_one ? 8 : 7, n % 2 == 0, NULL, policy)) {
    CHECK(dart__barrier_differs(dart__tree_last(&tree)));
    dart__tree_release(&tree, &episode);
  }
  CHECK(dart__barrier_differs(dart__tree_last(&tree)));
}

static void all_hear_of_kinds_that_differ(void **state)
{
  static stage_t stage;

  (void)state;
  for (uint32_t fan = 2; fan <= 3; fan++)
    TEST_FOR_THREADS(n)
  for (uint32_t unit = 0; unit < n; unit++) {
    with_tree(n, fan, 0, &stage);
    stage.odd_one = unit;
    test_threads(n, differ_once, &stage, &test_policies[1]);
    free(stage.memory);
  }
}

/* In programs the first check comes after 0.1 s. */
static const dart__wait_pace_t hasty = { .spins = 50, .check_us = 10000 };

static bool give_up(void *subject)
{
  (void)subject;
  return true;
}

/* One unit does not come, and all others give up, at the first look. */
static void arrive_but_one(uint32_t me, uint32_t n, void *shared, const dart__wait_policy_t *policy)
{
  stage_t            *s         = shared;
  uint32_t            episode   = s->start;
  dart__wait_policy_t impatient = *policy;
  dart__tree_t        tree;

  (void)n;
  impatient.pace  = &hasty;
  impatient.check = give_up;
  dart__tree_open(&tree, s->memory, me);
  if (me != s->odd_one)
    CHECK(!dart__tree_arrive(&tree, &episode, 0, true, NULL, &impatient));
}

static void no_group_is_opened_if_a_unit_does_not_come(void **state)
{
  static stage_t stage;

  (void)state;
  for (uint32_t fan = 2; fan <= 3; fan++)
    TEST_FOR_THREADS(n)
  for (uint32_t unit = 0; unit < n; unit++) {
    dart__tree_t tree;

    with_tree(n, fan, 0, &stage);
    stage.odd_one = unit;
    test_threads(n, arrive_but_one, &stage, &test_policies[1]);
    dart__tree_open(&tree, stage.memory, 0);
    for (uint32_t g = 0; g < tree.plan->ngroups; g++)
      assert_int_equal(dart__event_count(&tree.barriers[g].open), 0);
    free(stage.memory);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_unit_is_in_one_group_that_it_does_not_lead),
    cmocka_unit_test(groups_follow_the_machine),
    cmocka_unit_test(large_groups_are_divided),
    cmocka_unit_test(units_see_what_all_wrote_and_the_data_of_all),
    cmocka_unit_test(all_hear_of_kinds_that_differ),
    cmocka_unit_test(no_group_is_opened_if_a_unit_does_not_come),
  };

  test_watch();
  return cmocka_run_group_tests(tests, NULL, NULL);
}
