/* Puts and gets of far memory take one of three paths:
 *
 *   aggregated   without a handle, few bytes: collected as requests, of which many are one message; unless they
 *                are consecutive and the target's last flush was for a single one (progress/burst.h)
 *   request      blocking, few bytes, and the target is slow to respond (progress/latency.h): a request that
 *                is sent at once, for a unit that waits for its reply makes progress, where MPI's flush spins
 *   MPI's        all other transfers: MPI_Put and MPI_Get on the window (rma/transfer.h)
 *
 * Notified puts have paths of their own (rma/notify.c). */
#include "base/counters.h"
#include "base/log.h"
#include "memory/chunk.h"
#include "memory/team.h"
#include "progress/engine.h"
#include "progress/latency.h"
#include "rma/rma.h"
#include "rma/transfer.h"

#define REQUEST_MOST 1024 /* bytes of a blocking transfer that may travel as a request */

static void request(const dart__rma_t *t, size_t nbytes)
{
  dart__am_address_t at = dart__am_address(t->at);

  dart__far_went_by_mpi = false;
  if (t->is_put)
    dart__am_put(dart__engine.am, &at, t->buffer, nbytes);
  else
    dart__am_get(dart__engine.am, &at, t->buffer, nbytes);
}

/* The same for elements that are not consecutive, few enough to be collected. */
static bool request_scattered(const dart__rma_t *t, size_t nelem)
{
  dart__am_address_t at = dart__am_address(t->at);

  if (nelem > dart__engine.aggregate || nelem * t->at_type->elem_size > dart__engine.aggregate ||
      !dart__am_takes_type(dart__engine.am, t->at_type))
    return false;
  dart__count(DART__COUNT_AGGREGATED);
  dart__far_went_by_mpi = false;
  if (t->is_put)
    dart__am_put_typed(dart__engine.am, &at, t->at_type, t->buffer, t->buffer_type, nelem);
  else
    dart__am_get_typed(dart__engine.am, &at, t->at_type, t->buffer, t->buffer_type, nelem);
  return true;
}

/* Whether MPI is the shorter way for a small transfer: on a static window, if the target is awake. A target
 * that naps would make MPI's flush wait for the end of a nap, each time; a request wakes it for a while. */
static bool goes_alone(const dart__rma_t *t)
{
  return dart__burst_add(&dart__team_port(t->at->team)->burst[t->at->unit]) &&
         dart__window_of(t->at)->is_static &&
         dart__latency_is_awake(t->at->team->members[t->at->unit]);
}

/* Start a transfer, to be completed by a flush or, with `handle_out`, by the handle too. */
static dart_ret_t start(const dart__rma_t *t, size_t nelem, dart_handle_t *handle_out)
{
  size_t nbytes = handle_out != NULL ? 0 : dart__plain_bytes(t, nelem, dart__engine.aggregate);

  if (handle_out != NULL) {
    *handle_out = dart__rma_start_with_handle(t, nelem);
    if (*handle_out == DART_HANDLE_NULL) {
      dart__error("no memory for a handle of %zu elements", nelem);
      return DART_ERR_NOMEM;
    }
  } else if (nbytes == 0) {
    if (!request_scattered(t, nelem))
      dart__rma_start(t, nelem);
  } else if (goes_alone(t)) {
    dart__rma_start(t, nelem);
  } else {
    dart__count(DART__COUNT_AGGREGATED);
    request(t, nbytes);
  }
  return DART_OK;
}

static dart_ret_t blocking(const dart__rma_t *t, size_t nelem)
{
  size_t      nbytes  = dart__plain_bytes(t, nelem, DART__RMA_PIECE);
  dart_unit_t target  = t->at->team->members[t->at->unit];
  bool        is_slow = nbytes > 0 && dart__latency_is_slow(target);

  if (is_slow && nbytes <= REQUEST_MOST) {
    dart__count(DART__COUNT_REQUEST_BLOCKING);
    request(t, nbytes);
    return dart__am_flush(dart__engine.am, target, DART__AM_REMOTE);
  }
  if (nbytes > 0)
    dart__rma_plain_blocking(t, (int)nbytes, is_slow);
  else
    dart__rma_blocking(t, nelem);
  return DART_OK;
}

/* ---- far operations ------------------------------------------------------------------------ */

dart_ret_t dart__far_put(const dart__address_t *at, const dart__type_t *at_type, const void *src,
                         const dart__type_t *src_type, size_t nelem, dart_handle_t *handle_out)
{
  return start(&(dart__rma_t){ at, at_type, (void *)(uintptr_t)src, src_type, true }, nelem,
               handle_out);
}

dart_ret_t dart__far_get(const dart__address_t *at, const dart__type_t *at_type, void *dst,
                         const dart__type_t *dst_type, size_t nelem, dart_handle_t *handle_out)
{
  return start(&(dart__rma_t){ at, at_type, dst, dst_type, false }, nelem, handle_out);
}

dart_ret_t dart__far_put_blocking(const dart__address_t *at, const dart__type_t *at_type,
                                  const void *src, const dart__type_t *src_type, size_t nelem)
{
  return blocking(&(dart__rma_t){ at, at_type, (void *)(uintptr_t)src, src_type, true }, nelem);
}

dart_ret_t dart__far_get_blocking(const dart__address_t *at, const dart__type_t *at_type, void *dst,
                                  const dart__type_t *dst_type, size_t nelem)
{
  return blocking(&(dart__rma_t){ at, at_type, dst, dst_type, false }, nelem);
}
