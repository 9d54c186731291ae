/* Mutexes of all units: dart_lock beside the two of Ross et al. and MPI's exclusive lock, a pthread mutex in shared
 * memory, fcntl, and a range lock of DART.
 *
 *   free       acquire and release while nobody else wants it, by the first unit and by the last: ns
 *   contended  every unit does rounds of acquire, work, release: the overhead in per cent, (elapsed - work) / elapsed,
 *              and the longest wait of any unit divided by the mean
 *
 * What is done under a mutex is an addition without atomics, which tells whether it is one. */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <dash/dart/ext/dart_near.h>
#include <dash/dart/ext/dart_range.h>

#include "mutex.h"

typedef struct {
  uint64_t    rounds;
  uint64_t    work_us;
  const char *only;
  char       *folder;
} options_t;

static bench_job_t job;

static void meet(void)
{
  BENCH_OK(dart_barrier(DART_TEAM_ALL));
}

/* ---- dart_lock, and a range -------------------------------------------------------------------- */

static dart_lock_t       lock;
static dart_range_t      range;
static dart_range_hold_t hold;

static void lock_open(const bench_job_t *j)
{
  (void)j;
  BENCH_OK(dart_team_lock_init(DART_TEAM_ALL, &lock));
}

static void lock_acquire(void)
{
  BENCH_OK(dart_lock_acquire(lock));
}

static void lock_release(void)
{
  BENCH_OK(dart_lock_release(lock));
}

static void lock_close(void)
{
  BENCH_OK(dart_team_lock_destroy(&lock));
}

static void range_open(const bench_job_t *j)
{
  (void)j;
  BENCH_OK(dart_team_range_init(DART_TEAM_ALL, 0, 0, &range));
}

static void range_acquire(void)
{
  dart_range_span_t span = { 0, 99, DART_RANGE_EXCLUSIVE };

  BENCH_OK(dart_range_acquire(range, &span, 1, -1, &hold));
}

static void range_release(void)
{
  BENCH_OK(dart_range_release(&hold));
}

static void range_close(void)
{
  BENCH_OK(dart_team_range_destroy(&range));
}

/* ---- pthread and fcntl --------------------------------------------------------------------------- */

static dart_gptr_t      memory;
static pthread_mutex_t *mutex;
static int              fd;
static char             path[300];

static void pthread_open(const bench_job_t *j)
{
  pthread_mutexattr_t attributes;

  BENCH_OK(dart_team_memalloc_aligned(DART_TEAM_ALL, sizeof *mutex, DART_TYPE_BYTE, &memory));
  mutex = dart_near_ptr(memory);
  if (j->me == 0) {
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    pthread_mutex_init(mutex, &attributes);
  }
  BENCH_OK(dart_barrier(DART_TEAM_ALL));
}

static void pthread_acquire(void)
{
  pthread_mutex_lock(mutex);
}

static void pthread_release(void)
{
  pthread_mutex_unlock(mutex);
}

static void pthread_close(void)
{
  BENCH_OK(dart_team_memfree(memory));
}

static void fcntl_open(const bench_job_t *j)
{
  (void)j;
  fd = open(path, O_RDWR | O_CREAT, 0600);
  BENCH_OK(dart_barrier(DART_TEAM_ALL));
}

static void fcntl_do(short type)
{
  struct flock all = { .l_type = type, .l_whence = SEEK_SET };

  if (fcntl(fd, F_SETLKW, &all) != 0)
    bench_fail(__FILE__, __LINE__, "fcntl", DART_ERR_OTHER);
}

static void fcntl_acquire(void)
{
  fcntl_do(F_WRLCK);
}

static void fcntl_release(void)
{
  fcntl_do(F_UNLCK);
}

static void fcntl_close(void)
{
  close(fd);
  BENCH_OK(dart_barrier(DART_TEAM_ALL));
  if (job.me == 0)
    unlink(path);
}

static const mutex_side_t own_sides[] = {
  { "dart", false, lock_open, lock_acquire, lock_release, lock_close, meet },
  { "range", false, range_open, range_acquire, range_release, range_close, meet },
  { "pthread", true, pthread_open, pthread_acquire, pthread_release, pthread_close, meet },
  { "fcntl", true, fcntl_open, fcntl_acquire, fcntl_release, fcntl_close, meet },
  { .name = NULL }
};

/* ---- measuring ------------------------------------------------------------------------------------- */

static double sum(double value)
{
  double all;

  BENCH_OK(dart_allreduce(&value, &all, 1, DART_TYPE_DOUBLE, DART_OP_SUM, DART_TEAM_ALL));
  return all;
}

/* Nanoseconds of a unit that has the mutex for itself; the others wait in a barrier, which makes progress. */
static double free_ns(const mutex_side_t *side, dart_unit_t unit)
{
  enum { TIMES = 2000 };
  double start = bench_seconds(), seconds = 0;

  side->meet();
  if (job.me == unit) {
    start = bench_seconds();
    for (int i = 0; i < TIMES; i++) {
      side->acquire();
      side->release();
    }
    seconds = bench_seconds() - start;
  }
  side->meet();
  return bench_max(seconds) / TIMES * 1e9;
}

static void work(double seconds)
{
  double end = bench_seconds() + seconds;

  while (seconds > 0 && bench_seconds() < end)
    ;
}

static bool contended(const mutex_side_t *side, const options_t *options)
{
  dart_gptr_t counter;
  void       *own;
  int64_t     count;
  double      start, elapsed, waited = 0, longest = 0, mean, busy = (double)options->work_us * 1e-6;

  BENCH_OK(dart_team_memalloc_aligned(DART_TEAM_ALL, 1, DART_TYPE_LONG, &counter));
  BENCH_OK(dart_gptr_getaddr(counter, &own));
  if (job.me == 0)
    *(int64_t *)own = 0;
  BENCH_OK(dart_barrier(DART_TEAM_ALL));
  start = bench_seconds();
  for (uint64_t i = 0; i < options->rounds; i++) {
    double before = bench_seconds(), wait;

    side->acquire();
    wait = bench_seconds() - before;
    waited += wait;
    longest = wait > longest ? wait : longest;
    BENCH_OK(dart_get_blocking(&count, counter, 1, DART_TYPE_LONG, DART_TYPE_LONG));
    work(busy);
    count++;
    BENCH_OK(dart_put_blocking(counter, &count, 1, DART_TYPE_LONG, DART_TYPE_LONG));
    side->release();
  }
  side->meet();
  elapsed = bench_max(bench_seconds() - start);
  longest = bench_max(longest);
  mean    = sum(waited) / (double)(job.nunits * options->rounds);
  BENCH_OK(dart_get_blocking(&count, counter, 1, DART_TYPE_LONG, DART_TYPE_LONG));
  busy *= (double)(job.nunits * options->rounds);
  if (job.me == 0)
    printf("contended  %-9s %3zu units %6llu us of work: overhead %6.2f %%, %9.2f us a turn, "
           "longest wait / mean %6.1f\n",
           side->name, job.nunits, (unsigned long long)options->work_us,
           100 * (elapsed - busy) / elapsed, elapsed / (double)(job.nunits * options->rounds) * 1e6,
           mean > 0 ? longest / mean : 0);
  BENCH_OK(dart_barrier(DART_TEAM_ALL));
  BENCH_OK(dart_team_memfree(counter));
  return count == (int64_t)(job.nunits * options->rounds);
}

static bool measure(const mutex_side_t *side, const options_t *options)
{
  bool   right;
  double first, last;

  if ((side->one_node && job.nnodes > 1) ||
      (options->only != NULL && strstr(options->only, side->name) == NULL))
    return true;
  side->open(&job);
  first = free_ns(side, 0);
  last  = free_ns(side, (dart_unit_t)job.nunits - 1);
  if (job.me == 0)
    printf("free       %-9s %9.1f ns by the first unit, %9.1f ns by the last\n", side->name, first,
           last);
  right = contended(side, options);
  side->close();
  if (!right)
    bench_complain(&job, "%s: two units held it at a time", side->name);
  return right;
}

static error_t parse(int key, char *text, struct argp_state *state)
{
  options_t *options = state->input;

  switch (key) {
  case 'r': return bench_number(state, "--rounds", text, 1, 1000000, &options->rounds);
  case 'w': return bench_number(state, "--work", text, 0, 10000000, &options->work_us);
  case 'o': options->only = text; return 0;
  case 'f': options->folder = text; return 0;
  default: return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp_option known[] = {
  { "rounds", 'r', "N", 0, "Turns of each unit (100)", 0 },
  { "work", 'w', "US", 0, "Microseconds of work in a turn (0)", 0 },
  { "only", 'o', "NAMES", 0, "Only mutexes whose name is in this text", 0 },
  { "folder", 'f', "PATH", 0, "Where fcntl has its file (/tmp)", 0 },
  { 0 }
};

static const struct argp arguments = { .options = known, .parser = parse };

int main(int argc, char **argv)
{
  options_t options = { .rounds = 100, .folder = "/tmp" };
  bool      right   = true;
  long      number  = getpid();
  int       code;

  job = bench_start(&argc, &argv);
  if (bench_parse(&job, &arguments, argc, argv, &options, &code)) {
    BENCH_OK(dart_bcast(&number, 1, DART_TYPE_LONG, DART_TEAM_UNIT_ID(0), DART_TEAM_ALL));
    snprintf(path, sizeof path, "%s/dart-mutex-%ld", options.folder, number);
    for (const mutex_side_t *side = own_sides; side->name != NULL; side++)
      right = measure(side, &options) && right;
    for (const mutex_side_t *side = mutex_mpi_sides; side->name != NULL; side++)
      right = measure(side, &options) && right;
    bench_result(&job, "mutex", "see above", right);
    code = right ? BENCH_VERIFIED : BENCH_FAILED;
  }
  BENCH_OK(dart_exit());
  return code;
}
