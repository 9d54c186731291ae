/* The job: one shared file, inherited by all units.
 *
 * Units need memory that all of them can map, and nothing of it may outlive them, whichever process is
 * killed, and when. So the file never has a name: it is opened as an unnamed file in /dev/shm, and
 * every unit inherits its descriptor. The file is gone with the last process that holds it.
 *
 * The file is huge and sparse. A unit that needs memory cuts a fresh range of it, which costs one
 * atomic addition, and reserves the pages of the range, which is where running out of memory shows
 * as an error. A released range returns its pages and is never cut again, so a unit never sees the
 * contents or a mapping of a former allocation. The size bounds what is cut in the whole life of a job,
 * not what is in use: 2^56 bytes are a gigabyte every second for two years.
 *
 * The header below is at offset 0, and then a record of each unit's: what it holds and waits for
 * (model/record.h), its notes: which range it has cut for each team whose first unit it is, and where its registered
 * memory is (heap.c). The launcher makes the job, or the program itself without a launcher; units find it through the
 * environment. */
#ifndef DART__SHMEM_JOB_FILE_H
#define DART__SHMEM_JOB_FILE_H

#include <dash/dart/if/dart_types.h>

#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/ballot.h"
#include "model/record.h"
#include "wait/barrier.h"

/* What the launcher passes to a unit, each a decimal number. */
#define DART__JOB_ENV_FD    "DART_SHMEM_FD"    /* descriptor of the job's file */
#define DART__JOB_ENV_UNIT  "DART_SHMEM_UNIT"  /* this unit's id, 0 .. units - 1 */
#define DART__JOB_ENV_UNITS "DART_SHMEM_UNITS" /* how many units the program has */

#define DART__JOB_UNITS_MAX 4096
#define DART__JOB_VALUES    4 /* DART__NET_VALUES */
#define DART__JOB_PLACE     24
#define DART__JOB_PLACES    UINT64_C(1024)
#define DART__JOB_ROWS      4 /* a power of two, for episodes wrap around */

/* "DARTJOB" and the version of the layout below: a launcher and a program built from different
 * versions must not share a job. Counts up with every change of dart__job_t. */
#define DART__JOB_MAGIC UINT64_C(0x444152544a4f420c)

typedef struct {
  uint64_t magic;  /* DART__JOB_MAGIC */
  uint64_t nbytes; /* size of the file */
  uint32_t nunits;
  uint32_t nnodes;         /* that the launcher makes of the machine */
  uint32_t shows_machines; /* 1: each node shows its units a machine of its own, by HWLOC_XMLFILE */

  /* Exit code (0 .. 255) + 1 once a unit called dart_abort, else 0. The launcher ends the job with
   * this code even if it is 0. */
  _Atomic uint32_t aborted;

  _Atomic uint32_t told; /* model/tell.h */

  /* File offset from which the next range is cut; only grows. */
  alignas(64) _Atomic uint64_t next;

  /* The barrier of dart__net_agree, which needs no team; and what it agrees on, in turns. shmem.c */
  dart__barrier_t  barrier;
  _Atomic uint32_t worst[DART__JOB_ROWS][DART__JOB_VALUES];

  /* `cycle`: half cycles of init and exit that each unit has begun, odd while the unit is inside.
   * `left`: the least of these among the units that have ended outside; UINT32_MAX: none has. Units
   * write the former and then read the latter, the launcher the other way round, all seq_cst: where a
   * unit waits in a cycle that another one does not join, the unit or the launcher sees it (Dekker). */
  alignas(64) _Atomic uint32_t left;
  _Atomic uint32_t cycle[DART__JOB_UNITS_MAX];

  /* Units that die while the others go on: model/lost.h. Units write `surviving`, the launcher `lost` and `nlost`. */
  _Atomic uint32_t
      survives; /* DART_SURVIVE was 1, for the launcher or for all units in a dart_init */
  _Atomic uint32_t
      surviving; /* 1: all units have come through dart_init, so the job outlives units from now on */
  alignas(64) _Atomic uint32_t nlost;
  _Atomic uint32_t lost[DART__JOB_UNITS_MAX];
  dart__ballot_t   ballots[DART__JOB_UNITS_MAX * DART__BALLOTS];
} dart__job_t;

/** Make a job for `nunits` units (1 .. DART__JOB_UNITS_MAX) on `nnodes` nodes with its header filled in.
 *
 *  `fd_out` gets its descriptor, which is closed on exec: the launcher clears that flag in the units.
 *  Only the calling user can open the file, and only through the descriptor.
 *  DART_ERR_NOMEM: no memory for the header. DART_ERR_OTHER: /dev/shm cannot be used, or the limit
 *  on file sizes is too low. Nothing is left then. */
dart_ret_t dart__job_create(uint32_t nunits, uint32_t nnodes, int *fd_out);

/** Reserve what the header of a job has beside, if the job is to outlive units. By one unit, before any sets `survives`.
 *  DART_ERR_NOMEM: there is no memory for it; the reason is logged. */
dart_ret_t dart__job_reserve_ballots(int fd, uint32_t nunits);

/** Whether the job outlives units. */
static inline bool dart__job_survives(const dart__job_t *job)
{
  /* relaxed: the launcher looks when a unit has ended, and units before and after an agreement */
  return atomic_load_explicit((_Atomic uint32_t *)&job->survives, memory_order_relaxed) != 0;
}

/** Map the header of the job with descriptor `fd`, which the caller keeps.
 *
 *  DART_ERR_OTHER: `fd` is not open, or is no job of this version. */
dart_ret_t dart__job_open(int fd, dart__job_t **job_out);

/** File offset of a unit's dart__record_t. Its pages are the unit's to reserve; without them it reads as zeros. */
uint64_t dart__job_record(uint32_t unit);

/** File offset of a unit's note for a team, a uint64_t. It has no page before it is written. */
uint64_t dart__job_note(const dart__job_t *job, uint32_t unit, int16_t team);

/** File offset of a unit's DART__JOB_PLACE bytes for registered memory, whose number is where its range was cut. So those of
 *  registrations one after the other are on one page; after DART__JOB_PLACES they share places. */
uint64_t dart__job_place(const dart__job_t *job, uint32_t unit, uint64_t registration);

/** Unmap the header; the descriptor stays open. */
void dart__job_close(dart__job_t *job);

/** Cut a fresh range of at least `nbytes` > 0 bytes and return its file offset, or 0 when the file
 *  is used up. It starts at a page, from 2 MiB on at a multiple of 2 MiB so that huge pages fit.
 *  Its bytes are 0, and it has no pages yet: reserve them before touching them. Any unit, at any time. */
uint64_t dart__job_cut(dart__job_t *job, size_t nbytes);

/** Reserve the pages of [offset, offset + nbytes), so that no access to them can fail. `offset` is
 *  at a page, and no page of it is reserved yet. `why` says what the memory is for, or the call; or NULL.
 *  Of the units that are in `call` (model/tell.h) one says that there is no room.
 *
 *  DART_ERR_NOMEM: /dev/shm or the machine has not that much memory left. Nothing was touched, and
 *  what was reserved on the way is released. Units that reserve at the same time notice each
 *  other, but any of them may fail: a caller that needs all or nothing has to agree with the others.
 *  The reason is logged. */
dart_ret_t dart__job_reserve(int fd, uint64_t offset, size_t nbytes, const char *why,
                             uint32_t call);

/** Release the pages of [offset, offset + nbytes), where `offset` is at a page and the last page
 *  is released as a whole. Mappings stay valid and read 0, but touching them reserves nothing. */
void dart__job_release(int fd, uint64_t offset, size_t nbytes);

#endif
