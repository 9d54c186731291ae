/* The mutex: one at a time, nobody left asleep, and what its holders wrote is there. */
#include "node_threads.h"

#include "late_waiters.h"
#include "wait/mutex.h"

enum {
  ROUNDS        = 20000,
  SLEEPY_ROUNDS = 200,
  TURNS         = 25,
  MANY          = 5,
  RHYTHM_TURNS  = 8,
  RHYTHM_US     = 4000
};

typedef struct {
  dart__mutex_t mutex;
  uint64_t      count, complement; /* plain, under the mutex */
  bool          inside;
} guarded_t;

static guarded_t guarded[MANY];

static void check_in(guarded_t *g)
{
  CHECK(!g->inside);
  g->inside = true;
  CHECK(g->complement == ~g->count);
  g->count++;
}

static void enter(guarded_t *g, const dart__wait_policy_t *policy)
{
  dart__mutex_lock(&g->mutex, policy);
  check_in(g);
}

static void leave(guarded_t *g)
{
  g->complement = ~g->count;
  g->inside     = false;
  dart__mutex_unlock(&g->mutex);
}

static void prepare(guarded_t *g, int n)
{
  for (int i = 0; i < n; i++) {
    memset(&g[i], 0, sizeof g[i]); /* zeroed memory is a free mutex */
    g[i].complement = ~UINT64_C(0);
  }
}

static void expect_count(guarded_t *g, uint64_t count)
{
  assert_int_equal(g->count, count);
  assert_int_equal(g->complement, ~count);
  assert_int_equal(atomic_load(&g->mutex.state), 0);
}

static void count_up(uint32_t me, uint32_t n, void *shared, const dart__wait_policy_t *policy)
{
  (void)me;
  (void)n;
  for (uint32_t round = 0; round < ROUNDS; round++) {
    enter(shared, policy);
    leave(shared);
  }
}

static void no_count_is_lost(void **state)
{
  (void)state;
  TEST_FOR_POLICIES(policy)
  TEST_FOR_THREADS(n)
  {
    prepare(guarded, 1);
    test_threads(n, count_up, guarded, policy);
    expect_count(guarded, (uint64_t)n * ROUNDS);
  }
}

/* Holders sleep or give the core away, so the others do sleep on the futex; then again they leave
 * the mutex alone for a while, so that it is free in between. */
static void count_up_sleepily(uint32_t me, uint32_t n, void *shared,
                              const dart__wait_policy_t *policy)
{
  uint32_t random = me + 1;

  (void)n;
  for (uint32_t round = 0; round < SLEEPY_ROUNDS; round++) {
    enter(shared, policy);
    if (test_random(&random) % 4 == 0)
      usleep(100);
    else
      test_dawdle(&random);
    leave(shared);
    test_dawdle(&random);
  }
}

static void who_sleeps_is_woken(void **state)
{
  (void)state;
  TEST_FOR_POLICIES(policy)
  TEST_FOR_THREADS(n)
  {
    prepare(guarded, 1);
    test_threads(n, count_up_sleepily, guarded, policy);
    expect_count(guarded, (uint64_t)n * SLEEPY_ROUNDS);
  }
}

/* By try alone, and by both ways at once. */
static void count_up_trying(uint32_t me, uint32_t n, void *shared,
                            const dart__wait_policy_t *policy)
{
  guarded_t *g      = shared;
  uint32_t   random = me + 1;

  (void)n;
  for (uint32_t round = 0; round < SLEEPY_ROUNDS; round++) {
    if (me == 0) {
      enter(g, policy);
    } else {
      while (!dart__mutex_try(&g->mutex))
        sched_yield();
      check_in(g);
    }
    test_dawdle(&random);
    leave(g);
  }
}

static void trying_takes_it_when_it_is_free(void **state)
{
  (void)state;
  prepare(guarded, 1);
  assert_true(dart__mutex_try(&guarded->mutex));
  assert_false(dart__mutex_try(&guarded->mutex));
  dart__mutex_unlock(&guarded->mutex);
  assert_int_equal(atomic_load(&guarded->mutex.state), 0);
  TEST_FOR_THREADS(n)
  {
    prepare(guarded, 1);
    test_threads(n, count_up_trying, guarded, &test_policies[0]);
    expect_count(guarded, (uint64_t)n * SLEEPY_ROUNDS);
  }
}

/* The first one holds it until all others are late. From then on they come before it. */
static void hold_until_all_are_late(uint32_t me, uint32_t n, void *shared,
                                    const dart__wait_policy_t *policy)
{
  guarded_t *g    = shared;
  bool       mine = false;

  if (me > 0) {
    while (atomic_load_explicit(&g->mutex.state, memory_order_relaxed) == 0)
      sched_yield();
    enter(g, policy);
    leave(g);
    return;
  }
  enter(g, policy);
  while (test_nlate(&g->mutex) < n - 1)
    usleep(100);
  leave(g);
  while (!mine) {
    mine = dart__mutex_try(&g->mutex);
    sched_yield();
  }
  CHECK(g->count == n);
  check_in(g);
  leave(g);
}

static void who_is_late_comes_before_newcomers(void **state)
{
  (void)state;
  TEST_FOR_POLICIES(policy)
  TEST_FOR_THREADS(n)
  {
    prepare(guarded, 1);
    test_threads(n, hold_until_all_are_late, guarded, policy);
    expect_count(guarded, n + 1);
  }
}

/* Threads come back again and again, and a holder waits until all others are late. So whoever comes back may pass the
 * first of them some times, and is then behind all of them, which pass it once each, and are passed themselves. */
static uint32_t still_there; /* under the mutex */

static void come_back(uint32_t me, uint32_t n, void *shared, const dart__wait_policy_t *policy)
{
  guarded_t *g     = shared;
  uint64_t   after = 0; /* holders before this thread's last turn, that one included */

  (void)me;
  for (uint32_t round = 0; round < TURNS; round++) {
    enter(g, policy);
    CHECK(round == 0 || g->count - after <= (DART__MUTEX_MOST_PASSES + 1) * n);
    after = g->count;
    while (test_nlate(&g->mutex) < still_there - 1)
      usleep(100);
    if (round == TURNS - 1)
      still_there--;
    leave(g);
  }
}

static void who_is_late_is_passed_a_bounded_number_of_times(void **state)
{
  enum { THREADS = 3 };

  (void)state;
  TEST_FOR_POLICIES(policy)
  {
    prepare(guarded, 1);
    still_there = THREADS;
    test_threads(THREADS, come_back, guarded, policy);
    expect_count(guarded, THREADS * TURNS);
  }
}

/* The mutex, which is held with tickets drawn, goes to that one, but for passes. */
static void expect_turn(dart__mutex_t *mutex, uint32_t ticket, const uint32_t *others, int nothers)
{
  dart__mutex_unlock(mutex);
  for (uint32_t pass = 0; pass < DART__MUTEX_MOST_PASSES; pass++) {
    assert_true(dart__mutex_take_for(mutex, 0));
    dart__mutex_unlock(mutex);
  }
  assert_false(dart__mutex_try(mutex));
  assert_false(dart__mutex_take_for(mutex, 0));
  for (int i = 0; i < nothers; i++)
    assert_true(others[i] == ticket || !dart__mutex_take_late(mutex, others[i], 0));
  assert_true(dart__mutex_take_late(mutex, ticket, 0));
}

/* More of them than a wake-up tells apart, and more tickets than there are. */
static void tickets_are_served_in_turn(void **state)
{
  enum { LATE = 40, TICKETS = 40000 };
  dart__mutex_t *mutex = &guarded->mutex;
  uint32_t       ticket[LATE];

  (void)state;
  prepare(guarded, 1);
  assert_true(dart__mutex_try(mutex));
  for (int i = 0; i < LATE; i++)
    ticket[i] = dart__mutex_draw_ticket(mutex);
  assert_int_equal(test_nlate(mutex), LATE);
  for (int i = 0; i < TICKETS; i++) {
    expect_turn(mutex, ticket[i % LATE], ticket, LATE);
    if (i < TICKETS - LATE)
      ticket[i % LATE] = dart__mutex_draw_ticket(mutex);
  }
  assert_int_equal(test_nlate(mutex), 0);
  dart__mutex_unlock(mutex);
  assert_true(dart__mutex_take_for(mutex, 0));
  dart__mutex_unlock(mutex);
}

static void it_works_between_processes(void **state)
{
  guarded_t *shared = test_share(sizeof *shared);

  (void)state;
  TEST_FOR_THREADS(n)
  {
    prepare(shared, 1);
    test_processes(n, count_up_sleepily, shared, &test_policies[0]);
    expect_count(shared, (uint64_t)n * SLEEPY_ROUNDS);
  }
  munmap(shared, sizeof *shared);
}

/* Each thread takes two at a time, in the order of their addresses. */
static void take_two(uint32_t me, uint32_t n, void *shared, const dart__wait_policy_t *policy)
{
  guarded_t *g      = shared;
  uint32_t   random = me + 1;

  (void)n;
  for (uint32_t round = 0; round < ROUNDS / 10; round++) {
    uint32_t low  = test_random(&random) % (MANY - 1);
    uint32_t high = low + 1 + test_random(&random) % (MANY - 1 - low);

    enter(&g[low], policy);
    enter(&g[high], policy);
    if (round % 16 == 0)
      test_dawdle(&random);
    leave(&g[low]);
    leave(&g[high]);
  }
}

static void mutexes_do_not_disturb_each_other(void **state)
{
  (void)state;
  TEST_FOR_THREADS(n)
  {
    uint64_t sum = 0;

    prepare(guarded, MANY);
    test_threads(n, take_two, guarded, &test_policies[0]);
    for (int i = 0; i < MANY; i++) {
      sum += guarded[i].count;
      expect_count(&guarded[i], guarded[i].count);
    }
    assert_int_equal(sum, (uint64_t)n * 2 * (ROUNDS / 10));
  }
}

/* A holder hands a message to the next one, who may be any. */
static uint64_t ledger[TEST_MOST_THREADS * SLEEPY_ROUNDS]; /* plain; each entry written once */

static void keep_ledger(uint32_t me, uint32_t n, void *shared, const dart__wait_policy_t *policy)
{
  guarded_t *g      = shared;
  uint32_t   random = me + 1;

  (void)n;
  for (uint32_t round = 0; round < SLEEPY_ROUNDS; round++) {
    enter(g, policy);
    for (uint64_t entry = 0; entry + 1 < g->count; entry++)
      CHECK(ledger[entry] == entry * 7 + 1);
    ledger[g->count - 1] = (g->count - 1) * 7 + 1;
    leave(g);
    if (round % 16 == 0)
      test_dawdle(&random);
  }
}

static void holders_see_what_all_holders_before_wrote(void **state)
{
  (void)state;
  TEST_FOR_THREADS(n)
  {
    prepare(guarded, 1);
    memset(ledger, 0, sizeof ledger);
    test_threads(n, keep_ledger, guarded, &test_policies[0]);
    expect_count(guarded, (uint64_t)n * SLEEPY_ROUNDS);
  }
}

/* Look `looks` times, then draw a ticket. */
static void take_late(guarded_t *g, uint32_t looks)
{
  uint32_t ticket;

  for (uint32_t i = 0; i < looks; i++, usleep(20))
    if (dart__mutex_take_for(&g->mutex, 0))
      return;
  ticket = dart__mutex_draw_ticket(&g->mutex);
  while (!dart__mutex_take_late(&g->mutex, ticket, 0))
    usleep(20);
}

/* One of them never sleeps on the mutex: it looks again and again, as for a waiter elsewhere, at first as any, and then
 * as one that is late. */
static void take_for_another(uint32_t me, uint32_t n, void *shared,
                             const dart__wait_policy_t *policy)
{
  guarded_t *g      = shared;
  uint32_t   random = me + 1;

  (void)n;
  for (uint32_t round = 0; round < SLEEPY_ROUNDS; round++) {
    if (me != 0) {
      enter(g, policy);
    } else {
      take_late(g, round % 8);
      check_in(g);
    }
    if (test_random(&random) % 4 == 0)
      usleep(50);
    CHECK(dart__mutex_is_held(&g->mutex));
    leave(g);
    test_dawdle(&random);
  }
}

static void it_is_taken_for_waiters_elsewhere(void **state)
{
  uint32_t ticket;

  (void)state;
  prepare(guarded, 1);
  assert_true(dart__mutex_take_for(&guarded->mutex, 0));
  assert_false(dart__mutex_take_for(&guarded->mutex, 0));
  ticket = dart__mutex_draw_ticket(&guarded->mutex);
  assert_false(dart__mutex_take_late(&guarded->mutex, ticket, 0));
  expect_turn(&guarded->mutex, ticket, NULL, 0);
  dart__mutex_unlock(&guarded->mutex);
  assert_false(dart__mutex_is_held(&guarded->mutex));
  TEST_FOR_POLICIES(policy)
  TEST_FOR_THREADS(n)
  {
    prepare(guarded, 1);
    test_threads(n, take_for_another, guarded, policy);
    expect_count(guarded, (uint64_t)n * SLEEPY_ROUNDS);
  }
}

/* Turns of more than ten milliseconds in all, so that waiters are late. */
static void wait_in_rhythm(uint32_t me, uint32_t n, void *shared, const dart__wait_policy_t *policy)
{
  dart__wait_pace_t   pace      = *policy->pace;
  dart__wait_policy_t with_core = { .pace = &pace };

  (void)me;
  (void)n;
  pace.yields = 1;
  for (int i = 0; i < RHYTHM_TURNS; i++) {
    enter(shared, &with_core);
    usleep(RHYTHM_US);
    leave(shared);
  }
}

static void turns_in_a_rhythm_exclude_each_other(void **state)
{
  (void)state;
  TEST_FOR_POLICIES(policy)
  {
    prepare(guarded, 1);
    test_threads(3, wait_in_rhythm, guarded, policy);
    expect_count(guarded, 3 * RHYTHM_TURNS);
  }
}

/* ---- robust: unit 5 is lost ---- */

static bool is_five(int32_t unit)
{
  return unit == 5;
}

static void of_unit(dart__mutex_t *mutex, int32_t unit)
{
  dart__mutex_set_robust(is_five, unit);
  dart__mutex_lock(mutex, &dart__wait_briefly);
  dart__mutex_set_robust(is_five, 3);
}

/* Whoever waits for a unit that is lost has the mutex, and is told; a try of it fails, and of others that are alive. */
static void a_mutex_of_a_lost_unit_is_taken(void **state)
{
  dart__mutex_t mutex = { 0 };

  (void)state;
  of_unit(&mutex, 5);
  assert_false(dart__mutex_try(&mutex));
  assert_true(dart__mutex_lock(&mutex, &dart__wait_briefly));
  assert_true(dart__mutex_is_held(&mutex));
  dart__mutex_unlock(&mutex);
  assert_false(dart__mutex_lock(&mutex, &dart__wait_briefly));
  dart__mutex_unlock(&mutex);
  of_unit(&mutex, 4);
  assert_false(dart__mutex_try_broken(&mutex) || dart__mutex_take_for(&mutex, 7));
  assert_true(dart__mutex_unlock_for(&mutex, 4));
  of_unit(&mutex, 5); /* it is never taken for a waiter that is not told */
  assert_false(dart__mutex_take_for(&mutex, 7) || dart__mutex_take_late(&mutex, 0, 7));
  assert_true(dart__mutex_take_broken_for(&mutex, 7));
  assert_false(
      dart__mutex_unlock_for(&mutex, 5)); /* what it has sent before it was lost comes late */
  assert_int_equal(dart__mutex_holder(&mutex), 7);
  assert_true(dart__mutex_unlock_for(&mutex, 7));
  assert_false(dart__mutex_unlock_for(&mutex, 7));
  of_unit(&mutex, 5);
  assert_true(dart__mutex_try_broken(&mutex));
  dart__mutex_unlock(&mutex);
  assert_true(dart__mutex_take_for(&mutex, 7));
  assert_false(dart__mutex_try(&mutex));
  assert_true(dart__mutex_unlock_for(&mutex, 7));
  assert_true(dart__mutex_try(&mutex));
  dart__mutex_set_robust(NULL, 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = { cmocka_unit_test(no_count_is_lost),
                                      cmocka_unit_test(who_sleeps_is_woken),
                                      cmocka_unit_test(trying_takes_it_when_it_is_free),
                                      cmocka_unit_test(who_is_late_comes_before_newcomers),
                                      cmocka_unit_test(
                                          who_is_late_is_passed_a_bounded_number_of_times),
                                      cmocka_unit_test(tickets_are_served_in_turn),
                                      cmocka_unit_test(it_works_between_processes),
                                      cmocka_unit_test(mutexes_do_not_disturb_each_other),
                                      cmocka_unit_test(holders_see_what_all_holders_before_wrote),
                                      cmocka_unit_test(it_is_taken_for_waiters_elsewhere),
                                      cmocka_unit_test(turns_in_a_rhythm_exclude_each_other),
                                      cmocka_unit_test(a_mutex_of_a_lost_unit_is_taken) };

  test_watch();
  return cmocka_run_group_tests_name("mutex", tests, NULL, NULL);
}
