/* Grid: sums along the rows and columns of a grid of units.
 *
 * Every unit works out where it is, and with whom it shares a row and a column, and makes these two teams with
 * them: no other unit has to call, and a grid that does not use all units leaves the rest out of it. The tags tell
 * the teams apart where threads would make them at the same time; here they only name them.
 *
 *   dartrun -n 7 ./grid */
#include <dash/dart/ext/dart_team_group.h>
#include <dash/dart/if/dart.h>

#include <stdio.h>
#include <stdlib.h>

/* A call that cannot fail here. Ends all units: the others may already wait for this one. */
#define MUST(call)                                 \
  do {                                             \
    if ((call) != DART_OK) {                       \
      fprintf(stderr, "grid: %s failed\n", #call); \
      dart_abort(EXIT_FAILURE);                    \
    }                                              \
  } while (0)

typedef struct {
  int rows, columns;
} grid_t;

/* The largest grid whose sides differ by at most one. */
static grid_t grid_of(int nunits)
{
  grid_t grid = { 1, 1 };

  while (grid.rows * (grid.columns + 1) <= nunits) {
    grid.columns++;
    if ((grid.rows + 1) * grid.columns <= nunits)
      grid.rows++;
  }
  return grid;
}

/* The team of `count` units from `first` on, `step` apart: the caller is one of them. */
static dart_team_t team_of(int first, int step, int count, int tag)
{
  dart_group_t group;
  dart_team_t  team;

  MUST(dart_group_create(&group));
  for (int i = 0; i < count; i++)
    MUST(dart_group_addmember(group, DART_GLOBAL_UNIT_ID(first + i * step)));
  MUST(dart_team_create_group(DART_TEAM_ALL, group, tag, &team));
  MUST(dart_group_destroy(&group));
  return team;
}

static int sum_over(dart_team_t team, int value)
{
  int sum;

  MUST(dart_allreduce(&value, &sum, 1, DART_TYPE_INT, DART_OP_SUM, team));
  return sum;
}

/* The sums of the units' ids along the caller's row and column, and whether they are right. */
static int work(grid_t grid, int me)
{
  int         row = me / grid.columns, column = me % grid.columns;
  dart_team_t across = team_of(row * grid.columns, 1, grid.columns, row);
  dart_team_t down   = team_of(column, grid.columns, grid.rows, grid.rows + column);
  int         r = sum_over(across, me), c = sum_over(down, me);

  MUST(dart_team_destroy(&across));
  MUST(dart_team_destroy(&down));
  return r == grid.columns * row * grid.columns + grid.columns * (grid.columns - 1) / 2 &&
         c == grid.rows * column + grid.columns * grid.rows * (grid.rows - 1) / 2;
}

int main(int argc, char **argv)
{
  dart_global_unit_t me;
  size_t             nunits;
  grid_t             grid;
  int                right, nright;

  if (dart_init(&argc, &argv) != DART_OK)
    return EXIT_FAILURE;
  MUST(dart_myid(&me));
  MUST(dart_size(&nunits));
  grid   = grid_of((int)nunits);
  right  = me.id < grid.rows * grid.columns && work(grid, me.id);
  nright = sum_over(DART_TEAM_ALL, right);
  if (me.id == 0)
    printf("%zu units: a grid of %d x %d, %s\n", nunits, grid.rows, grid.columns,
           nright == grid.rows * grid.columns ? "all sums are right" : "WRONG SUMS");
  MUST(dart_exit());
  return nright == grid.rows * grid.columns ? EXIT_SUCCESS : EXIT_FAILURE;
}
