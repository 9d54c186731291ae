/* A log file: all units append records to one file, each when it has something to say.
 *
 * The shared pointer of a file is moved by one atomic step for each record. So records stand one behind the other,
 * whole, in no order of the units; nobody waits for anybody.
 *
 *   dartrun -n 4 ./log_file [FILE] */
#include <dash/dart/ext/dart_file.h>
#include <dash/dart/if/dart.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A call that cannot fail here. Ends all units: the others may already wait for this one. */
#define MUST(call)                                     \
  do {                                                 \
    if ((call) != DART_OK) {                           \
      fprintf(stderr, "log_file: %s failed\n", #call); \
      dart_abort(EXIT_FAILURE);                        \
    }                                                  \
  } while (0)

enum { RECORDS = 25, RECORD_BYTES = 48 };

/* A record is a line, filled up with blanks so that all have one length. */
static void append(dart_file_t file, int unit, int number)
{
  char line[RECORD_BYTES + 1];

  snprintf(line, sizeof line, "%-*s", RECORD_BYTES, "");
  line[snprintf(line, sizeof line, "unit %d, record %d", unit, number)] = ' ';
  line[RECORD_BYTES - 1]                                                = '\n';
  MUST(dart_file_write_shared(file, line, RECORD_BYTES, DART_TYPE_BYTE, NULL));
}

/* Count the records of each unit; the number of those that are missing, or there twice. */
static int check(dart_file_t file, int nunits)
{
  int *next = calloc((size_t)nunits, sizeof *next), wrong = 0;
  char line[RECORD_BYTES];

  for (int i = 0; i < nunits * RECORDS; i++) {
    int unit = -1, number = -1;

    MUST(dart_file_read_at(file, (uint64_t)i * RECORD_BYTES, line, RECORD_BYTES, DART_TYPE_BYTE,
                           DART_TYPE_BYTE, NULL));
    line[RECORD_BYTES - 1] = '\0';
    if (sscanf(line, "unit %d, record %d", &unit, &number) != 2 || unit < 0 || unit >= nunits ||
        number != next[unit]++) /* a unit's own records are in their order */
      wrong++;
  }
  free(next);
  return wrong;
}

int main(int argc, char **argv)
{
  char               path[200];
  dart_global_unit_t me;
  size_t             nunits;
  dart_file_t        file;
  long               number = getpid();
  int                wrong  = 0;

  MUST(dart_init(&argc, &argv));
  MUST(dart_myid(&me));
  MUST(dart_size(&nunits));
  MUST(dart_bcast(&number, 1, DART_TYPE_LONG, DART_TEAM_UNIT_ID(0), DART_TEAM_ALL));
  snprintf(path, sizeof path, "/tmp/dart-log-%ld", number);
  MUST(dart_file_open(DART_TEAM_ALL, argc > 1 ? argv[1] : path,
                      DART_FILE_READ | DART_FILE_WRITE | DART_FILE_CREATE | DART_FILE_TRUNCATE,
                      0644, &file));
  for (int i = 0; i < RECORDS; i++)
    append(file, me.id, i);
  MUST(dart_barrier(DART_TEAM_ALL));
  if (me.id == 0) {
    wrong = check(file, (int)nunits);
    if (wrong == 0)
      printf("%zu records of %zu units in one file, each whole.\n", nunits * RECORDS, nunits);
    if (argc <= 1)
      unlink(path);
  }
  MUST(dart_bcast(&wrong, 1, DART_TYPE_INT, DART_TEAM_UNIT_ID(0), DART_TEAM_ALL));
  MUST(dart_file_close(&file));
  MUST(dart_exit());
  return wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
