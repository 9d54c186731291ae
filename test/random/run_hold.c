/* Waiting outside of DART for what another actor does: no call of this one helps anybody meanwhile.
 *
 * Units share a page that is none of DART's. In it stands what each actor did last; so one that told another
 * something can stay away until that was heard, as a program does that waits in a pipe. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "run_common.h"

enum { PATH = 64 };

/* Unit 0 makes it; the others find it among the open files of that process. */
static int open_page(unit_t *unit, size_t nbytes)
{
  char path[PATH] = "";
  int  fd         = -1;

  if (unit->me == 0) {
    fd = memfd_create("random", MFD_CLOEXEC);
    if (fd < 0 || ftruncate(fd, (off_t)nbytes) != 0)
      run_fail(unit, NULL, "no memory file");
    snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)getpid(), fd);
  }
  RUN_OK(unit, NULL,
         dart_bcast(path, sizeof path, DART_TYPE_BYTE, DART_TEAM_UNIT_ID(0), DART_TEAM_ALL));
  return unit->me == 0 ? fd : open(path, O_RDWR | O_CLOEXEC);
}

void run_open_board(unit_t *unit)
{
  size_t nbytes = ACTORS_MAX * sizeof unit->done[0];
  int    fd     = open_page(unit, nbytes);
  void  *page   = mmap(NULL, nbytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

  if (page == MAP_FAILED)
    run_fail(unit, NULL, "the page of unit 0 cannot be mapped");
  unit->done = page;
  RUN_OK(unit, NULL, dart_barrier(DART_TEAM_ALL));
  close(fd);
}

static uint64_t number(const unit_t *unit, uint64_t id)
{
  return (uint64_t)unit->lists << 32 | id;
}

void run_note_done(thread_t *thread, const op_t *op)
{
  const unit_t *unit = thread->unit;

  atomic_store_explicit(&unit->done[actor_number(unit->me, thread->id)], number(unit, op->id),
                        memory_order_relaxed);
}

/* Without an agent nobody drives MPI while the program is away: then a put that is not complete stays where it
 * is, for example as the first to its target, to which MPI has yet to connect. */
static bool may_stay_behind(const thread_t *thread, const op_t *op)
{
  const char *progress = getenv("DART_PROGRESS");
  const op_t *told     = NULL;

  for (const op_t *o = thread->unit->op; o < op; o++)
    if (o->unit == op->unit && o->thread == op->thread && op_kinds[o->kind].who == WHO_ACTOR)
      told = o;
  return progress != NULL && strcmp(progress, "none") == 0 &&
         (told == NULL || (told->kind != NOTIFY && told->kind != PUT_BLOCKING));
}

void run_hold(thread_t *thread, const op_t *op)
{
  const unit_t     *unit = thread->unit;
  _Atomic uint64_t *peer = &unit->done[actor_number(op->peer, op->peer_thread)];

  if (may_stay_behind(thread, op))
    return;
  while (atomic_load_explicit(peer, memory_order_relaxed) < number(unit, op->value) &&
         (unit->risks.doomed == 0 || !run_all_are_lost(unit)))
    usleep(50);
}
