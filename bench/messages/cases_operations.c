/* Operations of unit 0 on unit 1, and collectives; see cases.h. */
#include <dash/dart/ext/dart_notify.h>

#include "cases.h"

#define LARGE 131072 /* 1 MiB of elements */

static uint64_t varied[4 * ELEMENTS], large[LARGE];

/* ---- one origin, one target --------------------------------------------------------------------- */

ORIGIN(run_put)
{
  for (size_t i = 0; i < n; i++)
    BENCH_OK(dart_put(at(1, i), &local[i], 1, DART_TYPE_ULONG, DART_TYPE_ULONG));
  BENCH_OK(dart_flush(at(1, 0)));
}

ORIGIN(run_get)
{
  for (size_t i = 0; i < n; i++)
    BENCH_OK(dart_get(&local[i], at(1, i), 1, DART_TYPE_ULONG, DART_TYPE_ULONG));
  BENCH_OK(dart_flush(at(1, 0)));
}

ORIGIN(run_fetch)
{
  for (size_t i = 0; i < n; i++)
    BENCH_OK(dart_fetch_and_op(at(1, i), &local[i], &other[i], DART_TYPE_ULONG, DART_OP_SUM));
  BENCH_OK(dart_flush(at(1, 0)));
}

ORIGIN(run_swap)
{
  for (size_t i = 0; i < n; i++)
    BENCH_OK(dart_compare_and_swap(at(1, i), &local[i], &local[i], &other[i], DART_TYPE_ULONG));
  BENCH_OK(dart_flush(at(1, 0)));
}

ORIGIN(run_accumulate)
{
  for (size_t i = 0; i < n; i++)
    BENCH_OK(dart_accumulate(at(1, i), &local[i], 1, DART_TYPE_ULONG, DART_OP_SUM));
  BENCH_OK(dart_flush(at(1, 0)));
}

STEP(prepare_counter)
{
  *here(memory, ELEMENTS - 1) = 0;
}

/* The consumer waits; the producer does not flush. */
STEP(run_notify)
{
  if (job.me == 0)
    for (size_t i = 0; i < n; i++)
      BENCH_OK(dart_put_notify(at(1, i), &local[i], 1, DART_TYPE_ULONG, DART_TYPE_ULONG,
                               at(1, ELEMENTS - 1), 1));
  if (job.me == 0)
    BENCH_OK(dart_flush_local(at(1, 0)));
  if (job.me == 1)
    BENCH_OK(dart_notify_wait(at(1, ELEMENTS - 1), n, -1));
}

STEP(run_notify_alone)
{
  if (job.me == 0) {
    BENCH_OK(dart_notify(at(1, ELEMENTS - 1), 1));
    BENCH_OK(dart_flush_local(at(1, 0)));
  }
  if (job.me == 1)
    BENCH_OK(dart_notify_wait(at(1, ELEMENTS - 1), n, -1));
}

/* The unit whose data are read is told that they were; the reader is not. */
STEP(run_get_notify)
{
  if (job.me == 0) {
    BENCH_OK(dart_get_notify(local, at(1, 0), n, DART_TYPE_ULONG, DART_TYPE_ULONG,
                             at(1, ELEMENTS - 1), 1));
    BENCH_OK(dart_flush(at(1, 0)));
  }
  if (job.me == 1)
    BENCH_OK(dart_notify_wait(at(1, ELEMENTS - 1), 1, -1));
}

/* ---- collectives -------------------------------------------------------------------------------- */

CALL(run_barrier, dart_barrier(DART_TEAM_ALL))

CALL(run_bcast, dart_bcast(local, n, DART_TYPE_ULONG, DART_TEAM_UNIT_ID(0), DART_TEAM_ALL))

CALL(run_reduce, dart_reduce(local, other, n, DART_TYPE_ULONG, DART_OP_SUM, DART_TEAM_UNIT_ID(0),
                             DART_TEAM_ALL))
CALL(run_allreduce, dart_allreduce(local, other, n, DART_TYPE_ULONG, DART_OP_SUM, DART_TEAM_ALL))
CALL(run_gather, dart_gather(local, other, n, DART_TYPE_ULONG, DART_TEAM_UNIT_ID(0), DART_TEAM_ALL))
CALL(run_scatter,
     dart_scatter(local, other, n, DART_TYPE_ULONG, DART_TEAM_UNIT_ID(0), DART_TEAM_ALL))

/* A unit has n elements more than the one before it, up to four. */
STEP(run_allgatherv)
{
  static size_t counts[ELEMENTS], places[ELEMENTS + 1];

  for (size_t u = 0; u < job.nunits; u++) {
    counts[u]     = n * (1 + u % 4);
    places[u + 1] = places[u] + counts[u];
  }
  BENCH_OK(dart_allgatherv(local, counts[job.me], DART_TYPE_ULONG, varied, counts, places,
                           DART_TEAM_ALL));
}

CALL(run_allgather, dart_allgather(local, other, n, DART_TYPE_ULONG, DART_TEAM_ALL))
CALL(run_large_bcast, dart_bcast(large, n, DART_TYPE_ULONG, DART_TEAM_UNIT_ID(0), DART_TEAM_ALL))

/* Of `n` elements in all. */
CALL(run_large_allgather, dart_allgather(&large[(size_t)job.me * (n / job.nunits)], large,
                                         n / job.nunits, DART_TYPE_ULONG, DART_TEAM_ALL))
CALL(run_alltoall, dart_alltoall(local, other, n, DART_TYPE_ULONG, DART_TEAM_ALL))

#define BATCHES      \
  {                  \
    1, 10, 100, 1000 \
  }

/* clang-format off */
static const case_t cases[] = {
  { "put, flush", NULL, run_put, NULL, least_put, BATCHES, false, false },
  { "get, flush", NULL, run_get, NULL, least_answer, BATCHES, false, false },
  { "fetch_and_op, flush", NULL, run_fetch, NULL, least_answer, BATCHES, false, false },
  { "compare_and_swap, flush", NULL, run_swap, NULL, least_answer, BATCHES, false, false },
  { "accumulate, flush", NULL, run_accumulate, NULL, least_answer, BATCHES, false, false },
  { "put_notify, wait", prepare_counter, run_notify, NULL, least_notify, { 1, 10 }, false, false },
  { "notify, wait", prepare_counter, run_notify_alone, NULL, least_notify, { 1 }, false, false },
  { "get_notify, wait", prepare_counter, run_get_notify, NULL, least_answer, { 1 }, false, false },
  { "barrier", NULL, run_barrier, NULL, least_barrier, { 1 }, false, true },
  { "bcast", NULL, run_bcast, NULL, least_one, { 1 }, false, true },
  { "bcast, 64 KiB", NULL, run_bcast, NULL, least_one, { 8192 }, false, true },
  { "bcast, 1 MiB", NULL, run_large_bcast, NULL, least_one, { LARGE }, false, false },
  { "reduce", NULL, run_reduce, NULL, least_one, { 1 }, false, true },
  { "allreduce", NULL, run_allreduce, NULL, least_barrier, { 1 }, false, true },
  { "scatter", NULL, run_scatter, NULL, least_one, { 1 }, false, true },
  { "gather", NULL, run_gather, NULL, least_one, { 1 }, false, true },
  { "allgather", NULL, run_allgather, NULL, least_barrier, { 1 }, false, true },
  { "allgather, 1 MiB", NULL, run_large_allgather, NULL, least_barrier, { LARGE }, false, false },
  { "allgatherv", NULL, run_allgatherv, NULL, least_barrier, { 1 }, false, true },
  { "alltoall", NULL, run_alltoall, NULL, least_barrier, { 1 }, false, true },
};
/* clang-format on */
CASE_LIST(operation_cases, cases)
