/* Collectives by steps: one barrier a step, buffers twice. Here they are spelled out over bytes, in
 * every order; under ThreadSanitizer, a buffer that is written while others read it is a race. */
#include "node_threads.h"

#include "wait/exchange.h"

enum {
  STEPS  = 1000,
  SLOT   = 2 * DART__CACHE_LINE, /* bytes */
  RESULT = TEST_MOST_THREADS * DART__CACHE_LINE,
  WORDS  = SLOT / sizeof(uint64_t)
};

typedef struct {
  char    *memory;
  uint32_t seed;   /* which collectives, in which order; equal on all */
  bool     halves; /* the first unit works in the middle of every step, as a leader does */
} job_t;

/* A unit's own view, and what it makes the collectives of. */
typedef struct {
  dart__exchange_t           x;
  job_t                     *job;
  const dart__wait_policy_t *policy;
  uint32_t                   random; /* how late to come; different on all */
  uint32_t                   step;   /* collectives so far */
} unit_t;

/* A value that tells who wrote it, where, and when. */
static uint64_t value_of(uint32_t step, uint32_t unit, uint64_t word)
{
  return ((uint64_t)step << 32 | unit << 16 | word) * UINT64_C(0x9e3779b97f4a7c15);
}

/* True at the leader, if there is one; the others wait for its release. */
static bool end_step(unit_t *u)
{
  dart__barrier_t *barrier = &u->x.shared->barrier;

  if (test_random(&u->random) % 8 == 0)
    test_dawdle(&u->random);
  if (!u->job->halves)
    dart__barrier_wait(barrier, &u->x.episode, 0, u->policy);
  else if (u->x.me > 0)
    dart__barrier_follow(barrier, &u->x.episode, 0, u->policy);
  else
    dart__barrier_collect(barrier, &u->x.episode, 0, u->policy);
  return u->job->halves && u->x.me == 0;
}

static void release(unit_t *u)
{
  dart__barrier_open(&u->x.shared->barrier, &u->x.episode);
}

static void barrier(unit_t *u)
{
  if (end_step(u))
    release(u);
}

/* The root writes the result. */
static void bcast(unit_t *u, uint32_t root)
{
  uint64_t *result = (uint64_t *)(void *)dart__exchange_result(&u->x);

  for (uint64_t word = 0; u->x.me == root && word < RESULT / 8; word++)
    result[word] = value_of(u->step, root, word);
  if (end_step(u))
    release(u);
  for (uint64_t word = 0; word < RESULT / 8; word++)
    CHECK(result[word] == value_of(u->step, root, word));
}

/* As between nodes: the root writes its slot, the leader moves it into the result in the middle. */
static void bcast_by_leader(unit_t *u, uint32_t root)
{
  uint64_t *slot   = (uint64_t *)(void *)dart__exchange_slot(&u->x, root);
  uint64_t *result = (uint64_t *)(void *)dart__exchange_result(&u->x);

  for (uint64_t word = 0; u->x.me == root && word < WORDS; word++)
    slot[word] = value_of(u->step, root, word);
  if (end_step(u)) {
    for (uint64_t word = 0; word < WORDS; word++)
      result[word] = ~slot[word];
    release(u);
  }
  for (uint64_t word = 0; word < WORDS; word++)
    CHECK(result[word] == ~value_of(u->step, root, word));
}

/* All write their parts of the result. */
static void allgather(unit_t *u)
{
  uint64_t *result = (uint64_t *)(void *)dart__exchange_result(&u->x);

  for (uint64_t word = 0; word < 8; word++)
    result[u->x.me * 8 + word] = value_of(u->step, u->x.me, word);
  if (end_step(u))
    release(u);
  for (uint32_t unit = 0; unit < u->x.nunits; unit++)
    for (uint64_t word = 0; word < 8; word++)
      CHECK(result[unit * 8 + word] == value_of(u->step, unit, word));
}

static uint64_t sum_of(const unit_t *u, uint64_t word)
{
  uint64_t sum = 0;

  for (uint32_t unit = 0; unit < u->x.nunits; unit++)
    sum += value_of(u->step, unit, word);
  return sum;
}

static uint64_t add_slots(const unit_t *u, const uint64_t *slots, uint64_t word)
{
  uint64_t sum = 0;

  for (uint32_t unit = 0; unit < u->x.nunits; unit++)
    sum += slots[unit * WORDS + word];
  return sum;
}

/* All write their slots; `root`, or everyone, adds them up. */
static void reduce_alone(unit_t *u, uint32_t root)
{
  uint64_t *slots = (uint64_t *)(void *)dart__exchange_slot(&u->x, 0);

  for (uint64_t word = 0; word < WORDS; word++)
    slots[u->x.me * WORDS + word] = value_of(u->step, u->x.me, word);
  if (end_step(u))
    release(u);
  for (uint64_t word = 0; (u->x.me == root || root >= u->x.nunits) && word < WORDS; word++)
    CHECK(add_slots(u, slots, word) == sum_of(u, word));
}

/* Two steps: all write their slots; everyone adds up its share into the result, which belongs to
 * the second step. */
static void reduce_shared(unit_t *u)
{
  uint64_t *slots = (uint64_t *)(void *)dart__exchange_slot(&u->x, 0);
  uint64_t *result;

  for (uint64_t word = 0; word < WORDS; word++)
    slots[u->x.me * WORDS + word] = value_of(u->step, u->x.me, word);
  if (end_step(u))
    release(u);
  result = (uint64_t *)(void *)dart__exchange_result(&u->x);
  for (uint64_t word = u->x.me; word < WORDS; word += u->x.nunits)
    result[word] = add_slots(u, slots, word);
  if (end_step(u))
    release(u);
  for (uint64_t word = 0; word < WORDS; word++)
    CHECK(result[word] == sum_of(u, word));
}

static void work(uint32_t me, uint32_t n, void *shared, const dart__wait_policy_t *policy)
{
  job_t   *job  = shared;
  unit_t   u    = { .job = job, .policy = policy, .random = me + 1 };
  uint32_t plan = job->seed;

  dart__exchange_open(&u.x, job->memory, n, n, me, SLOT, RESULT);
  while (++u.step <= test_rounds(policy, n, STEPS)) {
    uint32_t root = test_random(&plan) % n;

    switch (test_random(&plan) % 7) {
    case 0: barrier(&u); break;
    case 1: bcast(&u, root); break;
    case 2: allgather(&u); break;
    case 3: reduce_alone(&u, root); break;
    case 4: reduce_alone(&u, n); break;
    case 5: reduce_shared(&u); break;
    default:
      if (job->halves)
        bcast_by_leader(&u, root);
      else
        bcast(&u, root);
    }
  }
}

static char *allocate(uint32_t n)
{
  size_t nbytes = dart__exchange_bytes(n, n, SLOT, RESULT);
  char  *memory = aligned_alloc(DART__CACHE_LINE, nbytes);

  assert_non_null(memory);
  memset(memory, 0x5a, nbytes);
  dart__exchange_format(memory, n, n);
  return memory;
}

static void collectives_in_any_order_get_what_was_written_for_them(void **state)
{
  (void)state;
  TEST_FOR_POLICIES(policy)
  TEST_FOR_THREADS(n)
  for (int halves = 0; halves < 2; halves++) {
    job_t job = { allocate(n), 123 + n, halves == 1 };

    test_threads(n, work, &job, policy);
    free(job.memory);
  }
}

static void it_works_between_processes(void **state)
{
  size_t nbytes = dart__exchange_bytes(TEST_MOST_THREADS, TEST_MOST_THREADS, SLOT, RESULT);

  (void)state;
  TEST_FOR_THREADS(n)
  for (int halves = 0; halves < 2; halves++) {
    job_t job = { test_share(nbytes), 321 + n, halves == 1 };

    dart__exchange_format(job.memory, n, n);
    test_processes(n, work, &job, &test_policies[2]);
    munmap(job.memory, nbytes);
  }
}

/* Each buffer filled with a number of its own, up to the last byte; then each still has it, and
 * so has what surrounds them. */
static void buffers_do_not_overlap(void **state)
{
  (void)state;
  for (uint32_t n = 1; n <= TEST_MOST_THREADS; n++) {
    size_t           nbytes = dart__exchange_bytes(n, n, SLOT, RESULT);
    char            *memory = aligned_alloc(DART__CACHE_LINE, nbytes + DART__CACHE_LINE);
    char             shared[sizeof(dart__shared_t)];
    dart__exchange_t x;

    assert_non_null(memory);
    memset(memory, 0x5a, nbytes + DART__CACHE_LINE);
    dart__exchange_format(memory, n, n);
    memcpy(shared, memory, sizeof shared);
    dart__exchange_open(&x, memory, n, n, n - 1, SLOT, RESULT);
    assert_int_equal(x.me, n - 1);
    assert_int_equal(x.episode, 0);
    for (int check = 0; check < 2; check++)
      for (x.episode = 0; x.episode < 2; x.episode++)
        for (uint32_t k = 0; k <= n; k++) {
          char  *buffer = k < n ? dart__exchange_slot(&x, k) : dart__exchange_result(&x);
          size_t size   = k < n ? SLOT : RESULT;
          char   number = (char)(1 + 2 * k + x.episode);

          assert_int_equal((uintptr_t)buffer % DART__CACHE_LINE, 0);
          if (check == 0)
            memset(buffer, number, size);
          for (size_t i = 0; i < size; i++)
            assert_int_equal(buffer[i], number);
        }
    assert_memory_equal(memory, shared, sizeof shared);
    for (size_t i = 0; i < DART__CACHE_LINE; i++)
      assert_int_equal(memory[nbytes + i], 0x5a);
    free(memory);
  }
}

/* Whichever order they are noted in, also twice, and when steps wrap. */
static void of_units_that_are_gone_the_earliest_is_missing(void **state)
{
  enum { TEAM = 200 };
  char *memory = aligned_alloc(DART__CACHE_LINE, dart__exchange_bytes(1, TEAM, SLOT, RESULT));
  dart__exchange_t x;

  (void)state;
  for (uint32_t first = 10; first - 10 < 20; first += first == 10 ? UINT32_MAX - 12 : 10) {
    dart__exchange_format(memory, 1, TEAM);
    dart__exchange_open(&x, memory, 1, TEAM, 0, SLOT, RESULT);
    assert_int_equal(dart__exchange_missing(&x), -1);
    dart__exchange_note_gone(&x, 64, first + 2);
    dart__exchange_note_gone(&x, 199, first + 1);
    dart__exchange_note_gone(&x, 63, first + 3);
    dart__exchange_note_gone(&x, 130, first + 1);
    dart__exchange_note_gone(&x, 130, first + 1);
    assert_int_equal(atomic_load(&x.shared->ngone), 4);
    for (int32_t u = 0; u < TEAM; u++)
      assert_int_equal(dart__exchange_is_gone(&x, u), u == 63 || u == 64 || u == 130 || u == 199);
    for (int32_t late = -2; late <= 4; late++) {
      x.episode = first + (uint32_t)late;
      assert_int_equal(dart__exchange_missing(&x), late <= 1 ? -1 : 130);
    }
  }
  free(memory);
}

/* Without bits, as in all teams but the first. */
static void the_earliest_is_known_where_none_can_be_asked_for(void **state)
{
  char *memory = aligned_alloc(DART__CACHE_LINE, dart__exchange_bytes(1, 0, SLOT, RESULT));
  dart__exchange_t x;

  (void)state;
  dart__exchange_format(memory, 1, 0);
  dart__exchange_open(&x, memory, 1, 0, 0, SLOT, RESULT);
  x.episode = 7;
  assert_int_equal(dart__exchange_missing(&x), -1);
  dart__exchange_note_gone(&x, 70000, 6);
  dart__exchange_note_gone(&x, 3, 5);
  dart__exchange_note_gone(&x, 3, 5);
  assert_int_equal(dart__exchange_missing(&x), 3);
  x.episode = 5;
  assert_int_equal(dart__exchange_missing(&x), -1);
  free(memory);
}

static void formatted_memory_is_at_rest_whatever_it_held(void **state)
{
  char           *memory = allocate(3);
  dart__shared_t *shared = (dart__shared_t *)(void *)memory;

  (void)state;
  assert_int_equal(atomic_load(&shared->left), 0);
  assert_true(dart__mutex_try(&shared->registered));
  dart__mutex_unlock(&shared->registered);
  assert_int_equal(atomic_load(&shared->barrier.missing), 3);
  free(memory);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(collectives_in_any_order_get_what_was_written_for_them),
    cmocka_unit_test(it_works_between_processes),
    cmocka_unit_test(buffers_do_not_overlap),
    cmocka_unit_test(of_units_that_are_gone_the_earliest_is_missing),
    cmocka_unit_test(the_earliest_is_known_where_none_can_be_asked_for),
    cmocka_unit_test(formatted_memory_is_at_rest_whatever_it_held)
  };

  test_watch();
  return cmocka_run_group_tests_name("exchange", tests, NULL, NULL);
}
