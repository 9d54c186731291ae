/* The record of the locks that a unit holds: what it says of them, also from a file, and when it is full. */
#include "node_threads.h"

#include <stdio.h>

#include "model/holds.h"
#include "model/world.h"

static void expect(const char *said)
{
  char text[200];

  dart__holds_own(text, sizeof text);
  assert_string_equal(text, said);
}

static void it_names_what_is_held(void **state)
{
  dart__hold_t  spare[4];
  dart__hold_t *first  = dart__hold_new(DART__HOLD_LOCK, 3, -1, &spare[0]);
  dart__hold_t *second = dart__hold_new(DART__HOLD_LOCK, 3, -1, &spare[1]);
  dart__hold_t *range  = dart__hold_new(DART__HOLD_RANGE, 3, -1, &spare[2]);
  dart__hold_t *epoch  = dart__hold_new(DART__HOLD_EPOCH, 0, 7, &spare[3]);

  (void)state;
  expect("");
  dart__hold_set(second, 1);
  expect("lock 2 of team 3");
  dart__hold_set(first, 1);
  expect("lock 1 of team 3, and 1 more");
  dart__hold_set(first, 0);
  dart__hold_set(second, 0);
  dart__hold_enter(range, 10, 20);
  expect("range lock 1 of team 3, from 10 to 20");
  dart__hold_enter(range, 30, 40);
  expect("range lock 1 of team 3, from 30 to 40, and 1 more");
  dart__hold_leave(range); /* perhaps the newest, perhaps not */
  expect("range lock 1 of team 3");
  dart__hold_leave(range);
  expect("");
  dart__hold_enter(epoch, 5, 1);
  expect("the exclusive lock of unit 5 in segment 7 of team 0");
  dart__hold_enter(epoch, 6, 0);
  expect("the shared lock of unit 6 in segment 7 of team 0, and 1 more");
  dart__hold_leave(epoch);
  expect("locks in segment 7 of team 0");
  dart__holds_clear();
  expect("");
  dart__hold_delete(first);
  dart__hold_delete(second);
  dart__hold_delete(range);
  dart__hold_delete(epoch);
}

/* What does not fit is counted all the same, for its own object, and named by nobody. */
static void it_may_be_full(void **state)
{
  dart__hold_t  spare[DART__HOLDS + 1], *hold[DART__HOLDS + 1];
  dart__hold_t *again;

  (void)state;
  for (int i = 0; i <= DART__HOLDS; i++)
    hold[i] = dart__hold_new(DART__HOLD_LOCK, 0, -1, &spare[i]);
  assert_ptr_equal(hold[DART__HOLDS], &spare[DART__HOLDS]);
  dart__hold_enter(hold[DART__HOLDS], 0, 0);
  assert_true(dart__hold_is_held(hold[DART__HOLDS]));
  expect("");
  dart__hold_enter(hold[DART__HOLDS - 1], 0, 0);
  expect("lock 128 of team 0");
  dart__hold_delete(hold[5]); /* held or not */
  again = dart__hold_new(DART__HOLD_LOCK, 0, -1, &spare[5]);
  assert_ptr_equal(again, hold[5]);
  assert_int_equal(again->number, 129);
  for (int i = 0; i <= DART__HOLDS; i++)
    dart__hold_delete(hold[i]);
  expect("");
}

static dart_gptr_t word_at(uint64_t offset)
{
  return (dart_gptr_t){
    .unitid = 2, .flags = 7, .segid = -3, .teamid = 1, .addr_or_offs.offset = offset
  };
}

/* Locks in words: of two that have one place the newer one is known, and it is never known of one that is not held. */
static void it_names_words(void **state)
{
  dart__holds_t holds = { 0 };
  uint64_t      far   = DART__HELD_WORDS * sizeof(uint64_t);
  char          text[200];

  (void)state;
  dart__held_word_note(NULL, word_at(0)); /* no launcher */
  dart__held_word_forget(NULL, word_at(0));
  dart__held_word_note(&holds, word_at(0));
  dart__holds_describe(&holds, text, sizeof text);
  assert_string_equal(text, "the lock at offset 0 of unit 2 in segment -3 of team 1");
  assert_true(dart__holds_word(&holds, word_at(0)));
  assert_false(dart__holds_word(&holds, word_at(8)));
  assert_false(dart__holds_word(&holds, word_at(far)));
  dart__held_word_note(&holds, word_at(8));
  dart__holds_describe(&holds, text, sizeof text);
  assert_string_equal(text, "the lock at offset 0 of unit 2 in segment -3 of team 1, and 1 more");
  dart__held_word_note(&holds, word_at(far));
  assert_true(dart__holds_word(&holds, word_at(far)));
  assert_false(dart__holds_word(&holds, word_at(0)));
  dart__held_word_forget(&holds, word_at(0)); /* whose place another one has */
  assert_true(dart__holds_word(&holds, word_at(far)));
  dart__held_word_forget(&holds, word_at(far));
  dart__held_word_forget(&holds, word_at(8));
  dart__holds_describe(&holds, text, sizeof text);
  assert_string_equal(text, "");
}

/* Of another process, as a launcher reads it. */
static void it_is_read_from_a_file(void **state)
{
  dart__holds_t holds = { .entry[9] = { .kind   = DART__HOLD_RANGE,
                                        .count  = 1,
                                        .team   = 2,
                                        .number = 4,
                                        .first  = 0,
                                        .last   = UINT64_MAX } };
  FILE         *file  = tmpfile();
  char          text[200];

  (void)state;
  assert_non_null(file);
  assert_int_equal(fwrite("12345678", 1, 8, file), 8);
  assert_int_equal(fwrite(&holds, sizeof holds, 1, file), 1);
  fflush(file);
  dart__holds_read(fileno(file), 8, text, sizeof text);
  assert_string_equal(text, "range lock 4 of team 2, from 0 to 18446744073709551615");
  dart__holds_read(fileno(file), 16, text, sizeof text); /* not all there */
  assert_string_equal(text, "");
  fclose(file);
}

int main(void)
{
  const struct CMUnitTest tests[] = { cmocka_unit_test(it_names_what_is_held),
                                      cmocka_unit_test(it_names_words),
                                      cmocka_unit_test(it_may_be_full),
                                      cmocka_unit_test(it_is_read_from_a_file) };

  return cmocka_run_group_tests_name("holds", tests, NULL, NULL);
}
