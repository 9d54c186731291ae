/* Statics: a program with global variables, of which other units become part.
 *
 * Rule 110 on a ring of cells, written as one would for one process: its own cells are a static array, and the
 * loop that computes the next generation reads and writes it by its name. Two cells beyond the ends are the
 * neighbours'. Adopted, the array stays where it is and the loop as it was, and each unit puts its first and
 * last cell into its neighbours' arrays: within a node by a store. At the end the pages are the program's own
 * again.
 *
 *   dartrun -n 4 ./statics */
#include <dash/dart/ext/dart_adopt.h>
#include <dash/dart/if/dart.h>

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

/* A call that cannot fail here. Ends all units: the others may already wait for this one. */
#define MUST(call)                                    \
  do {                                                \
    if ((call) != DART_OK) {                          \
      fprintf(stderr, "statics: %s failed\n", #call); \
      dart_abort(EXIT_FAILURE);                       \
    }                                                 \
  } while (0)

enum { CELLS = 64 /* of a unit */, GENERATIONS = 100 };

/* Generation g is in row g % 2. On pages of their own, for all that lies on these is adopted together. */
static struct {
  _Alignas(4096) signed char row[2][1 + CELLS + 1];
} cells;

static signed char rule(signed char left, signed char own, signed char right)
{
  return (signed char)(110 >> (4 * left + 2 * own + right) & 1);
}

static void compute(const signed char *old, signed char *new)
{
  for (int i = 1; i <= CELLS; i++)
    new[i] = rule(old[i - 1], old[i], old[i + 1]);
}

static void put_cell(dart_gptr_t array, int unit, const signed char *from, int row, int cell)
{
  dart_gptr_setunit(&array, DART_TEAM_UNIT_ID(unit));
  dart_gptr_incaddr(&array, (int64_t)row * (1 + CELLS + 1) + cell);
  MUST(dart_put(array, from, 1, DART_TYPE_BYTE, DART_TYPE_BYTE));
}

static void tell_neighbours(dart_gptr_t array, int me, int n, int row)
{
  put_cell(array, (me + n - 1) % n, &cells.row[row][1], row, CELLS + 1);
  put_cell(array, (me + 1) % n, &cells.row[row][CELLS], row, 0);
  MUST(dart_flush_all(array));
  MUST(dart_barrier(DART_TEAM_ALL));
}

/* The last generation of a ring of so many cells by one process. */
static void compute_alone(signed char *all, signed char *scratch, int count)
{
  for (int g = 0; g < GENERATIONS; g++) {
    for (int i = 0; i < count; i++)
      scratch[i] = rule(all[(i + count - 1) % count], all[i], all[(i + 1) % count]);
    for (int i = 0; i < count; i++)
      all[i] = scratch[i];
  }
}

static int is_right(int me, int n)
{
  signed char *all   = calloc(2 * (size_t)n, CELLS);
  int          wrong = all == NULL;

  if (all != NULL) {
    all[0] = 1;
    compute_alone(all, all + n * CELLS, n * CELLS);
    for (int i = 0; i < CELLS; i++)
      wrong |= all[me * CELLS + i] != cells.row[GENERATIONS % 2][1 + i];
  }
  free(all);
  return !wrong;
}

int main(int argc, char **argv)
{
  dart_global_unit_t me;
  size_t             n;
  dart_gptr_t        array;
  int                right, all_right;

  if (dart_init(&argc, &argv) != DART_OK)
    return EXIT_FAILURE;
  MUST(dart_myid(&me));
  MUST(dart_size(&n));
  cells.row[0][1] = me.id == 0; /* one living cell */
  MUST(dart_team_adopt(DART_TEAM_ALL, &cells, sizeof cells.row, &array));
  for (int g = 0; g < GENERATIONS; g++) {
    tell_neighbours(array, me.id, (int)n, g % 2);
    compute(cells.row[g % 2], cells.row[(g + 1) % 2]);
  }
  MUST(dart_team_memfree(array));
  right = is_right(me.id, (int)n);
  MUST(dart_allreduce(&right, &all_right, 1, DART_TYPE_INT, DART_OP_MIN, DART_TEAM_ALL));
  if (me.id == 0)
    printf("%zu units, %zu cells, %d generations: %s\n", n, n * CELLS, GENERATIONS,
           all_right ? "right" : "WRONG");
  MUST(dart_exit());
  return all_right ? EXIT_SUCCESS : EXIT_FAILURE;
}
