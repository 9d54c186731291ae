/* The exchange by DART. */
#include "epochs.h"

#include <dash/dart/ext/dart_notify.h>
#include <dash/dart/if/dart_synchronization.h>

static dart_gptr_t place(const exchange_t *x, dart_team_unit_t unit, size_t block)
{
  dart_gptr_t at = x->memory;

  BENCH_OK(dart_gptr_setunit(&at, unit));
  BENCH_OK(dart_gptr_incaddr(&at, (int64_t)(block * x->most)));
  return at;
}

/* The operation on the k-th neighbour. */
static void transfer(exchange_t *x, int32_t k)
{
  size_t n = (size_t)x->n, i = (size_t)k;

  if (x->nbytes == 0)
    return;
  if (x->gets)
    BENCH_OK(dart_get(x->recv + i * x->most, place(x, x->origins[k], n + i), x->nbytes,
                      DART_TYPE_BYTE, DART_TYPE_BYTE));
  else
    BENCH_OK(dart_put(place(x, x->targets[k], i), x->send + i * x->most, x->nbytes, DART_TYPE_BYTE,
                      DART_TYPE_BYTE));
}

static void messages(exchange_t *x, size_t steps)
{
  for (size_t step = 0; step < steps; step++)
    for (int32_t k = 0; k < x->n; k++)
      BENCH_OK(dart_sendrecv(x->send + (size_t)k * x->most, x->nbytes, DART_TYPE_BYTE, k,
                             DART_GLOBAL_UNIT_ID(x->targets[k].id), x->recv + (size_t)k * x->most,
                             x->nbytes, DART_TYPE_BYTE, k, DART_GLOBAL_UNIT_ID(x->origins[k].id)));
}

static void fences(exchange_t *x, size_t steps)
{
  BENCH_OK(dart_epoch_fence(x->memory, DART_EPOCH_NOPRECEDE));
  for (size_t step = 0; step < steps; step++) {
    for (int32_t k = 0; k < x->n; k++)
      transfer(x, k);
    BENCH_OK(dart_epoch_fence(x->memory, 0));
  }
  BENCH_OK(dart_epoch_fence(x->memory, DART_EPOCH_NOPRECEDE | DART_EPOCH_NOSUCCEED));
}

static void dedicated(exchange_t *x, size_t steps)
{
  int to = x->gets ? 1 : 0; /* gets access the units that blocks come from */

  for (size_t step = 0; step < steps; step++) {
    BENCH_OK(dart_epoch_post(x->memory, x->nnames[!to], x->unique[!to], 0));
    BENCH_OK(dart_epoch_start(x->memory, x->nnames[to], x->unique[to], 0));
    for (int32_t k = 0; k < x->n; k++)
      transfer(x, k);
    BENCH_OK(dart_epoch_complete(x->memory));
    BENCH_OK(dart_epoch_wait(x->memory));
  }
}

static void locks(exchange_t *x, size_t steps)
{
  for (size_t step = 0; step < steps; step++) {
    for (int32_t k = 0; k < x->n; k++) {
      dart_gptr_t at = place(x, x->gets ? x->origins[k] : x->targets[k], 0);

      BENCH_OK(dart_epoch_lock(at, x->gets ? DART_EPOCH_SHARED : DART_EPOCH_EXCLUSIVE, 0));
      transfer(x, k);
      BENCH_OK(dart_epoch_unlock(at, 0));
    }
    if (x->nbytes > 0) /* what came is to be used */
      BENCH_OK(dart_barrier(DART_TEAM_ALL));
  }
}

static void flushes(exchange_t *x, size_t steps)
{
  for (size_t step = 0; step < steps; step++) {
    for (int32_t k = 0; k < x->n; k++)
      transfer(x, k);
    BENCH_OK(dart_flush_all(x->memory));
    BENCH_OK(dart_barrier(DART_TEAM_ALL));
  }
}

static dart_gptr_t counter_of(const exchange_t *x, dart_unit_t unit, size_t k)
{
  dart_gptr_t at = x->counters;

  BENCH_OK(dart_gptr_setunit(&at, DART_TEAM_UNIT_ID(unit)));
  BENCH_OK(dart_gptr_incaddr(&at, (int64_t)(k * sizeof(uint64_t))));
  return at;
}

/* Whom a unit tells also tells it, so nobody is more than a step ahead of its neighbours: two sets of blocks in turns
 * are enough for them not to be overwritten too early. */
static void notifications(exchange_t *x, size_t steps)
{
  size_t n = (size_t)x->n;

  for (size_t step = 0; step < steps; step++) {
    x->nnotified++;
    for (size_t k = 0; k < n; k++)
      BENCH_OK(dart_put_notify(place(x, x->targets[k], step % 2 == 0 ? k : 2 * n + k),
                               x->send + k * x->most, x->nbytes, DART_TYPE_BYTE, DART_TYPE_BYTE,
                               counter_of(x, x->targets[k].id, k), 1));
    for (size_t k = 0; k < n; k++)
      BENCH_OK(dart_notify_wait(counter_of(x, x->job.me, k), x->nnotified, -1));
  }
  BENCH_OK(dart_flush_all(x->memory));
}

const steps_t dart_ways[NKINDS] = { messages, fences, dedicated, locks, flushes, notifications };
