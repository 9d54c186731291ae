/* What the debug mode costs: near operations in loops of 200, between two calls at which all units meet; a line for each,
 * with the time of one in ns in the best loop. The program is built with the debug mode and without it; bench/checks runs
 * both in turns. */
#define DART_USE_INLINE
#include <dash/dart/ext/dart_epoch.h>
#include <dash/dart/ext/dart_inline.h>
#include <dash/dart/if/dart.h>

#include <stdio.h>
#include <stdlib.h>

#include "../common/bench.h"

enum { LOOPS = 40, TIMES = 200, MOST = 64 };

static dart_gptr_t at; /* of another unit */
static int64_t     values[MOST], results[MOST];
static uint64_t    loops = LOOPS;

static void put_blocking(void)
{
  BENCH_OK(dart_put_blocking(at, values, 1, DART_TYPE_LONG, DART_TYPE_LONG));
}

static void get_blocking(void)
{
  BENCH_OK(dart_get_blocking(results, at, 1, DART_TYPE_LONG, DART_TYPE_LONG));
}

static void put_blocking_512(void)
{
  BENCH_OK(dart_put_blocking(at, values, MOST, DART_TYPE_LONG, DART_TYPE_LONG));
}

static void put_flush(void)
{
  BENCH_OK(dart_put(at, values, 1, DART_TYPE_LONG, DART_TYPE_LONG));
  BENCH_OK(dart_flush(at));
}

static void fetch_and_op_flush(void)
{
  BENCH_OK(dart_fetch_and_op(at, values, results, DART_TYPE_LONG, DART_OP_SUM));
  BENCH_OK(dart_flush(at));
}

static const struct {
  const char *name;
  void (*run)(void);
  int is_locked, is_of_all;
} cases[] = { { "put_blocking 8", put_blocking, 0, 0 },
              { "get_blocking 8", get_blocking, 0, 0 },
              { "put_blocking 512", put_blocking_512, 0, 0 },
              { "put and flush 8", put_flush, 0, 0 },
              { "fetch_and_op and flush", fetch_and_op_flush, 0, 0 },
              { "put and flush 8, locked", put_flush, 1, 0 },
              { "barrier", NULL, 0, 1 } };

static double loop(size_t which)
{
  double start = bench_seconds();

  for (int i = 0; i < TIMES; i++)
    if (cases[which].run != NULL)
      cases[which].run();
    else
      BENCH_OK(dart_barrier(DART_TEAM_ALL));
  return (bench_seconds() - start) * 1e9 / TIMES;
}

/* Unit 0 alone, but for what all do. */
static double best(size_t which, int is_first)
{
  double least = 1e18, t;

  for (uint64_t i = 0; i < loops; i++) {
    if (is_first && cases[which].is_locked)
      BENCH_OK(dart_epoch_lock(at, DART_EPOCH_EXCLUSIVE, 0));
    if (is_first || cases[which].is_of_all) {
      t     = loop(which);
      least = t < least ? t : least;
    }
    if (is_first && cases[which].is_locked)
      BENCH_OK(dart_epoch_unlock(at, 0));
    BENCH_OK(dart_barrier(DART_TEAM_ALL));
  }
  return least;
}

static error_t parse(int key, char *text, struct argp_state *state)
{
  return key == 'l' ? bench_number(state, "--loops", text, 1, 1000000, &loops) : ARGP_ERR_UNKNOWN;
}

static const struct argp_option known[] = {
  { "loops", 'l', "N", 0, "Repeat each operation in N loops of 200; the best loop counts (40)", 0 },
  { 0 },
};

static const struct argp arguments = {
  .options = known,
  .parser  = parse,
  .doc     = "Measure what the debug mode costs: put, get, an atomic, an epoch of one put, and "
             "a barrier, in nanoseconds. check-shmem is built without the debug mode, "
             "check-checked-shmem with it, which DART_CHECK switches on; bench/checks compares them."
             "\v"
             "Examples:\n"
             "  dartrun -n 2 check-shmem\n"
             "  DART_CHECK=1 dartrun -n 2 check-checked-shmem",
};

int main(int argc, char **argv)
{
  bench_job_t job = bench_start(&argc, &argv);
  double      ns;
  int         code;

  if (!bench_parse(&job, &arguments, argc, argv, NULL, &code)) {
    BENCH_OK(dart_exit());
    return code;
  }
  BENCH_OK(dart_team_memalloc_aligned(DART_TEAM_ALL, MOST, DART_TYPE_LONG, &at));
  BENCH_OK(dart_gptr_setunit(&at, DART_TEAM_UNIT_ID((dart_unit_t)(job.nunits > 1))));
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    ns = best(i, job.me == 0);
    if (job.me == 0)
      printf("%s,%.1f\n", cases[i].name, ns);
  }
  BENCH_OK(dart_barrier(DART_TEAM_ALL));
  BENCH_OK(dart_team_memfree(at));
  BENCH_OK(dart_exit());
  return 0;
}
