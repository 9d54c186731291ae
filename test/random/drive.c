/* The driver: jobs with shapes and settings that are drawn, one after the other, until the time limit;
 * first those that failed once (the file `seeds`, and lists). A failure is printed with the command that
 * repeats it, and made smaller. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "random_job.h"
#include "schedule.h"
#include "shrink.h"
#include "text.h"
#include "totals.h"

enum { FORCED_MAX = 16, JOB_SECONDS = 4 };

typedef struct {
  const char *build, *program, *backend; /* backend NULL: both */
  const char *seeds, *list;
  const char *forced[FORCED_MAX];
  int         nforced;
  uint64_t    seed;
  double      seconds, shrink_seconds, job_seconds;
  unsigned    round_seconds, times;
  unsigned    units, nodes; /* of all jobs that are drawn; 0: drawn, too */
  bool        kills, keep_going, must_fail, must_hang, is_verbose;
} options_t;

static double now(void)
{
  struct timespec t;

  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- failures -------------------------------------------------------------------------------- */

static const char *name_of_end(job_end_t end)
{
  static const char *const names[] = { [JOB_PASSED]      = "passed",
                                       [JOB_FAILED]      = "failed",
                                       [JOB_CRASHED]     = "crashed",
                                       [JOB_HUNG]        = "did not end",
                                       [JOB_NOT_STARTED] = "did not start" };

  return names[end];
}

static void print_list(const job_t *job, const list_t *list)
{
  for (int i = 0; i < job->nsettings; i++)
    printf("set %s\n", job->settings[i]);
  printf("backend %s\nnodes %d\n", job->backend, job->nodes);
  text_print(stdout, list);
}

static void shrink_failure(const options_t *o, job_t *job, list_t *list)
{
  char   path[64];
  size_t before = list->n;
  int    units  = list->shape.units;

  printf("random: shrinking %zu operations ...\n", before);
  fflush(stdout);
  if (!shrink(job, list, o->shrink_seconds)) {
    printf("random: it did not fail again; the command above is all there is\n");
    return;
  }
  printf("random: %zu of %zu operations and %d of %d units are left:\n", list->n, before,
         list->shape.units, units);
  print_list(job, list);
  snprintf(path, sizeof path, "random-%llu.list", (unsigned long long)job->seed);
  if (shrink_write(path, job, list))
    printf("random: to repeat it: random-drive --build %s --list %s --times %u\n", o->build, path,
           job->times);
}

/* As it can be repeated: one schedule alone, if it is one of a seed. */
static job_t alone(const job_t *failed, const job_result_t *result)
{
  job_t job = *failed;

  if (job.list[0] != '\0' ||
      job.kills) /* a schedule runs on the units that survived those before it */
    return job;
  job.seed      = result->seed;
  job.schedules = 1;
  job.seconds   = 0;
  return job;
}

static void print_failure(const job_t *job, const job_result_t *result)
{
  static char text[JOB_TEXT_MAX];

  job_text(job, text);
  printf("random: a job %s (code %d)\n%s\nrandom: to repeat it: %s\n", name_of_end(result->end),
         result->code, result->output, text);
  if (job->list[0] != '\0')
    return;
  printf("random: as a line of seeds: %s units=%d nodes=%d threads=%d seed=%llu", job->backend,
         job->units, job->nodes, job->threads, (unsigned long long)job->seed);
  if (job->kills)
    printf(" kill=%llu", (unsigned long long)(result->seed - job->seed + 1));
  for (int i = 0; i < job->nsettings; i++)
    printf(" %s", job->settings[i]);
  printf("\n");
}

static void report_failure(const options_t *o, const job_t *failed, const job_result_t *result)
{
  job_t  job  = alone(failed, result), read;
  list_t list = { .n = 0 };

  print_failure(&job, result);
  if (o->shrink_seconds <= 0 || job.kills || result->end == JOB_NOT_STARTED)
    return;
  read = job;
  if (job.list[0] == '\0')
    list = schedule_draw(job.seed, job.units, job.threads);
  else if (!shrink_read(job.list, &read, &list))
    return;
  shrink_failure(o, &job, &list);
  list_free(&list);
}

/* ---- jobs ------------------------------------------------------------------------------------ */

static job_t new_job(const options_t *o, const char *backend)
{
  job_t job = {
    .build = o->build, .program = o->program, .round_seconds = o->round_seconds, .kills = o->kills
  };

  snprintf(job.backend, sizeof job.backend, "%s", backend);
  return job;
}

/* Whether a mutant is found by that. Where machines are busy a start can take as long as a round that does not end. */
static bool is_found(const options_t *o, const job_result_t *result)
{
  static const char line[] = "random: operation: ";
  const char       *at     = result->output;

  if (!o->must_hang)
    return result->end == JOB_FAILED;
  while (result->end == JOB_HUNG && (at = strstr(at, line)) != NULL) {
    at += sizeof line - 1;
    if (isdigit((unsigned char)*at))
      return true;
  }
  return false;
}

/* True: it passed, or has to fail and did not by that. */
static bool run(const options_t *o, const job_t *job, totals_t *totals)
{
  static job_result_t result;
  static char         text[JOB_TEXT_MAX];

  job_text(job, text);
  if (o->is_verbose)
    printf("%s\n", text);
  fflush(stdout);
  job_run(job, &result);
  totals_add(totals, result.output);
  if (result.end == JOB_PASSED)
    return true;
  totals->failures++;
  totals->not_started += result.end == JOB_NOT_STARTED;
  report_failure(o, job, &result);
  return (o->must_fail || o->must_hang) && !is_found(o, &result);
}

/* A list that stands in a file beside the file of seeds. */
static bool list_beside(const options_t *o, const char *name, job_t *job)
{
  const char *slash = strrchr(o->seeds, '/');
  list_t      list;

  snprintf(job->list, sizeof job->list, "%.*s%s", slash != NULL ? (int)(slash - o->seeds) + 1 : 0,
           o->seeds, name);
  if (!shrink_read(job->list, job, &list))
    return false;
  list_free(&list);
  job->times   = o->times;
  job->seconds = o->job_seconds;
  return true;
}

/* "list FILE", or a job with a seed. */
static bool parse_seed(const options_t *o, const char *line, job_t *job)
{
  char name[128];

  if (sscanf(line, "list %127s", name) == 1)
    return list_beside(o, name, job);
  job->schedules = 1;
  return job_parse(line, job);
}

/* What failed once: seeds, and lists that were made small. */
static bool run_seeds(const options_t *o, totals_t *totals)
{
  FILE *from = o->seeds != NULL ? fopen(o->seeds, "re") : NULL;
  char  line[1024];
  bool  good = true;

  if (o->seeds != NULL && from == NULL) {
    perror(o->seeds);
    return false;
  }
  while (from != NULL && (good || o->keep_going) && fgets(line, sizeof line, from) != NULL) {
    job_t job = new_job(o, "");

    if (line[0] == '#' || line[0] == '\n')
      continue;
    if (!parse_seed(o, line, &job)) {
      fprintf(stderr, "random: %s: no job: %s", o->seeds, line);
      good = false;
    } else if (o->backend == NULL || strcmp(o->backend, job.backend) == 0)
      good &= run(o, &job, totals);
  }
  if (from != NULL)
    fclose(from);
  return good;
}

static bool run_drawn(const options_t *o, totals_t *totals)
{
  draw_t draw = { o->seed };
  double end  = now() + o->seconds;
  bool   good = true;

  for (uint64_t i = 0; now() < end && (good || o->keep_going); i++) {
    const char *backend = o->backend != NULL ? o->backend : i % 4 == 0 ? "shmem" : "mpi";
    job_t       job     = new_job(o, backend);
    double      left    = end - now();

    job.units = (int)o->units;
    job.nodes = (int)o->nodes;
    job_draw(&job, &draw, o->forced, o->nforced);
    job.seed    = draw_bits(&draw) % 1000000000;
    job.seconds = left < o->job_seconds ? left : o->job_seconds;
    good &= run(o, &job, totals);
  }
  return good;
}

static bool run_list(const options_t *o, totals_t *totals)
{
  job_t  job = new_job(o, o->backend != NULL ? o->backend : "mpi");
  list_t list;

  if (!shrink_read(o->list, &job, &list))
    return false;
  list_free(&list);
  for (int i = 0; i < o->nforced; i++)
    job_set(&job, o->forced[i]);
  snprintf(job.list, sizeof job.list, "%s", o->list);
  job.times   = o->times;
  job.seconds = o->seconds;
  return run(o, &job, totals);
}

/* ---- main ------------------------------------------------------------------------------------ */

static const char usage[] =
    "usage: random-drive --build FOLDER [--backend shmem|mpi] [--seconds N] [--seed N] [--seeds "
    "FILE]\n"
    "         [--units N] [--nodes N] [--set NAME=VALUE]... [--program FILE]\n"
    "         [--job-seconds N] [--round-seconds N] [--kill]\n"
    "         [--shrink N] [--keep-going] [--must-fail | --must-hang] [-v]\n"
    "       random-drive --build FOLDER --list FILE [--times N] [--shrink N]\n"
    "Runs the differential tester with all kinds of settings. --set forces one of them. Jobs\n"
    "have 1 to 6 units on 1 to 4 nodes; --units and --nodes fix that, up to 64 units. With\n"
    "--shrink 0 failures are left as they are, else it is the seconds for making each smaller.\n"
    "For mutants success is a difference that is found (--must-fail), or an operation that does\n"
    "not end (--must-hang); no crash. With --kill units are killed in each schedule.\n";

static void bad_usage(void)
{
  fputs(usage, stderr);
  exit(2);
}

/* An option and where its value goes. */
typedef struct {
  const char *name;
  enum { TEXT, COUNT, LARGE, REAL, FLAG, SETTING } kind;
  void *to;
} option_t;

static void take_setting(options_t *o, const char *setting)
{
  if (o->nforced == FORCED_MAX || strchr(setting, '=') == NULL)
    bad_usage();
  o->forced[o->nforced++] = setting;
}

static void take_option(const option_t *option, const char *value)
{
  switch (option->kind) {
  case TEXT: *(const char **)option->to = value; break;
  case COUNT: *(unsigned *)option->to = (unsigned)strtoul(value, NULL, 10); break;
  case LARGE: *(uint64_t *)option->to = strtoull(value, NULL, 10); break;
  case REAL: *(double *)option->to = strtod(value, NULL); break;
  case FLAG: *(bool *)option->to = true; break;
  case SETTING: take_setting(option->to, value); break;
  }
}

static void read_options(int argc, char **argv, options_t *o)
{
  const option_t known[] = {
    { "--build", TEXT, &o->build },
    { "--program", TEXT, &o->program },
    { "--backend", TEXT, &o->backend },
    { "--seeds", TEXT, &o->seeds },
    { "--list", TEXT, &o->list },
    { "--set", SETTING, o },
    { "--seed", LARGE, &o->seed },
    { "--seconds", REAL, &o->seconds },
    { "--shrink", REAL, &o->shrink_seconds },
    { "--job-seconds", REAL, &o->job_seconds },
    { "--round-seconds", COUNT, &o->round_seconds },
    { "--units", COUNT, &o->units },
    { "--nodes", COUNT, &o->nodes },
    { "--times", COUNT, &o->times },
    { "--kill", FLAG, &o->kills },
    { "--keep-going", FLAG, &o->keep_going },
    { "--must-fail", FLAG, &o->must_fail },
    { "--must-hang", FLAG, &o->must_hang },
    { "-v", FLAG, &o->is_verbose },
  };
  size_t n = sizeof known / sizeof known[0], k;

  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--help") == 0) {
      fputs(usage, stdout);
      exit(0);
    }
    for (k = 0; k < n && strcmp(known[k].name, argv[i]) != 0; k++)
      ;
    if (k == n || (known[k].kind != FLAG && ++i == argc))
      bad_usage();
    take_option(&known[k], argv[i]);
  }
  if (o->build == NULL || o->units > UNITS_MAX || o->nodes > UNITS_MAX ||
      (o->units > 0 && o->nodes > o->units))
    bad_usage();
}

static uint64_t new_seed(void)
{
  uint64_t seed;

  if (getrandom(&seed, sizeof seed, 0) != (ssize_t)sizeof seed)
    seed = (uint64_t)time(NULL);
  return seed % 1000000000;
}

int main(int argc, char **argv)
{
  static totals_t totals;
  options_t       o = { .seconds        = 10,
                        .shrink_seconds = 60,
                        .job_seconds    = JOB_SECONDS,
                        .round_seconds  = 30,
                        .times          = 20,
                        .seed           = new_seed() };
  bool            good;

  read_options(argc, argv, &o);
  if (o.list != NULL)
    good = run_list(&o, &totals);
  else {
    printf("random: seed %llu\n", (unsigned long long)o.seed);
    good = run_seeds(&o, &totals);
    if (good || o.keep_going)
      good &= run_drawn(&o, &totals);
  }
  totals_print(&totals, o.is_verbose);
  if (o.kills && totals.schedules == 0) {
    printf("random: no job came to a schedule in its time\n");
    return EXIT_FAILURE;
  }
  if (totals.not_started > 0) /* nothing was tested, and nothing found */
    return EXIT_FAILURE;
  return good != (o.must_fail || o.must_hang) ? EXIT_SUCCESS : EXIT_FAILURE;
}
