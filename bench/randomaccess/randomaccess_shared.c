/* The floor: the same updates in a plain array that the units share without a runtime, all on one
 * host.
 *
 * shared-gxp     load, xor, store
 * shared-atomic  one atomic exclusive or each (on x86-64 `lock xor`) */
#include "stream.h"
#include "table.h"

#include <stdatomic.h>
#include <stdio.h>

typedef _Atomic uint64_t shared_word_t;

/* One array from end to end; units have their pages of it by its parts, up to a page. */
static dart_ret_t create(const bench_job_t *job, table_t *table)
{
  uint64_t   nwords = UINT64_C(1) << table->log_words;
  int32_t    here, all_here;
  dart_ret_t ret = bench_shared_create(
      job, (nwords + job->nunits - 1) / job->nunits * sizeof(uint64_t), &table->shared);

  if (ret != DART_OK)
    return ret;
  here = table->shared.base != NULL;
  BENCH_OK(dart_allreduce(&here, &all_here, 1, DART_TYPE_INT, DART_OP_MIN, DART_TEAM_ALL));
  if (!all_here) {
    bench_complain(job, "the variants shared-* need all units on one host");
    bench_shared_free(&table->shared);
    return DART_ERR_INVAL;
  }
  table->mine = (uint64_t *)(void *)table->shared.base + table->first[job->me];
  return DART_OK;
}

static void destroy(table_t *table)
{
  bench_shared_free(&table->shared);
}

static void update_gxp(const table_t *table, uint64_t number, uint64_t count, uint64_t lookahead)
{
  shared_word_t *array = (void *)table->shared.base;

  (void)lookahead;
  for (uint64_t i = 0; i < count; i++) {
    shared_word_t *at;
    uint64_t       word;

    number = stream_next(number);
    at     = &array[table_word(table, number)];
    word   = atomic_load_explicit(at, memory_order_relaxed);
    atomic_store_explicit(at, word ^ number, memory_order_relaxed);
  }
}

static void update_atomic(const table_t *table, uint64_t number, uint64_t count, uint64_t lookahead)
{
  shared_word_t *array = (void *)table->shared.base;

  (void)lookahead;
  for (uint64_t i = 0; i < count; i++) {
    number = stream_next(number);
    atomic_fetch_xor_explicit(&array[table_word(table, number)], number, memory_order_relaxed);
  }
}

const variant_t shared_variants[] = {
  { "shared-gxp", false, create, destroy, update_gxp },
  { "shared-atomic", true, create, destroy, update_atomic },
  { 0 },
};
