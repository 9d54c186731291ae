/* The messages that each call sends between nodes, counted exactly, on the simulated network of dart-shmem.
 *
 * Units are on nodes of their own (--nodes N -n N), so no message is replaced by memory of a node. Between two cases
 * units meet in memory that the program shares without DART, and make progress until as many messages were taken as
 * were sent. So what is counted is of one case alone. A latency of milliseconds (DART_NET=latency=2ms) makes the order
 * in which units see messages that of their chains, whatever the system does with the processes.
 *
 * With --format=scale units may share nodes. Then only what all units call is counted, and chains are those of messages
 * alone: what a unit learns by the memory of its node lengthens none.
 *
 * A case is repeated. Each repetition should have the same counts; of those that do not, the least is shown, with the
 * number of repetitions that had it. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <dash/dart/ext/dart_progress.h>
#include <dash/dart/ext/dart_stats.h>

#include "../common/shared.h"
#include "messages.h"

#define UNITS_MOST       64
#define UNITS_MOST_SCALE 2000
#define UNITS_MOST_PAIR  4     /* calls of two units are the same in larger jobs */
#define SILENCE          10e-3 /* seconds without a message: more than all delays of DART itself */

typedef enum { FORMAT_TEXT, FORMAT_CSV, FORMAT_MARKDOWN, FORMAT_COUNTS, FORMAT_SCALE } format_t;

typedef struct {
  format_t    format;
  uint64_t    repeat;
  const char *calls; /* patterns of names; NULL: all */
} options_t;

/* A unit's block of the shared memory. */
typedef struct {
  counts_t counts;
  /* Unit 0's, so that a unit of thousands reads one block and not all: what all units have published, ... */
  _Atomic uint64_t sent;
  _Atomic uint64_t taken;
  bench_barrier_t  silent; /* ... units that have seen silence ... */
  _Atomic uint64_t ready;  /* ... arrivals at meetings that make progress ... */
  bench_barrier_t  meet;   /* ... and all other meetings */
} block_t;

enum { SENT, TAKEN, BYTES, CHAIN, VALUES };

static bench_job_t    job;
static bench_shared_t shared;
static size_t         base;              /* index of net_messages; then the others */
static uint64_t       published[VALUES]; /* this unit's part of what all have published */

/* Units of a large job take long to have their turn. */
static double silence(void)
{
  return SILENCE * (1 + (double)job.nunits / UNITS_MOST);
}

static block_t *block_of(size_t unit)
{
  return bench_shared_block(&shared, (dart_unit_t)unit);
}

static void read_counts(uint64_t *values_out)
{
  uint64_t *all = bench_alloc(base + VALUES, sizeof *all);

  BENCH_OK(dart_stats_read(all, base + VALUES));
  memcpy(values_out, &all[base], VALUES * sizeof *all);
  free(all);
}

/* ---- silence -------------------------------------------------------------------------------------- */

/* Units that wait for silence would keep others from their turns: of this job, and of what else the machine does. */
static void give_way(void)
{
  long ns = 100000;

  if (job.nunits > UNITS_MOST)
    ns = (long)job.nunits * 20000;
  nanosleep(&(struct timespec){ .tv_nsec = ns }, NULL);
}

/* Make progress, publish what this unit has sent and taken; what all have sent if all of it was taken. */
static uint64_t publish(void)
{
  block_t *all = block_of(0);
  uint64_t values[VALUES], sent;

  BENCH_OK(dart_progress());
  read_counts(values);
  atomic_fetch_add(&all->sent, values[SENT] - published[SENT]); /* less after a reset */
  atomic_fetch_add(&all->taken, values[TAKEN] - published[TAKEN]);
  memcpy(published, values, sizeof published);
  sent = atomic_load(&all->sent);
  give_way();
  return sent == atomic_load(&all->taken) ? sent : UINT64_MAX;
}

/* Units that wait in a call of DART do not publish, so unit 0 looks at its own silence alone. */
void await_silence(void)
{
  double start = bench_seconds();

  while (bench_seconds() - start < 3 * silence())
    publish();
}

/* A meeting of units of which others may still want progress. */
static void meet_in_progress(void)
{
  static uint64_t nmeetings;

  nmeetings++;
  atomic_fetch_add(&block_of(0)->ready, 1);
  while (atomic_load(&block_of(0)->ready) < nmeetings * job.nunits)
    publish();
}

/* All units come here when they have made their calls. */
static void meet_in_silence(void)
{
  block_t *first = block_of(0);
  uint64_t round, before = UINT64_MAX, sent;
  double   since = bench_seconds();

  round = atomic_load(&first->silent.round);
  atomic_fetch_add(&first->silent.arrived, 1);
  while (atomic_load(&first->silent.arrived) < (round + 1) * job.nunits)
    publish();
  for (; before == UINT64_MAX || bench_seconds() - since < silence(); before = sent) {
    sent = publish();
    if (sent != before)
      since = bench_seconds();
  }
  /* the others may still look for a message of this unit's: go on until all have seen silence */
  atomic_fetch_add(&first->silent.sleepers, 1);
  while (atomic_load(&first->silent.sleepers) < (round + 1) * job.nunits)
    publish();
  bench_barrier(&first->meet, job.nunits);
  if (job.me == 0)
    atomic_store(&first->silent.round, (uint32_t)round + 1);
  bench_barrier(&first->meet, job.nunits);
}

/* ---- counting ------------------------------------------------------------------------------------- */

static uint64_t most(uint64_t a, uint64_t b)
{
  return a > b ? a : b;
}

/* What one unit has sent and taken; its chain is that of an earlier moment. */
static counts_t counts_of(const uint64_t *values, uint64_t chain)
{
  return (counts_t){ .messages      = values[SENT],
                     .bytes         = values[BYTES],
                     .chain         = chain,
                     .busiest       = values[SENT] + values[TAKEN],
                     .unit          = (uint64_t)job.me,
                     .busiest_bytes = values[BYTES] };
}

/* The counts of all units together, of which each has published its own; on unit 0, which shows them. */
static counts_t sum_counts(void)
{
  counts_t sum = { 0 };

  bench_barrier(&block_of(0)->meet, job.nunits);
  for (size_t u = 0; job.me == 0 && u < job.nunits; u++) {
    counts_t of = block_of(u)->counts;

    sum.messages += of.messages;
    sum.bytes += of.bytes;
    sum.chain = most(of.chain, sum.chain);
    if (of.busiest > sum.busiest) {
      sum.busiest = of.busiest;
      sum.unit    = of.unit;
    }
    sum.busiest_bytes = most(of.busiest_bytes, sum.busiest_bytes);
  }
  bench_barrier(&block_of(0)->meet, job.nunits);
  return sum;
}

static void prepare_case(const case_t *c, size_t shape)
{
  if (c->prepare != NULL)
    c->prepare(shape);
  cases_settle();
}

static void finish_case(const case_t *c, size_t shape)
{
  if (c->finish != NULL)
    c->finish(shape);
}

/* Once without counting, for what is made at the first use. */
static void warm_up(const case_t *c, size_t shape)
{
  prepare_case(c, shape);
  meet_in_progress();
  c->run(shape);
  meet_in_silence();
  finish_case(c, shape);
}

static counts_t count_case(const case_t *c, size_t shape)
{
  uint64_t values[VALUES], chain;

  prepare_case(c, shape);
  meet_in_silence();
  BENCH_OK(dart_stats_reset());
  bench_barrier(&block_of(0)->meet, job.nunits);
  c->run(shape);
  read_counts(values);
  chain = values[CHAIN];
  meet_in_silence();
  read_counts(values);
  block_of((size_t)job.me)->counts = counts_of(values, chain);
  finish_case(c, shape);
  return sum_counts();
}

static bool is_less(const counts_t *a, const counts_t *b)
{
  return a->messages != b->messages ? a->messages < b->messages
         : a->chain != b->chain     ? a->chain < b->chain
                                    : a->bytes < b->bytes;
}

/* What a row of a table leaves out, as it is that of the row above. */
static const char *unless_above(const char **above, const char *text)
{
  bool is_same = *above != NULL && strcmp(*above, text) == 0;

  *above = text;
  return is_same ? "" : text;
}

static void show(const options_t *options, const char *name, size_t shape, const counts_t *counts,
                 const least_t *least, uint64_t agreed)
{
  static const char *const formats[] = { "%-36s %5zu %2zu  %5" PRIu64 " (%3" PRIu64
                                         ") messages %7" PRIu64 " bytes %3" PRIu64 " (%" PRIu64
                                         ") chain %3" PRIu64 " times; %s\n",
                                         "\"%s\",%zu,%zu,%" PRIu64 ",%" PRIu64 ",%" PRIu64
                                         ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",\"%s\"\n",
                                         "| %s |%zu|%" PRIu64 "/%" PRIu64 "|%" PRIu64 "|%" PRIu64
                                         "/%" PRIu64 "| %s |\n" };

  static struct {
    const char *name, *why;
  } above;

  if (job.me != 0)
    return;
  switch (options->format) {
  case FORMAT_TEXT:
    printf(formats[0], name, shape, job.nunits, counts->messages, least->messages, counts->bytes,
           counts->chain, least->chain, agreed, least->why);
    break;
  case FORMAT_CSV:
    printf(formats[1], name, shape, job.nunits, counts->messages, least->messages, counts->bytes,
           counts->chain, least->chain, agreed, least->why);
    break;
  case FORMAT_SCALE:
    printf("\"%s\",%zu,%zu,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
           ",%" PRIu64 "\n",
           name, shape, job.nunits, job.nnodes, counts->messages, counts->bytes, counts->chain,
           counts->busiest, counts->unit, counts->busiest_bytes);
    break;
  case FORMAT_COUNTS:
    printf("\"%s\",%zu,%zu,%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n", name, shape, job.nunits,
           counts->messages, counts->bytes, counts->chain);
    break;
  default:
    printf(formats[2], unless_above(&above.name, name), shape, counts->messages, least->messages,
           counts->bytes, counts->chain, least->chain, unless_above(&above.why, least->why));
  }
  fflush(stdout);
}

static void measure(const options_t *options, const case_t *c, size_t shape)
{
  counts_t least  = { .messages = UINT64_MAX };
  least_t  bound  = c->least(shape, job.nunits);
  uint64_t agreed = 0;

  warm_up(c, shape);
  for (uint64_t i = 0; i < options->repeat; i++) {
    counts_t counts = count_case(c, shape);

    if (is_less(&counts, &least)) {
      least  = counts;
      agreed = 0;
    }
    agreed += !is_less(&least, &counts);
  }
  show(options, c->name, shape, &least, &bound, agreed);
}

static void measure_shapes(const options_t *options, const case_t *c)
{
  if (c->is_for_partners)
    for (size_t n = 1; n < job.nunits && n <= 8; n = n < 7 ? 2 * n + 1 : n + 1)
      measure(options, c, n);
  else
    for (size_t i = 0; c->shapes[i] != 0; i++)
      measure(options, c, c->shapes[i]);
}

static bool is_counted_here(const options_t *options, size_t number)
{
  const case_t *c = case_number(number);

  return bench_selects(options->calls, c->name) &&
         (c->is_for_all || options->format != FORMAT_SCALE) &&
         (!case_is_of_pair(number) || job.nunits <= UNITS_MOST_PAIR || options->calls != NULL);
}

/* Wait for all units, without a message: in memory that has the name of their launcher's process. */
static void meet_without_messages(void)
{
  bench_barrier_t *barrier = MAP_FAILED;
  char             name[64];
  int              file;

  snprintf(name, sizeof name, "/dart-bench-init-%ld", (long)getppid());
  file = shm_open(name, O_RDWR | O_CREAT, 0600);
  if (file >= 0 && ftruncate(file, sizeof *barrier) == 0)
    barrier = mmap(NULL, sizeof *barrier, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (barrier == MAP_FAILED) {
    perror(name);
    exit(BENCH_FAILED);
  }
  close(file);
  bench_barrier(barrier, job.nunits);
  shm_unlink(name); /* by the first to come here */
  munmap(barrier, sizeof *barrier);
}

/* What dart_init has sent; the first thing that a unit does after it. Others may still be in its last barrier, where they
 * would take messages of the next call, too. */
static counts_t counts_of_init(void)
{
  uint64_t values[VALUES];

  read_counts(values);
  meet_without_messages();
  return counts_of(values, values[CHAIN]);
}

/* ---- the command line ----------------------------------------------------------------------------- */

static error_t parse(int key, char *text, struct argp_state *state)
{
  static const char *const names[] = { "text", "csv", "markdown", "counts", "scale" };
  options_t               *options = state->input;

  switch (key) {
  case 'c': options->calls = text; return 0;
  case 'r': return bench_number(state, "--repeat", text, 1, 1000, &options->repeat);
  case 'f':
    for (int i = 0; i < 5; i++)
      if (strcmp(text, names[i]) == 0) {
        options->format = (format_t)i;
        return 0;
      }
    return bench_bad_value(state, "--format", text, "text, csv, markdown, counts or scale");
  default: return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp_option known[] = {
  { "calls", 'c', "GLOB,...", 0, "Count only these calls, by name or shell pattern", 0 },
  { "format", 'f', "NAME", 0,
    "Print text, csv, markdown, or counts, which is CSV of the counts alone; scale: of any units "
    "and nodes, with those "
    "of the busiest unit (text)",
    0 },
  { "repeat", 'r', "N", 0, "Repeat each case N times; the least count is shown (3)", 0 },
  { 0 }
};

static const struct argp arguments = {
  .options = known,
  .parser  = parse,
  .doc     = "Count the messages that each call of DART sends between nodes, on the simulated "
             "network of dart-shmem; nothing is timed. Each unit is on a node of its own. "
             "Columns say how many messages all units sent for one call, how many it could not "
             "do without, their bytes, and the longest chain of messages that wait for each "
             "other."
             "\v"
             "Examples:\n"
             "  dartrun -n 4 --nodes 4 messages-shmem\n"
             "  dartrun -n 2 --nodes 2 messages-shmem --calls='put*' --format=csv",
};

static void measure_all(const options_t *options, counts_t init)
{
  static const least_t at_ends = { 0, 0, "the launcher could tell each unit all" };
  uint64_t             values[VALUES];
  counts_t             counts;
  const case_t        *c;

  if (job.me == 0 && options->format == FORMAT_CSV)
    printf("case,shape,units,messages,least_messages,bytes,chain,least_chain,agreed,reason\n");
  BENCH_OK(bench_shared_create(&job, sizeof(block_t), &shared));
  cases_open(&job);
  block_of((size_t)job.me)->counts = init;
  counts                           = sum_counts();
  if (bench_selects(options->calls, "init"))
    show(options, "init", 1, &counts, &at_ends, 1);
  for (size_t i = 0; (c = case_number(i)) != NULL; i++)
    if (is_counted_here(options, i))
      measure_shapes(options, c);
  cases_close();
  meet_in_silence();
  BENCH_OK(dart_stats_reset());
  bench_barrier(&block_of(0)->meet, job.nunits);
  BENCH_OK(dart_exit());
  read_counts(values);
  block_of((size_t)job.me)->counts = counts_of(values, values[CHAIN]);
  counts                           = sum_counts();
  if (bench_selects(options->calls, "exit"))
    show(options, "exit", 1, &counts, &at_ends, 1);
}

static bool selects_any(const char *calls)
{
  bool          any = bench_selects(calls, "init") || bench_selects(calls, "exit");
  const case_t *c;

  for (size_t i = 0; (c = case_number(i)) != NULL; i++)
    any |= bench_selects(calls, c->name);
  return any;
}

static bool fits(const options_t *options)
{
  if (options->format == FORMAT_SCALE)
    return job.nnodes >= 2 && job.nunits <= UNITS_MOST_SCALE;
  return job.nunits == job.nnodes && job.nunits >= 2 && job.nunits <= UNITS_MOST;
}

int main(int argc, char **argv)
{
  options_t options = { .repeat = 3 };
  counts_t  init    = { 0 };
  bool      is_counted;
  int       code;

  job        = bench_start(&argc, &argv);
  is_counted = dart_stats_find("net_messages", &base) == DART_OK;
  if (is_counted)
    init = counts_of_init();
  if (!bench_parse(&job, &arguments, argc, argv, &options, &code)) {
    BENCH_OK(dart_exit());
    return code;
  }
  if (!is_counted) {
    bench_complain(&job, "this network does not count: use dart-shmem, with --nodes");
    BENCH_OK(dart_exit());
    return BENCH_BAD_INPUT;
  }
  if (!fits(&options)) {
    bench_complain(&job,
                   "%zu units on %" PRIu64 " nodes: each must have its own, 2 to %d; with "
                   "--format=scale they share at least 2 nodes, and are at most %d",
                   job.nunits, job.nnodes, UNITS_MOST, UNITS_MOST_SCALE);
    BENCH_OK(dart_exit());
    return BENCH_BAD_INPUT;
  }
  if (!selects_any(options.calls)) {
    bench_complain(&job, "--calls '%s' names no call", options.calls);
    BENCH_OK(dart_exit());
    return BENCH_BAD_INPUT;
  }
  measure_all(&options, init);
  return BENCH_VERIFIED;
}
