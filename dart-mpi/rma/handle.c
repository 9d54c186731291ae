/* Handles of far transfers. A contiguous transfer is locally complete when its requests are; others need a
 * flush, for an MPI may report the request of a non-contiguous transfer too early.
 *
 * A handle that the program gives up before its transfer is complete is kept until a flush: MPICH 4.0
 * refuses to free the request of a transfer, so the request has to be completed. */
#include "rma/handle.h"

#include <pthread.h>
#include <stdlib.h>

#include "mpi/comm.h"
#include "progress/engine.h"
#include "rma/completion.h"
#include "rma/rma.h"

static struct {
  pthread_mutex_t  lock;
  dart_handle_t    first;
  _Atomic uint32_t count;
} abandoned = { .lock = PTHREAD_MUTEX_INITIALIZER };

dart_handle_t dart__handle_new(dart__team_t *team, dart__window_t *window, int32_t unit,
                               size_t nrequests)
{
  dart_handle_t handle = malloc(sizeof *handle + nrequests * sizeof *handle->requests);

  if (handle == NULL)
    return NULL;
  handle->next      = NULL;
  handle->team      = team;
  handle->window    = window;
  handle->unit      = unit;
  handle->nrequests = nrequests;
  for (size_t i = 0; i < nrequests; i++)
    handle->requests[i] = MPI_REQUEST_NULL;
  return handle;
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
    free(handle);
  }
}

void dart__far_wait(dart_handle_t *handle, bool at_target)
{
  dart_handle_t h = *handle;

  complete_requests(h);
  /* a get that is locally complete is complete; only a put needs remote completion */
  if ((h->is_put && at_target) || h->by_flush)
    dart__completion_flush(h->team, h->unit, at_target || !h->is_put);
  *handle = DART_HANDLE_NULL;
  free(h);
}

static bool is_done(dart_handle_t handle)
{
  int done = 1;

  for (size_t i = 0; i < handle->nrequests && done; i++)
    DART__MPI(MPI_Test, &handle->requests[i], &done, MPI_STATUS_IGNORE);
  return done;
}

bool dart__far_test(dart_handle_t handle)
{
  bool done = is_done(handle);

  dart__engine_poll();
  return done;
}

void dart__far_release(dart_handle_t *handle)
{
  dart_handle_t h = *handle;

  *handle = DART_HANDLE_NULL;
  if (is_done(h))
    free(h);
  else
    abandon(h);
}
