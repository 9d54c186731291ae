/* Blocking puts and gets from unit 0 to each other unit: what distance costs. Figures 3 and 4 of Zhou, Idrees, Gracia
 * (Leveraging MPI-3 shared-memory extensions for efficient PGAS runtime systems, Euro-Par 2015) are this experiment
 * with 256 units on 11 nodes: constant inside a node, a step at its border, constant beyond.
 *
 * Unit 0 measures, all others wait. DART and MPI take turns, and each has the median of its repetitions. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../common/bench.h"
#include "../common/window.h"

typedef enum { PUT, GET, OPERATIONS } operation_t;
static const char *const operation_names[OPERATIONS] = { "put", "get" };

enum { MOST_BYTES = 1 << 20, MOST_REPEAT = 100 };
static const size_t sizes[] = { 8, MOST_BYTES };

typedef struct {
  bench_job_t job;
  uint64_t    repeat;
  double      seconds; /* of a repetition */
  bool        with_mpi;
  dart_gptr_t memory;
  char       *data;
} distance_t;

typedef struct {
  int         target;
  size_t      nbytes;
  operation_t operation;
  bool        by_mpi;
} case_t;

static void run_dart(const distance_t *d, const case_t *c, size_t n)
{
  dart_gptr_t at = d->memory;

  BENCH_OK(dart_gptr_setunit(&at, DART_TEAM_UNIT_ID(c->target)));
  for (size_t i = 0; i < n; i++)
    if (c->operation == PUT)
      BENCH_OK(dart_put_blocking(at, d->data, c->nbytes, DART_TYPE_BYTE, DART_TYPE_BYTE));
    else
      BENCH_OK(dart_get_blocking(d->data, at, c->nbytes, DART_TYPE_BYTE, DART_TYPE_BYTE));
}

static void run_mpi(const distance_t *d, const case_t *c, size_t n)
{
  for (size_t i = 0; i < n; i++)
    if (c->operation == PUT)
      bench_window_put((size_t)c->target, 0, d->data, c->nbytes);
    else
      bench_window_get((size_t)c->target, 0, d->data, c->nbytes);
}

/* Seconds of one operation, of n. By MPI the other units wait in MPI, so that it makes progress. */
static double run(const distance_t *d, const case_t *c, size_t n)
{
  double start = bench_seconds();

  if (d->job.me == 0)
    (c->by_mpi ? run_mpi : run_dart)(d, c, n);
  start = bench_seconds() - start;
  if (c->by_mpi)
    bench_window_barrier();
  return bench_max(d->job.me == 0 ? start / (double)n : 0);
}

static size_t times_for(const distance_t *d, const case_t *c)
{
  size_t n = 1;

  while (run(d, c, n) * (double)n < d->seconds && n < 1000000000)
    n *= 2;
  return n;
}

static double median(double *seconds, size_t n)
{
  bench_sort(seconds, n);
  return seconds[n / 2];
}

static void measure(const distance_t *d, int target, size_t nbytes, operation_t operation)
{
  case_t dart = { target, nbytes, operation, false }, mpi = { target, nbytes, operation, true };
  size_t n_dart = times_for(d, &dart), n_mpi = d->with_mpi ? times_for(d, &mpi) : 0;
  double by_dart[MOST_REPEAT], by_mpi[MOST_REPEAT];

  for (uint64_t i = 0; i < d->repeat; i++) {
    by_dart[i] = run(d, &dart, n_dart);
    if (d->with_mpi)
      by_mpi[i] = run(d, &mpi, n_mpi);
  }
  if (d->job.me != 0)
    return;
  printf("%s,%zu,%llu,%d,%s,%zu,%.4g,", bench_backend(), d->job.nunits,
         (unsigned long long)d->job.nnodes, target, operation_names[operation], nbytes,
         median(by_dart, d->repeat) * 1e9);
  if (d->with_mpi)
    printf("%.4g", median(by_mpi, d->repeat) * 1e9);
  printf("\n");
  fflush(stdout);
}

/* ---- the command line ---------------------------------------------------------------------------- */

static error_t parse(int key, char *text, struct argp_state *state)
{
  distance_t *d = state->input;
  uint64_t    ms;

  switch (key) {
  case 'r': return bench_number(state, "--repeat", text, 1, MOST_REPEAT, &d->repeat);
  case 't':
    if (bench_number(state, "--time", text, 1, 10000, &ms) != 0)
      return EINVAL;
    d->seconds = (double)ms * 1e-3;
    return 0;
  default: return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp_option options[] = {
  { "repeat", 'r', "N", 0, "repetitions (7)", 0 },
  { "time", 't', "MS", 0, "milliseconds of a repetition (5)", 0 },
  { 0 },
};
static const struct argp argp = {
  options,
  parse,
  NULL,
  "Blocking puts and gets of 8 bytes and 1 MiB from unit 0 to each other unit, by DART and by "
  "plain "
  "MPI, as lines of CSV; times are nanoseconds.\vExample:\n  dartrun -n 4 --nodes 2 distance-mpi",
  NULL,
  NULL,
  NULL
};

int main(int argc, char **argv)
{
  distance_t d = { .job = bench_start(&argc, &argv), .repeat = 7, .seconds = 5e-3 };
  int        code;

  if (!bench_parse(&d.job, &argp, argc, argv, &d, &code)) {
    dart_exit();
    return code;
  }
  d.data = bench_alloc(1, MOST_BYTES);
  BENCH_OK(dart_team_memalloc_aligned(DART_TEAM_ALL, MOST_BYTES, DART_TYPE_BYTE, &d.memory));
  d.with_mpi = bench_window_open(MOST_BYTES) != NULL;
  if (d.job.me == 0)
    printf("backend,units,nodes,target,operation,bytes,dart_ns,mpi_ns\n");
  for (int target = 1; target < (int)d.job.nunits; target++)
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
      for (operation_t operation = PUT; operation < OPERATIONS; operation++)
        measure(&d, target, sizes[s], operation);
  if (d.with_mpi)
    bench_window_close();
  BENCH_OK(dart_team_memfree(d.memory));
  free(d.data);
  dart_exit();
  return BENCH_VERIFIED;
}
