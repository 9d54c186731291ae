/* How long does one operation take? All sides of a case are measured in turns, so that whatever else
 * the machine does meets them alike, and each has the median of its repetitions. Before, each side
 * runs until its loop is long enough to be timed, which also warms caches and pages.
 *
 * Every decision is made by all units from the same numbers: a time is the largest of all units. */
#include "micro.h"

#include <stdlib.h>

typedef struct {
  const side_t *side;
  int           window;  /* of MPI, -1: not MPI */
  size_t        n;       /* turns of its loop in a repetition */
  double       *seconds; /* [repetition] of one operation */
  double       *figure;  /* where the result goes */
} runner_t;

static bool takes_part(const micro_t *m, const side_t *side)
{
  return side->by == BY_ALL || m->job.me == 0 || (side->by == BY_PAIR && m->job.me == m->target);
}

/* Seconds of `n` turns, or of one operation where the side takes the time by itself. */
static double run(micro_t *m, const runner_t *r, size_t n)
{
  double seconds = 0;

  BENCH_OK(dart_barrier(DART_TEAM_ALL));
  if (r->window >= 0) {
    mpi_choose((window_t)r->window);
    mpi_meet();
  }
  if (takes_part(m, r->side)) {
    if (r->side->sample != NULL)
      seconds = r->side->sample(m);
    else {
      double start = bench_seconds();

      r->side->loop(m, n);
      seconds = bench_seconds() - start;
    }
  }
  if (r->window >= 0)
    mpi_meet(); /* here the others wait meanwhile; with DART they wait in the next line */
  return bench_max(r->side->sample == NULL || m->job.me == 0 ? seconds : 0);
}

/* As many turns as take `time`. */
static size_t calibrate(micro_t *m, const runner_t *r, double time)
{
  size_t n = 1;

  if (r->side->sample != NULL)
    return 1;
  run(m, r, 1);
  for (;;) {
    double seconds = run(m, r, n);
    double factor  = seconds > 0 ? time / seconds : 100;

    if (factor < 2)
      return factor * (double)n < 1 ? 1 : (size_t)(factor * (double)n);
    n = (size_t)((double)n * (factor < 100 ? factor : 100));
  }
}

static double median(double *value, size_t count)
{
  bench_sort(value, count);
  return (value[(count - 1) / 2] + value[count / 2]) / 2;
}

/* Memory in common is what a node has, and a pair takes two. */
static bool has_floor(const micro_t *m, const case_t *c)
{
  if (c->floor.loop == NULL || m->place == FAR)
    return false;
  return m->place == NEAR ||
         (m->partner[FAR] < 0 && (c->floor.by != BY_PAIR || m->partner[NEAR] >= 0));
}

/* Whether the line has had its time, for one of the units. */
static bool is_over(double start, double limit)
{
  return limit > 0 && bench_max(bench_seconds() - start) > limit;
}

figures_t measure(micro_t *m, const case_t *c, effort_t effort)
{
  figures_t figures = { 0 };
  runner_t  runner[2 + NWINDOWS];
  size_t    nrunners   = 0;
  double    operations = c->weight > 0 ? (double)c->weight : 1;
  bool      floor      = m->floor && has_floor(m, c);
  double    start      = bench_seconds();
  size_t    done;

  if (c->by_units)
    operations *= (double)m->job.nunits;
  runner[nrunners++] = (runner_t){ .side = &c->dart, .window = -1, .figure = &figures.dart };
  if (floor)
    runner[nrunners++] = (runner_t){ .side = &c->floor, .window = -1, .figure = &figures.floor };
  for (int window = 0; window < NWINDOWS; window++) {
    const side_t *side = m->mpi ? mpi_side(c, (window_t)window) : NULL;

    if (side != NULL)
      runner[nrunners++] =
          (runner_t){ .side = side, .window = window, .figure = &figures.mpi[window] };
  }

  for (size_t i = 0; i < nrunners; i++) {
    runner[i].seconds = bench_alloc(effort.repetitions, sizeof *runner[i].seconds);
    runner[i].n       = calibrate(m, &runner[i], effort.time);
  }
  for (done = 0; done < effort.repetitions && (done == 0 || !is_over(start, effort.limit)); done++)
    for (size_t i = 0; i < nrunners; i++) {
      runner_t *r = &runner[i];

      r->seconds[done] = run(m, r, r->n) / ((double)r->n * (r->side->sample ? 1 : operations));
    }
  for (size_t i = 0; i < nrunners; i++) {
    *runner[i].figure = 1e9 * median(runner[i].seconds, done);
    free(runner[i].seconds);
  }
  figures.repetitions = done;
  return figures;
}
