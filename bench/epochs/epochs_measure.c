/* Measuring: all ways and sides in turns. */

#include "epochs.h"

const way_t ways[NWAYS] = { { "messages", MESSAGES, false }, { "put.fence", FENCE, false },
                            { "put.pscw", PSCW, false },     { "put.lock", LOCK, false },
                            { "get.fence", FENCE, true },    { "get.pscw", PSCW, true },
                            { "get.lock", LOCK, true },      { "put.flush", FLUSH, false },
                            { "put.notify", NOTIFY, false } };

/* The exchange of the second paper has no others than the first seven; and a unit that is told by others than those
 * that it tells would need more buffers. */
bool way_is_wanted(int way, const options_t *o)
{
  if (ways[way].kind == FLUSH || ways[way].kind == NOTIFY)
    return o->pattern == HALO && o->operations == PUTS;
  return ways[way].kind == MESSAGES || o->operations == BOTH ||
         ways[way].gets == (o->operations == GETS);
}

static unsigned char byte_of(int unit, int32_t k, size_t i, int salt)
{
  return (unsigned char)(unit * 31 + k * 7 + (int)(i % 251) + salt);
}

/* One step, and a look at what came. */
static bool is_right(exchange_t *x, steps_t steps, char *recv, char *send, int salt)
{
  bool right = true;

  for (int32_t k = 0; k < x->n; k++)
    for (size_t i = 0; i < x->nbytes; i++) {
      recv[(size_t)k * x->most + i] = 0;
      send[(size_t)k * x->most + i] = (char)byte_of(x->job.me, k, i, salt);
    }
  BENCH_OK(dart_barrier(DART_TEAM_ALL));
  steps(x, 1);
  BENCH_OK(dart_barrier(DART_TEAM_ALL));
  for (int32_t k = 0; k < x->n; k++)
    for (size_t i = 0; i < x->nbytes; i++)
      right = right && recv[(size_t)k * x->most + i] == (char)byte_of(x->origins[k].id, k, i, salt);
  return bench_max(!right) == 0;
}

static double seconds_of(exchange_t *x, steps_t steps, size_t n)
{
  double begin = bench_begin();

  steps(x, n);
  return bench_took(begin);
}

double median(double *values, size_t n)
{
  bench_sort(values, n);
  return values[n / 2];
}

/* One way by one side. */
typedef struct {
  steps_t steps; /* NULL: not measured */
  size_t  n;     /* steps of a repetition */
  double  took[MOST_REPEATS];
} cell_t;

static steps_t steps_of(int way, int side, const options_t *o)
{
  if (!way_is_wanted(way, o) || (side == 1 && mpi_ways == NULL))
    return NULL;
  return side == 0 ? dart_ways[ways[way].kind] : mpi_ways[ways[way].kind];
}

/* See that it is right, and how many steps are long enough. */
static bool prepare(exchange_t *x, const options_t *o, int way, int side, cell_t *cell)
{
  char  *recv  = side == 0 ? x->recv : mpi_memory();
  bool   right = is_right(x, cell->steps, recv, recv + (size_t)x->n * x->most, way + 10 * side);
  double once  = seconds_of(x, cell->steps, 4) / 4;

  cell->n = 1 + (size_t)((double)o->milliseconds / 1000 / once);
  return right;
}

bool measure(exchange_t *x, const options_t *o, double seconds[NWAYS][SIDES])
{
  static cell_t cells[NWAYS][SIDES];
  bool          right = true;

  for (uint64_t r = 0; r <= o->repeats; r++)
    for (int way = 0; way < NWAYS; way++)
      for (int side = 0; side < SIDES; side++) {
        cell_t *cell = &cells[way][side];

        cell->steps = steps_of(way, side, o);
        x->gets     = ways[way].gets;
        if (cell->steps == NULL)
          continue;
        if (r == 0)
          right = prepare(x, o, way, side, cell) && right;
        else
          cell->took[r - 1] = seconds_of(x, cell->steps, cell->n) / (double)cell->n;
      }
  for (int i = 0; i < NWAYS * SIDES; i++) {
    cell_t *cell = &cells[i / SIDES][i % SIDES];

    seconds[i / SIDES][i % SIDES] = cell->steps == NULL ? 0 : median(cell->took, o->repeats);
  }
  return right;
}
