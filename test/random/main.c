/* The differential tester: units that execute schedules drawn from seeds, or one that was written down,
 * and compare every byte and every result with a sequential model of the same schedule.
 *
 *   dartrun -n 3 dart-random-shmem --seed 1 --seconds 10
 *
 * A difference, an error, a crash or a round that takes too long ends the job with a line that names the
 * seed and the operation. drive.c starts jobs with all kinds of settings and makes failures smaller. */
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <dash/dart/ext/dart_survive.h>

#include "base/counters.h"
#include "base/sanitizer.h"
#include "draw.h"
#include "run_common.h"
#include "schedule.h"
#include "text.h"

typedef struct {
  uint64_t    seed;
  uint64_t    schedules; /* how many; 0: until the time limit */
  double      seconds;
  const char *list;        /* a file; NULL: schedules are drawn */
  unsigned    times;       /* that a list is executed */
  const char *state;       /* a file in which unit 0 notes the seed it is at */
  int         print_units; /* print the schedule for so many units, execute nothing */
} options_t;

static const char usage[] =
    "usage: dart-random [--seed N] [--schedules N] [--seconds N] [--kill] [--threads N]\n"
    "         [--round-seconds N] [-v]\n"
    "       dart-random --list FILE [--times N] [--round-seconds N] [-v]\n"
    "       dart-random --print UNITS [--seed N] [--threads N]\n"
    "Executes schedules of operations that a seed draws, or those of a list, and compares memory\n"
    "with a model; --print shows the schedule of a seed. With --kill units are killed.\n"
    "A job has as many units as dartrun starts, at most 64. random-drive runs many such jobs.\n";

static void bad_usage(void)
{
  fputs(usage, stderr);
  exit(2);
}

static void read_options(int argc, char **argv, options_t *options, unit_t *unit)
{
  enum { SEED, SCHEDULES, SECONDS, THREADS, ROUND_SECONDS, LIST, TIMES, PRINT, STATE, KILL, HELP };
  static const struct option known[] = {
    { "seed", 1, NULL, SEED },       { "schedules", 1, NULL, SCHEDULES },
    { "seconds", 1, NULL, SECONDS }, { "threads", 1, NULL, THREADS },
    { "list", 1, NULL, LIST },       { "round-seconds", 1, NULL, ROUND_SECONDS },
    { "times", 1, NULL, TIMES },     { "print", 1, NULL, PRINT },
    { "state", 1, NULL, STATE },     { "kill", 0, NULL, KILL },
    { "help", 0, NULL, HELP },       { NULL, 0, NULL, 0 },
  };

  for (int c; (c = getopt_long(argc, argv, "v", known, NULL)) >= 0;)
    switch (c) {
    case SEED: options->seed = strtoull(optarg, NULL, 10); break;
    case SCHEDULES: options->schedules = strtoull(optarg, NULL, 10); break;
    case SECONDS: options->seconds = strtod(optarg, NULL); break;
    case THREADS: unit->shape.threads = atoi(optarg); break;
    case ROUND_SECONDS: unit->seconds = (unsigned)atoi(optarg); break;
    case LIST: options->list = optarg; break;
    case TIMES: options->times = (unsigned)atoi(optarg); break;
    case PRINT: options->print_units = atoi(optarg); break;
    case STATE: options->state = optarg; break;
    case KILL: unit->kills = true; break;
    case 'v': unit->is_verbose = true; break;
    case HELP: fputs(usage, stdout); exit(0);
    default: bad_usage();
    }
  if (optind != argc || unit->shape.threads < 1 || unit->shape.threads > THREADS_MAX ||
      options->print_units > UNITS_MAX)
    bad_usage();
}

/* ---- signals --------------------------------------------------------------------------------- */

static void on_alarm(int signal)
{
  (void)signal;
  run_say_where("the round takes too long");
  _exit(3);
}

static void on_crash(int number)
{
  run_say_where(number == SIGABRT ? "aborted" : "crashed");
  signal(number, SIG_DFL);
  raise(number);
}

static void catch_signals(void)
{
  signal(SIGALRM, on_alarm);
#if !DART__ASAN /* which says more */
  signal(SIGSEGV, on_crash);
  signal(SIGBUS, on_crash);
#endif
  signal(SIGFPE, on_crash);
  signal(SIGABRT, on_crash);
}

/* ---- schedules ------------------------------------------------------------------------------- */

static double now(void)
{
  struct timespec t;

  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* What unit 0 thinks, on all. */
static bool agree(const unit_t *unit, bool mine)
{
  RUN_OK(unit, NULL,
         dart_bcast(&mine, sizeof mine, DART_TYPE_BYTE, DART_TEAM_UNIT_ID(0), unit->team[0]));
  return mine;
}

/* Where whoever finds the job dead can read it. */
static void note_seed(const unit_t *unit, const options_t *options)
{
  int fd;

  if (unit->me != 0 || options->state == NULL)
    return;
  fd = open(options->state, O_WRONLY);
  if (fd < 0 || pwrite(fd, &unit->seed, sizeof unit->seed, 0) < 0)
    perror(options->state);
  close(fd);
}

static void cycle(unit_t *unit)
{
  run_phase(unit, "dart_exit and dart_init between schedules");
  RUN_OK(unit, NULL, dart_exit());
  if (!run_init(unit, NULL, NULL))
    run_fail(unit, NULL, "DART cannot be started again");
}

static uint64_t run_seeds(unit_t *unit, const options_t *options)
{
  double   end  = now() + options->seconds;
  uint64_t done = 0;

  while (agree(unit, ((options->schedules > 0 && done < options->schedules) ||
                      (options->schedules == 0 && now() < end)) &&
                         (!unit->kills || unit->shape.units > 1))) {
    list_t list;

    unit->seed = options->seed + done;
    note_seed(unit, options);
    list             = schedule_draw(unit->seed, unit->shape.units, unit->shape.threads);
    unit->shape.salt = list.shape.salt;
    if (unit->kills)
      run_leave_out(unit, &list);
    run_list(unit, &list);
    list_free(&list);
    if (++done % 16 == 0 && !unit->kills)
      cycle(unit);
  }
  return done;
}

static uint64_t run_file(unit_t *unit, const options_t *options)
{
  list_t   list;
  op_t     round = op_new(ROUND);
  double   end   = now() + options->seconds;
  uint64_t salt, done = 0;

  if (!text_read(options->list, &list) || list.shape.units != unit->shape.units ||
      list.shape.threads != unit->shape.threads)
    run_fail(unit, NULL, "the list is for %d units of %d threads", list.shape.units,
             list.shape.threads);
  rules_filter(&list);
  if (list.n == 0 || list.op[list.n - 1].kind != ROUND)
    list_add(&list, &round);
  salt = list.shape.salt;
  while (agree(unit, done < options->times && (options->seconds <= 0 || now() < end))) {
    unit->shape.salt = mix(salt, done++, 9); /* other patterns, or old ones would pass for new */
    run_list(unit, &list);
  }
  list_free(&list);
  return done;
}

/* The paths that were taken, by all units, and how much was done. */
static void report(unit_t *unit, uint64_t schedules)
{
  uint64_t mine[DART__NCOUNTERS + 1], sum[DART__NCOUNTERS + 1];
  double   longest = 0;

  for (int i = 0; i < DART__NCOUNTERS; i++)
    mine[i] = dart__counted((dart__counter_t)i);
  mine[DART__NCOUNTERS] = unit->operations;
  RUN_OK(
      unit, NULL,
      dart_allreduce(mine, sum, DART__NCOUNTERS + 1, DART_TYPE_ULONG, DART_OP_SUM, unit->team[0]));
  RUN_OK(unit, NULL,
         dart_allreduce(&unit->longest, &longest, 1, DART_TYPE_DOUBLE, DART_OP_MAX, unit->team[0]));
  if (unit->me != 0)
    return;
  printf("random: %llu schedules, %llu operations\n", (unsigned long long)schedules,
         (unsigned long long)mine[DART__NCOUNTERS]);
  for (int i = 0; unit->is_verbose && i < DART__NCOUNTERS; i++)
    if (dart__counter_kind((dart__counter_t)i) == DART__KIND_EVENTS)
      printf("path %llu %s\n", (unsigned long long)sum[i], dart__counter_name((dart__counter_t)i));
  if (unit->kills)
    printf("random: %llu units lost; unit 0: %llu operations at risk, %llu not; the longest took "
           "%.3f s\n",
           (unsigned long long)unit->losses, (unsigned long long)unit->at_risk,
           (unsigned long long)unit->firm, longest);
  fflush(stdout);
}

static int print_schedule(const options_t *options, const unit_t *unit)
{
  list_t list = schedule_draw(options->seed, options->print_units, unit->shape.threads);

  text_print(stdout, &list);
  list_free(&list);
  return 0;
}

/* A list says how many threads it is for; that has to be known before DART starts. */
static void take_threads(unit_t *unit, const options_t *options)
{
  list_t list;

  if (options->list == NULL)
    return;
  if (!text_read(options->list, &list))
    exit(2);
  unit->shape.threads = list.shape.threads;
  list_free(&list);
}

int main(int argc, char **argv)
{
  static unit_t      unit    = { .shape = { 0, 1, 0 }, .seconds = 60 };
  options_t          options = { .seed = 1, .times = 1 };
  dart_global_unit_t me;
  size_t             n;
  uint64_t           done;

  read_options(argc, argv, &options, &unit);
  if (options.print_units > 0)
    return print_schedule(&options, &unit);
  take_threads(&unit, &options);
  catch_signals();
  run_phase(&unit, "dart_init");
  if (!run_init(&unit, &argc, &argv))
    return 4;
  dart_myid(&me);
  dart_size(&n);
  unit.me          = me.id;
  unit.shape.units = (int)n;
  if (n > UNITS_MAX)
    run_fail(&unit, NULL, "%zu units are more than %d", n, UNITS_MAX);
  if (unit.kills && !dart_survives())
    run_fail(&unit, NULL, "--kill is for jobs with DART_SURVIVE=1");
  run_name_units(&unit);
  run_open_board(&unit);
  done = options.list != NULL ? run_file(&unit, &options) : run_seeds(&unit, &options);
  run_phase(&unit, "dart_exit, after all schedules");
  report(&unit, done);
  return dart_exit() == DART_OK ? EXIT_SUCCESS : 4;
}
