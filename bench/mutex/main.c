/* Mutexes of all units: dart_lock beside the two of Ross et al. and MPI's exclusive lock, a pthread mutex in shared
 * memory, fcntl, and a range lock of DART. The experiments are those of Ross, Latham, Gropp, Thakur, Toonen
 * (Implementing MPI-IO Atomic Mode Without File System Support, CCGrid 2005):
 *
 *   free       acquire and release while nobody else wants it, by the first unit and by the last: ns
 *   contended  every unit does rounds of acquire, work, release: the overhead in per cent, (elapsed - work) / elapsed,
 *              and how unfair that was: the longest wait of any unit divided by the mean, and the share of their turns
 *              that the other units had done when the first unit had done all of its own
 *
 * Work is a loop that looks at the clock, or a sleep, which leaves the cores to those that wait; of a sleep the
 * time counts as work that it took in fact. Besides, there is an addition without atomics, which tells whether
 * it is a mutex. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "mutex.h"

enum { MOST_WORKS = 16, LEAST_ROUNDS = 3 };

typedef struct {
  uint64_t    rounds;
  uint64_t    seconds; /* 0: no limit */
  uint64_t    works[MOST_WORKS];
  size_t      nworks;
  const char *only;
  char       *folder;
  bool        sleeps;
  bool        as_csv;
} options_t;

static bench_job_t job;

/* A line of the table. Times in ns; of free ones `turn` is both calls, `acquire` and `release` are each by the clock. */
typedef struct {
  const char *what;
  uint64_t    work_us;
  uint64_t    rounds;
  double      turn;
  double      overhead;
  double      unfairness;
  double      others; /* the share of their turns that they had done when the first ended, % */
  double      acquire;
  double      release;
} line_t;

static void print(const options_t *options, const mutex_side_t *side, const line_t *l)
{
  if (job.me != 0)
    return;
  if (options->as_csv)
    printf("%s,%s,%zu,%llu,%llu,%llu,%.1f,%.2f,%.1f,%.1f,%.1f\n", l->what, side->name, job.nunits,
           (unsigned long long)job.nnodes, (unsigned long long)l->work_us,
           (unsigned long long)l->rounds, l->turn, l->overhead, l->unfairness, l->acquire,
           l->release);
  else if (l->acquire > 0)
    printf("%-10s %-9s %9.1f ns; by the clock, acquire %.1f, release %.1f\n", l->what, side->name,
           l->turn, l->acquire, l->release);
  else
    printf("%-10s %-9s %3zu units %6llu us of work: overhead %6.2f %%, %9.2f us a turn, longest "
           "wait / mean %6.1f, others' turns %3.0f %% (%llu rounds)\n",
           l->what, side->name, job.nunits, (unsigned long long)l->work_us, l->overhead,
           l->turn * 1e-3, l->unfairness, l->others, (unsigned long long)l->rounds);
  fflush(stdout); /* a run that is stopped leaves what it has measured */
}

/* ---- measuring ------------------------------------------------------------------------------------- */

static double sum(double value)
{
  double all;

  BENCH_OK(dart_allreduce(&value, &all, 1, DART_TYPE_DOUBLE, DART_OP_SUM, DART_TEAM_ALL));
  return all;
}

static void work(double seconds)
{
  double end = bench_seconds() + seconds;

  while (seconds > 0 && bench_seconds() < end)
    ;
}

/* Both calls in turn, then each by the clock, with time for what a release has left to others. */
static void pass_alone(const mutex_side_t *side, line_t *l)
{
  double start = bench_seconds();

  for (uint64_t i = 0; i < l->rounds; i++) {
    side->acquire();
    side->release();
  }
  l->turn = (bench_seconds() - start) / (double)l->rounds * 1e9;
  for (uint64_t i = 0; i < l->rounds; i++) {
    double before = bench_seconds(), between, after;

    side->acquire();
    between = bench_seconds();
    side->release();
    after = bench_seconds();
    l->acquire += (between - before) / (double)l->rounds * 1e9;
    l->release += (after - between) / (double)l->rounds * 1e9;
    work(10e-6);
  }
}

/* How many rounds fit into --seconds, if given: a few rounds tell how long one takes. */
static uint64_t free_rounds(const mutex_side_t *side, const options_t *options, uint64_t most)
{
  enum { FIRST = 4 };
  double start = bench_seconds(), fit;

  for (int i = 0; i < FIRST; i++) {
    side->acquire();
    side->release();
  }
  fit = (double)options->seconds * FIRST / (bench_seconds() - start);
  if (options->seconds == 0 || fit > (double)most)
    return most;
  return fit > LEAST_ROUNDS ? (uint64_t)fit : LEAST_ROUNDS;
}

/* One unit has the mutex for itself; the others wait in a barrier, which makes progress. */
static void measure_free(const mutex_side_t *side, const options_t *options, dart_unit_t unit)
{
  line_t l = { .what = unit == 0 ? "free-first" : "free-last", .rounds = 2000 };

  side->meet();
  if (job.me == unit) {
    l.rounds = free_rounds(side, options, l.rounds);
    pass_alone(side, &l);
  }
  side->meet();
  l.rounds  = (uint64_t)bench_max(job.me == unit ? (double)l.rounds : 0);
  l.turn    = bench_max(l.turn);
  l.acquire = bench_max(l.acquire);
  l.release = bench_max(l.release);
  print(options, side, &l);
}

/* Work for that time; returns how long it took. */
static double work_or_sleep(double seconds, bool sleeps)
{
  double          start = bench_seconds();
  struct timespec time  = { (time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9) };

  if (!sleeps || seconds <= 0) { /* a sleep of nothing takes time, too */
    work(seconds);
    return seconds;
  }
  nanosleep(&time, NULL);
  return bench_seconds() - start;
}

/* What is under the mutex: a counter of turns in the first unit's memory, and time. Returns that of the work. */
static double pass(dart_gptr_t counter, double seconds, bool sleeps, int64_t *count_out)
{
  BENCH_OK(dart_get_blocking(count_out, counter, 1, DART_TYPE_LONG, DART_TYPE_LONG));
  seconds = work_or_sleep(seconds, sleeps);
  ++*count_out;
  BENCH_OK(dart_put_blocking(counter, count_out, 1, DART_TYPE_LONG, DART_TYPE_LONG));
  return seconds;
}

/* The rounds of this unit, and from them the line. */
static void contend(const mutex_side_t *side, dart_gptr_t counter, bool sleeps, line_t *l)
{
  double  start, waited = 0, longest = 0, worked = 0, mean, elapsed, others;
  double  turns = (double)(job.nunits * l->rounds);
  int64_t count = 0;

  side->meet();
  start = bench_seconds();
  for (uint64_t i = 0; i < l->rounds; i++) {
    double before = bench_seconds(), wait;

    side->acquire();
    wait = bench_seconds() - before;
    waited += wait;
    longest = wait > longest ? wait : longest;
    worked += pass(counter, (double)l->work_us * 1e-6, sleeps, &count);
    side->release();
  }
  side->meet();
  elapsed       = bench_max(bench_seconds() - start);
  longest       = bench_max(longest);
  mean          = sum(waited) / turns;
  others        = -bench_max(-(double)count) - (double)l->rounds;
  l->turn       = elapsed / turns * 1e9;
  l->overhead   = 100 * (elapsed - sum(worked)) / elapsed;
  l->unfairness = mean > 0 ? longest / mean : 0;
  l->others     = job.nunits > 1 ? 100 * others / (turns - (double)l->rounds) : 100;
}

/* Rounds that fit the time, where that is limited. */
static uint64_t rounds_of(const options_t *options, uint64_t work_us)
{
  uint64_t a_round = work_us * job.nunits, most = options->rounds;

  if (options->seconds > 0 && a_round > 0 && options->seconds * 1000000 / a_round < most)
    most = options->seconds * 1000000 / a_round;
  return most > LEAST_ROUNDS ? most : LEAST_ROUNDS;
}

/* False: two units were in it at a time. */
static bool measure_contended(const mutex_side_t *side, const options_t *options, uint64_t work_us)
{
  line_t      l = { "contended", .work_us = work_us, .rounds = rounds_of(options, work_us) };
  dart_gptr_t counter;
  int64_t     count = 0;

  BENCH_OK(dart_team_memalloc_aligned(DART_TEAM_ALL, 1, DART_TYPE_LONG, &counter));
  if (job.me == 0)
    BENCH_OK(dart_put_blocking(counter, &count, 1, DART_TYPE_LONG, DART_TYPE_LONG));
  BENCH_OK(dart_barrier(DART_TEAM_ALL));
  contend(side, counter, options->sleeps, &l);
  BENCH_OK(dart_get_blocking(&count, counter, 1, DART_TYPE_LONG, DART_TYPE_LONG));
  BENCH_OK(dart_barrier(DART_TEAM_ALL));
  BENCH_OK(dart_team_memfree(counter));
  if (count != (int64_t)(job.nunits * l.rounds)) {
    bench_complain(&job, "%s: two units held it at a time", side->name);
    return false;
  }
  print(options, side, &l);
  return true;
}

static bool is_wanted(const mutex_side_t *side, const options_t *options)
{
  return (side->scope != ON_ONE_NODE || job.nnodes == 1) &&
         (options->only == NULL || strstr(options->only, side->name) != NULL);
}

static bool measure(const mutex_side_t *side, const options_t *options)
{
  bool right = true;

  if (!is_wanted(side, options))
    return true;
  side->open(&job);
  measure_free(side, options, 0);
  if (job.nunits > 1)
    measure_free(side, options, (dart_unit_t)job.nunits - 1);
  for (size_t i = 0; i < options->nworks && side->scope != ONLY_FREE; i++)
    right = measure_contended(side, options, options->works[i]) && right;
  side->close();
  return right;
}

/* ---- the command line ------------------------------------------------------------------------------- */

static error_t parse_works(struct argp_state *state, char *text, options_t *options)
{
  char *rest = text, *word;

  options->nworks = 0;
  while ((word = strsep(&rest, ",")) != NULL) {
    if (options->nworks == MOST_WORKS)
      return bench_bad_value(state, "--work", text, "at most 16 numbers");
    if (bench_number(state, "--work", word, 0, 10000000, &options->works[options->nworks++]) != 0)
      return EINVAL;
  }
  return 0;
}

static error_t parse(int key, char *text, struct argp_state *state)
{
  options_t *options = state->input;

  switch (key) {
  case 'r': return bench_number(state, "--rounds", text, 1, 1000000, &options->rounds);
  case 's': return bench_number(state, "--seconds", text, 1, 100000, &options->seconds);
  case 'w': return parse_works(state, text, options);
  case 'o': options->only = text; return 0;
  case 'z': options->sleeps = true; return 0;
  case 'f': options->folder = text; return 0;
  case 'c': options->as_csv = true; return 0;
  default: return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp_option known[] = {
  { "rounds", 'r', "N", 0, "Each unit acquires the mutex N times (100)", 0 },
  { "seconds", 's', "S", 0,
    "Take fewer turns, but at least 3, where their work would take longer than S seconds", 0 },
  { "work", 'w', "US,...", 0,
    "Work so many microseconds with the mutex held; of several, one after the other (0)", 0 },
  { "sleep", 'z', NULL, 0, "Work by sleeping, so that it needs no core", 0 },
  { "only", 'o', "NAMES", 0, "Measure only mutexes whose name occurs in this text", 0 },
  { "folder", 'f', "PATH", 0, "Make the file for fcntl in this folder (/tmp)", 0 },
  { "csv", 'c', NULL, 0, "Print the lines of CSV that bench/mutexes collects", 0 },
  { 0 }
};

static const struct argp arguments = {
  .options = known,
  .parser  = parse,
  .doc     = "Compare mutexes of all units: dart_lock_acquire, two algorithms over one-sided "
             "communication, the exclusive lock of MPI (mutex-mpi), a pthread mutex in shared "
             "memory, fcntl, and a range lock. Printed are the time to acquire and release a "
             "free mutex, and, with all units in turns, the overhead in per cent and how "
             "unfair the turns were."
             "\v"
             "Examples:\n"
             "  dartrun -n 4 mutex-shmem --rounds=1000\n"
             "  dartrun -n 4 --nodes 2 mutex-mpi --work=0,100,1000 --only=dart",
};

int main(int argc, char **argv)
{
  options_t options = { .rounds = 100, .nworks = 1, .folder = "/tmp" };
  bool      right   = true;
  long      number  = getpid();
  int       code;

  job = bench_start(&argc, &argv);
  if (bench_parse(&job, &arguments, argc, argv, &options, &code)) {
    BENCH_OK(dart_bcast(&number, 1, DART_TYPE_LONG, DART_TEAM_UNIT_ID(0), DART_TEAM_ALL));
    mutex_file(options.folder, number);
    for (const mutex_side_t *side = mutex_own_sides; side->name != NULL; side++)
      right = measure(side, &options) && right;
    for (const mutex_side_t *side = mutex_mpi_sides; side->name != NULL; side++)
      right = measure(side, &options) && right;
    bench_result(&job, "mutex", "see above", right);
    code = right ? BENCH_VERIFIED : BENCH_FAILED;
  }
  BENCH_OK(dart_exit());
  return code;
}
