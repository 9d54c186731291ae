/* Lines that repeat: so many are printed for each place and each function that they name, and the rest is counted,
 * whichever threads they come from. What is said elsewhere is printed all the same. */
#include "base/log.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "node_threads.h"

enum { THREADS = 4, TIMES = 1000 };

/* ---- what is printed ------------------------------------------------------------------------ */

static FILE *printed;
static int   stderr_before;

static void begin(void)
{
  printed       = tmpfile();
  stderr_before = dup(STDERR_FILENO);
  assert_non_null(printed);
  dup2(fileno(printed), STDERR_FILENO);
}

static void end(void)
{
  dup2(stderr_before, STDERR_FILENO);
  close(stderr_before);
}

/* Lines that have `words`. */
static int lines_with(const char *words)
{
  char line[2000];
  int  n = 0;

  rewind(printed);
  while (fgets(line, sizeof line, printed) != NULL)
    n += strstr(line, words) != NULL;
  return n;
}

/* ---- tests ---------------------------------------------------------------------------------- */

static void refuse(const char *function, int value)
{
  dart__error("%s: %d is refused", function, value);
}

static void muted_lines_are_lost(void **state)
{
  (void)state;
  begin();
  dart__log_mute(true);
  refuse("muted", 1);
  dart__log_mute(false);
  refuse("muted", 2);
  end();
  assert_int_equal(lines_with("1 is refused"), 0);
  assert_int_equal(lines_with("2 is refused"), 1);
  fclose(printed);
}

static void *refuse_often(void *function)
{
  for (int i = 0; i < TIMES; i++)
    refuse(function, i);
  return NULL;
}

static void one_place_is_limited(void **state)
{
  (void)state;
  begin();
  refuse_often("dart_first");
  dart__error("dart_first: said elsewhere");
  refuse("dart_second", 1); /* the same place for another function */
  refuse("dart_first", 2);
  dart__log_sum_up();
  end();
  assert_int_equal(lines_with("dart_first: 99 is refused"), 1);
  assert_int_equal(lines_with("is refused"), DART__LOG_MOST + 1);
  assert_int_equal(lines_with("dart_first: the last of 100 such lines"), 1);
  assert_int_equal(lines_with("said elsewhere"), 1);
  assert_int_equal(lines_with("dart_second: 1 is refused"), 1);
  assert_int_equal(lines_with("dart_first: 901 more such lines were not printed"), 1);
  assert_int_equal(lines_with(""), DART__LOG_MOST + 4);
  fclose(printed);
}

static void counting_begins_again(void **state)
{
  (void)state;
  begin();
  for (int i = 0; i < DART__LOG_MOST; i++)
    refuse("dart_again", i);
  dart__log_sum_up(); /* all were printed */
  end();
  assert_int_equal(lines_with("more such lines"), 0);
  fclose(printed);
  begin();
  for (int i = 0; i <= DART__LOG_MOST; i++)
    refuse("dart_again", i);
  dart__log_sum_up();
  dart__log_sum_up();
  end();
  assert_int_equal(lines_with("dart_again: 99 is refused"), 1);
  assert_int_equal(lines_with("dart_again: 100 is refused"), 0);
  assert_int_equal(lines_with("dart_again: 1 more such lines were not printed"), 1);
  fclose(printed);
}

static void threads_lose_no_line(void **state)
{
  pthread_t threads[THREADS];

  (void)state;
  begin();
  for (int t = 0; t < THREADS; t++)
    pthread_create(&threads[t], NULL, refuse_often, t % 2 == 0 ? "dart_even" : "dart_odd");
  for (int t = 0; t < THREADS; t++)
    pthread_join(threads[t], NULL);
  dart__log_sum_up();
  end();
  assert_int_equal(lines_with("dart_even: "), DART__LOG_MOST + 2);
  assert_int_equal(lines_with("dart_odd: "), DART__LOG_MOST + 2);
  assert_int_equal(lines_with("such lines: "), 2);
  assert_int_equal(lines_with(": 1900 more such lines were not printed"), 2);
  fclose(printed);
}

/* More places than there is room for are limited together. */
static void many_places_are_limited(void **state)
{
  enum { NAMES = 2000 };
  static char name[NAMES][16];

  (void)state;
  begin();
  for (int i = 0; i < NAMES; i++) {
    snprintf(name[i], sizeof name[i], "dart_%d", i);
    for (int k = 0; k < 2; k++)
      refuse(name[i], k);
  }
  dart__log_sum_up();
  end();
  assert_int_equal(lines_with("dart_0: "), 2);
  assert_true(lines_with(" is refused") < NAMES);
  assert_int_equal(lines_with("more lines of many places were not printed"), 1);
  fclose(printed);
}

/* What the parent has counted the child does not print; what it counts itself it prints. */
static void child_prints_its_own_counts(void **state)
{
  int status[2];

  (void)state;
  begin();
  refuse_often("dart_parent");
  for (int i = 0; i < 2; i++) {
    pid_t child = fork();

    if (child == 0) {
      if (i == 1)
        refuse_often("dart_parent");
      exit(0);
    }
    assert_int_equal(waitpid(child, &status[i], 0), child);
  }
  dart__log_sum_up();
  end();
  assert_int_equal(status[0], 0);
  assert_int_equal(status[1], 0);
  assert_int_equal(lines_with("dart_parent: 99 is refused"), 2);
  assert_int_equal(lines_with("dart_parent: 900 more such lines were not printed"), 2);
  fclose(printed);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(muted_lines_are_lost),
    cmocka_unit_test(one_place_is_limited),
    cmocka_unit_test(counting_begins_again),
    cmocka_unit_test(threads_lose_no_line),
    cmocka_unit_test(child_prints_its_own_counts),
    /* This one leaves no room for other places. */
    cmocka_unit_test(many_places_are_limited),
  };

  dart__log_set_level(DART__LOG_WARN);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
