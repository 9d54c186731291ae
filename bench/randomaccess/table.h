#ifndef BENCH_RANDOMACCESS_TABLE_H
#define BENCH_RANDOMACCESS_TABLE_H
/* The table, and what a variant of the benchmark does with it.
 *
 * Word i belongs to unit floor(i * nunits / 2^k), so blocks differ by one word at most, and the owner
 * costs no division. In which memory the words lie is the variant's business; each unit can load and
 * store its own block. */
#include "../common/bench.h"
#include "../common/shared.h"

enum { LOOKAHEAD_MAX = 1024 };

typedef struct {
  uint64_t       log_words;
  uint64_t       nunits;
  uint64_t      *first;  /* [nunits + 1] first word of each unit's block */
  uint64_t      *mine;   /* this unit's block */
  dart_gptr_t    start;  /* where DART has the table */
  bench_shared_t shared; /* where it is shared without DART: one array */
} table_t;

/* Where a number of the stream leads. */
static inline uint64_t table_word(const table_t *table, uint64_t number)
{
  return number & ((UINT64_C(1) << table->log_words) - 1);
}

static inline uint64_t table_owner(const table_t *table, uint64_t word)
{
  return word * table->nunits >> table->log_words;
}

/* Words of the block of unit `unit`. */
static inline uint64_t table_nwords(const table_t *table, uint64_t unit)
{
  return table->first[unit + 1] - table->first[unit];
}

typedef struct {
  const char *name;
  bool        exact; /* no update may be lost; else 1 % of the words may be wrong */

  /** Give `table` memory: `mine`, and what else the variant needs. Collective over all units. Not
   *  DART_OK: there is none, on any unit. */
  dart_ret_t (*create)(const bench_job_t *job, table_t *table);
  void (*destroy)(table_t *table);

  /** Apply `count` numbers, the first of which follows `number`; at most `lookahead` of them under way
   *  at once. Called by all units at the same time; the updates are complete when all are back. */
  void (*update)(const table_t *table, uint64_t number, uint64_t count, uint64_t lookahead);
} variant_t;

/* Each ends with one that has no name. Those of MPI are none in a program without MPI. */
extern const variant_t dart_variants[], shared_variants[], mpi_variants[];

#endif
