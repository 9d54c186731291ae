/* What units do by the header of the job alone: agree, share a range of the file, and end. */
#include "shmem.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

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
  dart__barrier_wait(&job->barrier, &dart__shmem.episode, &dart__world.wait);
  for (size_t i = 0; i < count; i++)
    values[i] =
        (int32_t)(atomic_load_explicit(&worst[i], memory_order_relaxed) ^ UINT32_C(0x80000000));
  dart__barrier_wait(&job->barrier, &dart__shmem.episode, &dart__world.wait);
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
