/* One object of POSIX shared memory. Unit 0 makes it and tells its name; whoever can open that name
 * is on the same host. Once all have tried the name is gone, so nothing stays behind a crash. */
#include "shared.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Pages for this unit's block, and the mapping of all. */
static bool map_blocks(const bench_job_t *job, int file, bench_shared_t *shared)
{
  size_t first = (size_t)job->me * shared->nbytes;
  void  *base;

  if (posix_fallocate(file, (off_t)first, (off_t)shared->nbytes) != 0)
    return false;
  base = mmap(NULL, shared->nunits * shared->nbytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (base == MAP_FAILED)
    return false;
  shared->base = base;
  return true;
}

dart_ret_t bench_shared_create(const bench_job_t *job, size_t nbytes, bench_shared_t *shared_out)
{
  size_t         page     = (size_t)sysconf(_SC_PAGESIZE);
  bench_shared_t shared   = { .nbytes = (nbytes + page - 1) / page * page, .nunits = job->nunits };
  char           name[64] = "";
  int            file     = -1;
  int32_t        well     = true, all_well;

  if (job->me == 0) {
    snprintf(name, sizeof name, "/dart-bench-%ld", (long)getpid());
    file = shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
    well = file >= 0 && ftruncate(file, (off_t)(shared.nunits * shared.nbytes)) == 0;
  }
  BENCH_OK(dart_bcast(name, sizeof name, DART_TYPE_BYTE, DART_TEAM_UNIT_ID(0), DART_TEAM_ALL));
  if (job->me != 0)
    file = shm_open(name, O_RDWR, 0);
  if (file >= 0) {
    well = well && map_blocks(job, file, &shared);
    close(file);
  }
  BENCH_OK(dart_allreduce(&well, &all_well, 1, DART_TYPE_INT, DART_OP_MIN, DART_TEAM_ALL));
  if (job->me == 0)
    shm_unlink(name);
  if (!all_well) {
    bench_shared_free(&shared);
    return DART_ERR_NOMEM;
  }
  *shared_out = shared;
  return DART_OK;
}

void bench_barrier(bench_barrier_t *barrier, size_t nunits)
{
  static unsigned looks; /* before sleep */
  uint32_t        round = atomic_load_explicit(&barrier->round, memory_order_relaxed);

  if (looks == 0)
    looks = (long)nunits <= sysconf(_SC_NPROCESSORS_ONLN) ? 20000 : 1;

  /* acq_rel: hands our stores to the last to come; if that is us, collects them all */
  if (atomic_fetch_add_explicit(&barrier->arrived, 1, memory_order_acq_rel) + 1 ==
      (round + 1) * (uint32_t)nunits) {
    /* seq_cst, here and below: either we see a sleeper, or it sees the new round */
    atomic_store(&barrier->round, round + 1);
    if (atomic_load(&barrier->sleepers) > 0)
      syscall(SYS_futex, &barrier->round, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
    return;
  }
  for (unsigned i = 0; i < looks; i++)
    if (atomic_load_explicit(&barrier->round, memory_order_acquire) != round)
      return;
  atomic_fetch_add(&barrier->sleepers, 1);
  while (atomic_load(&barrier->round) == round)
    syscall(SYS_futex, &barrier->round, FUTEX_WAIT, round, NULL, NULL, 0);
  atomic_fetch_sub(&barrier->sleepers, 1);
}

void bench_shared_free(bench_shared_t *shared)
{
  if (shared->base != NULL)
    munmap(shared->base, shared->nunits * shared->nbytes);
  shared->base = NULL;
}
