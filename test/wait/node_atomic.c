/* Atomic updates: every (type, operator) against the slow reference; and threads that hammer one
 * element, wherever the result does not depend on who comes first. */
#include "node_data.h"

#include <pthread.h>
#include <sched.h>

#include "data/op.h"
#include "wait/atomic.h"

enum { THREADS = 4, ROUNDS = 600, GUARD = 16, COUNT = 161 };

/* --- One thread --- */

/* `nelem` elements behind `first` bytes, between guards. Operands are not aligned. */
static void compare_with_the_reference(const test_type_t *t, dart_operation_t op, size_t nelem,
                                       size_t first, uint64_t *random)
{
  static _Alignas(16) char target[COUNT * 16 + 3 * GUARD];
  static char              before[sizeof target], want[sizeof target], values[COUNT * 16 + 1];
  size_t                   end = first + nelem * t->nbytes;

  memset(target, 0x5a, sizeof target);
  for (size_t i = 0; i < nelem; i++) {
    test_set_random(t, target + first + i * t->nbytes, random);
    test_set_random(t, values + 1 + i * t->nbytes, random);
  }
  memcpy(before, target, sizeof before);
  memcpy(want, target, sizeof want);
  for (size_t i = 0; i < nelem; i++) {
    test_number_t a = test_load(t, before + first + i * t->nbytes);
    test_number_t b = test_load(t, values + 1 + i * t->nbytes);

    test_store(t, want + first + i * t->nbytes, test_apply(t, op, i, a, b));
  }
  dart__atomic_accumulate(target + first, values + 1, nelem, t->type, op);

  for (size_t i = 0; i < nelem; i++)
    if (!test_equal(t, target + first + i * t->nbytes, want + first + i * t->nbytes))
      fail_msg("%s op %d, element %zu of %zu", t->name, (int)op, i, nelem);
  assert_memory_equal(target, before, first);
  assert_memory_equal(target + end, before + end, sizeof target - end);
}

/* Some, and as many as are updated in blocks, which they begin and end somewhere in. */
static void accumulate_equals_the_reference(void **state)
{
  static const size_t counts[] = { 0, 1, 2, 3, 4, 5, 11, 67, COUNT };
  uint64_t            random   = 362436069;

  (void)state;
  TEST_FOR_TYPES(t)
  TEST_FOR_OPS(op)
  for (size_t i = 0; dart__op_is_atomic(op, t->type) && i < sizeof counts / sizeof counts[0]; i++)
    for (size_t skipped = 0; skipped < 2; skipped++)
      compare_with_the_reference(t, op, counts[i], GUARD + skipped * t->nbytes, &random);
}

static void fetch_returns_the_old_value_and_stores_the_new(void **state)
{
  uint64_t random = 521288629;

  (void)state;
  TEST_FOR_TYPES(t)
  TEST_FOR_OPS(op)
  for (int round = 0; dart__op_is_atomic(op, t->type) && round < 50; round++) {
    _Alignas(16) char target[3 * 16];
    char              before[sizeof target], want[16], value[17], result[17];
    char             *cell = target + t->nbytes;

    memset(target, 0x5a, sizeof target);
    test_set_random(t, cell, &random);
    test_set_random(t, value + 1, &random);
    memcpy(before, target, sizeof before);
    test_store(t, want, test_apply(t, op, 0, test_load(t, cell), test_load(t, value + 1)));
    dart__atomic_fetch(cell, op == DART_OP_NO_OP ? NULL : value + 1, result + 1, t->type, op);

    if (!test_equal(t, cell, want) || !test_equal(t, result + 1, before + t->nbytes))
      fail_msg("%s op %d", t->name, (int)op);
    assert_memory_equal(target, before, t->nbytes);
    assert_memory_equal(cell + t->nbytes, before + 2 * t->nbytes, sizeof target - 2 * t->nbytes);
  }
}

static void replacing_keeps_every_bit(void **state)
{
  (void)state;
  TEST_FOR_TYPES(t)
  {
    _Alignas(16) char target[16] = { 0 };
    char              value[16], other[16], result[16];

    memset(value, 0xff, sizeof value); /* as floating point, a NaN */
    memset(other, 0xa7, sizeof other);
    dart__atomic_accumulate(target, value, 1, t->type, DART_OP_REPLACE);
    assert_memory_equal(target, value, t->nbytes);
    dart__atomic_fetch(target, other, result, t->type, DART_OP_REPLACE);
    assert_memory_equal(result, value, t->nbytes);
    dart__atomic_fetch(target, NULL, result, t->type, DART_OP_NO_OP);
    assert_memory_equal(result, other, t->nbytes);
  }
}

static void swap_stores_only_what_compared_equal(void **state)
{
  (void)state;
  TEST_FOR_TYPES(t)
  {
    _Alignas(16) char target[3 * 8];
    char              before[sizeof target], value[17], compare[17], result[17];
    char             *cell = target + t->nbytes;

    if (t->class == FLOATING)
      continue;
    memset(target, 0x5a, sizeof target);
    test_set(t, cell, -7);
    test_set(t, value + 1, 99);
    memcpy(before, target, sizeof before);

    test_set(t, compare + 1, -8);
    dart__atomic_swap(cell, value + 1, compare + 1, result + 1, t->type);
    assert_memory_equal(target, before, sizeof target);
    assert_memory_equal(result + 1, before + t->nbytes, t->nbytes);

    test_set(t, compare + 1, -7);
    dart__atomic_swap(cell, value + 1, compare + 1, result + 1, t->type);
    assert_memory_equal(result + 1, before + t->nbytes, t->nbytes);
    assert_memory_equal(cell, value + 1, t->nbytes);
    assert_memory_equal(target, before, t->nbytes);
    assert_memory_equal(cell + t->nbytes, before + 2 * t->nbytes, sizeof target - 2 * t->nbytes);
  }
}

/* Padding that nobody wrote must not make an update fail or go on for ever. */
static void padding_of_long_double_does_not_matter(void **state)
{
  long double target, one = 1, result;

  (void)state;
  memset(&target, 0xee, sizeof target);
  memcpy(&target, &one, LDBL_MANT_DIG == 64 ? 10 : sizeof one);
  dart__atomic_accumulate(&target, &one, 1, DART_TYPE_LONG_DOUBLE, DART_OP_SUM);
  dart__atomic_fetch(&target, &one, &result, DART_TYPE_LONG_DOUBLE, DART_OP_SUM);
  assert_true(result == 2);
  assert_true(target == 3);
}

/* --- Four threads --- */

typedef struct {
  const test_type_t *t;
  dart_operation_t   op;
  void              *target;
  pthread_barrier_t *start;
  int                thread;
  char              *fetched; /* ROUNDS elements */
  bool               by_fetch;
} work_t;

typedef void *(*body_t)(void *work);

static void run(body_t body, work_t *common)
{
  pthread_barrier_t start;
  pthread_t         id[THREADS];
  work_t            work[THREADS];

  assert_int_equal(pthread_barrier_init(&start, NULL, THREADS), 0);
  for (int i = 0; i < THREADS; i++) {
    work[i]         = *common;
    work[i].thread  = i;
    work[i].start   = &start;
    work[i].fetched = common->fetched + (size_t)i * ROUNDS * common->t->nbytes;
    assert_int_equal(pthread_create(&id[i], NULL, body, &work[i]), 0);
  }
  for (int i = 0; i < THREADS; i++)
    assert_int_equal(pthread_join(id[i], NULL), 0);
  pthread_barrier_destroy(&start);
}

static _Alignas(16) char fetched[THREADS * ROUNDS * 16];

/* What thread `thread` contributes in `round`; in any order the result is the same. */
static void set_operand(const test_type_t *t, dart_operation_t op, int thread, int round,
                        void *operand)
{
  static const long double factor[] = { 2, 0.5L };
  uint64_t      mix    = ((uint64_t)thread * ROUNDS + (uint64_t)round + 1) * 0x9e3779b97f4a7c15;
  test_number_t number = { mix, thread + round % 3 };

  switch (op) {
  case DART_OP_PROD: /* odd numbers lose no bit; powers of two are exact */
    number.bits |= 1;
    number.real = factor[round % 2];
    break;
  case DART_OP_MIN:
  case DART_OP_MAX: number.real = (long double)(mix >> 44); break;
  case DART_OP_BAND: number.bits = ~(1ULL << (mix >> 58)); break;
  case DART_OP_BOR: number.bits = 1ULL << (mix >> 58); break;
  case DART_OP_LAND: number.bits = thread + 1; break; /* all true ... */
  case DART_OP_LOR: number.bits = 0; break;           /* ... or all false */
  case DART_OP_LXOR: number.bits = (mix >> 63) * 2; break;
  default: break;
  }
  test_store(t, operand, number);
}

static void *hammer(void *argument)
{
  work_t           *work = argument;
  _Alignas(16) char operand[16];

  pthread_barrier_wait(work->start);
  for (int round = 0; round < ROUNDS; round++) {
    set_operand(work->t, work->op, work->thread, round, operand);
    if (work->by_fetch)
      dart__atomic_fetch(work->target, operand, work->fetched + (size_t)round * work->t->nbytes,
                         work->t->type, work->op);
    else
      dart__atomic_accumulate(work->target, operand, 1, work->t->type, work->op);
  }
  return NULL;
}

static void check_hammer(const test_type_t *t, dart_operation_t op, bool by_fetch)
{
  _Alignas(16) char target[3 * 16], operand[16], want[16];
  char             *cell = target + t->nbytes;
  work_t common = { .t = t, .op = op, .target = cell, .fetched = fetched, .by_fetch = by_fetch };
  test_number_t number;

  memset(target, 0x5a, sizeof target);
  test_set(t, cell, 1);
  if (op == DART_OP_BAND)
    memset(cell, 0xff, t->nbytes);
  memcpy(want, cell, t->nbytes);
  number = test_load(t, want);
  for (int thread = 0; thread < THREADS; thread++)
    for (int round = 0; round < ROUNDS; round++) {
      set_operand(t, op, thread, round, operand);
      test_store(t, want, test_apply(t, op, 0, number, test_load(t, operand)));
      number = test_load(t, want);
    }
  run(hammer, &common);

  if (!test_equal(t, cell, want))
    fail_msg("%s op %d%s", t->name, (int)op, by_fetch ? ", fetched" : "");
  for (size_t i = 0; i < t->nbytes; i++) {
    assert_int_equal(target[i], 0x5a);
    assert_int_equal(cell[t->nbytes + i], 0x5a);
  }
}

static void no_update_is_lost(void **state)
{
  (void)state;
  TEST_FOR_TYPES(t)
  TEST_FOR_OPS(op)
  if (dart__op_is_atomic(op, t->type) && op != DART_OP_REPLACE && op != DART_OP_NO_OP) {
    check_hammer(t, op, false);
    check_hammer(t, op, true);
  }
}

/* REPLACE hands every value on exactly once: what was put in is what came out and what is left. */
static void replaced_values_are_handed_on_once(void **state)
{
  (void)state;
  TEST_FOR_TYPES(t)
  {
    _Alignas(16) char target[16], operand[16];
    work_t            common = {
                 .t = t, .op = DART_OP_REPLACE, .target = target, .fetched = fetched, .by_fetch = true
    };
    test_number_t in, out;

    test_set(t, target, 1);
    in = test_load(t, target);
    run(hammer, &common);
    out = test_load(t, target);
    for (int thread = 0; thread < THREADS; thread++)
      for (int round = 0; round < ROUNDS; round++) {
        size_t index = (size_t)thread * ROUNDS + (size_t)round;

        set_operand(t, DART_OP_REPLACE, thread, round, operand);
        in  = test_apply(t, DART_OP_SUM, 0, in, test_load(t, operand));
        out = test_apply(t, DART_OP_SUM, 0, out, test_load(t, fetched + index * t->nbytes));
      }
    assert_true(in.bits == out.bits && in.real == out.real);
  }
}

/* Fewer rounds than a BYTE counts to. */
enum { TICKETS = 60 };

static void *draw_tickets(void *argument)
{
  work_t           *work = argument;
  _Alignas(16) char one[16];

  test_set(work->t, one, 1);
  pthread_barrier_wait(work->start);
  for (size_t i = 0; i < TICKETS; i++)
    dart__atomic_fetch(work->target, one, work->fetched + i * work->t->nbytes, work->t->type,
                       DART_OP_SUM);
  return NULL;
}

static void fetched_sums_are_a_permutation(void **state)
{
  (void)state;
  TEST_FOR_TYPES(t)
  {
    _Alignas(16) char target[16];
    work_t            common                   = { .t = t, .target = target, .fetched = fetched };
    int               drawn[THREADS * TICKETS] = { 0 };

    test_set(t, target, 0);
    run(draw_tickets, &common);
    for (size_t thread = 0; thread < THREADS; thread++)
      for (size_t i = 0; i < TICKETS; i++) {
        int64_t ticket = test_get(t, fetched + (thread * ROUNDS + i) * t->nbytes);

        if (t->nbytes == 1)
          ticket &= 0xff;
        assert_in_range(ticket, 0, THREADS * TICKETS - 1);
        drawn[ticket]++;
      }
    for (size_t i = 0; i < THREADS * TICKETS; i++)
      assert_int_equal(drawn[i], 1);
  }
}

/* One element, three ways to add 1 to it at once; reads in between never go back. */
static void *add_by_all_means(void *argument)
{
  work_t            *work = argument;
  const test_type_t *t    = work->t;
  int64_t            last = 0;
  char               one[16], old[16], next[16], result[16];

  test_set(t, one, 1);
  memset(work->fetched, 0, 1);
  pthread_barrier_wait(work->start);
  for (int i = 0; i < TICKETS / 3; i++) {
    dart__atomic_accumulate(work->target, one, 1, t->type, DART_OP_SUM);
    dart__atomic_fetch(work->target, one, result, t->type, DART_OP_SUM);
    dart__atomic_fetch(work->target, NULL, result, t->type, DART_OP_NO_OP);
    do {
      memcpy(old, result, sizeof old);
      test_set(t, next, test_get(t, old) + 1);
      dart__atomic_swap(work->target, next, old, result, t->type);
    } while (memcmp(old, result, t->nbytes) != 0);
    if ((test_get(t, result) & 0xff) < last)
      work->fetched[0] = 1;
    last = test_get(t, result) & 0xff;
  }
  return NULL;
}

static void swap_and_fetch_and_accumulate_mix(void **state)
{
  (void)state;
  TEST_FOR_TYPES(t)
  {
    _Alignas(16) char target[3 * 8];
    char             *cell   = target + t->nbytes;
    work_t            common = { .t = t, .target = cell, .fetched = fetched };

    if (t->class == FLOATING)
      continue;
    memset(target, 0x5a, sizeof target);
    test_set(t, cell, 0);
    run(add_by_all_means, &common);
    assert_int_equal(test_get(t, cell) & 0xff, THREADS * TICKETS);
    for (size_t thread = 0; thread < THREADS; thread++)
      assert_int_equal(fetched[thread * ROUNDS * t->nbytes], 0);
    for (size_t i = 0; i < t->nbytes; i++) {
      assert_int_equal(target[i], 0x5a);
      assert_int_equal(cell[t->nbytes + i], 0x5a);
    }
  }
}

/* Every thread has its own element of one array, and all update at the same time. */
static void *hammer_own(void *argument)
{
  work_t           *work = argument;
  _Alignas(16) char one[16];

  test_set(work->t, one, 1);
  pthread_barrier_wait(work->start);
  for (int round = 0; round < 100; round++)
    dart__atomic_accumulate((char *)work->target + (size_t)work->thread * work->t->nbytes, one, 1,
                            work->t->type, work->op);
  return NULL;
}

static void neighbours_do_not_disturb_each_other(void **state)
{
  (void)state;
  TEST_FOR_TYPES(t)
  {
    _Alignas(16) char target[THREADS * 16] = { 0 };
    work_t            common = { .t = t, .target = target, .fetched = fetched, .op = DART_OP_SUM };

    run(hammer_own, &common);
    for (size_t thread = 0; thread < THREADS; thread++)
      assert_int_equal(test_get(t, target + thread * t->nbytes), 100);
  }
}

/* All threads update elements of one array, many at a time that overlap, and one at a time. No sum is beyond a BYTE. */
enum { PLACES = 150, MANY = 140, TIMES = 12 };

static void *hammer_many(void *argument)
{
  work_t            *work = argument;
  const test_type_t *t    = work->t;
  _Alignas(16) char  ones[MANY * 16];
  char              *target = work->target;

  for (size_t i = 0; i < MANY; i++)
    test_set(t, ones + i * t->nbytes, 1);
  pthread_barrier_wait(work->start);
  for (size_t i = 0; i < TIMES * PLACES; i++) {
    if (i % PLACES == 0)
      dart__atomic_accumulate(target + (size_t)work->thread * t->nbytes, ones, MANY, t->type,
                              work->op);
    dart__atomic_accumulate(target + i % PLACES * t->nbytes, ones, 1, t->type, work->op);
  }
  return NULL;
}

static void many_and_single_updates_mix(void **state)
{
  (void)state;
  TEST_FOR_TYPES(t)
  for (int round = 0; dart__op_is_atomic(DART_OP_SUM, t->type) && round < 3; round++) {
    _Alignas(16) char target[PLACES * 16] = { 0 };
    work_t            common = { .t = t, .target = target, .fetched = fetched, .op = DART_OP_SUM };

    run(hammer_many, &common);
    for (int i = 0; i < PLACES; i++) {
      int many = 0;

      for (int thread = 0; thread < THREADS; thread++)
        many += i >= thread && i < thread + MANY;
      assert_int_equal(test_get(t, target + (size_t)i * t->nbytes), TIMES * (THREADS + many));
    }
  }
}

/* Plain data written before an update is seen by a reader of the update: under ThreadSanitizer a
 * missing release or acquire is a race on `message`. */
enum { UPDATED = 70 }; /* the flag is the first element of so many */

typedef struct {
  const test_type_t *t;
  _Alignas(16) char flag[UPDATED * 16];
  int message;
  int read;
} mailbox_t;

static void *read_message(void *argument)
{
  mailbox_t *box = argument;
  char       seen[16];

  do {
    sched_yield();
    dart__atomic_fetch(box->flag, NULL, seen, box->t->type, DART_OP_NO_OP);
  } while (test_get(box->t, seen) == 0);
  box->read = box->message;
  return NULL;
}

static void updates_publish_what_came_before(void **state)
{
  static const dart_operation_t ops[] = { DART_OP_SUM, DART_OP_MAX, DART_OP_REPLACE };

  (void)state;
  TEST_FOR_TYPES(t)
  for (size_t i = 0; i < 2 * sizeof ops / sizeof ops[0]; i++) {
    mailbox_t box = { .t = t };
    pthread_t reader;
    char      ones[UPDATED * 16];

    for (size_t k = 0; k < UPDATED; k++) {
      test_set(t, ones + k * t->nbytes, 1);
      test_set(t, box.flag + k * t->nbytes, 0);
    }
    assert_int_equal(pthread_create(&reader, NULL, read_message, &box), 0);
    box.message = 4711;
    dart__atomic_accumulate(box.flag, ones, i % 2 == 0 ? 1 : UPDATED, t->type, ops[i / 2]);
    assert_int_equal(pthread_join(reader, NULL), 0);
    assert_int_equal(box.read, 4711);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = { cmocka_unit_test(accumulate_equals_the_reference),
                                      cmocka_unit_test(
                                          fetch_returns_the_old_value_and_stores_the_new),
                                      cmocka_unit_test(replacing_keeps_every_bit),
                                      cmocka_unit_test(swap_stores_only_what_compared_equal),
                                      cmocka_unit_test(padding_of_long_double_does_not_matter),
                                      cmocka_unit_test(no_update_is_lost),
                                      cmocka_unit_test(replaced_values_are_handed_on_once),
                                      cmocka_unit_test(fetched_sums_are_a_permutation),
                                      cmocka_unit_test(swap_and_fetch_and_accumulate_mix),
                                      cmocka_unit_test(neighbours_do_not_disturb_each_other),
                                      cmocka_unit_test(many_and_single_updates_mix),
                                      cmocka_unit_test(updates_publish_what_came_before) };

  return cmocka_run_group_tests_name("atomics", tests, NULL, NULL);
}
