/* Single figures: an epoch of one small put beside a blocking put, to a far unit and to one that computes;
 * a fence beside a barrier; a contended lock beside the system's. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include <dash/dart/ext/dart_near.h>

#include "../common/shared.h"
#include "epochs.h"

enum { REPEATS = 7, PUTS = 300, FENCES = 2000, TURNS = 2000 };

static bench_job_t job;
static dart_gptr_t words; /* two of each unit */
static dart_unit_t partner;

static dart_gptr_t word_of(dart_unit_t unit)
{
  dart_gptr_t at = words;

  BENCH_OK(dart_gptr_setunit(&at, DART_TEAM_UNIT_ID(unit)));
  return at;
}

static int by_value(const void *left, const void *right)
{
  double a = *(const double *)left, b = *(const double *)right;

  return (a > b) - (a < b);
}

static double median(double *values, int n)
{
  qsort(values, (size_t)n, sizeof *values, by_value);
  return values[n / 2];
}

static void say(const char *what, double microseconds)
{
  if (job.me == 0)
    printf("%-44s %10.2f us\n", what, microseconds);
}

/* Microseconds of each of `n` calls, the median of several rounds, by unit 0 alone. */
static void by_unit_0(const char *what, void (*call)(void), int n)
{
  double took[REPEATS] = { 0 };

  for (int r = 0; r < REPEATS; r++) {
    BENCH_OK(dart_barrier(DART_TEAM_ALL));
    if (job.me == 0) {
      double start = bench_seconds();

      for (int i = 0; i < n; i++)
        call();
      took[r] = (bench_seconds() - start) / n * 1e6;
      BENCH_OK(dart_flush(word_of(partner)));
    }
    BENCH_OK(dart_barrier(DART_TEAM_ALL));
  }
  say(what, median(took, REPEATS));
}

static long value;

static void put_blocking(void)
{
  value++;
  BENCH_OK(dart_put_blocking(word_of(partner), &value, 1, DART_TYPE_LONG, DART_TYPE_LONG));
}

static void locked(int assertions)
{
  dart_gptr_t at = word_of(partner);

  value++;
  BENCH_OK(dart_epoch_lock(at, DART_EPOCH_EXCLUSIVE, 0));
  BENCH_OK(dart_put(at, &value, 1, DART_TYPE_LONG, DART_TYPE_LONG));
  BENCH_OK(dart_epoch_unlock(at, assertions));
}

static void locked_put(void)
{
  locked(0);
}

static void lazily_locked_put(void)
{
  locked(DART_EPOCH_LAZY);
}

/* ---- all together -------------------------------------------------------------------------- */

static void by_all(const char *what, void (*call)(void), int n)
{
  double took[REPEATS];

  for (int r = 0; r < REPEATS; r++) {
    double start;

    BENCH_OK(dart_barrier(DART_TEAM_ALL));
    start = bench_seconds();
    for (int i = 0; i < n; i++)
      call();
    took[r] = bench_max(bench_seconds() - start) / n * 1e6;
  }
  say(what, median(took, REPEATS));
}

static void barrier(void)
{
  BENCH_OK(dart_barrier(DART_TEAM_ALL));
}

static void fence(void)
{
  BENCH_OK(dart_epoch_fence(words, 0));
}

/* ---- a lock in turns ------------------------------------------------------------------------- */

static pthread_rwlock_t *system_lock;
static volatile long    *counter;

static void in_turns(void)
{
  dart_gptr_t at = word_of(0);

  BENCH_OK(dart_epoch_lock(at, DART_EPOCH_EXCLUSIVE, 0));
  BENCH_OK(dart_put(at, &value, 1, DART_TYPE_LONG, DART_TYPE_LONG));
  BENCH_OK(dart_epoch_unlock(at, 0));
}

static void in_turns_by_system(void)
{
  pthread_rwlock_wrlock(system_lock);
  *counter = value;
  pthread_rwlock_unlock(system_lock);
}

static void contended(void)
{
  pthread_rwlockattr_t attr;
  bench_shared_t       shared;

  if (bench_shared_create(&job, 4096, &shared) != DART_OK || bench_max(shared.base == NULL) > 0)
    return;
  system_lock = bench_shared_block(&shared, 0);
  counter     = (volatile long *)bench_shared_block(&shared, 0) + 256;
  if (job.me == 0) {
    pthread_rwlockattr_init(&attr);
    pthread_rwlockattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
    pthread_rwlock_init(system_lock, &attr);
  }
  BENCH_OK(dart_barrier(DART_TEAM_ALL));
  by_all("exclusive lock, put, unlock, all units", in_turns, TURNS);
  by_all("the same by pthread_rwlock", in_turns_by_system, TURNS);
  BENCH_OK(dart_barrier(DART_TEAM_ALL));
  bench_shared_free(&shared);
}

/* ---- a target that computes -------------------------------------------------------------------- */

static void while_it_computes(double seconds)
{
  enum { MOST = 2000 };
  double *took = bench_alloc(MOST, sizeof *took), end;
  int     n    = 0;

  BENCH_OK(dart_barrier(DART_TEAM_ALL));
  end = bench_seconds() + seconds;
  if (job.me == 0)
    for (; n < MOST && bench_seconds() < end; n++) {
      double start = bench_seconds();

      locked_put();
      took[n] = (bench_seconds() - start) * 1e6;
    }
  while (job.me == partner && bench_seconds() < end)
    ;
  BENCH_OK(dart_barrier(DART_TEAM_ALL));
  if (job.me == 0 && n > 0)
    say("exclusive lock, put, unlock; it computes", median(took, n));
  free(took);
}

/* The last put is there, by whichever way it came. */
static bool is_right(void)
{
  long got = value, mine = value;

  BENCH_OK(dart_barrier(DART_TEAM_ALL));
  if (job.me == 0) {
    locked_put();
    mine = value;
    BENCH_OK(dart_get_blocking(&got, word_of(partner), 1, DART_TYPE_LONG, DART_TYPE_LONG));
  }
  return bench_max(got != mine) == 0;
}

bool singles(const bench_job_t *the_job, double compute)
{
  bool right = true;

  job = *the_job;
  BENCH_OK(dart_team_memalloc_aligned(DART_TEAM_ALL, 2, DART_TYPE_LONG, &words));
  partner = (dart_unit_t)(job.nunits - 1); /* of another node, if there is one */
  if (job.me == 0)
    printf("unit 0 and unit %d, which is %s\n", partner,
           dart_near_ptr(word_of(partner)) == NULL ? "far" : "near");
  if (job.nunits > 1) {
    by_unit_0("blocking put of 8 bytes", put_blocking, PUTS);
    by_unit_0("exclusive lock, put of 8 bytes, unlock", locked_put, PUTS);
    by_unit_0("the same, unlocked with LAZY", lazily_locked_put, PUTS);
    if (compute > 0)
      while_it_computes(compute);
    right = is_right();
  }
  by_all("barrier", barrier, FENCES);
  by_all("fence without operations", fence, FENCES);
  BENCH_OK(dart_epoch_fence(words, DART_EPOCH_NOSUCCEED));
  contended();
  BENCH_OK(dart_team_memfree(words));
  return right;
}
