/* Handles of far transfers. A transfer of bytes in a row is locally complete when its request is done; others need a
 * flush, for an MPI may report the request of a non-contiguous transfer too early. A wait for a put is a flush in any
 * case, so small puts have no request, either: that is an object of the network's for nothing.
 *
 * MPICH has room for 2^18 requests, and they take 1 KB each. So beyond MOST requests a transfer gets none: its wait is a
 * flush of its target, which completes what has been started towards it by then.
 *
 * A handle that the program releases before its transfer is complete is kept until a flush: MPICH 4.0
 * refuses to free the request of a transfer, so the request has to be completed. */
#include "far/far_handle.h"

#include <pthread.h>
#include <stdlib.h>

#include "far/completion.h"
#include "far/engine.h"
#include "far/far_ops.h"
#include "model/lost.h"
#include "model/world.h"
#include "net.h"

#define MOST 4096 /* handles that are alive and have a request */

/* How many there are. Only a bound: relaxed. */
static _Atomic uint32_t nrequests;

_Atomic uint32_t dart__handles_released;

static struct {
  pthread_mutex_t lock;
  dart_handle_t   first;
} abandoned = { .lock = PTHREAD_MUTEX_INITIALIZER };

dart_handle_t dart__handle_new(dart__team_t *team, int32_t unit, bool wants_request)
{
  dart_handle_t handle = malloc(sizeof *handle); /* of glibc, several times faster than calloc */
  bool has_request = wants_request && atomic_load_explicit(&nrequests, memory_order_relaxed) < MOST;

  if (handle == NULL)
    return NULL;
  *handle = (struct dart_handle_struct){
    .team = team, .unit = unit, .has_request = has_request, .request = DART__NET_DONE
  };
  if (has_request)
    dart__world_add(&nrequests, 1);
  return handle;
}

void dart__handle_delete(dart_handle_t handle)
{
  if (handle->has_request)
    dart__world_add(&nrequests, -(uint32_t)1);
  free(handle);
}

static void abandon(dart_handle_t handle)
{
  pthread_mutex_lock(&abandoned.lock);
  handle->next    = abandoned.first;
  abandoned.first = handle;
  /* relaxed: dart__completion_started below is what a flush sees first */
  atomic_fetch_add_explicit(&dart__handles_released, 1, memory_order_relaxed);
  pthread_mutex_unlock(&abandoned.lock);
  /* so that the next flush does not skip this unit */
  dart__completion_started(handle->team, handle->unit, !handle->is_put);
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
    atomic_fetch_sub_explicit(&dart__handles_released, 1, memory_order_relaxed);
  }
  pthread_mutex_unlock(&abandoned.lock);
  return taken;
}

void dart__handles_free(const dart__team_t *team, int32_t unit)
{
  for (dart_handle_t handle = take_abandoned(team, unit), next; handle != NULL; handle = next) {
    next = handle->next;
    dart__engine_wait(&handle->request);
    dart__handle_delete(handle);
  }
}

void dart__far_release(dart_handle_t *handle)
{
  dart_handle_t h = *handle;

  *handle = DART_HANDLE_NULL;
  if (h->has_request && !dart__net_is_done(dart__net.messages, &h->request))
    abandon(h);
  else
    dart__handle_delete(h); /* a flush completes what has a mark, without the handle */
}
