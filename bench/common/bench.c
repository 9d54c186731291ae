/* The common part of the benchmark programs.
 *
 * Every unit reads the same command line and must come to the same decision, or some would leave
 * while others wait in a barrier. So dart_init comes first, then every unit parses for itself, and
 * unit 0 alone is allowed to print: argp's flag ARGP_NO_ERRS means "not unit 0" below. */
#include "bench.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* The whole of `text` as a number from `least` to `most`. */
static bool read_number(const char *text, uint64_t least, uint64_t most, uint64_t *value_out)
{
  char              *end;
  unsigned long long value;

  if (text[0] < '0' || text[0] > '9') /* strtoull would take blanks and signs */
    return false;
  errno = 0;
  value = strtoull(text, &end, 10);
  if (errno != 0 || *end != '\0' || value < least || value > most)
    return false;
  *value_out = value;
  return true;
}

/* DART is there. */
static bench_job_t describe_job(void)
{
  bench_job_t        job   = { .nnodes = 1 };
  const char        *nodes = getenv("DART_NODES");
  dart_global_unit_t me;

  BENCH_OK(dart_myid(&me));
  BENCH_OK(dart_size(&job.nunits));
  job.me = me.id;

  if (nodes != NULL && !read_number(nodes, 1, INT32_MAX, &job.nnodes)) {
    bench_complain(&job, "DART_NODES is '%s', not a number of nodes", nodes);
    dart_exit();
    exit(BENCH_BAD_INPUT);
  }
  return job;
}

bench_job_t bench_start(int *argc, char ***argv)
{
  if (dart_init(argc, argv) != DART_OK)
    exit(BENCH_FAILED); /* the library has said why */
  return describe_job();
}

bench_job_t bench_start_threads(int *argc, char ***argv)
{
  dart_thread_support_level_t safety;
  bench_job_t                 job;

  if (dart_init_thread(argc, argv, &safety) != DART_OK)
    exit(BENCH_FAILED);
  job = describe_job();
  if (safety != DART_THREAD_MULTIPLE) {
    bench_complain(&job, "threads may not use DART here");
    dart_exit();
    exit(BENCH_FAILED);
  }
  return job;
}

/* Command line */

typedef struct {
  void *options; /* input of the program's own parser */
  bool  help;
} common_t;

enum { KEY_HELP = '?' };

static error_t parse_common(int key, char *arg, struct argp_state *state)
{
  common_t *common = state->input;

  switch (key) {
  case ARGP_KEY_INIT:
    state->child_inputs[0] = common->options;
    state->err_stream      = NULL; /* getopt names the bad option; no second line "Try ..." */
    return 0;
  case KEY_HELP: common->help = true; return 0;
  case ARGP_KEY_ARG:
    if (!(state->flags & ARGP_NO_ERRS))
      fprintf(stderr, "%s: unexpected argument '%s'\n", state->name, arg);
    return EINVAL;
  default: return ARGP_ERR_UNKNOWN;
  }
}

/* The program's texts are printed as those of its own options. */
bool bench_parse(const bench_job_t *job, const struct argp *argp, int argc, char **argv,
                 void *options, int *exit_code_out)
{
  static const struct argp_option help_option[] = {
    { "help", KEY_HELP, NULL, 0, "Print this text", -1 },
    { 0 },
  };
  const struct argp_child children[] = { { argp, 0, NULL, 0 }, { 0 } };
  const struct argp       whole  = { help_option, parse_common, NULL, NULL, children, NULL, NULL };
  common_t                common = { .options = options };
  unsigned                flags  = ARGP_NO_EXIT | ARGP_NO_HELP | (job->me == 0 ? 0 : ARGP_NO_ERRS);

  if (argp_parse(&whole, argc, argv, flags, NULL, &common) != 0) {
    *exit_code_out = BENCH_BAD_INPUT;
    return false;
  }
  if (common.help) {
    if (job->me == 0)
      argp_help(&whole, stdout, ARGP_HELP_STD_HELP, program_invocation_short_name);
    *exit_code_out = 0;
    return false;
  }
  return true;
}

error_t bench_number(const struct argp_state *state, const char *option, const char *text,
                     uint64_t least, uint64_t most, uint64_t *value_out)
{
  char wanted[80];

  if (read_number(text, least, most, value_out))
    return 0;
  snprintf(wanted, sizeof wanted, "a whole number from %llu to %llu", (unsigned long long)least,
           (unsigned long long)most);
  return bench_bad_value(state, option, text, wanted);
}

error_t bench_bad_value(const struct argp_state *state, const char *option, const char *text,
                        const char *wanted)
{
  if (!(state->flags & ARGP_NO_ERRS))
    fprintf(stderr, "%s: %s is '%s', not %s\n", state->name, option, text, wanted);
  return EINVAL;
}

void bench_complain(const bench_job_t *job, const char *format, ...)
{
  va_list args;

  if (job->me != 0)
    return;
  fprintf(stderr, "%s: ", program_invocation_short_name);
  va_start(args, format);
  vfprintf(stderr, format, args);
  va_end(args);
  fputc('\n', stderr);
}

/* Time, memory, results */

double bench_seconds(void)
{
  struct timespec now;

  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double bench_max(double value)
{
  double largest;

  BENCH_OK(dart_allreduce(&value, &largest, 1, DART_TYPE_DOUBLE, DART_OP_MAX, DART_TEAM_ALL));
  return largest;
}

double bench_begin(void)
{
  BENCH_OK(dart_barrier(DART_TEAM_ALL));
  return bench_seconds();
}

double bench_took(double begin)
{
  return bench_max(bench_seconds() - begin);
}

static int by_value(const void *left, const void *right)
{
  double a = *(const double *)left, b = *(const double *)right;

  return (a > b) - (a < b);
}

void bench_sort(double *values, size_t n)
{
  qsort(values, n, sizeof *values, by_value);
}

void *bench_alloc(size_t count, size_t size)
{
  void *memory = calloc(count, size);

  if (memory == NULL && count > 0) {
    fprintf(stderr, "%s: no memory for %zu elements of %zu bytes\n", program_invocation_short_name,
            count, size);
    dart_abort(BENCH_FAILED);
  }
  return memory;
}

void bench_result(const bench_job_t *job, const char *benchmark, const char *figure, bool verified)
{
  if (job->me != 0)
    return;
  printf("RESULT benchmark=%s backend=%s units=%zu nodes=%llu figure=\"%s\" verified=%s\n",
         benchmark, bench_backend(), job->nunits, (unsigned long long)job->nnodes, figure,
         verified ? "yes" : "no");
}

void bench_fail(const char *file, int line, const char *call, dart_ret_t ret)
{
  fprintf(stderr, "%s:%d: %s returned %d\n", file, line, call, (int)ret);
  dart_abort(BENCH_FAILED);
}

bool bench_selects(const char *patterns, const char *name)
{
  char *copy, *next, *pattern;
  bool  found = false;

  if (patterns == NULL)
    return true;
  next = copy = strdup(patterns);
  if (copy == NULL)
    dart_abort(BENCH_FAILED);
  while ((pattern = strsep(&next, ",")) != NULL)
    found |= fnmatch(pattern, name, 0) == 0;
  free(copy);
  return found;
}
