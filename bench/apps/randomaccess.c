/* RandomAccess after the rules of the HPC Challenge: how often a second can a machine update a word
 * that nobody could foresee?
 *
 * A table of 2^k 64-bit words, at most half of the memory, lies over all units in blocks. Word i
 * starts as i. A stream of pseudo-random numbers, four for every word, says what happens: number r
 * is xored into word r mod 2^k. The stream is cut into consecutive parts, one a unit; the parts are
 * worked on at the same time. No unit may look more than 1024 numbers ahead. GUP/s are 10^9 updates
 * a second, by the slowest unit, from a barrier to the completion of the last update.
 *
 * The stream is x, x^2, x^3 ... in GF(2)[x] modulo x^64 + x^2 + x + 1 (a shift register with the
 * "polynomial 7"), so a unit reaches the start of its part by squaring instead of by counting.
 *
 * gxp     get, xor, put, all blocking, one update after the other. Two units that meet on a word
 *         may lose an update: the rules allow 1 % of wrong words.
 * atomic  accumulates by exclusive or, a batch at a time, then a flush. None may be lost.
 *
 * Verification does not trust what it verifies: every unit runs through the whole stream once more
 * and applies, with plain loads and stores, the updates that fall into its own block. Exclusive or
 * undoes itself, so every word must be back at its start. That takes each unit as many steps as the
 * stream has numbers, about two nanoseconds each, and no communication. */
#include "../common/bench.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Indices of words are multiplied with numbers of units: 2^40 words and 2^23 units leave room. */
enum { LOOKAHEAD_MAX = 1024, TABLE_MAX = 40 };

typedef enum { VARIANT_GXP, VARIANT_ATOMIC } variant_t;

typedef struct {
  uint64_t  log_words;
  variant_t variant;
  uint64_t  seed;  /* numbers of the stream to skip */
  uint64_t  updates_per_word;
  uint64_t  lookahead;
} options_t;

/* The stream */

/* Times x. Number i of the stream, from 0, is x^(i+1). */
static inline uint64_t stream_next(uint64_t number)
{
  return number << 1 ^ (number >> 63 ? 7 : 0);
}

static uint64_t stream_multiply(uint64_t a, uint64_t b)
{
  uint64_t product = 0;

  for (int bit = 63; bit >= 0; bit--) {
    product = stream_next(product);
    if (b >> bit & 1)
      product ^= a;
  }
  return product;
}

/* x^n: stream_next() of it is number n. */
static uint64_t stream_before(uint64_t n)
{
  uint64_t power = 1;

  for (int bit = 63; bit >= 0; bit--) {
    power = stream_multiply(power, power);
    if (n >> bit & 1)
      power = stream_next(power);
  }
  return power;
}

/* Length of the stream until it comes back to its start. */
static const uint64_t stream_period = UINT64_C(1317624576693539401);

/* The table: word i belongs to unit floor(i * nunits / 2^k), so blocks differ by one word at most,
 * and the owner costs no division. */

typedef struct {
  uint64_t    log_words;
  uint64_t    nunits;
  uint64_t   *first;  /* [nunits + 1] first word of each unit's block */
  uint64_t   *mine;   /* this unit's block */
  dart_gptr_t start;
} table_t;

static dart_ret_t table_create(const bench_job_t *job, uint64_t log_words, table_t *table_out)
{
  table_t     table = { .log_words = log_words, .nunits = job->nunits };
  dart_gptr_t at;
  void       *mine;
  uint64_t    nmine;
  dart_ret_t  ret;

  table.first = bench_alloc(job->nunits + 1, sizeof *table.first);
  for (uint64_t unit = 0; unit <= job->nunits; unit++)
    table.first[unit] = ((unit << log_words) + job->nunits - 1) / job->nunits;

  nmine = table.first[job->me + 1] - table.first[job->me];
  ret   = dart_team_memalloc_aligned(DART_TEAM_ALL, nmine, DART_TYPE_ULONG, &table.start);
  if (ret != DART_OK) {
    free(table.first);
    return ret;
  }

  at = table.start;
  dart_gptr_setunit(&at, DART_TEAM_UNIT_ID(job->me));
  BENCH_OK(dart_gptr_getaddr(at, &mine));
  table.mine = mine;
  for (uint64_t i = 0; i < nmine; i++)
    table.mine[i] = table.first[job->me] + i;
  *table_out = table;
  return DART_OK;
}

static void table_free(table_t *table)
{
  BENCH_OK(dart_team_memfree(table->start));
  free(table->first);
}

/* Where the word lives that `number` updates. */
static inline dart_gptr_t table_at(const table_t *table, uint64_t number)
{
  uint64_t    word = number & ((UINT64_C(1) << table->log_words) - 1);
  uint64_t    unit = word * table->nunits >> table->log_words;
  dart_gptr_t at   = table->start;

  dart_gptr_setunit(&at, DART_TEAM_UNIT_ID((dart_unit_t)unit));
  dart_gptr_incaddr(&at, (int64_t)((word - table->first[unit]) * sizeof(uint64_t)));
  return at;
}

/* The updates: `count` numbers, the first of which follows `number`. */

static void update_gxp(const table_t *table, uint64_t number, uint64_t count)
{
  for (uint64_t i = 0; i < count; i++) {
    dart_gptr_t at;
    uint64_t    word;

    number = stream_next(number);
    at     = table_at(table, number);
    BENCH_OK(dart_get_blocking(&word, at, 1, DART_TYPE_ULONG, DART_TYPE_ULONG));
    word ^= number;
    BENCH_OK(dart_put_blocking(at, &word, 1, DART_TYPE_ULONG, DART_TYPE_ULONG));
  }
}

static void update_atomic(const table_t *table, uint64_t number, uint64_t count,
                          uint64_t lookahead)
{
  uint64_t batch[LOOKAHEAD_MAX];  /* a value must stay as it is until its batch is complete */

  for (uint64_t done = 0; done < count;) {
    uint64_t n = count - done < lookahead ? count - done : lookahead;

    for (uint64_t i = 0; i < n; i++) {
      number = batch[i] = stream_next(number);
      BENCH_OK(dart_accumulate(table_at(table, number), &batch[i], 1, DART_TYPE_ULONG,
                               DART_OP_BXOR));
    }
    BENCH_OK(dart_flush_all(table->start));
    done += n;
  }
}

/* Updates by all units; seconds of the slowest one. */
static double update(const bench_job_t *job, const table_t *table, const options_t *options,
                     uint64_t nupdates)
{
  uint64_t me     = (uint64_t)job->me;
  uint64_t each   = nupdates / job->nunits;
  uint64_t rest   = nupdates % job->nunits;  /* the first units take one more */
  uint64_t first  = me * each + (me < rest ? me : rest);
  uint64_t count  = each + (me < rest);
  uint64_t number = stream_before(options->seed + first);
  double   start;

  BENCH_OK(dart_barrier(DART_TEAM_ALL));
  start = bench_seconds();
  if (options->variant == VARIANT_GXP)
    update_gxp(table, number, count);
  else
    update_atomic(table, number, count, options->lookahead);
  start = bench_seconds() - start;
  BENCH_OK(dart_barrier(DART_TEAM_ALL));
  return bench_max(start);
}

/* Number of wrong words in the whole table. */
static uint64_t verify(const bench_job_t *job, const table_t *table, uint64_t seed,
                       uint64_t nupdates)
{
  uint64_t mask   = (UINT64_C(1) << table->log_words) - 1;
  uint64_t first  = table->first[job->me];
  uint64_t nmine  = table->first[job->me + 1] - first;
  uint64_t number = stream_before(seed);
  uint64_t wrong  = 0, wrong_all;

  for (uint64_t i = 0; i < nupdates; i++) {
    uint64_t here;

    number = stream_next(number);
    here   = (number & mask) - first;  /* wraps to a large number below the block */
    if (here < nmine)
      table->mine[here] ^= number;
  }
  for (uint64_t i = 0; i < nmine; i++)
    wrong += table->mine[i] != first + i;

  BENCH_OK(
      dart_allreduce(&wrong, &wrong_all, 1, DART_TYPE_ULONG, DART_OP_SUM, DART_TEAM_ALL));
  return wrong_all;
}

/* log2 of the largest table that takes at most half of every host's memory. Collective. */
static uint64_t largest_table(const bench_job_t *job)
{
  enum { NAME_SIZE = 256 };
  double   half = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE) / 2;
  char     name[NAME_SIZE] = "";
  char    *names = bench_alloc(job->nunits, NAME_SIZE);
  size_t   here  = 0;  /* units on this host */
  uint64_t log_words = 0, log_words_all;

  gethostname(name, sizeof name - 1);
  BENCH_OK(dart_allgather(name, names, NAME_SIZE, DART_TYPE_BYTE, DART_TEAM_ALL));
  for (size_t unit = 0; unit < job->nunits; unit++)
    here += strcmp(name, names + unit * NAME_SIZE) == 0;
  free(names);

  while (log_words < TABLE_MAX &&
         (double)(sizeof(uint64_t) << (log_words + 1)) * (double)here / (double)job->nunits <= half)
    log_words++;
  BENCH_OK(dart_allreduce(&log_words, &log_words_all, 1, DART_TYPE_ULONG, DART_OP_MIN,
                          DART_TEAM_ALL));
  return log_words_all;
}

/* Command line */

static const struct argp_option option_table[] = {
  { "table", 'k', "K", 0, "The table has 2^K words of 8 bytes, K from 1 to 40 (20)", 0 },
  { "variant", 'v', "NAME", 0, "gxp: blocking get, xor, blocking put; atomic: accumulate (atomic)",
    0 },
  { "seed", 's', "N", 0, "Start at number N of the stream (0)", 0 },
  { "updates-per-word", 'u', "N", 0, "Updates as a multiple of the table (4)", 0 },
  { "lookahead", 'l', "N", 0, "Updates of atomic that are under way at once, 1 to 1024 (1024)", 0 },
  { 0 },
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
  options_t *options = state->input;

  switch (key) {
  case 'k': return bench_number(state, "--table", arg, 1, TABLE_MAX, &options->log_words);
  case 's': return bench_number(state, "--seed", arg, 0, stream_period - 1, &options->seed);
  case 'u':
    return bench_number(state, "--updates-per-word", arg, 1, 1024, &options->updates_per_word);
  case 'l': return bench_number(state, "--lookahead", arg, 1, LOOKAHEAD_MAX, &options->lookahead);
  case 'v':
    if (strcmp(arg, "gxp") == 0)
      options->variant = VARIANT_GXP;
    else if (strcmp(arg, "atomic") == 0)
      options->variant = VARIANT_ATOMIC;
    else
      return bench_bad_value(state, "--variant", arg, "gxp or atomic");
    return 0;
  default: return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp arguments = {
  .options = option_table,
  .parser  = parse_option,
  .doc     = "Updates words at random places of a table that lies over all units.",
};

static int run(const bench_job_t *job, const options_t *options)
{
  static const char *const variant_name[] = { "gxp", "atomic" };
  const char              *name           = variant_name[options->variant];
  uint64_t                 nwords         = UINT64_C(1) << options->log_words;
  uint64_t                 nupdates       = options->updates_per_word * nwords;
  uint64_t                 wrong, allowed, largest = largest_table(job);
  table_t                  table;
  double                   seconds, gups;
  char                     benchmark[32], figure[32];
  bool                     verified;

  if (options->log_words > largest) {
    bench_complain(job, "--table %" PRIu64 " takes more than half of the memory; %" PRIu64 " fits",
                   options->log_words, largest);
    return BENCH_BAD_INPUT;
  }
  if (table_create(job, options->log_words, &table) != DART_OK) {
    bench_complain(job, "--table %" PRIu64 ": no shared memory for %.3f GiB over %zu units",
                   options->log_words, (double)nwords * 8 / (1 << 30), job->nunits);
    return BENCH_BAD_INPUT;
  }

  seconds  = update(job, &table, options, nupdates);
  gups     = (double)nupdates / seconds / 1e9;
  wrong    = verify(job, &table, options->seed, nupdates);
  allowed  = options->variant == VARIANT_GXP ? nwords / 100 : 0;
  verified = wrong <= allowed;
  table_free(&table);

  if (job->me == 0) {
    printf("RandomAccess %s: 2^%" PRIu64 " words (%.3f MiB) over %zu units, %" PRIu64
           " updates from number %" PRIu64 " on, look-ahead %" PRIu64 "\n",
           name, options->log_words, (double)nwords * 8 / (1 << 20), job->nunits, nupdates,
           options->seed, options->variant == VARIANT_GXP ? 1 : options->lookahead);
    printf("  %.4f s by the slowest unit, %.3g GUP/s\n", seconds, gups);
    printf("  replayed all %" PRIu64 " updates on every unit: %" PRIu64 " of %" PRIu64
           " words wrong, %" PRIu64 " allowed\n",
           nupdates, wrong, nwords, allowed);
  }
  snprintf(benchmark, sizeof benchmark, "randomaccess-%s", name);
  snprintf(figure, sizeof figure, "%.3g GUP/s", gups);
  bench_result(job, benchmark, figure, verified);
  return verified ? BENCH_VERIFIED : BENCH_FAILED;
}

int main(int argc, char **argv)
{
  bench_job_t job     = bench_start(&argc, &argv);
  options_t   options = { .log_words        = 20,
                          .variant          = VARIANT_ATOMIC,
                          .updates_per_word = 4,
                          .lookahead        = LOOKAHEAD_MAX };
  int         exit_code;

  if (bench_parse(&job, &arguments, argc, argv, &options, &exit_code))
    exit_code = run(&job, &options);
  BENCH_OK(dart_exit());
  return exit_code;
}
