/* A checkpoint: a distributed array is written to a file by all units, and read back by fewer.
 *
 * The file has the array as a whole, so it does not tell how many units have written it: element i is at byte i * 8.
 * The array is distributed in turns, one small block to each unit after the other; a view says so, and the library
 * makes large pieces of that where all units write in one call. Then the first half of the units read it, as a team of
 * their own, in blocks as large as can be.
 *
 *   dartrun -n 4 ./checkpoint [FILE] */
#include <dash/dart/ext/dart_file.h>
#include <dash/dart/if/dart.h>

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* A call that cannot fail here. Ends all units: the others may already wait for this one. */
#define MUST(call)                                       \
  do {                                                   \
    if ((call) != DART_OK) {                             \
      fprintf(stderr, "checkpoint: %s failed\n", #call); \
      dart_abort(EXIT_FAILURE);                          \
    }                                                    \
  } while (0)

enum { BLOCK = 5, BLOCKS = 200 }; /* elements; blocks of a unit */

static double value_of(size_t i)
{
  return 0.5 * (double)i + 1;
}

static void write_array(const char *path, size_t me, size_t nunits)
{
  double         *mine = malloc(BLOCK * BLOCKS * sizeof *mine);
  dart_datatype_t turns;
  dart_file_t     file;

  for (size_t i = 0; i < BLOCK * BLOCKS; i++)
    mine[i] = value_of((i / BLOCK * nunits + me) * BLOCK + i % BLOCK);
  MUST(dart_file_open(DART_TEAM_ALL, path, DART_FILE_WRITE | DART_FILE_CREATE | DART_FILE_TRUNCATE,
                      0644, &file));
  MUST(dart_type_create_strided(DART_TYPE_DOUBLE, nunits * BLOCK, BLOCK, &turns));
  MUST(dart_file_set_view(file, me * BLOCK * sizeof *mine, turns));
  MUST(
      dart_file_write_all(file, 0, mine, BLOCK * BLOCKS, DART_TYPE_DOUBLE, DART_TYPE_DOUBLE, NULL));
  MUST(dart_file_sync(file)); /* a checkpoint is one when it is on the disk */
  MUST(dart_file_close(&file));
  MUST(dart_type_destroy(&turns));
  free(mine);
}

/* The number of elements that are not what was written. */
static int read_array(const char *path, dart_team_t team, size_t nelem)
{
  dart_team_unit_t me;
  size_t           nunits, block, first, count, nread;
  double          *mine;
  dart_file_t      file;
  int              wrong = 0;

  MUST(dart_team_myid(team, &me));
  MUST(dart_team_size(team, &nunits));
  block = (nelem + nunits - 1) / nunits;
  first = (size_t)me.id * block < nelem ? (size_t)me.id * block : nelem;
  count = nelem - first < block ? nelem - first : block;
  mine  = malloc((count + 1) * sizeof *mine);
  MUST(dart_file_open(team, path, DART_FILE_READ, 0, &file));
  MUST(dart_file_read_all(file, first * sizeof *mine, mine, count, DART_TYPE_DOUBLE,
                          DART_TYPE_DOUBLE, &nread));
  MUST(dart_file_close(&file));
  for (size_t i = 0; i < count; i++)
    wrong += nread != count || mine[i] != value_of(first + i);
  free(mine);
  return wrong;
}

/* A team of the first half of the units; DART_TEAM_NULL on the others. */
static dart_team_t first_half(size_t nunits)
{
  dart_group_t group;
  dart_team_t  team;

  MUST(dart_group_create(&group));
  for (size_t u = 0; u < (nunits + 1) / 2; u++)
    MUST(dart_group_addmember(group, DART_GLOBAL_UNIT_ID((dart_unit_t)u)));
  MUST(dart_team_create(DART_TEAM_ALL, group, &team));
  MUST(dart_group_destroy(&group));
  return team;
}

int main(int argc, char **argv)
{
  char               path[200];
  dart_global_unit_t me;
  size_t             nunits, nelem;
  dart_team_t        half;
  long               number = getpid();
  int                wrong  = 0, wrong_all;

  MUST(dart_init(&argc, &argv));
  MUST(dart_myid(&me));
  MUST(dart_size(&nunits));
  MUST(dart_bcast(&number, 1, DART_TYPE_LONG, DART_TEAM_UNIT_ID(0), DART_TEAM_ALL));
  snprintf(path, sizeof path, "/tmp/dart-checkpoint-%ld", number);
  nelem = nunits * BLOCK * BLOCKS;
  half  = first_half(nunits);
  write_array(argc > 1 ? argv[1] : path, (size_t)me.id, nunits);
  if (half != DART_TEAM_NULL)
    wrong = read_array(argc > 1 ? argv[1] : path, half, nelem);
  MUST(dart_allreduce(&wrong, &wrong_all, 1, DART_TYPE_INT, DART_OP_SUM, DART_TEAM_ALL));
  if (me.id == 0 && wrong_all == 0)
    printf("%zu elements: written by %zu units, read by %zu.\n", nelem, nunits, (nunits + 1) / 2);
  if (me.id == 0 && argc <= 1)
    unlink(path);
  if (half != DART_TEAM_NULL)
    MUST(dart_team_destroy(&half));
  MUST(dart_exit());
  return wrong_all == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
