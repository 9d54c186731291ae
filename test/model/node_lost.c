/* Losses as one unit sees them, in memory that a test writes in the launcher's place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/sparse.h"
#include "model/lost.h"

enum { UNITS = 3, SLOT = DART__CACHE_LINE, RESULT = 1024 };

static _Atomic uint32_t count, word[UNITS];

static dart__team_t new_team(void)
{
  count = 0;
  for (int u = 0; u < UNITS; u++)
    word[u] = 0;
  dart__lost = (dart__lost_t){ .count = &count, .word = word };
  return (dart__team_t){ .nunits = UNITS, .members = { .count = UNITS, .stride = 1 } };
}

/* The launcher writes the word first. */
static void a_unit_is_lost_once_it_is_counted(void **state)
{
  dart__team_t team = new_team();

  (void)state;
  word[1] = 2;
  assert_false(dart__is_lost(1));
  assert_false(dart__team_look(&team));
  count = 1;
  assert_true(dart__is_lost(1));
  assert_int_equal(dart__unit_status(1), DART_UNIT_LOST);
  assert_true(dart__team_look(&team));
  word[2] = 4 | DART__LOST_ENDED;
  assert_int_equal(dart__unit_status(2), DART_UNIT_RUNNING);
  count = 2;
  assert_int_equal(dart__unit_status(2), DART_UNIT_ENDED);
}

/* A unit has left a step. Others may pass it, and read. */
static void in_a_broken_team_nothing_is_written_that_others_read(void **state)
{
  _Alignas(DART__CACHE_LINE) static char memory[sizeof(dart__shared_t) + 8192];
  static char                            before[sizeof memory];
  dart__team_t                           team = new_team();
  dart__exchange_t                      *x    = &team.exchange;

  (void)state;
  assert_true(dart__exchange_bytes(UNITS, 0, SLOT, RESULT) <= sizeof memory);
  dart__exchange_format(memory, UNITS, 0);
  dart__exchange_open(x, memory, UNITS, 0, 0, SLOT, RESULT);
  memset(dart__exchange_slot(x, 0), 1, SLOT);
  memcpy(before, memory, sizeof before);
  word[2] = 2;
  count   = 1;
  assert_true(dart__team_look(&team));
  dart__team_step_aside(&team);
  for (int step = 0; step < 2; step++, x->episode++) {
    memset(dart__exchange_slot(x, 0), 2, (size_t)UNITS * SLOT);
    memset(dart__exchange_result(x), 3, RESULT);
  }
  assert_memory_equal(memory, before, sizeof memory);
  dart__sparse_delete(team.aside);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_unit_is_lost_once_it_is_counted),
    cmocka_unit_test(in_a_broken_team_nothing_is_written_that_others_read),
  };

  return cmocka_run_group_tests_name("lost", tests, NULL, NULL);
}
