/* Single figures: an epoch of one small put beside a blocking put, to a far unit and to one that computes;
 * a fence beside a barrier; a contended lock beside the system's. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include <dash/dart/ext/dart_near.h>

#include "../common/shared.h"
#include "epochs.h"

enum { REPEATS = 7, LOCKED_PUTS = 300, FENCES = 2000, TURNS = 2000 };

static bench_job_t job;
static dart_gptr_t words; /* two of each unit */
static dart_unit_t partner;
static bool        is_csv;
static const char *memory_name = ""; /* ".registered" */
static int         share       = 1;  /* a repetition makes its calls divided by this */

static dart_gptr_t word_of(dart_unit_t unit)
{
  dart_gptr_t at = words;

  BENCH_OK(dart_gptr_setunit(&at, DART_TEAM_UNIT_ID(unit)));
  return at;
}

/* ---- measuring ------------------------------------------------------------------------------ */

/* One figure, and the index of the one that it is measured against, -1: of none. */
typedef struct {
  const char *text; /* for people, and for CSV: */
  const char *name;
  void (*call)(void);
  int    against;
  int    calls; /* of a repetition */
  double took[REPEATS];
} figure_t;

static void say(const figure_t figures[], int i)
{
  const figure_t *f     = &figures[i];
  double          floor = f->against < 0 ? 0 : figures[f->against].took[REPEATS / 2];
  double          took  = f->took[REPEATS / 2];
  char            name[64];

  snprintf(name, sizeof name, "%s%s", f->name, memory_name);
  if (is_csv)
    report_csv(&job, name, sizeof(long), took, floor, 0);
  else if (job.me == 0 && floor > 0)
    printf("%-44s %10.2f us %8.2f times\n", f->text, took * 1e6, took / floor);
  else if (job.me == 0)
    printf("%-44s %10.2f us\n", f->text, took * 1e6);
}

static void say_all(figure_t figures[], int n)
{
  for (int i = 0; i < n; i++)
    median(figures[i].took, REPEATS); /* sorts them */
  for (int i = 0; i < n; i++)
    say(figures, i);
}

/* Seconds of one call, by unit 0 alone. */
static double by_unit_0(const figure_t *f)
{
  double took = 0;

  BENCH_OK(dart_barrier(DART_TEAM_ALL));
  if (job.me == 0) {
    double start = bench_seconds();

    for (int i = 0; i < f->calls / share; i++)
      f->call();
    took = (bench_seconds() - start) / (f->calls / share);
    BENCH_OK(dart_flush(word_of(partner)));
  }
  BENCH_OK(dart_barrier(DART_TEAM_ALL));
  return took;
}

/* ... by all of them, of the slowest. */
static double by_all(const figure_t *f)
{
  double begin = bench_begin();

  for (int i = 0; i < f->calls / share; i++)
    f->call();
  return bench_took(begin) / (f->calls / share);
}

/* In turns. */
static void measure_all(figure_t figures[], int n, double (*seconds_of)(const figure_t *))
{
  for (int r = 0; r < REPEATS; r++)
    for (int i = 0; i < n; i++)
      figures[i].took[r] = seconds_of(&figures[i]);
  say_all(figures, n);
}

/* ---- one unit ------------------------------------------------------------------------------- */

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

/* The lock is held when it is unlocked: a blocking get has asked for it. */
static void lazily_held_put(void)
{
  dart_gptr_t at = word_of(partner);
  long        before;

  BENCH_OK(dart_epoch_lock(at, DART_EPOCH_EXCLUSIVE, 0));
  BENCH_OK(dart_get_blocking(&before, at, 1, DART_TYPE_LONG, DART_TYPE_LONG));
  value = before + 1;
  BENCH_OK(dart_put(at, &value, 1, DART_TYPE_LONG, DART_TYPE_LONG));
  BENCH_OK(dart_epoch_unlock(at, DART_EPOCH_LAZY));
}

static void lazily_unchecked_put(void)
{
  dart_gptr_t at = word_of(partner);

  value++;
  BENCH_OK(dart_epoch_lock(at, DART_EPOCH_EXCLUSIVE, DART_EPOCH_NOCHECK));
  BENCH_OK(dart_put(at, &value, 1, DART_TYPE_LONG, DART_TYPE_LONG));
  BENCH_OK(dart_epoch_unlock(at, DART_EPOCH_LAZY));
}

static void alone(void)
{
  figure_t figures[] = {
    { "blocking put of 8 bytes", "put_blocking", put_blocking, -1, LOCKED_PUTS, { 0 } },
    { "exclusive lock, put of 8 bytes, unlock",
      "lock_put_unlock",
      locked_put,
      0,
      LOCKED_PUTS,
      { 0 } },
    { "the same, unlocked with LAZY",
      "lock_put_unlock.lazy",
      lazily_locked_put,
      0,
      LOCKED_PUTS,
      { 0 } },
    { "exclusive lock, get, put, unlock LAZY",
      "lock_get_put_unlock.lazy",
      lazily_held_put,
      0,
      LOCKED_PUTS,
      { 0 } },
    { "lock with NOCHECK, put, unlock LAZY",
      "lock_put_unlock.nocheck",
      lazily_unchecked_put,
      0,
      LOCKED_PUTS,
      { 0 } },
  };

  measure_all(figures, 5, by_unit_0);
}

/* ---- all together --------------------------------------------------------------------------- */

static void barrier(void)
{
  BENCH_OK(dart_barrier(DART_TEAM_ALL));
}

static void fence(void)
{
  BENCH_OK(dart_epoch_fence(words, 0));
}

static void together(void)
{
  figure_t figures[] = { { "barrier", "barrier", barrier, -1, FENCES, { 0 } },
                         { "fence without operations", "fence.empty", fence, 0, FENCES, { 0 } } };

  measure_all(figures, 2, by_all);
  BENCH_OK(dart_epoch_fence(words, DART_EPOCH_NOSUCCEED));
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
  figure_t figures[] = {
    { "pthread_rwlock, store, unlock, all units",
      "rwlock.turns",
      in_turns_by_system,
      -1,
      TURNS,
      { 0 } },
    { "the same by exclusive lock, put, unlock", "lock.turns", in_turns, 0, TURNS, { 0 } }
  };
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
  measure_all(figures, 2, by_all);
  BENCH_OK(dart_barrier(DART_TEAM_ALL));
  bench_shared_free(&shared);
}

/* ---- a target that computes -------------------------------------------------------------------- */

static void while_it_computes(double seconds)
{
  enum { MOST = 2000 };
  figure_t f    = { .text    = "exclusive lock, put, unlock; it computes",
                    .name    = "lock_put_unlock.computing",
                    .against = -1 };
  double  *took = bench_alloc(MOST, sizeof *took), end;
  int      n    = 0;

  BENCH_OK(dart_barrier(DART_TEAM_ALL));
  end = bench_seconds() + seconds;
  if (job.me == 0)
    for (; n < MOST && bench_seconds() < end; n++) {
      double start = bench_seconds();

      locked_put();
      took[n] = bench_seconds() - start;
    }
  while (job.me == partner && bench_seconds() < end)
    ;
  BENCH_OK(dart_barrier(DART_TEAM_ALL));
  f.took[REPEATS / 2] = n > 0 ? median(took, (size_t)n) : 0;
  say(&f, 0);
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

static void open_words(bool is_registered, long own[2])
{
  if (is_registered) {
    memory_name = ".registered";
    BENCH_OK(dart_team_memregister(DART_TEAM_ALL, 2, DART_TYPE_LONG, own, &words));
  } else {
    BENCH_OK(dart_team_memalloc_aligned(DART_TEAM_ALL, 2, DART_TYPE_LONG, &words));
  }
}

bool singles(const bench_job_t *the_job, const options_t *o)
{
  static long own[2];
  bool        right = true;

  job    = *the_job;
  is_csv = o->csv;
  share  = o->quick ? 50 : 1;
  open_words(o->registered, own);
  partner = (dart_unit_t)(job.nunits - 1); /* of another node, if there is one */
  if (job.me == 0 && is_csv)
    report_csv_head();
  else if (job.me == 0)
    printf("unit 0 and unit %d, which is %s\n", partner,
           dart_near_ptr(word_of(partner)) == NULL ? "far" : "near");
  if (job.nunits > 1) {
    alone();
    if (o->compute > 0)
      while_it_computes((double)o->compute / 1000);
    right = is_right();
  }
  together();
  contended();
  BENCH_OK(o->registered ? dart_team_memderegister(words) : dart_team_memfree(words));
  return right;
}
