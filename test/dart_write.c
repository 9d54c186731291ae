/* Units write one file collectively, round after round, until one of them is killed in the midst of it: for
 * cli_write.sh.
 *
 *   dart_write write PATH [atomic]   the units' cells alternate in the file, and every word of them says whose it is, and
 *                                    of which round; unit 1 is killed some milliseconds after the third
 *   dart_write check PATH UNITS      by one unit, afterwards: every word is its unit's, and of one of two rounds that
 *                                    follow one another. For a round begins when the one before is done everywhere:
 *                                    so that is whole, and the last one has come to any place
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

static void write_for_ever(const char *path, bool atomic)
{
  dart_file_t        file = open_file(path, DART_FILE_WRITE | DART_FILE_CREATE);
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
    must(dart_file_write_all(file, (uint64_t)me.id * WIDTH * sizeof *mine, mine, WORDS,
                             DART_TYPE_LONG, type, NULL));
    if (round == WHOLE && me.id == 1) /* of SIGALRM */
      setitimer(ITIMER_REAL, &(struct itimerval){ .it_value = { 0, 10000 + getpid() % 20000 } },
                NULL);
  }
}

static void check(const char *path, int nunits)
{
  dart_file_t file  = open_file(path, DART_FILE_READ);
  size_t      nelem = (size_t)WORDS * (size_t)nunits, nread;
  int64_t    *all   = malloc(nelem * sizeof *all), first, last;

  must(dart_file_read_at(file, 0, all, nelem, DART_TYPE_LONG, DART_TYPE_LONG, &nread));
  first = last = all[0] / 1000;
  for (size_t i = 0; i < nread; i++) {
    int64_t round = all[i] / 1000;

    first = round < first ? round : first;
    last  = round > last ? round : last;
    if (all[i] != word_of((int)(i / WIDTH % (size_t)nunits), round)) {
      printf("word %zu is %ld\n", i, (long)all[i]);
      exit(9);
    }
  }
  if (nread != nelem || first < WHOLE || last > first + 1) {
    printf("%zu of %zu words, of rounds %ld to %ld\n", nread, nelem, (long)first, (long)last);
    exit(9);
  }
  printf("whole\n");
  must(dart_file_close(&file));
  free(all);
}

int main(int argc, char **argv)
{
  must(dart_init(&argc, &argv));
  if (argc > 3 && strcmp(argv[1], "check") == 0)
    check(argv[2], (int)strtol(argv[3], NULL, 10));
  else if (argc > 2)
    write_for_ever(argv[2], argc > 3 && strcmp(argv[3], "atomic") == 0);
  must(dart_exit());
  return EXIT_SUCCESS;
}
