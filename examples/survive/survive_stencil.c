/* A stencil that outlives units: heat in a plate, whose rows are shared by the units that are left.
 *
 * A phase is some steps, each of which replaces every point by the mean of its four neighbours and itself. The result
 * is compared bit by bit with what one process computes.
 *
 *   DART_SURVIVE=1 dartrun -n 4 ./survive_stencil [none|one|two|pair|node [SEED [FILE]]]
 *
 * The first argument selects the units to kill. SEED determines when. Checkpoints are written to FILE, or kept in memory. */
#include <stdlib.h>
#include <string.h>

#include "resilient.h"
#include "victims.h"

enum { ROWS = 200, COLUMNS = 50, PHASES = 20, STEPS = 10 };

typedef double row_t[COLUMNS];

/* What is beyond the plate, above and below it. */
static const row_t hot  = { 100, 100, 100, 100, 100, 100, 100, 100, 100, 100 };
static const row_t cold = { 0 };

static void fill_row(void *item, size_t index)
{
  double *row = item;

  for (size_t j = 0; j < COLUMNS; j++)
    row[j] = (double)((index * 31 + j * 17) % 23);
}

/* One step of `nrows` rows, in place; `above` and `below` are the rows around them. */
static void relax(row_t *rows, size_t nrows, const row_t above, const row_t below)
{
  row_t up, old;

  memcpy(up, above, sizeof up);
  for (size_t i = 0; i < nrows; i++) {
    const double *down = i + 1 < nrows ? rows[i + 1] : below;

    memcpy(old, rows[i], sizeof old);
    for (size_t j = 0; j < COLUMNS; j++) {
      double left = j > 0 ? old[j - 1] : 0, right = j + 1 < COLUMNS ? old[j + 1] : 0;

      rows[i][j] = (up[j] + down[j] + left + right + old[j]) / 5;
    }
    memcpy(up, old, sizeof up);
  }
}

/* Fetch a row of the plate from the unit that has it. */
static dart_ret_t get_row(const array_t *plate, size_t index, row_t row)
{
  TRY(dart_get_blocking(row, array_at(plate, index), COLUMNS, DART_TYPE_DOUBLE, DART_TYPE_DOUBLE));
  return DART_OK;
}

/* A barrier after the neighbours' rows were read, and one after this unit's were written. */
static dart_ret_t step(const array_t *plate)
{
  size_t first = array_first(plate, plate->me), count = array_count(plate, plate->me);
  row_t  above, below;

  memcpy(above, hot, sizeof above);
  memcpy(below, cold, sizeof below);
  if (count > 0 && first > 0)
    TRY(get_row(plate, first - 1, above));
  if (count > 0 && first + count < ROWS)
    TRY(get_row(plate, first + count, below));
  TRY(dart_barrier(plate->team));
  relax(plate->mine, count, above, below);
  TRY(dart_barrier(plate->team));
  return DART_OK;
}

static dart_ret_t work(const array_t *plate)
{
  for (int i = 0; i < STEPS; i++)
    TRY(step(plate));
  return DART_OK;
}

/* How many rows of all units are not what one process computes. */
static dart_ret_t verify(const array_t *plate, long *wrong_out)
{
  static row_t rows[ROWS];
  const row_t *mine  = plate->mine;
  size_t       first = array_first(plate, plate->me);
  long         wrong = 0;

  for (size_t i = 0; i < ROWS; i++)
    fill_row(rows[i], i);
  for (int i = 0; i < PHASES * STEPS; i++)
    relax(rows, ROWS, hot, cold);
  for (size_t i = 0; i < array_count(plate, plate->me); i++)
    wrong += memcmp(mine[i], rows[first + i], sizeof(row_t)) != 0;
  TRY(dart_allreduce(&wrong, wrong_out, 1, DART_TYPE_LONG, DART_OP_SUM, plate->team));
  return DART_OK;
}

int main(int argc, char **argv)
{
  options_t options = victims_init(&argc, &argv);
  array_t   plate;
  long      wrong = -1;

  array_create(&plate, ROWS, sizeof(row_t), fill_row, options.path);
  victims_draw(&options, &plate, PHASES);
  while (plate.phase <= PHASES) {
    victims_start(plate.phase, PHASES);
    array_next(&plate, plate.phase < PHASES ? work(&plate) : verify(&plate, &wrong));
  }
  if (plate.me == 0)
    printf("survive_stencil: %d units are left; %ld of %d rows are wrong.\n", plate.n, wrong, ROWS);
  array_destroy(&plate);
  MUST(dart_exit());
  return wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
