/* RandomAccess after the rules of the HPC Challenge: how often a second can a machine update a word
 * that nobody could foresee?
 *
 * A table of 2^k 64-bit words, at most half of the memory, lies over all units in blocks (table.h).
 * Word i starts as i. A stream of pseudo-random numbers (stream.h), four for every word, says what
 * happens: number r is xored into word r mod 2^k. The stream is cut into consecutive parts, one a
 * unit; the parts are worked on at the same time. No unit may look more than 1024 numbers ahead. GUP/s
 * are 10^9 updates a second, by the slowest unit, from a barrier to the completion of the last update.
 *
 * How an update is done is the variant: by DART (randomaccess_dart.c); on a plain shared array (randomaccess_shared.c) and
 * by plain MPI (mpi_randomaccess.c), to compare with. Where units that meet on a word may lose an update, the rules
 * allow 1 % of wrong words.
 *
 * Verification does not trust what it verifies: every unit runs through the whole stream once more
 * and applies, with plain loads and stores, the updates that fall into its own block. Exclusive or
 * undoes itself, so every word must be back at its start. That takes each unit as many steps as the
 * stream has numbers, about two nanoseconds each, and no communication. */
#include "stream.h"
#include "table.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Indices of words are multiplied with numbers of units: 2^40 words and 2^23 units leave room. */
enum { TABLE_MAX = 40 };

typedef struct {
  uint64_t         log_words;
  const variant_t *variant;
  uint64_t         seed; /* numbers of the stream to skip */
  uint64_t         updates_per_word;
  uint64_t         updates; /* 0: as many as that makes */
  uint64_t         lookahead;
} options_t;

/* The variant called `name`; NULL: there is none. */
static const variant_t *find_variant(const char *name)
{
  static const variant_t *const tables[] = { dart_variants, shared_variants, mpi_variants };

  for (size_t t = 0; t < sizeof tables / sizeof tables[0]; t++)
    for (const variant_t *v = tables[t]; v->name != NULL; v++)
      if (strcmp(v->name, name) == 0)
        return v;
  return NULL;
}

/* The table */

static dart_ret_t table_create(const bench_job_t *job, const options_t *options, table_t *table_out)
{
  table_t    table = { .log_words = options->log_words, .nunits = job->nunits };
  dart_ret_t ret;

  table.first = bench_alloc(job->nunits + 1, sizeof *table.first);
  for (uint64_t unit = 0; unit <= job->nunits; unit++)
    table.first[unit] = ((unit << table.log_words) + job->nunits - 1) / job->nunits;
  ret = options->variant->create(job, &table);
  if (ret != DART_OK) {
    free(table.first);
    return ret;
  }
  for (uint64_t i = 0; i < table_nwords(&table, (uint64_t)job->me); i++)
    table.mine[i] = table.first[job->me] + i;
  *table_out = table;
  return DART_OK;
}

static void table_free(table_t *table, const variant_t *variant)
{
  variant->destroy(table);
  free(table->first);
}

/* Updates by all units; seconds of the slowest one. */
static double update(const bench_job_t *job, const table_t *table, const options_t *options,
                     uint64_t nupdates)
{
  uint64_t me     = (uint64_t)job->me;
  uint64_t each   = nupdates / job->nunits;
  uint64_t rest   = nupdates % job->nunits; /* the first units take one more */
  uint64_t first  = me * each + (me < rest ? me : rest);
  uint64_t count  = each + (me < rest);
  uint64_t number = stream_before(options->seed + first);
  double   start;

  BENCH_OK(dart_barrier(DART_TEAM_ALL));
  start = bench_seconds();
  options->variant->update(table, number, count, options->lookahead);
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
  uint64_t nmine  = table_nwords(table, (uint64_t)job->me);
  uint64_t number = stream_before(seed);
  uint64_t wrong  = 0, wrong_all;

  for (uint64_t i = 0; i < nupdates; i++) {
    uint64_t here;

    number = stream_next(number);
    here   = (number & mask) - first; /* wraps to a large number below the block */
    if (here < nmine)
      table->mine[here] ^= number;
  }
  for (uint64_t i = 0; i < nmine; i++)
    wrong += table->mine[i] != first + i;

  BENCH_OK(dart_allreduce(&wrong, &wrong_all, 1, DART_TYPE_ULONG, DART_OP_SUM, DART_TEAM_ALL));
  return wrong_all;
}

/* log2 of the largest table that takes at most half of every host's memory. Collective. */
static uint64_t largest_table(const bench_job_t *job)
{
  enum { NAME_SIZE = 256 };
  double   half            = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE) / 2;
  char     name[NAME_SIZE] = "";
  char    *names           = bench_alloc(job->nunits, NAME_SIZE);
  size_t   here            = 0; /* units on this host */
  uint64_t log_words       = 0, log_words_all;

  gethostname(name, sizeof name - 1);
  BENCH_OK(dart_allgather(name, names, NAME_SIZE, DART_TYPE_BYTE, DART_TEAM_ALL));
  for (size_t unit = 0; unit < job->nunits; unit++)
    here += strcmp(name, names + unit * NAME_SIZE) == 0;
  free(names);

  while (log_words < TABLE_MAX &&
         (double)(sizeof(uint64_t) << (log_words + 1)) * (double)here / (double)job->nunits <= half)
    log_words++;
  BENCH_OK(
      dart_allreduce(&log_words, &log_words_all, 1, DART_TYPE_ULONG, DART_OP_MIN, DART_TEAM_ALL));
  return log_words_all;
}

/* Command line */

static const struct argp_option option_table[] = {
  { "table", 'k', "K", 0, "The table has 2^K words of 8 bytes, K from 1 to 40 (20)", 0 },
  { "variant", 'v', "NAME", 0,
    "gxp: blocking get, xor, blocking put, gxp-inline: the same without calls, gxp-resolved: by "
    "pointers that are resolved before; atomic: accumulate "
    "(atomic). To compare with: "
    "shared-gxp "
    "and shared-atomic, without a runtime; with dart-mpi also mpi-gxp and mpi-accumulate, either "
    "with -dynamic, and mpi-bucket, by plain MPI",
    0 },
  { "seed", 's', "N", 0, "Start at number N of the stream (0)", 0 },
  { "updates-per-word", 'u', "N", 0, "Updates as a multiple of the table (4)", 0 },
  { "updates", 'n', "N", 0, "Do N updates, whatever the table's size", 0 },
  { "lookahead", 'l', "N", 0,
    "Look ahead by up to N numbers, where the variant does, 1 to 1024 (1024)", 0 },
  { 0 },
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
  options_t *options = state->input;

  switch (key) {
  case 'k': return bench_number(state, "--table", arg, 1, TABLE_MAX, &options->log_words);
  case 's': return bench_number(state, "--seed", arg, 0, STREAM_PERIOD - 1, &options->seed);
  case 'u':
    return bench_number(state, "--updates-per-word", arg, 1, 1024, &options->updates_per_word);
  case 'n': return bench_number(state, "--updates", arg, 1, UINT64_MAX, &options->updates);
  case 'l': return bench_number(state, "--lookahead", arg, 1, LOOKAHEAD_MAX, &options->lookahead);
  case 'v':
    options->variant = find_variant(arg);
    return options->variant != NULL
               ? 0
               : bench_bad_value(state, "--variant", arg, "one that --help names");
  default: return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp arguments = {
  .options = option_table,
  .parser  = parse_option,
  .doc     = "The RandomAccess benchmark of the HPC Challenge: update words at random places "
             "of a table that lies over all units, and verify it. The rate is printed in "
             "GUP/s, billions of updates per second."
             "\v"
             "Examples:\n"
             "  dartrun -n 4 randomaccess-shmem --table=22\n"
             "  dartrun -n 4 --nodes 2 randomaccess-mpi --variant=mpi-accumulate",
};

static int run(const bench_job_t *job, const options_t *options)
{
  const variant_t *variant = options->variant;
  uint64_t         nwords  = UINT64_C(1) << options->log_words;
  uint64_t nupdates = options->updates > 0 ? options->updates : options->updates_per_word * nwords;
  uint64_t wrong, allowed, largest = largest_table(job);
  table_t  table;
  double   seconds, gups;
  char     benchmark[64], figure[32];
  bool     verified;

  if (options->log_words > largest) {
    bench_complain(job, "--table %" PRIu64 " takes more than half of the memory; %" PRIu64 " fits",
                   options->log_words, largest);
    return BENCH_BAD_INPUT;
  }
  if (table_create(job, options, &table) != DART_OK) {
    bench_complain(job, "--table %" PRIu64 ": no shared memory for %.3f GiB over %zu units",
                   options->log_words, (double)nwords * 8 / (1 << 30), job->nunits);
    return BENCH_BAD_INPUT;
  }

  seconds  = update(job, &table, options, nupdates);
  gups     = (double)nupdates / seconds / 1e9;
  wrong    = verify(job, &table, options->seed, nupdates);
  allowed  = variant->exact ? 0 : nwords / 100;
  verified = wrong <= allowed;
  table_free(&table, variant);

  if (job->me == 0) {
    printf("RandomAccess %s: 2^%" PRIu64 " words (%.3f MiB) over %zu units, %" PRIu64
           " updates from number %" PRIu64 " on, look-ahead of at most %" PRIu64 "\n",
           variant->name, options->log_words, (double)nwords * 8 / (1 << 20), job->nunits, nupdates,
           options->seed, options->lookahead);
    printf("  %.4f s by the slowest unit, %.3g GUP/s\n", seconds, gups);
    printf("  replayed all %" PRIu64 " updates on every unit: %" PRIu64 " of %" PRIu64
           " words wrong, %" PRIu64 " allowed\n",
           nupdates, wrong, nwords, allowed);
  }
  snprintf(benchmark, sizeof benchmark, "randomaccess-%s", variant->name);
  snprintf(figure, sizeof figure, "%.3g GUP/s", gups);
  bench_result(job, benchmark, figure, verified);
  return verified ? BENCH_VERIFIED : BENCH_FAILED;
}

int main(int argc, char **argv)
{
  bench_job_t job     = bench_start(&argc, &argv);
  options_t   options = { .log_words        = 20,
                          .variant          = find_variant("atomic"),
                          .updates_per_word = 4,
                          .lookahead        = LOOKAHEAD_MAX };
  int         exit_code;

  if (bench_parse(&job, &arguments, argc, argv, &options, &exit_code))
    exit_code = run(&job, &options);
  BENCH_OK(dart_exit());
  return exit_code;
}
