/* Units write one file, round after round, until one of them is killed in the midst of it: for cli_write.sh.
 *
 *   dart_write write PATH [atomic]   collectively: the units' cells alternate in the file, and every word of them says
 *                                    whose it is, and of which round; unit 1 is killed some milliseconds after the third
 *   dart_write alone PATH [atomic]   the same, but each by itself, and unit 1 is killed in a call of the system in the
 *                                    fourth round, which has written a part of what it was to write
 *   dart_write check PATH UNITS      by one unit, afterwards: every word is its unit's, and of one of two rounds that
 *                                    follow one another. For a round begins when the one before is done everywhere:
 *                                    so that is whole, and the last one has come to any place
 *
 *   dart_write parts PATH UNITS      by one unit, after `alone`: the first words of each unit are of the fourth round, the
 *                                    others of the third; and of unit 1 there are both
 *
 * A call of DART that fails, and a file that is not right, end the unit with 9. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include <dash/dart/ext/dart_file.h>
#include <dash/dart/if/dart.h>

#include "write_limit.h"

enum { CELLS = 20000, WIDTH = 16, WORDS = CELLS * WIDTH, WHOLE = 3 };

static int64_t word_of(int unit, int64_t round)
{
  return round * 1000 + unit;
}

static void must(dart_ret_t ret)
{
  if (ret != DART_OK)
    exit(9);
}

static dart_file_t open_file(const char *path, unsigned flags)
{
  dart_file_t file;

  must(dart_file_open(DART_TEAM_ALL, path, flags, 0600, &file));
  return file;
}

static void write_all(dart_file_t file, uint64_t offset, const int64_t *words, dart_datatype_t type)
{
  must(dart_file_write_all(file, offset, words, WORDS, DART_TYPE_LONG, type, NULL));
}

/* All have written a round before the next one begins. */
static void write_alone(dart_file_t file, uint64_t offset, const int64_t *words,
                        dart_datatype_t type)
{
  must(dart_file_write_at(file, offset, words, WORDS, DART_TYPE_LONG, type, NULL));
  must(dart_barrier(DART_TEAM_ALL));
}

static void write_for_ever(const char *path, bool alone, bool atomic)
{
  dart_file_t        file = open_file(path, DART_FILE_READ | DART_FILE_WRITE | DART_FILE_CREATE);
  int64_t           *mine = malloc(WORDS * sizeof *mine);
  size_t             nunits;
  dart_global_unit_t me;
  dart_datatype_t    type;

  must(dart_myid(&me));
  must(dart_size(&nunits));
  must(dart_type_create_strided(DART_TYPE_LONG, WIDTH * nunits, WIDTH, &type));
  must(dart_file_set_atomicity(file, atomic));
  for (int64_t round = 1;; round++) {
    for (int i = 0; i < WORDS; i++)
      mine[i] = word_of(me.id, round);
    (alone ? write_alone : write_all)(file, (uint64_t)me.id * WIDTH * sizeof *mine, mine, type);
    if (round == WHOLE && me.id == 1 && alone)
      room = 1000000;
    else if (round == WHOLE && me.id == 1) /* of SIGALRM */
      setitimer(ITIMER_REAL, &(struct itimerval){ .it_value = { 0, 10000 + getpid() % 20000 } },
                NULL);
  }
}

/* All words, in order of their place. */
static int64_t *read_words(const char *path, size_t nelem)
{
  dart_file_t file = open_file(path, DART_FILE_READ);
  int64_t    *all  = malloc(nelem * sizeof *all);
  size_t      nread;

  must(dart_file_read_at(file, 0, all, nelem, DART_TYPE_LONG, DART_TYPE_LONG, &nread));
  must(dart_file_close(&file));
  if (nread != nelem) {
    printf("%zu of %zu words\n", nread, nelem);
    exit(9);
  }
  return all;
}

/* The round of a word, which is its unit's. */
static int64_t round_of(const int64_t *all, size_t i, int nunits)
{
  int64_t round = all[i] / 1000;

  if (all[i] != word_of((int)(i / WIDTH % (size_t)nunits), round)) {
    printf("word %zu is %ld\n", i, (long)all[i]);
    exit(9);
  }
  return round;
}

static void check(const char *path, int nunits)
{
  size_t   nelem = (size_t)WORDS * (size_t)nunits;
  int64_t *all = read_words(path, nelem), first = all[0] / 1000, last = first;

  for (size_t i = 0; i < nelem; i++) {
    int64_t round = round_of(all, i, nunits);

    first = round < first ? round : first;
    last  = round > last ? round : last;
  }
  if (first < WHOLE || last > first + 1) {
    printf("rounds %ld to %ld\n", (long)first, (long)last);
    exit(9);
  }
  printf("whole\n");
  free(all);
}

/* The number of words that `unit` has written in the last round, before all that it has not. */
static size_t written(const int64_t *all, int unit, int nunits)
{
  size_t count = 0;

  for (size_t k = 0; k < WORDS; k++) {
    size_t  i     = (k / WIDTH * (size_t)nunits + (size_t)unit) * WIDTH + k % WIDTH;
    int64_t round = round_of(all, i, nunits);

    if (round != WHOLE && (round != WHOLE + 1 || count != k)) {
      printf("word %zu of unit %d is of round %ld\n", k, unit, (long)round);
      exit(9);
    }
    count += round == WHOLE + 1;
  }
  return count;
}

static void check_parts(const char *path, int nunits)
{
  int64_t *all = read_words(path, (size_t)WORDS * (size_t)nunits);

  for (int unit = 0; unit < nunits; unit++) {
    size_t count = written(all, unit, nunits);

    if (unit == 1 && (count == 0 || count == WORDS)) {
      printf("unit 1 has written %zu words\n", count);
      exit(9);
    }
  }
  printf("parts\n");
  free(all);
}

int main(int argc, char **argv)
{
  must(dart_init(&argc, &argv));
  if (argc > 3 && strcmp(argv[1], "check") == 0)
    check(argv[2], (int)strtol(argv[3], NULL, 10));
  else if (argc > 3 && strcmp(argv[1], "parts") == 0)
    check_parts(argv[2], (int)strtol(argv[3], NULL, 10));
  else if (argc > 2)
    write_for_ever(argv[2], strcmp(argv[1], "alone") == 0,
                   argc > 3 && strcmp(argv[3], "atomic") == 0);
  must(dart_exit());
  return EXIT_SUCCESS;
}
