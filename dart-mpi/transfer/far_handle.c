/* Handles of far transfers. A contiguous transfer is locally complete when its requests are; others need a
 * flush, for an MPI may report the request of a non-contiguous transfer too early.
 *
 * MPICH has room for 2^18 requests, and they take 1 KB each. So beyond MOST requests a transfer gets none: its wait is a
 * flush of its target, which completes what has been started towards it by then.
 *
 * A handle that the program gives up before its transfer is complete is kept until a flush: MPICH 4.0
 * refuses to free the request of a transfer, so the request has to be completed. */
#include "transfer/far_handle.h"

#include <pthread.h>
#include <stdlib.h>

#include "model/world.h"
#include "mpi/comm.h"
#include "progress/engine.h"
#include "transfer/completion.h"
#include "transfer/rma.h"

#define MOST 4096 /* requests of handles that are alive */

/* Requests of handles. Only a bound: relaxed. */
static _Atomic uint32_t nrequests_alive;

static struct {
  pthread_mutex_t  lock;
  dart_handle_t    first;
  _Atomic uint32_t count;
} abandoned = { .lock = PTHREAD_MUTEX_INITIALIZER };

dart_handle_t dart__handle_new(dart__team_t *team, dart__window_t *window, int32_t unit,
                               size_t nrequests)
{
  dart_handle_t handle;

  if (atomic_load_explicit(&nrequests_alive, memory_order_relaxed) + nrequests > MOST)
    nrequests = 0;
  handle = malloc(sizeof *handle + nrequests * sizeof *handle->requests);
  if (handle == NULL)
    return NULL;
  dart__world_add(&nrequests_alive, (uint32_t)nrequests);
  handle->next      = NULL;
  handle->team      = team;
  handle->window    = window;
  handle->unit      = unit;
  handle->mark      = (dart__mark_t){ 0 };
  handle->nrequests = nrequests;
  for (size_t i = 0; i < nrequests; i++)
    handle->requests[i] = MPI_REQUEST_NULL;
  return handle;
}

void dart__handle_started(dart_handle_t handle)
{
  if (handle->nrequests == 0)
    handle->mark.transfers = dart__completion_newest(handle->team, handle->unit);
}

static void destroy(dart_handle_t handle)
{
  dart__world_add(&nrequests_alive, -(uint32_t)handle->nrequests);
  free(handle);
}

static void abandon(dart_handle_t handle)
{
  pthread_mutex_lock(&abandoned.lock);
  handle->next    = abandoned.first;
  abandoned.first = handle;
  /* relaxed: dart__completion_started below is what a flush sees first */
  atomic_fetch_add_explicit(&abandoned.count, 1, memory_order_relaxed);
  pthread_mutex_unlock(&abandoned.lock);
  /* so that the next flush does not skip this unit */
  dart__completion_started(handle->team, handle->window, handle->unit, !handle->is_put);
}

static void complete_requests(dart_handle_t handle)
{
  for (size_t i = 0; i < handle->nrequests; i++)
    dart__mpi_wait(&handle->requests[i]);
}

/* Unlink the handles abandoned towards the unit, or all of the team's. */
static dart_handle_t take_abandoned(const dart__team_t *team, int32_t unit)
{
  dart_handle_t taken = NULL;

  pthread_mutex_lock(&abandoned.lock);
  for (dart_handle_t *link = &abandoned.first; *link != NULL;) {
    dart_handle_t handle = *link;

    if (handle->team != team || (unit >= 0 && handle->unit != unit)) {
      link = &handle->next;
      continue;
    }
    *link        = handle->next;
    handle->next = taken;
    taken        = handle;
    atomic_fetch_sub_explicit(&abandoned.count, 1, memory_order_relaxed);
  }
  pthread_mutex_unlock(&abandoned.lock);
  return taken;
}

void dart__handles_flushed(const dart__team_t *team, int32_t unit)
{
  if (atomic_load_explicit(&abandoned.count, memory_order_relaxed) == 0)
    return;
  for (dart_handle_t handle = take_abandoned(team, unit), next; handle != NULL; handle = next) {
    next = handle->next;
    complete_requests(handle);
    destroy(handle);
  }
}

dart_handle_t dart__far_handle_new(const dart__address_t *at)
{
  dart_handle_t handle = dart__handle_new(at->team, NULL, at->unit, 0);

  if (handle != NULL)
    handle->is_put = handle->by_flush = false;
  return handle;
}

void dart__far_handle_mark(dart_handle_t handle)
{
  dart__far_mark(handle->team, handle->unit, &handle->mark);
}

void dart__far_wait(dart_handle_t *handle, bool at_target)
{
  dart_handle_t h = *handle;

  complete_requests(h);
  /* a get that is locally complete is complete; only a put needs remote completion */
  if (h->nrequests == 0)
    dart__far_settle_to(h->team, h->unit, &h->mark, true);
  else if ((h->is_put && at_target) || h->by_flush)
    dart__completion_flush(h->team, h->unit, at_target || !h->is_put);
  *handle = DART_HANDLE_NULL;
  destroy(h);
}

static bool are_requests_done(dart_handle_t handle)
{
  int done = 1;

  for (size_t i = 0; i < handle->nrequests && done; i++)
    DART__MPI(MPI_Test, &handle->requests[i], &done, MPI_STATUS_IGNORE);
  return done;
}

bool dart__far_test(dart_handle_t handle)
{
  bool done = handle->nrequests > 0 ? are_requests_done(handle)
                                    : dart__far_test_to(handle->team, handle->unit, &handle->mark);

  dart__engine_poll();
  return done;
}

void dart__far_release(dart_handle_t *handle)
{
  dart_handle_t h = *handle;

  *handle = DART_HANDLE_NULL;
  if (h->nrequests == 0 ||
      are_requests_done(h)) /* a flush completes what has a mark, without the handle */
    destroy(h);
  else
    abandon(h);
}
