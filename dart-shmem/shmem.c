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
#include "model/lost.h"
#include "model/tell.h"
#include "model/world.h"
#include "net.h"

dart__shmem_t dart__shmem;

/* Each agreement is one barrier, and has the next of four rows of `worst`. A unit that has passed a barrier knows that all
 * have read the row of the agreement before, and clears it. It is used again three agreements later, which no unit reaches
 * before all have come to the next barrier, and have cleared it. Values are kept as unsigned numbers of the same order;
 * 0 is below all of them. */
static void agree_by_barrier(int32_t *values, size_t count)
{
  dart__job_t      *job    = dart__shmem.job;
  uint32_t          row    = dart__shmem.episode % DART__JOB_ROWS;
  _Atomic uint32_t *worst  = job->worst[row];
  _Atomic uint32_t *before = job->worst[(row + DART__JOB_ROWS - 1) % DART__JOB_ROWS];

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
  for (size_t i = 0; i < DART__JOB_VALUES; i++)
    atomic_store_explicit(&before[i], 0, memory_order_relaxed);
}

/* Where units may be lost: by a vote on each value. */
static void agree_by_vote(int32_t *values, size_t count)
{
  dart__members_t all = { .count = dart__world.nunits, .stride = 1 };

  for (size_t i = 0; i < count; i++) {
    dart__vote_t          vote = { dart__lost.ballots, &all, dart__world.me, ++dart__shmem.nvotes,
                                   dart__is_lost };
    dart__ballot_values_t mine = { 0, (uint32_t)values[i] ^ UINT32_C(0x80000000) };

    dart__ballot_vote(&vote, &mine, NULL, &(dart__wait_policy_t){ .pace = &dart__world.pace });
    values[i] = (int32_t)((uint32_t)mine.most ^ UINT32_C(0x80000000));
  }
}

void dart__net_agree(int32_t *values, size_t count)
{
  if (dart__survives_now())
    agree_by_vote(values, count);
  else
    agree_by_barrier(values, count);
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

dart_ret_t dart__job_cut_for(dart_team_t team, size_t nbytes)
{
  uint64_t cut = dart__job_cut(dart__shmem.job, nbytes);
  off_t    at  = (off_t)dart__job_note(dart__shmem.job, dart__shmem.unit, team);

  if (cut == 0)
    return DART_ERR_NOMEM;
  if (pwrite(dart__shmem.fd, &cut, sizeof cut, at) == sizeof cut)
    return DART_OK;
  if (!dart__world.initialized) /* relaxed: the others look after an agreement */
    atomic_store_explicit(&dart__shmem.job->told, DART__TELL_INIT, memory_order_relaxed);
  return dart__fail(DART_ERR_NOMEM, "cannot reserve %zu bytes of shared memory: %s", sizeof cut,
                    strerror(errno));
}

uint64_t dart__job_cut_by(dart_unit_t first, dart_team_t team)
{
  off_t    at  = (off_t)dart__job_note(dart__shmem.job, (uint32_t)first, team);
  uint64_t cut = 0;

  if (pread(dart__shmem.fd, &cut, sizeof cut, at) != sizeof cut)
    dart__error("descriptor %d is not the shared memory of a job: %s", dart__shmem.fd,
                strerror(errno));
  return cut;
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
