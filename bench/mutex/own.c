/* The mutexes that need no MPI: dart_lock, a range lock of DART, a pthread mutex in shared memory, fcntl. */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include <dash/dart/ext/dart_near.h>
#include <dash/dart/ext/dart_range.h>

#include "mutex.h"

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

/* ---- a fetch-and-op at the first unit: what a far mutex takes at least -------------------------- */

static dart_gptr_t word;

static void word_open(const bench_job_t *j)
{
  (void)j;
  BENCH_OK(dart_team_memalloc_aligned(DART_TEAM_ALL, 1, DART_TYPE_INT, &word));
}

static void word_fetch(void)
{
  int one = 1, old;

  BENCH_OK(dart_fetch_and_op(word, &one, &old, DART_TYPE_INT, DART_OP_SUM));
  BENCH_OK(dart_flush(word));
}

static void nothing(void)
{
}

static void word_close(void)
{
  BENCH_OK(dart_team_memfree(word));
}

/* ---- pthread and fcntl --------------------------------------------------------------------------- */

static dart_gptr_t      memory;
static pthread_mutex_t *mutex;
static int              fd;
static char             path[300];

void mutex_file(const char *folder, long number)
{
  snprintf(path, sizeof path, "%s/dart-mutex-%ld", folder, number);
}

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
  unlink(path); /* one unit does, the others find nothing */
}

const mutex_side_t mutex_own_sides[] = {
  { "dart", ON_ALL, lock_open, lock_acquire, lock_release, lock_close, meet },
  { "range", ON_ALL, range_open, range_acquire, range_release, range_close, meet },
  { "pthread", ON_ONE_NODE, pthread_open, pthread_acquire, pthread_release, pthread_close, meet },
  { "fcntl", ON_ONE_NODE, fcntl_open, fcntl_acquire, fcntl_release, fcntl_close, meet },
  { "fetch-op", ONLY_FREE, word_open, word_fetch, nothing, word_close, meet },
  { .name = NULL }
};
