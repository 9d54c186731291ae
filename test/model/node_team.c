/* The tables of teams: an id is found while it is in use, and what teams that are gone have touched is
 * released. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "model/team.h"

enum { TEAMS = 20000, MOST_KIB = 64 };

/* KiB that this process has written to and the kernel keeps, counted page by page. */
static long written(void)
{
  FILE *file = fopen("/proc/self/smaps_rollup", "r");
  char  line[128];
  long  kib = -1;

  assert_non_null(file);
  while (fgets(line, sizeof line, file) != NULL)
    if (sscanf(line, "Private_Dirty: %ld", &kib) == 1)
      break;
  fclose(file);
  return kib;
}

static void teams_that_are_gone_take_no_memory(void **state)
{
  static dart__direct_map_t way;
  dart__team_t              all = { .direct_map = &way }, team = { .direct_map = &way };
  long                      before;

  (void)state;
  dart__team_enter(&all, DART_TEAM_ALL);
  /* What is written once, however many teams there are, by the reader of the file, too, is not counted. */
  dart__team_enter(&team, TEAMS + 1);
  dart__team_leave(&team);
  (void)written();
  before = written();
  for (int id = 1; id <= TEAMS; id++) {
    dart__team_enter(&team, (dart_team_t)id);
    assert_ptr_equal(dart__team_find((dart_team_t)id), &team);
    assert_ptr_equal(dart__team_direct[id], &way);
    dart__team_leave(&team);
    assert_null(dart__team_find((dart_team_t)id));
    assert_null(dart__team_direct[id]);
  }
  assert_true(written() - before < MOST_KIB);
  assert_ptr_equal(dart__team_find(DART_TEAM_ALL), &all);
  dart__team_leave(&all);
}

static void teams_next_to_one_that_is_gone_stay(void **state)
{
  static dart__direct_map_t way;
  dart__team_t              kept = { .direct_map = &way }, gone = { .direct_map = &way };

  (void)state;
  for (int id = 600; id < 3000; id += 500) {
    dart__team_enter(&kept, (dart_team_t)id);
    dart__team_enter(&gone, (dart_team_t)(id + 1));
    dart__team_leave(&gone);
    assert_ptr_equal(dart__team_find((dart_team_t)id), &kept);
    assert_ptr_equal(dart__team_direct[id], &way);
    dart__team_leave(&kept);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(teams_that_are_gone_take_no_memory),
    cmocka_unit_test(teams_next_to_one_that_is_gone_stay),
  };

  return cmocka_run_group_tests_name("team", tests, NULL, NULL);
}
