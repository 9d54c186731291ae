/* The fair lock: an exclusive holder is alone, shared ones are together, in the order of arrival, and
 * nobody is left asleep. */
#include "node_threads.h"

#include "wait/rwlock.h"

enum { ROUNDS = 4000, SLEEPY_ROUNDS = 200 };

typedef struct {
  dart__rwlock_t   lock;
  uint64_t         count, complement; /* plain, written under the exclusive lock */
  _Atomic uint32_t readers, most;     /* inside, and the most that were */
} guarded_t;

static guarded_t guarded[1];

static void prepare(guarded_t *g)
{
  memset(g, 0, sizeof *g); /* zeroed memory is a free lock */
  g->complement = ~UINT64_C(0);
}

/* Enter exclusively: if it is free at the first look, without a ticket before it. */
static void enter(guarded_t *g, bool tries, const dart__wait_policy_t *policy)
{
  uint32_t ticket;

  if (!tries || !dart__rwlock_try(&g->lock, true, &ticket))
    dart__rwlock_enter(&g->lock, dart__rwlock_take(&g->lock), true, policy);
}

static void write_once(guarded_t *g, bool tries, const dart__wait_policy_t *policy)
{
  enter(g, tries, policy);
  CHECK(atomic_load_explicit(&g->readers, memory_order_relaxed) == 0);
  CHECK(g->complement == ~g->count);
  g->count++;
  g->complement = ~g->count;
  dart__rwlock_leave(&g->lock, true);
}

static void read_once(guarded_t *g, bool dawdles, const dart__wait_policy_t *policy)
{
  uint32_t inside;

  dart__rwlock_enter(&g->lock, dart__rwlock_take(&g->lock), false, policy);
  inside = atomic_fetch_add_explicit(&g->readers, 1, memory_order_relaxed) + 1;
  if (inside > atomic_load_explicit(&g->most, memory_order_relaxed))
    atomic_store_explicit(&g->most, inside, memory_order_relaxed);
  CHECK(g->complement == ~g->count);
  if (dawdles)
    usleep(100);
  atomic_fetch_sub_explicit(&g->readers, 1, memory_order_relaxed);
  dart__rwlock_leave(&g->lock, false);
}

static void both(uint32_t me, uint32_t n, void *shared, const dart__wait_policy_t *policy)
{
  uint32_t random = me + 1;

  for (uint32_t round = 0; round < test_rounds(policy, n, ROUNDS); round++) {
    if (test_random(&random) % 3 == 0)
      write_once(shared, round % 2 == 0, policy);
    else
      read_once(shared, false, policy);
  }
}

static void writers_are_alone(void **state)
{
  (void)state;
  TEST_FOR_POLICIES(policy)
  TEST_FOR_THREADS(n)
  {
    prepare(guarded);
    test_threads(n, both, guarded, policy);
    assert_int_equal(guarded->complement, ~guarded->count);
    assert_int_equal(atomic_load(&guarded->lock.shared), atomic_load(&guarded->lock.next));
    assert_int_equal(atomic_load(&guarded->lock.exclusive), atomic_load(&guarded->lock.next));
  }
}

static void sleepily(uint32_t me, uint32_t n, void *shared, const dart__wait_policy_t *policy)
{
  uint32_t random = me + 1;

  (void)n;
  for (uint32_t round = 0; round < SLEEPY_ROUNDS; round++) {
    if (me % 4 == 0)
      write_once(shared, false, policy);
    else
      read_once(shared, test_random(&random) % 4 == 0, policy);
    test_dawdle(&random);
  }
}

static void who_sleeps_is_woken(void **state)
{
  (void)state;
  TEST_FOR_POLICIES(policy)
  TEST_FOR_THREADS(n)
  {
    prepare(guarded);
    test_threads(n, sleepily, guarded, policy);
  }
}

static void it_works_between_processes(void **state)
{
  guarded_t *shared = test_share(sizeof *shared);

  (void)state;
  TEST_FOR_THREADS(n)
  {
    prepare(shared);
    test_processes(n, sleepily, shared, &test_policies[0]);
    assert_int_equal(shared->complement, ~shared->count);
  }
  munmap(shared, sizeof *shared);
}

/* Tickets are granted in their order; adjoining shared ones together. */
static void tickets_are_granted_in_order(void **state)
{
  dart__rwlock_t lock = { 0 };
  uint32_t       a, b, c, d;

  (void)state;
  a = dart__rwlock_take(&lock); /* shared */
  b = dart__rwlock_take(&lock); /* shared */
  c = dart__rwlock_take(&lock); /* exclusive */
  d = dart__rwlock_take(&lock); /* shared */
  assert_false(dart__rwlock_try_enter(&lock, b, false));
  assert_true(dart__rwlock_try_enter(&lock, a, false));
  assert_false(dart__rwlock_try_enter(&lock, c, true));
  assert_true(dart__rwlock_try_enter(&lock, b, false));
  assert_false(dart__rwlock_try_enter(&lock, c, true));
  assert_false(dart__rwlock_try_enter(&lock, d, false));
  dart__rwlock_leave(&lock, false);
  assert_false(dart__rwlock_try_enter(&lock, c, true));
  dart__rwlock_leave(&lock, false);
  assert_false(dart__rwlock_try_enter(&lock, d, false));
  assert_true(dart__rwlock_try_enter(&lock, c, true));
  assert_false(dart__rwlock_try_enter(&lock, d, false));
  dart__rwlock_leave(&lock, true);
  assert_true(dart__rwlock_try_enter(&lock, d, false));
  dart__rwlock_leave(&lock, false);
}

/* One that would have to wait takes no ticket. */
static void a_try_never_waits(void **state)
{
  dart__rwlock_t lock = { 0 };
  uint32_t       a, b, c;

  (void)state;
  assert_true(dart__rwlock_try(&lock, false, &a));
  assert_false(dart__rwlock_try(&lock, true, &b));
  assert_true(dart__rwlock_try(&lock, false, &b));
  c = dart__rwlock_take(&lock); /* exclusive: waits, and shared ones behind it */
  assert_int_equal(c, b + 1);
  assert_false(dart__rwlock_try(&lock, false, &a));
  dart__rwlock_leave(&lock, false);
  dart__rwlock_leave(&lock, false);
  assert_true(dart__rwlock_try_enter(&lock, c, true));
  assert_false(dart__rwlock_try(&lock, true, &a));
  assert_false(dart__rwlock_try(&lock, false, &a));
  dart__rwlock_leave(&lock, true);
  assert_true(dart__rwlock_try(&lock, true, &a));
  dart__rwlock_leave(&lock, true);
  assert_int_equal(lock.shared, lock.next);
  assert_int_equal(lock.exclusive, lock.next);
}

/* Counters wrap. */
static void tickets_wrap(void **state)
{
  dart__rwlock_t lock = { .next      = UINT32_MAX - 1,
                          .shared    = UINT32_MAX - 1,
                          .exclusive = UINT32_MAX - 1 };

  (void)state;
  for (int i = 0; i < 5; i++) {
    uint32_t ticket = dart__rwlock_take(&lock);

    assert_true(dart__rwlock_try_enter(&lock, ticket, i % 2 == 0));
    dart__rwlock_leave(&lock, i % 2 == 0);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(writers_are_alone),          cmocka_unit_test(who_sleeps_is_woken),
    cmocka_unit_test(it_works_between_processes), cmocka_unit_test(tickets_are_granted_in_order),
    cmocka_unit_test(a_try_never_waits),          cmocka_unit_test(tickets_wrap)
  };

  test_watch();
  return cmocka_run_group_tests_name("rwlock", tests, NULL, NULL);
}
