/* Micro benchmarks: what does each operation of DART cost, what would it cost without a runtime, and
 * what does plain MPI take? The command line selects cases and sizes; there is one line of output for
 * each of both. Cases that need a unit on the same node, or on another, are left out of jobs that have
 * none. Without a selection, and for people to read, a few cases are run that take about 20 seconds: where units share
 * cores, a line gets fewer repetitions. */
#include "micro.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dash/dart/if/dart_locality.h>

enum { SIZES_MAX = 32, SIZE_MAX_LOG = 24 };

/* What is run without a selection. */
static const char *const brief_cases =
    "put_blocking,far_put_blocking,get_blocking,far_get_blocking,put_batch,far_put_batch,"
    "fetch_and_op.sum_long,far_fetch_and_op.sum_long,compare_and_swap,far_compare_and_swap,"
    "signal.sum,far_signal.sum,barrier,allreduce,lock";

typedef struct {
  const char *cases; /* patterns with commas between; NULL: all */
  uint64_t    sizes[SIZES_MAX];
  size_t      nsizes;
  uint64_t    repetitions, time, compute; /* milliseconds */
  format_t    format;
  bool        list, without_mpi, threads, all, wide, is_timed, is_brief;
} options_t;

static const case_t *const tables[] = {
  onesided_cases,   strided_cases, atomic_cases, inline_cases, static_cases,
  collective_cases, lock_cases,    memory_cases, busy_cases,   halo_cases,
  wait_cases,       wake_cases,    thread_cases,
};

enum { NTABLES = sizeof tables / sizeof tables[0] };

/* ---- the units ------------------------------------------------------------------------------- */

/* Host and number of the node a unit is on; NULL: that is unknown. */
static const dart_domain_locality_t *node_of(dart_unit_t unit)
{
  dart_unit_locality_t   *where;
  dart_domain_locality_t *domain;

  BENCH_OK(dart_unit_locality(DART_TEAM_ALL, DART_TEAM_UNIT_ID(unit), &where));
  BENCH_OK(dart_domain_team_locality(DART_TEAM_ALL, where->domain_tag, &domain));
  return domain;
}

/* The first unit on the node of unit 0, and the first on another. */
static void find_partners(micro_t *m)
{
  m->partner[NEAR] = m->partner[FAR] = -1;
  for (dart_unit_t unit = (dart_unit_t)m->job.nunits - 1; unit > 0; unit--)
    m->partner[node_of(unit)->node_id == node_of(0)->node_id ? NEAR : FAR] = unit;
}

void micro_clear(micro_t *m, size_t nbytes)
{
  dart_gptr_t mine = m->segment;
  void       *address;

  dart_gptr_setunit(&mine, DART_TEAM_UNIT_ID(m->job.me));
  BENCH_OK(dart_gptr_getaddr(mine, &address));
  memset(address, 0, nbytes);
  memset(m->send, 0, nbytes);
  memset(m->recv, 0, nbytes);
  if (m->floor && m->shared.base != NULL)
    memset(bench_shared_block(&m->shared, m->job.me), 0, nbytes);
  BENCH_OK(dart_barrier(DART_TEAM_ALL));
}

/* ---- which cases ----------------------------------------------------------------------------- */

static void case_name(const case_t *c, place_t place, char *name, size_t size)
{
  snprintf(name, size, "%s%s", place == FAR ? "far_" : "", c->name);
}

typedef void visit_t(void *context, const case_t *c, place_t place, const char *name);

static void for_each_case(visit_t *visit, void *context)
{
  for (size_t t = 0; t < NTABLES; t++)
    for (const case_t *c = tables[t]; c->name != NULL; c++)
      for (int place = NEAR; place <= TOGETHER; place++)
        if (c->places & 1U << place) {
          char name[64];

          case_name(c, (place_t)place, name, sizeof name);
          visit(context, c, (place_t)place, name);
        }
}

static void print_case(void *context, const case_t *c, place_t place, const char *name)
{
  static const char *const where[] = { "near", "far", "all" };

  (void)context;
  printf("%-32s %-5s %s\n", name, where[place], c->about);
}

/* ---- running them ---------------------------------------------------------------------------- */

typedef struct {
  micro_t         *micro;
  const options_t *options;
  size_t           nrun, nmissing; /* lines, and cases without a partner in this job */
  size_t           ncases, nleft;  /* cases that were run, and those that were not selected */
  size_t           nshort;         /* lines of fewer repetitions */
} session_t;

static effort_t effort_of(const options_t *options)
{
  return (effort_t){ .repetitions = options->repetitions,
                     .time        = (double)options->time / 1e3,
                     .limit       = options->is_brief ? 0.25 : 0 };
}

static void run_size(session_t *s, const case_t *c, size_t size)
{
  const options_t *o = s->options;
  micro_t         *m = s->micro;
  figures_t        figures;

  m->size   = size;
  m->nwords = size / sizeof(long);
  if (c->prepare != NULL)
    c->prepare(m);
  figures = measure(m, c, effort_of(o));
  if (c->clean != NULL)
    c->clean(m);
  report_case(m, o->format, c, &figures);
  s->nrun++;
  s->nshort += figures.repetitions < o->repetitions;
}

static void run_case(void *context, const case_t *c, place_t place, const char *name)
{
  session_t       *s     = context;
  const options_t *o     = s->options;
  micro_t         *m     = s->micro;
  size_t           least = 0, most;

  if (c->needs_threads && !o->threads)
    return;
  if (place != TOGETHER && m->partner[place] < 0) {
    s->nmissing += bench_selects(o->cases, name);
    return;
  }
  if (!bench_selects(o->cases, name)) {
    s->nleft++;
    return;
  }
  s->ncases++;
  m->place  = place;
  m->target = m->partner[place == TOGETHER ? NEAR : place];
  m->at     = m->segment;
  if (m->target >= 0) {
    dart_gptr_setunit(&m->at, DART_TEAM_UNIT_ID(m->target));
    m->there =
        m->floor && m->shared.base != NULL ? bench_shared_block(&m->shared, m->target) : NULL;
  }

  switch (c->sizes) {
  case SIZE_NONE: run_size(s, c, 0); return;
  case SIZE_WORD: run_size(s, c, sizeof(long)); return;
  case SIZE_LINE: run_size(s, c, LINE); return;
  case SIZE_ANY:
  case SIZE_BYTES: most = m->area; break;
  case SIZE_STRIDED: most = m->area / STRIDE; break;
  case SIZE_INDEXED: least = INDEXED_WORDS * sizeof(long), most = m->area / STRIDE; break;
  case SIZE_BATCH: most = m->area / BATCH; break;
  case SIZE_HALO: most = (m->area - HALO_START) / (2 * SIDES); break;
  case SIZE_PER_UNIT: most = m->area / m->job.nunits; break;
  case SIZE_SENT_AND_RECEIVED: most = m->area / m->job.nunits / 2; break;
  default: return;
  }
  for (size_t i = 0; i < o->nsizes; i++)
    if (o->sizes[i] >= least && o->sizes[i] <= most &&
        (c->sizes == SIZE_ANY || o->sizes[i] >= sizeof(long)))
      run_size(s, c, o->sizes[i]);
}

static bool create(micro_t *m, const options_t *options)
{
  size_t largest = 0;

  for (size_t i = 0; i < options->nsizes; i++)
    if (options->sizes[i] > largest)
      largest = options->sizes[i];
  m->area = (STRIDE * largest + LINE - 1) / LINE * LINE;
  if (m->area < LOOKAHEAD * sizeof(long))
    m->area = LOOKAHEAD * sizeof(long);

  if (dart_team_memalloc_aligned(DART_TEAM_ALL, m->area, DART_TYPE_BYTE, &m->segment) != DART_OK)
    return false;
  m->send = bench_alloc(m->area / LINE, LINE);
  m->recv = bench_alloc(m->area / LINE, LINE);
  find_partners(m);
  floor_start(m);
  m->mpi = !options->without_mpi;
  if (m->mpi)
    mpi_start(m);
  micro_clear(m, m->area);
  return true;
}

static void destroy(micro_t *m)
{
  BENCH_OK(dart_barrier(DART_TEAM_ALL));
  if (m->mpi)
    mpi_stop();
  floor_stop(m);
  free(m->recv);
  free(m->send);
  BENCH_OK(dart_team_memfree(m->segment));
}

static int run(const bench_job_t *job, const options_t *options)
{
  micro_t   micro   = { .job = *job, .compute = (double)options->compute / 1e3 };
  session_t session = { .micro = &micro, .options = options };

  if (!create(&micro, options)) {
    bench_complain(job, "no shared memory for %zu bytes a unit", micro.area);
    return BENCH_BAD_INPUT;
  }
  report_start(&micro, options->format, effort_of(options));
  for_each_case(run_case, &session);
  report_end(&micro, options->format, session.ncases,
             options->cases == brief_cases ? session.nleft : 0, session.nshort, session.nrun);
  destroy(&micro);

  if (options->cases != NULL && session.nrun == 0) {
    bench_complain(job, "--cases is '%s': %s", options->cases,
                   session.nmissing > 0 ? "these need a unit on the same or on another node"
                                        : "there is no such case, see --list");
    return BENCH_BAD_INPUT;
  }
  return BENCH_VERIFIED;
}

/* ---- command line ---------------------------------------------------------------------------- */

enum { KEY_QUICK = 1000, KEY_LIST, KEY_THREADS, KEY_WITHOUT_MPI, KEY_ALL, KEY_WIDE };

static const struct argp_option option_table[] = {
  { "all", KEY_ALL, NULL, 0,
    "Run all cases that the job has units for, and not the few of a run without options", 0 },
  { "cases", 'c', "PATTERN,...", 0,
    "Run these cases, by name or shell pattern: put_*,far_put_*,barrier", 0 },
  { "list", KEY_LIST, NULL, 0,
    "Print the names of all cases and what they measure, and run nothing", 0 },
  { "sizes", 's', "BYTES,...", 0,
    "Sizes of the data: multiples of 8, with K or M, up to 16M; 1, 2 and 4 for blocking puts and "
    "gets "
    "(8,64,512,4K,64K,512K,4M)",
    0 },
  { "repetitions", 'r', "N", 0, "Take the median of N repetitions (7; 5 without --all and --cases)",
    0 },
  { "time", 't', "MS", 0,
    "Repeat the operation for MS milliseconds in each (20; 5 without --all and --cases)", 0 },
  { "quick", KEY_QUICK, NULL, 0, "To see that it works: 3 repetitions of 1 ms, of 8 and 4096 bytes",
    0 },
  { "wide", KEY_WIDE, NULL, 0, "Print one table of all cases, in nanoseconds", 0 },
  { "format", 'f', "NAME", 0,
    "text, csv or json; csv and json are of all cases, in nanoseconds (text)", 0 },
  { "without-mpi", KEY_WITHOUT_MPI, NULL, 0, "Do not run the same operations in plain MPI", 0 },
  { "threads", KEY_THREADS, NULL, 0,
    "Start DART for threads, and run the cases that have some, too", 0 },
  { "compute", 'C', "MS", 0, "How long the target of far_busy_* computes (200)", 0 },
  { 0 },
};

static bool is_size(uint64_t nbytes)
{
  return nbytes % sizeof(long) == 0 || nbytes == 1 || nbytes == 2 || nbytes == 4;
}

/* "8,64K,2M" */
static error_t parse_sizes(struct argp_state *state, char *arg, options_t *options)
{
  char *next = arg, *size;

  options->nsizes = 0;
  while ((size = strsep(&next, ",")) != NULL) {
    char    *end   = size;
    uint64_t value = size[0] >= '0' && size[0] <= '9' ? strtoull(size, &end, 10) : 0;
    unsigned shift = *end == 'K' ? 10 : *end == 'M' ? 20 : 0;

    if (shift != 0)
      end++;
    if (*end != '\0' || value == 0 || value > UINT64_C(1) << SIZE_MAX_LOG >> shift ||
        !is_size(value << shift) || options->nsizes == SIZES_MAX)
      return bench_bad_value(state, "--sizes", size, "1, 2, 4, or a multiple of 8 up to 16M");
    options->sizes[options->nsizes++] = value << shift;
  }
  return 0;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
  static const char *const formats[] = { "text", "csv", "json" };
  options_t               *options   = state->input;

  switch (key) {
  case 'c': options->cases = arg; return 0;
  case 's': return parse_sizes(state, arg, options);
  case 'r':
    options->is_timed = true;
    return bench_number(state, "--repetitions", arg, 1, 1000, &options->repetitions);
  case 't':
    options->is_timed = true;
    return bench_number(state, "--time", arg, 1, 60000, &options->time);
  case 'C': return bench_number(state, "--compute", arg, 1, 60000, &options->compute);
  case 'f':
    for (int format = FORMAT_TEXT; format <= FORMAT_JSON; format++)
      if (strcmp(arg, formats[format]) == 0) {
        options->format = (format_t)format;
        return 0;
      }
    return bench_bad_value(state, "--format", arg, "text, csv or json");
  case KEY_ALL: options->all = true; return 0;
  case KEY_WIDE: options->wide = true; return 0;
  case ARGP_KEY_SUCCESS: /* all options are read */
    if (options->wide && options->format == FORMAT_TEXT)
      options->format = FORMAT_WIDE;
    if (options->format == FORMAT_TEXT && !options->all && options->cases == NULL) {
      options->cases = brief_cases;
      if (!options->is_timed) {
        options->repetitions = 5;
        options->time        = 5;
        options->is_brief    = true;
      }
    }
    return 0;
  case KEY_QUICK:
    options->is_timed    = true;
    options->repetitions = 3;
    options->time        = 1;
    options->compute     = 20;
    options->nsizes      = 2;
    options->sizes[0]    = 8;
    options->sizes[1]    = 4096;
    return 0;
  case KEY_LIST: options->list = true; return 0;
  case KEY_THREADS: options->threads = true; return 0;
  case KEY_WITHOUT_MPI: options->without_mpi = true; return 0;
  default: return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp arguments = {
  .options = option_table,
  .parser  = parse_option,
  .doc = "Measure how long single operations of DART take: put, get, atomics, collectives, locks "
         "and more. "
         "Beside them are the same operations in C without a runtime (the floor), and, in "
         "micro-mpi, in plain "
         "MPI. Without options a few cases are run, in about 20 seconds."
         "\v"
         "Examples:\n"
         "  dartrun -n 2 micro-shmem\n"
         "  dartrun -n 2 --nodes 2 micro-mpi --cases='far_put_*,barrier' --sizes=8,64K\n"
         "  dartrun -n 2 micro-shmem --all --format=csv >figures.csv",
};

/* Before the command line is read: that is done when the job is there. */
static bool wants_threads(int argc, char **argv)
{
  for (int i = 1; i < argc; i++)
    if (strcmp(argv[i], "--threads") == 0)
      return true;
  return false;
}

int main(int argc, char **argv)
{
  bench_job_t job =
      wants_threads(argc, argv) ? bench_start_threads(&argc, &argv) : bench_start(&argc, &argv);
  options_t options = { .sizes       = { 8, 64, 512, 4 << 10, 64 << 10, 512 << 10, 4 << 20 },
                        .nsizes      = 7,
                        .repetitions = 7,
                        .time        = 20,
                        .compute     = 200 };
  int       exit_code;

  if (bench_parse(&job, &arguments, argc, argv, &options, &exit_code)) {
    if (!options.list)
      exit_code = run(&job, &options);
    else {
      exit_code = BENCH_VERIFIED;
      if (job.me == 0)
        for_each_case(print_case, NULL);
    }
  }
  BENCH_OK(dart_exit());
  return exit_code;
}
