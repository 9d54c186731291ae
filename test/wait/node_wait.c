/* Waiting: events hand over plain data, no wake-up is lost, and progress is made meanwhile. */
#include "node_threads.h"

#include <sys/resource.h>
#include <time.h>

#include "late_waiters.h"
#include "wait/mutex.h"

enum { ROUNDS = 2000, PROCESS_ROUNDS = 500 };

/* --- The futex --- */

static uint64_t now_us(void)
{
  struct timespec now;

  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

static void futex_does_not_sleep_on_another_value(void **state)
{
  _Atomic uint32_t word = 1;

  (void)state;
  dart__futex_wait(&word, 0, 0);
  dart__futex_wait(&word, 2, 0);
  assert_int_equal(atomic_load(&word), 1);
}

/* It may return early, by a signal; here nobody sends one. */
static void futex_sleeps_for_as_long_as_it_is_told(void **state)
{
  static const uint32_t most_us[] = { 1, 20000, 1100000 };
  _Atomic uint32_t      word      = 1;

  (void)state;
  for (size_t i = 0; i < sizeof most_us / sizeof *most_us; i++) {
    uint64_t start = now_us();

    dart__futex_wait(&word, 1, most_us[i]);
    assert_true(now_us() - start >= most_us[i]);
  }
}

/* --- Events --- */

typedef struct {
  _Alignas(DART__CACHE_LINE) dart__event_t event;
  uint64_t message[2]; /* plain; by whoever raises the event */
} post_t;

static post_t   posts[TEST_MOST_THREADS];
static uint32_t first; /* count all events start at */

static void clear_posts(post_t *post, uint32_t count)
{
  memset(post, 0, TEST_MOST_THREADS * sizeof *post);
  first = count;
  for (int i = 0; i < TEST_MOST_THREADS; i++)
    atomic_store(&post[i].event.count, count);
}

static void expect_no_sleepers(const post_t *post)
{
  for (int i = 0; i < TEST_MOST_THREADS; i++)
    assert_int_equal(atomic_load(&post[i].event.sleepers), 0);
}

/* A token goes round: thread i waits for its event, and raises that of the next. */
static void pass_token(uint32_t me, uint32_t n, post_t *post, uint32_t rounds,
                       const dart__wait_policy_t *policy)
{
  post_t  *mine = &post[me], *next = &post[(me + 1) % n];
  uint32_t random = me + 1;

  for (uint32_t round = 1; round <= rounds; round++) {
    if (me > 0 || round > 1) {
      uint32_t before = first + round - 1 - (me == 0);
      uint32_t seen   = dart__event_wait(&mine->event, before, policy);

      CHECK(seen == before + 1);
      CHECK(mine->message[0] == seen && mine->message[1] == ~(uint64_t)seen);
    }
    if (round % 16 == 0)
      test_dawdle(&random);
    next->message[0] = first + round;
    next->message[1] = ~next->message[0];
    dart__event_raise(&next->event, first + round);
  }
  if (me == 0)
    dart__event_wait_for(&mine->event, first + rounds, policy);
}

static void pass_token_often(uint32_t me, uint32_t n, void *shared,
                             const dart__wait_policy_t *policy)
{
  pass_token(me, n, shared, test_rounds(policy, n, ROUNDS), policy);
}

static void events_hand_over_what_was_written_before(void **state)
{
  (void)state;
  TEST_FOR_POLICIES(policy)
  TEST_FOR_THREADS(n)
  {
    clear_posts(posts, 0);
    test_threads(n, pass_token_often, posts, policy);
    expect_no_sleepers(posts);
  }
}

static void counts_may_wrap(void **state)
{
  (void)state;
  TEST_FOR_THREADS(n)
  {
    clear_posts(posts, UINT32_MAX - ROUNDS / 4);
    test_threads(n, pass_token_often, posts, &test_policies[0]);
    expect_no_sleepers(posts);
  }
}

static void pass_token_seldom(uint32_t me, uint32_t n, void *shared,
                              const dart__wait_policy_t *policy)
{
  pass_token(me, n, shared, PROCESS_ROUNDS, policy);
}

static void events_work_between_processes(void **state)
{
  post_t *shared = test_share(TEST_MOST_THREADS * sizeof *shared);

  (void)state;
  TEST_FOR_THREADS(n)
  {
    clear_posts(shared, 0);
    test_processes(n, pass_token_seldom, shared, &test_policies[0]);
    expect_no_sleepers(shared);
  }
  munmap(shared, TEST_MOST_THREADS * sizeof *shared);
}

/* Thread 0 raises one event for all others, when each has answered the last time. */
static void answer(uint32_t me, uint32_t n, void *shared, const dart__wait_policy_t *policy)
{
  post_t  *post   = shared;
  uint32_t random = me + 1, rounds = test_rounds(policy, n, ROUNDS / 2);

  for (uint32_t round = 1; round <= rounds; round++) {
    if (me == 0) {
      post[0].message[0] = round * 3;
      dart__event_raise(&post[0].event, round);
      for (uint32_t other = 1; other < n; other++) {
        dart__event_wait_for(&post[other].event, round, policy);
        CHECK(post[other].message[0] == round * 5 + other);
      }
      continue;
    }
    CHECK(dart__event_wait(&post[0].event, round - 1, policy) == round);
    CHECK(post[0].message[0] == round * 3);
    if (round % 32 == 0)
      test_dawdle(&random);
    post[me].message[0] = round * 5 + me;
    dart__event_raise(&post[me].event, round);
  }
}

static void one_raise_wakes_all(void **state)
{
  (void)state;
  TEST_FOR_POLICIES(policy)
  TEST_FOR_THREADS(n)
  {
    clear_posts(posts, 0);
    test_threads(n, answer, posts, policy);
    expect_no_sleepers(posts);
  }
}

/* Thread 0 raises and raises; the others look when they can. What they miss is in between: the last
 * count comes to everyone, and with any count all that was written before it. */
enum { RAISES = 20000 };

static uint32_t written[RAISES + 1]; /* plain, each once */

static void keep_up(uint32_t me, uint32_t n, void *shared, const dart__wait_policy_t *policy)
{
  post_t  *post   = shared;
  uint32_t random = me + 1, seen = 0, checked = 0;

  (void)n;
  if (me == 0) {
    for (uint32_t count = 1; count <= RAISES; count++) {
      written[count] = count ^ 0xa5a5;
      dart__event_raise(&post[0].event, count);
      if (count % 256 == 0)
        test_dawdle(&random); /* the others fall asleep */
    }
    return;
  }
  while (seen != RAISES) {
    uint32_t now = dart__event_wait(&post[0].event, seen, policy);

    CHECK(now > seen && now <= RAISES);
    for (seen = now; checked < seen;) {
      checked++;
      CHECK(written[checked] == (checked ^ 0xa5a5));
    }
  }
}

static void the_last_count_reaches_everyone(void **state)
{
  (void)state;
  TEST_FOR_POLICIES(policy)
  TEST_FOR_THREADS(n)
  {
    clear_posts(posts, 0);
    memset(written, 0, sizeof written);
    test_threads(n, keep_up, posts, policy);
    expect_no_sleepers(posts);
  }
}

/* A token goes round in a word of each thread; the event is only nudged. */
typedef struct {
  post_t  *post;
  uint64_t round;
} look_t;

static bool has_come(void *context)
{
  const look_t *look = context;

  return atomic_load((_Atomic uint64_t *)&look->post->message[0]) >= look->round;
}

/* As dart__await does. */
static void await_nudge(look_t *look, const dart__wait_policy_t *policy)
{
  dart__event_t *event = &look->post->event;

  CHECK(dart__wait_until(&(dart__wait_t){ .look     = has_come,
                                          .context  = look,
                                          .limit_ns = INT64_MAX,
                                          .word     = &event->count,
                                          .sleepers = &event->sleepers },
                         policy));
}

static void pass_by_nudges(uint32_t me, uint32_t n, void *shared, const dart__wait_policy_t *policy)
{
  post_t  *post = shared, *next = &post[(me + 1) % n];
  uint32_t random = me + 1, rounds = test_rounds(policy, n, ROUNDS);

  for (uint64_t round = 1; round <= rounds; round++) {
    look_t look = { &post[me], me == 0 ? round - 1 : round };

    await_nudge(&look, policy);
    CHECK(post[me].message[0] == look.round);
    if (round % 16 == 0)
      test_dawdle(&random);
    atomic_store((_Atomic uint64_t *)&next->message[0], round);
    dart__event_nudge(&next->event);
  }
  if (me == 0)
    await_nudge(&(look_t){ &post[0], rounds }, policy);
}

static void nudges_wake_those_that_look_elsewhere(void **state)
{
  (void)state;
  TEST_FOR_POLICIES(policy)
  TEST_FOR_THREADS(n)
  {
    clear_posts(posts, 0);
    test_threads(n, pass_by_nudges, posts, policy);
    expect_no_sleepers(posts);
  }
}

/* Everyone but thread 0 raises the same event, by one; thread 0 waits until the last has. */
static uint64_t added[TEST_MOST_THREADS]; /* plain */

static void add_or_count(uint32_t me, uint32_t n, void *shared, const dart__wait_policy_t *policy)
{
  post_t  *post   = shared;
  uint32_t random = me + 1, seen = 0, rounds = test_rounds(policy, n, ROUNDS);

  if (me == 0) {
    while (seen != (n - 1) * rounds) {
      uint32_t now = dart__event_wait(&post[0].event, seen, policy);

      CHECK(now > seen && now <= (n - 1) * rounds);
      seen = now;
    }
    for (uint32_t other = 1; other < n; other++)
      CHECK(added[other] == rounds);
    return;
  }
  for (uint32_t round = 1; round <= rounds; round++) {
    added[me] = round;
    dart__event_add(&post[0].event);
    if (round % 16 == 0)
      test_dawdle(&random); /* so that thread 0 falls asleep */
  }
}

static void several_may_raise_one_event_by_one(void **state)
{
  (void)state;
  TEST_FOR_POLICIES(policy)
  TEST_FOR_THREADS(n)
  {
    clear_posts(posts, 0);
    test_threads(n, add_or_count, posts, policy);
    expect_no_sleepers(posts);
  }
}

static void waiting_for_a_count_that_is_there_returns_at_once(void **state)
{
  dart__event_t event;

  (void)state;
  atomic_init(&event.count, 7);
  atomic_init(&event.sleepers, 0);
  TEST_FOR_POLICIES(policy)
  {
    dart__event_wait_for(&event, 7, policy);
    assert_int_equal(dart__event_wait(&event, 6, policy), 7);
    assert_int_equal(dart__event_wait(&event, UINT32_MAX, policy), 7);
  }
  dart__event_raise(&event, 9);
  assert_int_equal(dart__event_count(&event), 9);
}

/* --- Yielding before the sleep --- */

typedef struct {
  dart__event_t    event;
  _Atomic uint32_t returned; /* from so many waits */
} nap_t;

/* Thread 1 raises the event only when thread 0, which waits for it, sleeps. */
static void raise_for_a_sleeper(uint32_t me, uint32_t n, void *shared,
                                const dart__wait_policy_t *policy)
{
  nap_t *nap = shared;

  (void)n;
  for (uint32_t round = 0; round < 20; round++)
    if (me == 0) {
      CHECK(dart__event_wait(&nap->event, round, policy) == round + 1);
      atomic_store(&nap->returned, round + 1);
    } else {
      while (atomic_load(&nap->returned) != round || atomic_load(&nap->event.sleepers) == 0)
        sched_yield();
      dart__event_raise(&nap->event, round + 1);
    }
}

static void who_yields_sleeps_in_the_end(void **state)
{
  const dart__wait_policy_t policies[] = { TEST_PACE(.spins = 50, .yield_us = 1000),
                                           TEST_PACE(.spins = 0, .yield_us = 1) };

  (void)state;
  for (size_t i = 0; i < sizeof policies / sizeof *policies; i++) {
    nap_t nap = { .returned = 0 };

    test_threads(2, raise_for_a_sleeper, &nap, &policies[i]);
    assert_int_equal(atomic_load(&nap.event.sleepers), 0);
  }
}

/* --- Progress: here it alone ends the wait, in the thread that waits --- */

enum { CALLS = 10 };

static dart__event_t served;
static uint32_t      calls;
static long          switches[CALLS]; /* of this thread, at every call */

static void serve(void)
{
  struct rusage usage;

  getrusage(RUSAGE_THREAD, &usage);
  switches[calls] = usage.ru_nvcsw;
  if (++calls == CALLS)
    dart__event_raise(&served, 1);
}

static void progress_is_made_before_every_nap(void **state)
{
  static const uint32_t spins[] = { 0, 1, 50, 4000 };

  (void)state;
  for (size_t i = 0; i < sizeof spins / sizeof *spins; i++) {
    dart__wait_policy_t policy = TEST_PACE(.spins = spins[i], .nap_us = 2000, .progress = serve);

    calls = 0;
    atomic_init(&served.count, 0);
    atomic_init(&served.sleepers, 0);
    assert_int_equal(dart__event_wait(&served, 0, &policy), 1);
    assert_int_equal(calls, CALLS);
    /* one switch a nap, and few for other reasons */
    assert_in_range(switches[CALLS - 1] - switches[0], 0, 4 * CALLS);
  }
}

static void progress_is_made_while_spinning(void **state)
{
  dart__wait_policy_t policy = TEST_PACE(.spins = UINT32_MAX, .nap_us = 1, .progress = serve);

  (void)state;
  calls = 0;
  atomic_init(&served.count, 0);
  assert_int_equal(dart__event_wait(&served, 0, &policy), 1);
  assert_int_equal(calls, CALLS);
}

/* --- Turns --- */

static void count_call(void)
{
  calls++;
}

static void every_turn_makes_progress(void **state)
{
  (void)state;
  for (uint32_t spins = 0; spins <= 4000; spins += 500) {
    dart__wait_policy_t policy = TEST_PACE(.spins = spins, .nap_us = 1, .progress = count_call);
    dart__turns_t       turns  = { 0 };

    calls = 0;
    for (int i = 0; i < 1200; i++)
      dart__wait_turn(&turns, &policy);
    assert_int_equal(turns.count, 1200);
    assert_int_equal(calls, 1200);
  }
}

static void late_turns_sleep_for_any_nap(void **state)
{
  static const uint32_t nap_us[] = { 1000, 1000000 };

  (void)state;
  for (size_t i = 0; i < sizeof nap_us / sizeof *nap_us; i++) {
    dart__wait_policy_t policy = TEST_PACE(.spins = 50, .nap_us = nap_us[i]);
    dart__turns_t       turns  = { .count = 100000, .spun = 100000 };
    uint64_t            start  = now_us();

    dart__wait_turn(&turns, &policy);
    assert_true(now_us() - start >= nap_us[i]);
  }
}

/* --- Sleeping on what comes from other nodes --- */

static dart__event_t    arrivals;
static _Atomic bool     is_come;
static _Atomic bool     is_late;
static _Atomic uint32_t idles;

static uint32_t idle_until_it_comes(uint32_t most_us)
{
  atomic_fetch_add(&idles, 1);
  return atomic_load(&is_come) ? 0 : most_us;
}

/* What has come ends the wait for `served`. */
static void serve_arrivals(void)
{
  if (atomic_load(&is_come))
    dart__event_raise(&served, 1);
}

static void begin_arrivals(void)
{
  atomic_store(&arrivals.count, 0);
  atomic_store(&arrivals.sleepers, 0);
  atomic_store(&served.count, 0);
  atomic_store(&served.sleepers, 0);
  atomic_store(&is_come, false);
  atomic_store(&idles, 0);
}

#define SLEEPY(...)                                                    \
  TEST_PACE(.nap_us = 1000000, .per_core = 100, .arrivals = &arrivals, \
            .idle_us = idle_until_it_comes, __VA_ARGS__)

/* The thread that wakes the other begins only when that one sleeps, or is about to. */
static void wait_for_sleeper(const dart__event_t *event)
{
  while (atomic_load(&event->sleepers) == 0)
    dart__yield();
}

static void wait_or_bring(uint32_t me, uint32_t n, void *shared, const dart__wait_policy_t *policy)
{
  dart__turns_t turns  = { 0 };
  bool          nudges = shared != NULL;

  (void)n;
  if (me > 0) {
    wait_for_sleeper(&arrivals);
    atomic_store(&is_come, true);
    if (nudges)
      dart__event_nudge(&arrivals);
    else
      dart__event_add(&arrivals);
    return;
  }
  while (!atomic_load(&is_come))
    dart__wait_turn(&turns, policy);
  CHECK(turns.count > 0 && turns.count < 100); /* and not one for every moment of the wait */
}

static void turns_sleep_until_something_comes(void **state)
{
  const dart__wait_policy_t policy = SLEEPY(.progress = count_call);

  (void)state;
  for (int round = 0; round < 40; round++) {
    begin_arrivals();
    test_threads(2, wait_or_bring, round % 2 == 0 ? &arrivals : NULL, &policy);
  }
}

/* What was handled between the look and the sleep is not slept over. */
static void turns_do_not_sleep_over_what_they_have_not_seen(void **state)
{
  const dart__wait_policy_t policy = SLEEPY(.progress = count_call);
  dart__turns_t             turns  = { .count = 1000 };
  uint64_t                  start  = now_us();

  (void)state;
  begin_arrivals();
  turns.seen = dart__event_count(&arrivals);
  for (int i = 0; i < 3000; i++) {
    dart__event_add(&arrivals);
    dart__wait_turn(&turns, &policy);
  }
  assert_int_equal(turns.seen, 3000);
  assert_true(now_us() - start < UINT64_C(100000) * 3000); /* as long as it would have slept */
}

static void what_has_come_is_not_slept_over(void **state)
{
  const dart__wait_policy_t policy = SLEEPY(.progress = serve_arrivals);

  (void)state;
  begin_arrivals();
  atomic_store(&is_come, true);
  dart__arrivals_sleep(policy.pace, 0, 100000000);
  assert_int_equal(atomic_load(&idles), 1);
  assert_int_equal(atomic_load(&arrivals.sleepers), 0);
  dart__event_wait(&served, 0, &policy);
}

static void wait_for_event(uint32_t me, uint32_t n, void *shared, const dart__wait_policy_t *policy)
{
  (void)n;
  if (me == 0) {
    CHECK(dart__event_wait(&served, 0, policy) == 1);
    return;
  }
  wait_for_sleeper(&served);
  if (shared == NULL) {
    dart__event_raise(&served, 1);
    return;
  }
  atomic_store(&is_come, true);
  dart__event_nudge(&arrivals);
}

static void a_wait_for_an_event_also_wakes_when_something_comes(void **state)
{
  const dart__wait_policy_t policy = SLEEPY(.progress = serve_arrivals);

  (void)state;
  for (int round = 0; round < 40; round++) {
    begin_arrivals();
    test_threads(2, wait_for_event, round % 2 == 0 ? &arrivals : NULL, &policy);
    assert_int_equal(atomic_load(&served.sleepers), 0);
    assert_int_equal(atomic_load(&arrivals.sleepers), 0);
  }
}

/* The mutex is held until the waiter has served what comes. Half of the waits are late ones. */
static void wait_for_mutex(uint32_t me, uint32_t n, void *shared, const dart__wait_policy_t *policy)
{
  dart__mutex_t *mutex = shared;

  (void)n;
  if (me == 0) {
    dart__mutex_lock(mutex, policy);
    CHECK(dart__event_count(&served) == 1);
    dart__mutex_unlock(mutex);
    return;
  }
  while (atomic_load(&is_late) && test_nlate(mutex) == 0)
    dart__yield();
  wait_for_sleeper(&arrivals);
  atomic_store(&is_come, true);
  dart__event_nudge(&arrivals);
  while (dart__event_count(&served) == 0)
    dart__yield();
  dart__mutex_unlock(mutex);
}

static void a_wait_for_a_mutex_also_wakes_when_something_comes(void **state)
{
  const dart__wait_policy_t policy = SLEEPY(.progress = serve_arrivals);

  (void)state;
  for (int round = 0; round < 40; round++) {
    dart__mutex_t mutex = { 0 };

    begin_arrivals();
    atomic_store(&is_late, round % 2 == 1);
    dart__mutex_lock(&mutex, &policy);
    test_threads(2, wait_for_mutex, &mutex, &policy);
    assert_int_equal(atomic_load(&arrivals.sleepers), 0);
  }
}

/* A unit that has a core looks by itself. */
static void a_unit_with_a_core_is_not_woken(void **state)
{
  const dart__wait_policy_t policy = SLEEPY(.yields = 1, .progress = count_call);

  (void)state;
  assert_null(dart__wait_arrivals(policy.pace));
  begin_arrivals();
  dart__wait_tell(policy.pace);
  assert_int_equal(dart__event_count(&arrivals), 0);
}

/* --- Where units may be lost --- */

static uint32_t late_turns;

/* As on a machine on which whoever yields is away for that long. */
static void be_away(void)
{
  late_turns++;
  nanosleep(&(struct timespec){ .tv_nsec = 2000000 }, NULL);
}

static bool never(void *context)
{
  (void)context;
  return false;
}

static bool give_up(void *subject)
{
  (void)subject;
  return true;
}

static void a_wait_that_is_away_for_long_is_checked(void **state)
{
  static dart__event_t event;
  dart__wait_pace_t    pace   = { .spins    = 50,
                                  .nap_us   = 100,
                                  .per_core = 1,
                                  .check_us = 10000,
                                  .yield_us = 1000,
                                  .progress = be_away,
                                  .arrivals = &arrivals };
  dart__wait_policy_t  policy = { .pace = &pace, .check = give_up };
  dart__wait_t         wait   = {
              .look = never, .limit_ns = INT64_MAX, .word = &event.count, .sleepers = &event.sleepers
  };

  (void)state;
  late_turns = 0;
  assert_false(dart__wait_until(&wait, &policy));
  assert_in_range(late_turns, 1, 4);
  late_turns = 0;
  assert_false(
      dart__wait_for(never, NULL, &policy)); /* it yields, and looks at the clock, seldom */
  assert_in_range(late_turns, 1, DART__LOOKS + 1);
}

/* --- Many --- */

/* Units that outnumber cores, each waiting for the one before by turns alone. */
static void take_turns(uint32_t me, uint32_t n, void *shared, const dart__wait_policy_t *policy)
{
  _Atomic uint32_t *word = shared;

  for (uint32_t round = 0; round < 100; round++) {
    dart__turns_t turns = { 0 };

    while (atomic_load(word) != round * n + me)
      dart__wait_turn(&turns, policy);
    atomic_store(word, round * n + me + 1);
  }
}

static void turns_let_others_run(void **state)
{
  (void)state;
  TEST_FOR_POLICIES(policy)
  TEST_FOR_THREADS(n)
  {
    _Atomic uint32_t word = 0;

    test_threads(n, take_turns, &word, policy);
    assert_int_equal(atomic_load(&word), 100 * n);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(futex_does_not_sleep_on_another_value),
    cmocka_unit_test(futex_sleeps_for_as_long_as_it_is_told),
    cmocka_unit_test(events_hand_over_what_was_written_before),
    cmocka_unit_test(counts_may_wrap),
    cmocka_unit_test(events_work_between_processes),
    cmocka_unit_test(one_raise_wakes_all),
    cmocka_unit_test(the_last_count_reaches_everyone),
    cmocka_unit_test(nudges_wake_those_that_look_elsewhere),
    cmocka_unit_test(several_may_raise_one_event_by_one),
    cmocka_unit_test(waiting_for_a_count_that_is_there_returns_at_once),
    cmocka_unit_test(who_yields_sleeps_in_the_end),
    cmocka_unit_test(progress_is_made_before_every_nap),
    cmocka_unit_test(progress_is_made_while_spinning),
    cmocka_unit_test(every_turn_makes_progress),
    cmocka_unit_test(late_turns_sleep_for_any_nap),
    cmocka_unit_test(turns_sleep_until_something_comes),
    cmocka_unit_test(turns_do_not_sleep_over_what_they_have_not_seen),
    cmocka_unit_test(what_has_come_is_not_slept_over),
    cmocka_unit_test(a_wait_for_an_event_also_wakes_when_something_comes),
    cmocka_unit_test(a_wait_for_a_mutex_also_wakes_when_something_comes),
    cmocka_unit_test(a_unit_with_a_core_is_not_woken),
    cmocka_unit_test(a_wait_that_is_away_for_long_is_checked),
    cmocka_unit_test(turns_let_others_run)
  };

  test_watch();
  return cmocka_run_group_tests_name("waiting", tests, NULL, NULL);
}
