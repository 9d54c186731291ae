#ifndef BENCH_COMMON_SHARED_H
#define BENCH_COMMON_SHARED_H
/* Memory that processes share without a runtime between them, as any C program may map it. What
 * DART does in its own memory is compared with what the hardware does in this. */
#include <stdatomic.h>

#include "bench.h"

typedef struct {
  char  *base;   /* NULL: this unit's host is not that of unit 0 */
  size_t nbytes; /* of each unit's block */
  size_t nunits;
} bench_shared_t;

/** Map a block of zeroed bytes for each unit, `nbytes` rounded up to pages. Each block lies where its
 *  unit has touched it first. Collective over all units, some of which may be on other hosts.
 *
 *  DART_ERR_NOMEM: a unit lacks the memory; no unit has any then. */
dart_ret_t bench_shared_create(const bench_job_t *job, size_t nbytes, bench_shared_t *shared_out);

/** The block of one unit; `shared->base` is not NULL. */
static inline void *bench_shared_block(const bench_shared_t *shared, dart_unit_t unit)
{
  return shared->base + (size_t)unit * shared->nbytes;
}

/** A barrier in such memory, all of it zero at first. */
typedef struct {
  _Alignas(64) _Atomic uint32_t arrived;  /* units that are there, in all rounds */
  _Alignas(64) _Atomic uint32_t round;    /* how often all were there */
  _Alignas(64) _Atomic uint32_t sleepers; /* units that asked to be woken */
} bench_barrier_t;

/** Wait until `nunits` have come here: by looking for a while, if there is a core for each, then
 *  asleep. */
void bench_barrier(bench_barrier_t *barrier, size_t nunits);

/** Local; nobody uses the memory any more that the caller would miss. */
void bench_shared_free(bench_shared_t *shared);

#endif
