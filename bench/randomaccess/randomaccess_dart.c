/* Updates by DART.
 *
 * gxp     get, xor, put, all blocking, one update after the other. Two units that meet on a word
 *         may lose an update. gxp-inline is the same by the functions of dart_inline.h, gxp-resolved by a
 *         pointer to each unit's block that was resolved before; it finds the words of a batch first, so that
 *         the loop over them is short and a processor has many misses of its caches under way.
 * atomic  accumulates by exclusive or; a batch at a time, as large as the look-ahead allows, is
 *         completed locally, and all of them at the end. */
#include <dash/dart/ext/dart_inline.h>
#include <dash/dart/ext/dart_resolved.h>

#include <stdlib.h>

#include "stream.h"
#include "table.h"

static dart_ret_t create(const bench_job_t *job, table_t *table)
{
  dart_gptr_t at;
  void       *mine;
  dart_ret_t ret = dart_team_memalloc_aligned(DART_TEAM_ALL, table_nwords(table, (uint64_t)job->me),
                                              DART_TYPE_ULONG, &table->start);

  if (ret != DART_OK)
    return ret;
  at = table->start;
  dart_gptr_setunit(&at, DART_TEAM_UNIT_ID(job->me));
  BENCH_OK(dart_gptr_getaddr(at, &mine));
  table->mine = mine;
  return DART_OK;
}

static void destroy(table_t *table)
{
  BENCH_OK(dart_team_memfree(table->start));
}

/* Where the word lives that `number` updates. */
static inline dart_gptr_t table_at(const table_t *table, uint64_t number)
{
  uint64_t word = table_word(table, number);
  uint64_t unit = table_owner(table, word);

  return (dart_gptr_t){ .unitid              = (dart_unit_t)unit,
                        .segid               = table->start.segid,
                        .teamid              = table->start.teamid,
                        .addr_or_offs.offset = (word - table->first[unit]) * sizeof(uint64_t) };
}

#define UPDATE_GXP(name, get_blocking, put_blocking)                                          \
  static void name(const table_t *table, uint64_t number, uint64_t count, uint64_t lookahead) \
  {                                                                                           \
    (void)lookahead;                                                                          \
    for (uint64_t i = 0; i < count; i++) {                                                    \
      dart_gptr_t at;                                                                         \
      uint64_t    word;                                                                       \
                                                                                              \
      number = stream_next(number);                                                           \
      at     = table_at(table, number);                                                       \
      BENCH_OK(get_blocking(&word, at, 1, DART_TYPE_ULONG, DART_TYPE_ULONG));                 \
      word ^= number;                                                                         \
      BENCH_OK(put_blocking(at, &word, 1, DART_TYPE_ULONG, DART_TYPE_ULONG));                 \
    }                                                                                         \
  }

UPDATE_GXP(update_gxp, dart_get_blocking, dart_put_blocking)
UPDATE_GXP(update_gxp_inline, dart_inline_get_blocking, dart_inline_put_blocking)

/* An update whose word was found. */
typedef struct {
  const dart_resolved_t *block;
  uint64_t               offset, number;
} found_t;

/* The word of each of the `n` numbers after `number`; returns the last one. */
static uint64_t find_words(const table_t *table, const dart_resolved_t *blocks, uint64_t number,
                           uint64_t n, found_t found[])
{
  for (uint64_t i = 0; i < n; i++) {
    uint64_t word, unit;

    number   = stream_next(number);
    word     = table_word(table, number);
    unit     = table_owner(table, word);
    found[i] = (found_t){ &blocks[unit], (word - table->first[unit]) * sizeof(uint64_t), number };
  }
  return number;
}

static void update_gxp_resolved(const table_t *table, uint64_t number, uint64_t count,
                                uint64_t lookahead)
{
  dart_resolved_t *blocks = bench_alloc(table->nunits, sizeof *blocks);
  found_t          found[LOOKAHEAD_MAX];

  for (uint64_t unit = 0; unit < table->nunits; unit++) {
    dart_gptr_t at = table->start;

    dart_gptr_setunit(&at, DART_TEAM_UNIT_ID((int32_t)unit));
    BENCH_OK(dart_resolve(at, table_nwords(table, unit) * sizeof(uint64_t), &blocks[unit]));
  }
  for (uint64_t done = 0; done < count;) {
    uint64_t n = count - done < lookahead ? count - done : lookahead;

    number = find_words(table, blocks, number, n, found);
    for (uint64_t i = 0; i < n; i++) {
      uint64_t word;

      BENCH_OK(dart_resolved_get(&word, found[i].block, found[i].offset, DART_TYPE_ULONG));
      word ^= found[i].number;
      BENCH_OK(dart_resolved_put(found[i].block, found[i].offset, &word, DART_TYPE_ULONG));
    }
    done += n;
  }
  free(blocks);
}

static void update_atomic(const table_t *table, uint64_t number, uint64_t count, uint64_t lookahead)
{
  uint64_t batch[LOOKAHEAD_MAX]; /* a value stays as it is until its batch is complete locally */

  for (uint64_t done = 0; done < count;) {
    uint64_t n = count - done < lookahead ? count - done : lookahead;

    for (uint64_t i = 0; i < n; i++) {
      number = batch[i] = stream_next(number);
      BENCH_OK(
          dart_accumulate(table_at(table, number), &batch[i], 1, DART_TYPE_ULONG, DART_OP_BXOR));
    }
    BENCH_OK(dart_flush_local_all(table->start));
    done += n;
  }
  BENCH_OK(dart_flush_all(table->start));
}

const variant_t dart_variants[] = {
  { "gxp", false, create, destroy, update_gxp },
  { "gxp-inline", false, create, destroy, update_gxp_inline },
  { "gxp-resolved", false, create, destroy, update_gxp_resolved },
  { "atomic", true, create, destroy, update_atomic },
  { 0 },
};
