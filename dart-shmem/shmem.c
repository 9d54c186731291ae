/* What units do by the file of the job alone: agree, share a range of it, map it, and end. */
#include "shmem.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/free_memory.h"
#include "base/log.h"
#include "model/world.h"
#include "net.h"

dart__shmem_t dart__shmem;

/* Two words of `worst` in turns, for each value: a word is cleared when every unit has read it, and used again two
 * agreements later, which no unit reaches before the units that clear have gone on. Values are kept as unsigned numbers
 * of the same order; 0 is below all of them. */
void dart__net_agree(int32_t *values, size_t count)
{
  dart__job_t      *job   = dart__shmem.job;
  _Atomic uint32_t *worst = job->worst[dart__shmem.episode / 2 & 1]; /* two episodes an agreement */

  /* relaxed, all: the barrier orders them */
  for (size_t i = 0; i < count; i++) {
    uint32_t mine = (uint32_t)values[i] ^ UINT32_C(0x80000000);
    uint32_t seen = atomic_load_explicit(&worst[i], memory_order_relaxed);

    while (seen < mine && !atomic_compare_exchange_weak_explicit(
                              &worst[i], &seen, mine, memory_order_relaxed, memory_order_relaxed))
      ;
  }
  dart__barrier_wait(&job->barrier, &dart__shmem.episode, 0, &dart__world.wait);
  for (size_t i = 0; i < count; i++)
    values[i] =
        (int32_t)(atomic_load_explicit(&worst[i], memory_order_relaxed) ^ UINT32_C(0x80000000));
  dart__barrier_wait(&job->barrier, &dart__shmem.episode, 0, &dart__world.wait);
  for (size_t i = 0; i < count; i++)
    atomic_store_explicit(&worst[i], 0, memory_order_relaxed);
}

void dart__net_abort(int code, bool is_asked)
{
  /* relaxed: the launcher looks after this process has ended */
  if (is_asked) {
    code = dart__exit_code(code);
    if (dart__shmem.job != NULL)
      atomic_store_explicit(&dart__shmem.job->aborted, (uint32_t)code + 1, memory_order_relaxed);
  } else {
    fflush(NULL); /* the launcher ends the others */
  }
  _exit(code);
}

uint64_t dart__job_cut_for_all(size_t nbytes)
{
  dart__job_t *job = dart__shmem.job;

  /* relaxed: dart__net_agree orders it, and no unit writes it again before all have read it */
  if (dart__shmem.unit == 0) {
    atomic_store_explicit(&job->root, dart__job_cut(job, nbytes), memory_order_relaxed);
    atomic_store_explicit(&job->told, 0, memory_order_relaxed);
  }
  dart__net_agree_on_result(DART_OK);
  return atomic_load_explicit(&job->root, memory_order_relaxed);
}

char *dart__job_map(uint64_t offset, size_t nbytes, size_t alignment, size_t at)
{
  void *space = dart__memory_aligned_space(nbytes, alignment, at);
  char *base  = MAP_FAILED;

  if (space != NULL)
    base = mmap(space, nbytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE | MAP_FIXED,
                dart__shmem.fd, (off_t)offset);
  if (base != MAP_FAILED)
    return base;
  dart__error("cannot map %zu bytes of shared memory: %s", nbytes, strerror(errno));
  if (space != NULL)
    munmap(space, nbytes);
  return NULL;
}
