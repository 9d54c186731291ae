/* Updates that wait, and the words they are applied to without a call: every (type, operator)
 * against the slow reference; the order of one queue; and queues of many threads on the same words. */
#include "node_data.h"

#include <pthread.h>

#include "data/op.h"
#include "wait/atomic.h"
#include "wait/deferred.h"

enum { WORDS = 5, APART = 2 * DART__DEFERRED_LINE, THREADS = 4, ROUNDS = 2000 };

/* More than a queue holds, so some are applied on the way, over few words, so they meet. */
enum { UPDATES = 3 * DART__DEFERRED_MOST + 7 };

/* A guard that is held every other time, so that some updates are plain ones. */
static bool is_held;
static int  holds;

static bool hold(void)
{
  assert_false(is_held);
  return is_held = holds++ % 2 == 0;
}

static void release(void)
{
  assert_true(is_held);
  is_held = false;
}

static const dart__deferred_guard_t guard = { hold, release };

static void compare_with_the_reference(const dart__deferred_guard_t *guarded)
{
  uint64_t random = 88172645;

  TEST_FOR_TYPES(t)
  TEST_FOR_OPS(op)
  {
    _Alignas(16) char words[WORDS * APART] = { 0 }, want[WORDS * APART];
    dart__deferred_t  queue                = { .guard = guarded };

    if (t->nbytes > 8 || !dart__op_is_atomic(op, t->type) || op == DART_OP_NO_OP)
      continue;
    for (size_t i = 0; i < WORDS; i++)
      test_set_random(t, words + i * APART, &random);
    memcpy(want, words, sizeof want);
    for (size_t i = 0; i < UPDATES; i++) {
      char  value[17];
      char *cell = want + i % WORDS * APART;

      test_set_random(t, value + 1, &random);
      test_store(t, cell, test_apply(t, op, i, test_load(t, cell), test_load(t, value + 1)));
      dart__deferred_add(&queue, words + i % WORDS * APART, value + 1, t->nbytes, t->type, op);
      memset(value, 0x5a, sizeof value); /* it was copied */
      assert_false(dart__deferred_is_empty(&queue));
    }
    dart__deferred_apply_all(&queue);
    assert_true(dart__deferred_is_empty(&queue));
    for (size_t i = 0; i < WORDS; i++)
      if (!test_equal(t, words + i * APART, want + i * APART))
        fail_msg("%s op %d, word %zu", t->name, (int)op, i);
  }
}

static void updates_equal_the_reference(void **state)
{
  (void)state;
  compare_with_the_reference(NULL);
}

static void guarded_updates_equal_the_reference(void **state)
{
  (void)state;
  compare_with_the_reference(&guard);
  assert_true(holds > 100);
  assert_false(is_held);
}

/* As entry points do it: updates of the hot line are not added but applied. */
static void add(dart__deferred_t *queue, uint64_t *word, uint64_t value, dart_operation_t op)
{
  if (dart__deferred_is_hot(queue, word))
    dart__atomic_accumulate_one(word, &value, DART_TYPE_ULONG, op);
  else
    dart__deferred_add(queue, word, &value, sizeof value, DART_TYPE_ULONG, op);
}

/* Runs of updates of one word between others, with operators that do not commute: of the two words of each of
 * four lines one at a time becomes hot. */
static void hot_lines_keep_the_order_of_each_word(void **state)
{
  enum { LINES = 4, STEP = DART__DEFERRED_LINE / sizeof(uint64_t), MANY = 20000 };
  static _Alignas(DART__DEFERRED_LINE) uint64_t words[LINES * STEP];
  uint64_t                                      want[LINES * STEP] = { 0 }, random = 362436069;
  dart__deferred_t                              queue = { 0 };
  size_t                                        run = 0, line = 0, hot = 0;

  (void)state;
  for (uint64_t i = 1; i < MANY; i++) {
    dart_operation_t op = i % 3 == 0 ? DART_OP_REPLACE : i % 3 == 1 ? DART_OP_SUM : DART_OP_BXOR;
    size_t           at;

    random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
    if (run-- == 0) {
      line = random >> 60 & (LINES - 1);
      run  = random >> 40 & 1 ? 200 : 3;
    }
    at       = line * STEP + (random >> 50 & 1);
    want[at] = op == DART_OP_REPLACE ? i : op == DART_OP_SUM ? want[at] + i : want[at] ^ i;
    hot += dart__deferred_is_hot(&queue, &words[at]);
    add(&queue, &words[at], i, op);
    if ((random >> 32) % 64 == 0)
      dart__deferred_apply_all(&queue);
  }
  dart__deferred_apply_all(&queue);
  assert_memory_equal(words, want, sizeof want);
  assert_true(hot > MANY / 10 && hot < MANY);
}

static void words_agree_with_the_general_way(void **state)
{
  uint64_t random = 2463534242;
  int      taken  = 0;

  (void)state;
  TEST_FOR_TYPES(t)
  TEST_FOR_OPS(op)
  {
    _Alignas(16) char word[16] = { 0 }, same[16] = { 0 }, value[17], found[17] = { 0 },
                      found_same[17] = { 0 };

    if (!dart__op_is_atomic(op, t->type))
      continue;
    test_set_random(t, word, &random);
    test_set_random(t, value + 1, &random);
    memcpy(same, word, sizeof same);
    if (dart__atomic_fetch_word(word, op == DART_OP_NO_OP ? NULL : value + 1, found + 1, t->type,
                                op)) {
      dart__atomic_fetch(same, value + 1, found_same + 1, t->type, op);
      taken++;
    }
    assert_memory_equal(word, same, sizeof word);
    assert_memory_equal(found, found_same, sizeof found);
    if (dart__atomic_accumulate_word(word, value + 1, t->type, op)) {
      dart__atomic_accumulate(same, value + 1, 1, t->type, op);
      taken++;
    }
    assert_memory_equal(word, same, sizeof word);
    assert_false(dart__atomic_fetch_word(word + 1, value, found, t->type, op)); /* misaligned */
    assert_false(dart__atomic_accumulate_word(word + 1, value, t->type, op));
    assert_memory_equal(word, same, sizeof word);
  }
  assert_int_equal(taken, 6 * (6 + 5)); /* six integer types of 4 and 8 bytes */
}

static void words_are_swapped_if_equal(void **state)
{
  int taken = 0;

  (void)state;
  TEST_FOR_TYPES(t)
  {
    _Alignas(16) char word[16] = { 0 }, value[16], compare[16], found[16];

    test_set(t, word, 7);
    test_set(t, value, 9);
    test_set(t, compare, 8);
    if (!dart__atomic_swap_word(word, value, compare, found, t->type))
      continue;
    taken++;
    assert_int_equal(test_get(t, word), 7);
    assert_int_equal(test_get(t, found), 7);
    test_set(t, compare, 7);
    assert_true(dart__atomic_swap_word(word, value, compare, found, t->type));
    assert_int_equal(test_get(t, word), 9);
    assert_int_equal(test_get(t, found), 7);
    assert_false(dart__atomic_swap_word(word + 2, value, compare, found, t->type));
  }
  assert_int_equal(taken, 6);
}

/* What was put in last is there in the end, and a sum after it is a sum of it. */
static void updates_of_a_word_keep_their_order(void **state)
{
  (void)state;
  for (int n = 1; n <= UPDATES; n++) {
    dart__deferred_t    queue = { 0 };
    _Alignas(8) int64_t word = -1, one = 1;

    for (int64_t i = 0; i < n; i++)
      dart__deferred_add(&queue, &word, &i, sizeof i, DART_TYPE_LONG, DART_OP_REPLACE);
    dart__deferred_add(&queue, &word, &one, sizeof one, DART_TYPE_LONG, DART_OP_SUM);
    dart__deferred_apply_all(&queue);
    assert_int_equal(word, n);
  }
}

static void an_update_that_does_not_count(void **state)
{
  dart__deferred_t queue  = { 0 };
  uint64_t         word   = 0;
  int              halves = 0;

  (void)state;
  for (uint64_t i = 0; i < 10 * DART__DEFERRED_MOST; i++)
    halves += dart__deferred_add_if(&queue, i % 3 != 0, i % 3 == 0 ? &halves : (void *)&word, i,
                                    DART_TYPE_ULONG, DART_OP_REPLACE);
  assert_true(halves > 0 && halves <= 20);
  dart__deferred_apply_all(&queue);
  assert_int_equal(word, 10 * DART__DEFERRED_MOST - 2);
}

static uint64_t counters[WORDS];

static void *count_up(void *unused)
{
  dart__deferred_t queue = { 0 };
  uint64_t         one   = 1;

  for (size_t i = 0; i < ROUNDS * WORDS; i++)
    dart__deferred_add(&queue, &counters[i % WORDS], &one, sizeof one, DART_TYPE_ULONG,
                       DART_OP_SUM);
  dart__deferred_apply_all(&queue);
  return unused;
}

static void no_update_is_lost(void **state)
{
  pthread_t threads[THREADS];

  (void)state;
  for (int i = 0; i < THREADS; i++)
    assert_int_equal(pthread_create(&threads[i], NULL, count_up, NULL), 0);
  for (int i = 0; i < THREADS; i++)
    pthread_join(threads[i], NULL);
  for (size_t i = 0; i < WORDS; i++)
    assert_int_equal(counters[i], (uint64_t)THREADS * ROUNDS);
}

int main(void)
{
  const struct CMUnitTest tests[] = { cmocka_unit_test(updates_equal_the_reference),
                                      cmocka_unit_test(guarded_updates_equal_the_reference),
                                      cmocka_unit_test(an_update_that_does_not_count),
                                      cmocka_unit_test(hot_lines_keep_the_order_of_each_word),
                                      cmocka_unit_test(words_agree_with_the_general_way),
                                      cmocka_unit_test(words_are_swapped_if_equal),
                                      cmocka_unit_test(updates_of_a_word_keep_their_order),
                                      cmocka_unit_test(no_update_is_lost) };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
