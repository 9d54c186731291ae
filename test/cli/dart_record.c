/* Units that write records to a file until they are killed; cli_record.sh kills one, and cli_records.c looks at what
 * there is then. Every word of a record says whose it is and the how manieth of that unit: (unit + 1) << 32 | number.
 *
 *   dart-record own FILE      each unit has SLOTS places of its own, and writes them in turns
 *   dart-record board FILE    all write the same two patterns of pieces, in atomic mode
 *   dart-record shared FILE   all write at the shared pointer */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <dash/dart/ext/dart_file.h>
#include <dash/dart/if/dart.h>

#include "record.h"

static dart_global_unit_t me;
static size_t             n;
static uint64_t           buffer[2 * RECORD_WORDS];

static void must(dart_ret_t ret, const char *what)
{
  if (ret == DART_OK)
    return;
  fprintf(stderr, "unit %d: %s returned %d\n", me.id, what, (int)ret);
  dart_abort(EXIT_FAILURE);
}

static void fill(uint64_t number)
{
  for (size_t i = 0; i < 2 * RECORD_WORDS; i++)
    buffer[i] = ((uint64_t)me.id + 1) << 32 | number;
}

/* Even units have their data in one piece, the others every other word. */
static void write_own(dart_file_t file, uint64_t number)
{
  uint64_t        slot = (number % RECORD_SLOTS) * n + (uint64_t)me.id;
  dart_datatype_t type = DART_TYPE_ULONG;

  if (me.id % 2 != 0)
    must(dart_type_create_strided(DART_TYPE_ULONG, 2, 1, &type), "dart_type_create_strided");
  must(dart_file_write_at(file, slot * RECORD_BYTES, buffer, RECORD_WORDS, type, DART_TYPE_ULONG,
                          NULL),
       "dart_file_write_at");
  if (me.id % 2 != 0)
    must(dart_type_destroy(&type), "dart_type_destroy");
}

/* Small pieces, which are read, changed and written in one, and large ones, each written by itself. */
static void write_board(dart_file_t file, uint64_t number)
{
  size_t          piece = number % 2 == 0 ? BOARD_SMALL : BOARD_LARGE;
  uint64_t        at    = number % 2 == 0 ? 0 : BOARD_BYTES;
  dart_datatype_t type;

  must(dart_type_create_strided(DART_TYPE_ULONG, 2 * piece, piece, &type),
       "dart_type_create_strided");
  must(dart_file_write_at(file, at, buffer, BOARD_BYTES / 16, DART_TYPE_ULONG, type, NULL),
       "dart_file_write_at");
  must(dart_type_destroy(&type), "dart_type_destroy");
}

static void write_shared(dart_file_t file, uint64_t number)
{
  (void)number;
  must(dart_file_write_shared(file, buffer, SHARED_WORDS, DART_TYPE_ULONG, NULL),
       "dart_file_write_shared");
  usleep(500);
}

int main(int argc, char **argv)
{
  dart_file_t file;
  char        kind;

  if (argc != 3 || dart_init(&argc, &argv) != DART_OK)
    return 2;
  kind = argv[1][0];
  dart_myid(&me);
  dart_size(&n);
  must(dart_file_open(DART_TEAM_ALL, argv[2],
                      DART_FILE_READ | DART_FILE_WRITE | DART_FILE_CREATE | DART_FILE_TRUNCATE,
                      0600, &file),
       "dart_file_open");
  must(dart_file_set_atomicity(file, kind == 'b'), "dart_file_set_atomicity");
  must(dart_barrier(DART_TEAM_ALL), "dart_barrier");
  printf("unit %d %d\n", me.id, (int)getpid());
  fflush(stdout);
  for (uint64_t number = 0; number < RECORDS_MOST; number++) {
    fill(number);
    if (kind == 'o')
      write_own(file, number);
    else if (kind == 'b')
      write_board(file, number);
    else
      write_shared(file, number);
  }
  return 0; /* nobody killed it: that is an error of the test */
}
