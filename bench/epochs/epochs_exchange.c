/* Who exchanges with whom, and the memory that it takes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "epochs.h"

/* Rows of a grid that is as square as may be. */
static int rows_of(int n)
{
  int rows = (int)sqrt((double)n);

  while (n % rows != 0)
    rows--;
  return rows;
}

static void join(exchange_t *x, int k, int target, int origin)
{
  x->targets[k] = DART_TEAM_UNIT_ID(target);
  x->origins[k] = DART_TEAM_UNIT_ID(origin);
}

static void join_halo(exchange_t *x)
{
  int n = (int)x->job.nunits, rows = rows_of(n), columns = n / rows;
  int row = x->job.me / columns, column = x->job.me % columns;
  int up    = (row + rows - 1) % rows * columns + column;
  int down  = (row + 1) % rows * columns + column;
  int left  = row * columns + (column + columns - 1) % columns;
  int right = row * columns + (column + 1) % columns;

  join(x, 0, up, down);
  join(x, 1, down, up);
  join(x, 2, left, right);
  join(x, 3, right, left);
}

static void collect_names(exchange_t *x, int which, const dart_team_unit_t *units)
{
  x->unique[which] = bench_alloc((size_t)x->n, sizeof **x->unique);
  for (int32_t k = 0; k < x->n; k++) {
    size_t i = 0;

    while (i < x->nnames[which] && x->unique[which][i].id != units[k].id)
      i++;
    if (i == x->nnames[which])
      x->unique[which][x->nnames[which]++] = units[k];
  }
}

static void join_all(exchange_t *x, pattern_t pattern)
{
  int n = (int)x->job.nunits;

  x->n       = pattern == HALO ? 4 : pattern == RIGHT ? 1 : n;
  x->targets = bench_alloc((size_t)x->n, sizeof *x->targets);
  x->origins = bench_alloc((size_t)x->n, sizeof *x->origins);
  if (pattern == HALO)
    join_halo(x);
  for (int k = 0; pattern != HALO && k < x->n; k++) {
    int by = pattern == RIGHT ? 1 : k;

    join(x, k, (x->job.me + by) % n, (x->job.me + n - by) % n);
  }
  collect_names(x, 0, x->targets);
  collect_names(x, 1, x->origins);
}

static void *own_portion(dart_gptr_t memory, dart_unit_t me)
{
  void *mine;

  BENCH_OK(dart_gptr_setunit(&memory, DART_TEAM_UNIT_ID(me)));
  BENCH_OK(dart_gptr_getaddr(memory, &mine));
  return mine;
}

static void open_counters(exchange_t *x)
{
  size_t n = (size_t)x->n;

  BENCH_OK(dart_team_memalloc_aligned(DART_TEAM_ALL, n, DART_TYPE_ULONG, &x->counters));
  memset(own_portion(x->counters, x->job.me), 0, n * sizeof(uint64_t));
  BENCH_OK(dart_barrier(DART_TEAM_ALL));
}

void exchange_open(exchange_t *x, const options_t *o)
{
  size_t nbytes;

  join_all(x, o->pattern);
  x->most          = o->most;
  x->is_registered = o->registered;
  nbytes           = 3 * (size_t)x->n * x->most;
  if (x->is_registered) {
    x->recv = x->block = bench_alloc(nbytes, 1);
    BENCH_OK(dart_team_memregister(DART_TEAM_ALL, nbytes, DART_TYPE_BYTE, x->block, &x->memory));
  } else {
    BENCH_OK(dart_team_memalloc_aligned(DART_TEAM_ALL, nbytes, DART_TYPE_BYTE, &x->memory));
    x->recv = own_portion(x->memory, x->job.me);
  }
  x->send = x->recv + (size_t)x->n * x->most;
  open_counters(x);
  mpi_open(x);
}

void exchange_close(exchange_t *x)
{
  mpi_close();
  if (x->is_registered)
    BENCH_OK(dart_team_memderegister(x->memory));
  else
    BENCH_OK(dart_team_memfree(x->memory));
  BENCH_OK(dart_team_memfree(x->counters));
  free(x->block);
  free(x->targets);
  free(x->origins);
  free(x->unique[0]);
  free(x->unique[1]);
}
