/* Events and the barrier on a machine that dawdles, and reorders what it may.
 *
 * Lost wake-ups live in windows of nanoseconds, and many only where the CPU lets a load overtake
 * a store. So wait.c and barrier.c are compiled here with accesses of our own. Each takes its time
 * now and then. And each thread keeps its last write back until its next access: a load of
 * something else goes first, unless both are seq_cst; anything else, system calls too, comes after.
 * What C11 promises beyond that, plain data above all, is for the tests of each and TSan. */
#include "base/counters.h"
#include "node_threads.h"
#include "wait/waiting.h"

/* --- The machine --- */

typedef struct {
  void        *word; /* NULL: nothing is kept back */
  size_t       nbytes;
  uint64_t     value;
  bool         is_sum; /* add `value`, rather than store it */
  memory_order order;
} write_t;

static _Thread_local write_t  kept;
static _Thread_local uint32_t disorder;

static void dawdle(void)
{
  uint32_t what;

  if (disorder == 0)
    disorder = (uint32_t)(uintptr_t)&disorder | 1;
  what = test_random(&disorder) >> 8;
  if (what % 32 == 0)
    sched_yield();
  else if (what % 4 == 0)
    for (uint32_t i = what / 4 % 512; i > 0; i--)
      dart__cpu_pause();
}

/* Words have 32 or 64 bits. */
static uint64_t load_now(void *word, size_t nbytes)
{
  return nbytes == 8 ? atomic_load((_Atomic uint64_t *)word)
                     : atomic_load((_Atomic uint32_t *)word);
}

static void store_now(void *word, size_t nbytes, uint64_t value)
{
  if (nbytes == 8)
    atomic_store((_Atomic uint64_t *)word, value);
  else
    atomic_store((_Atomic uint32_t *)word, (uint32_t)value);
}

static uint64_t add_now(void *word, size_t nbytes, uint64_t value)
{
  return nbytes == 8 ? atomic_fetch_add((_Atomic uint64_t *)word, value)
                     : atomic_fetch_add((_Atomic uint32_t *)word, (uint32_t)value);
}

static void flush(void)
{
  dawdle();
  if (kept.word != NULL && kept.is_sum)
    add_now(kept.word, kept.nbytes, kept.value);
  else if (kept.word != NULL)
    store_now(kept.word, kept.nbytes, kept.value);
  kept.word = NULL;
}

static uint64_t slow_load(void *word, size_t nbytes, memory_order order)
{
  uint64_t value;

  if (kept.word == word || (kept.order == memory_order_seq_cst && order == memory_order_seq_cst)) {
    flush();
    return load_now(word, nbytes);
  }
  dawdle();
  value = load_now(word, nbytes);
  flush();
  return value;
}

static void slow_store(void *word, size_t nbytes, uint64_t value, memory_order order)
{
  flush();
  kept = (write_t){ word, nbytes, value, false, order };
}

/* Only acquiring ones are asked for the value before. */
static uint64_t slow_add(void *word, size_t nbytes, uint64_t value, memory_order order)
{
  flush();
  if (order == memory_order_acquire || order == memory_order_acq_rel)
    return add_now(word, nbytes, value);
  kept = (write_t){ word, nbytes, value, true, order };
  return 0;
}

#undef atomic_load_explicit
#undef atomic_store_explicit
#undef atomic_fetch_add_explicit
#undef atomic_fetch_sub_explicit
#define PLAIN(word)                                   (void *)(uintptr_t)(word), sizeof *(word)
#define atomic_load_explicit(word, order)             slow_load(PLAIN(word), order)
#define atomic_store_explicit(word, value, order)     slow_store(PLAIN(word), value, order)
#define atomic_fetch_add_explicit(word, value, order) slow_add(PLAIN(word), value, order)
#define atomic_fetch_sub_explicit(word, value, order) \
  slow_add(PLAIN(word), -(uint64_t)(value), order)
#define syscall(...) (flush(), syscall(__VA_ARGS__))

#include "wait/barrier.c"
#include "wait/wait.c"

/* --- The tests: threads that sleep at once, so a wake-up that is lost is a wait without end --- */

enum { ROUNDS = 4000 };

typedef struct {
  dart__barrier_t  barrier;
  dart__event_t    event, answer;
  _Atomic uint32_t arrived[TEST_MOST_THREADS];
} stage_t;

static stage_t stage;

/* Thread 0 raises the event for the others; the last to see it answers. */
static void raise_and_answer(uint32_t me, uint32_t n, void *shared,
                             const dart__wait_policy_t *policy)
{
  stage_t *s = shared;

  for (uint32_t round = 0; round < ROUNDS; round++) {
    if (me == 0) {
      dart__event_raise(&s->event, round + 1);
      dart__event_wait_for(&s->answer, (round + 1) * (n - 1), policy);
    } else {
      CHECK(dart__event_wait(&s->event, round, policy) == round + 1);
      dart__event_add(&s->answer);
    }
  }
  flush();
}

static void expect_nobody_asleep(stage_t *s)
{
  assert_int_equal(atomic_load(&s->event.sleepers), 0);
  assert_int_equal(atomic_load(&s->answer.sleepers), 0);
  assert_int_equal(atomic_load(&s->barrier.open.sleepers), 0);
  assert_int_equal(atomic_load(&s->barrier.full.sleepers), 0);
}

static void no_raise_is_slept_through(void **state)
{
  (void)state;
  for (uint32_t n = 2; n <= 4; n++) {
    memset(&stage, 0, sizeof stage);
    test_threads(n, raise_and_answer, &stage, &test_policies[0]);
    expect_nobody_asleep(&stage);
  }
}

static void pass(uint32_t me, uint32_t n, void *shared, const dart__wait_policy_t *policy)
{
  stage_t *s       = shared;
  uint32_t episode = 0;

  for (uint32_t round = 1; round <= ROUNDS / 2; round++) {
    atomic_store(&s->arrived[me], round);
    if (round % 2 == 0) {
      dart__barrier_wait(&s->barrier, &episode, 0, policy);
    } else if (me > 0) {
      dart__barrier_follow(&s->barrier, &episode, 0, policy);
    } else {
      dart__barrier_collect(&s->barrier, &episode, 0, policy);
      for (uint32_t unit = 0; unit < n; unit++)
        CHECK(atomic_load(&s->arrived[unit]) == round);
      dart__barrier_open(&s->barrier, &episode);
    }
    for (uint32_t unit = 0; unit < n; unit++)
      CHECK(atomic_load(&s->arrived[unit]) - round <= 1);
  }
  flush();
}

static void no_unit_leaves_early_or_stays(void **state)
{
  (void)state;
  for (uint32_t n = 2; n <= 4; n++) {
    memset(&stage, 0, sizeof stage);
    dart__barrier_init(&stage.barrier, n, 0);
    flush();
    test_threads(n, pass, &stage, &test_policies[0]);
    expect_nobody_asleep(&stage);
    assert_int_equal(atomic_load(&stage.barrier.missing), n);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = { cmocka_unit_test(no_raise_is_slept_through),
                                      cmocka_unit_test(no_unit_leaves_early_or_stays) };

  test_watch();
  return cmocka_run_group_tests_name("order", tests, NULL, NULL);
}
