/* Far operations while the unit that owns the memory computes and calls nothing, which is when a
 * runtime shows whether it makes progress by itself. And the price: a computation of fixed length,
 * to be compared between runs with DART_PROGRESS=none and =thread.
 *
 * In a repetition the partner computes for --compute milliseconds, from a barrier on. A little later
 * unit 0 starts: it does the operation again and again for as long as the partner computes, and the
 * figure is the median. If nothing moves before the partner is back, there is one operation, and it
 * took all the time. */
#include "micro.h"

enum { OPERATIONS_MAX = 1000 };

/* One more step of a computation that cannot be shortened: each depends on the one before. */
static uint64_t compute(uint64_t number, size_t steps)
{
  for (size_t i = 0; i < steps; i++)
    number = micro_random(number);
  return number;
}

double busy_sample(micro_t *m, void (*operation)(micro_t *m, size_t n))
{
  static double   seconds[OPERATIONS_MAX];
  static uint64_t number = 1;
  double          start = bench_seconds(), end = start + m->compute;
  size_t          count = 0;

  if (m->job.me != 0) {
    while (bench_seconds() < end)
      number = compute(number, 1000);
    *(volatile uint64_t *)m->recv = number;
    return 0;
  }
  while (bench_seconds() < start + m->compute / 10)
    continue;
  do {
    double before = bench_seconds();

    operation(m, 1);
    seconds[count++] = bench_seconds() - before;
  } while (count < OPERATIONS_MAX && bench_seconds() < end - m->compute / 10);
  bench_sort(seconds, count);
  return seconds[count / 2];
}

static void put(micro_t *m, size_t n)
{
  for (size_t i = 0; i < n; i++)
    BENCH_OK(dart_put_blocking(m->at, m->send, 1, DART_TYPE_LONG, DART_TYPE_LONG));
}

static void get(micro_t *m, size_t n)
{
  for (size_t i = 0; i < n; i++)
    BENCH_OK(dart_get_blocking(m->recv, m->at, 1, DART_TYPE_LONG, DART_TYPE_LONG));
}

static void fetch_and_op(micro_t *m, size_t n)
{
  for (size_t i = 0; i < n; i++) {
    long value = 1;

    BENCH_OK(dart_fetch_and_op(m->at, &value, m->recv, DART_TYPE_LONG, DART_OP_SUM));
    BENCH_OK(dart_flush(m->at));
  }
}

static double sample_put(micro_t *m)
{
  return busy_sample(m, put);
}

static double sample_get(micro_t *m)
{
  return busy_sample(m, get);
}

static double sample_fetch(micro_t *m)
{
  return busy_sample(m, fetch_and_op);
}

/* A thousand steps, by all units. Its time is that of the computation and of whatever else runs. */
static void work(micro_t *m, size_t n)
{
  *(volatile uint64_t *)m->recv = compute(1, 1000 * n);
}

#define BUSY(operation, sample_)                                                                   \
  {                                                                                                \
    .name = "busy_" #operation, .places = IN_FAR, .sizes = SIZE_WORD,                              \
    .dart = { .sample = sample_, .by = BY_PAIR }, .about = #operation " while the target computes" \
  }

const case_t busy_cases[] = {
  BUSY(put, sample_put),
  BUSY(get, sample_get),
  BUSY(fetch_and_op, sample_fetch),
  { .name   = "compute",
    .places = IN_TEAM,
    .sizes  = SIZE_NONE,
    .dart   = { .loop = work, .by = BY_ALL },
    .about  = "compute by all units, calling nothing" },
  { 0 },
};
