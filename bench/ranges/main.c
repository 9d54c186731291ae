/* Range locks: what acquire and release take while many ranges are held, and how the numbers are best divided among
 * the units' tables.
 *
 *   held       one unit holds many ranges, all in one table, and takes and releases another one between two of them; so
 *              does then the last unit. Only the logarithm of their number should tell
 *   partition  all units take and release records of a file that do not overlap, unit after unit, with the numbers
 *              divided by stripes of 1 MiB, by a hash of blocks of 64 KiB, or not at all: one table, at the first unit
 *
 * A hash of blocks is made of stripes of the block's size, and a permutation of the blocks: a request becomes one
 * range for each of its blocks, and goes to the units that have them, each asked once, which is what a table for each
 * bucket would cost. */
#include <stdio.h>
#include <stdlib.h>

#include <dash/dart/ext/dart_range.h>

#include "../common/bench.h"

#define BLOCK  ((uint64_t)64 << 10)
#define STRIPE ((uint64_t)1 << 20)

typedef struct {
  uint64_t requests;
  uint64_t most;
} options_t;

static bench_job_t job;

/* ---- many that are held ------------------------------------------------------------------------ */

/* Held ranges are [100 k, 100 k + 9]; what is free is between them. */
static dart_range_span_t held_span(uint64_t k)
{
  return (dart_range_span_t){ 100 * k, 100 * k + 9, DART_RANGE_EXCLUSIVE };
}

static size_t hold_many(dart_range_t range, uint64_t count, dart_range_hold_t *holds)
{
  size_t nholds = 0;

  for (uint64_t k = 0; k < count;) {
    dart_range_span_t spans[DART_RANGE_SPANS];
    size_t            n = 0;

    while (n < DART_RANGE_SPANS && k < count)
      spans[n++] = held_span(k++);
    BENCH_OK(dart_range_acquire(range, spans, n, -1, &holds[nholds++]));
  }
  return nholds;
}

/* ns for a free range, acquired and released, by `unit`; the others wait, and make progress. */
static double time_free(dart_range_t range, uint64_t count, uint64_t requests, dart_unit_t unit)
{
  double seconds = 0;

  BENCH_OK(dart_barrier(DART_TEAM_ALL));
  if (job.me == unit) {
    seconds = -bench_seconds();
    for (uint64_t i = 0; i < requests; i++) {
      uint64_t          k    = i * 7919 % count; /* a prime: all over the table */
      dart_range_span_t span = { 100 * k + 20, 100 * k + 29, DART_RANGE_EXCLUSIVE };
      dart_range_hold_t hold;

      BENCH_OK(dart_range_acquire(range, &span, 1, -1, &hold));
      BENCH_OK(dart_range_release(&hold));
    }
    seconds += bench_seconds();
  }
  return bench_max(seconds) / (double)requests * 1e9;
}

/* Whether what is held is held. */
static bool is_refused(dart_range_t range, uint64_t k)
{
  dart_range_span_t span = held_span(k);
  dart_range_hold_t hold;
  dart_ret_t        ret = dart_range_acquire(range, &span, 1, 0, &hold);

  if (ret == DART_OK)
    BENCH_OK(dart_range_release(&hold));
  return ret == DART_PENDING;
}

static bool measure_held(const options_t *options, uint64_t count)
{
  dart_range_hold_t *holds  = bench_alloc(count / DART_RANGE_SPANS + 1, sizeof *holds);
  size_t             nholds = 0;
  dart_range_t       range;
  double             first, last;
  bool               right;

  BENCH_OK(dart_team_range_init(DART_TEAM_ALL, UINT64_MAX, count + 64, &range));
  if (job.me == 0)
    nholds = hold_many(range, count, holds);
  first = time_free(range, count, options->requests, 0);
  last  = time_free(range, count, options->requests, (dart_unit_t)job.nunits - 1);
  right = bench_max(is_refused(range, count / 2) ? 0 : 1) == 0;
  BENCH_OK(dart_barrier(DART_TEAM_ALL));
  while (nholds > 0)
    BENCH_OK(dart_range_release(&holds[--nholds]));
  BENCH_OK(dart_team_range_destroy(&range));
  free(holds);
  if (job.me == 0)
    printf("held       %7llu ranges: first unit %8.0f ns, last unit %8.0f ns\n",
           (unsigned long long)count, first, last);
  return right;
}

/* ---- partitions ------------------------------------------------------------------------------------ */

typedef struct {
  const char *name;
  uint64_t    stripe;
  bool        is_hash;
} partition_t;

static const partition_t partitions[] = { { "stripes", STRIPE, false },
                                          { "hash", BLOCK, true },
                                          { "table", UINT64_MAX, false } };

/* A permutation of numbers of 40 bits. */
static uint64_t mixed(uint64_t block)
{
  const uint64_t mask = ((uint64_t)1 << 40) - 1;

  block = block * 0x9e3779b97f4a7c15U & mask;
  block ^= block >> 20;
  return block * 0xbf58476d1ce4e5b9U & mask;
}

/* The spans of [first, last]; returns their number. */
static size_t spans_of(const partition_t *p, uint64_t first, uint64_t last,
                       dart_range_span_t *spans)
{
  size_t n = 0;

  if (!p->is_hash) {
    spans[0] = (dart_range_span_t){ first, last, DART_RANGE_EXCLUSIVE };
    return 1;
  }
  for (uint64_t at = first, end; at <= last; at = end + 1) {
    uint64_t start = mixed(at / BLOCK) * BLOCK;

    end = at / BLOCK * BLOCK + BLOCK - 1;
    end = end < last ? end : last;
    spans[n++] =
        (dart_range_span_t){ start + at % BLOCK, start + end % BLOCK, DART_RANGE_EXCLUSIVE };
  }
  return n;
}

/* us for a record of this unit. Records do not begin where stripes and blocks do. */
static double time_records(const partition_t *p, dart_range_t range, uint64_t nbytes,
                           uint64_t requests)
{
  double start;

  BENCH_OK(dart_barrier(DART_TEAM_ALL));
  start = bench_seconds();
  for (uint64_t i = 0; i < requests; i++) {
    uint64_t          first = (i * job.nunits + (uint64_t)job.me) * nbytes + 1000;
    dart_range_span_t spans[DART_RANGE_SPANS];
    size_t            n = spans_of(p, first, first + nbytes - 1, spans);
    dart_range_hold_t hold;

    BENCH_OK(dart_range_acquire(range, spans, n, -1, &hold));
    BENCH_OK(dart_range_release(&hold));
  }
  BENCH_OK(dart_barrier(DART_TEAM_ALL));
  return bench_max(bench_seconds() - start) / (double)requests * 1e6;
}

static void measure_partitions(const options_t *options, uint64_t nbytes)
{
  double took[3];

  for (int p = 0; p < 3; p++) {
    dart_range_t range;

    BENCH_OK(dart_team_range_init(DART_TEAM_ALL, partitions[p].stripe, 0, &range));
    time_records(&partitions[p], range, nbytes, options->requests / 10 + 1); /* to warm up */
    took[p] = time_records(&partitions[p], range, nbytes, options->requests);
    BENCH_OK(dart_team_range_destroy(&range));
  }
  if (job.me == 0)
    printf("partition  %7llu bytes: stripes %8.3f us, hash %8.3f us, one table %8.3f us\n",
           (unsigned long long)nbytes, took[0], took[1], took[2]);
}

/* ---- the command line ------------------------------------------------------------------------------- */

static error_t parse(int key, char *text, struct argp_state *state)
{
  options_t *options = state->input;

  switch (key) {
  case 'r': return bench_number(state, "--requests", text, 1, 100000000, &options->requests);
  case 'm': return bench_number(state, "--most", text, 10, 1000000, &options->most);
  default: return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp_option known[] = {
  { "requests", 'r', "N", 0, "Each unit locks and releases N times in each measurement (20000)",
    0 },
  { "most", 'm', "N", 0, "Hold 10 ranges, then ten times as many each time, up to N (100000)", 0 },
  { 0 }
};

static const struct argp arguments = {
  .options = known,
  .parser  = parse,
  .doc     = "Measure range locks (dart_range_acquire, dart_range_release). First, how long a "
             "lock and its release take while one unit holds 10, 100, ... other ranges. Then, "
             "how long they take when all units lock records of one file, with the numbers "
             "divided among the units by stripes, by a hash of blocks, or not at all. Times "
             "are in microseconds."
             "\v"
             "Examples:\n"
             "  dartrun -n 4 ranges-shmem\n"
             "  dartrun -n 4 --nodes 2 ranges-shmem --requests=1000 --most=10000",
};

int main(int argc, char **argv)
{
  options_t options = { .requests = 20000, .most = 100000 };
  bool      right   = true;
  int       code;

  job = bench_start(&argc, &argv);
  if (bench_parse(&job, &arguments, argc, argv, &options, &code)) {
    for (uint64_t count = 10; count <= options.most; count *= 10)
      right = measure_held(&options, count) && right;
    for (uint64_t nbytes = 4096; nbytes <= (uint64_t)4 << 20; nbytes *= 16)
      measure_partitions(&options, nbytes);
    measure_partitions(&options, (uint64_t)4 << 20);
    bench_result(&job, "ranges", "see above", right);
    code = right ? BENCH_VERIFIED : BENCH_FAILED;
  }
  BENCH_OK(dart_exit());
  return code;
}
