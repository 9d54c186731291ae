/* Puts and gets of any elements. Those that lie in a row on both sides go on as bytes (far/far_bytes.h); few
 * others are collected as requests, which say how they lie (far/am/typed.c), and all else goes by MPI's datatypes (far/mpi_transfer.h).
 *
 * Notified puts have paths of their own (far/far_notify.c). */
#include "base/counters.h"
#include "base/log.h"
#include "far/elements.h"
#include "far/engine.h"
#include "far/far_ops.h"

/* Elements that are not consecutive, of at most so many bytes. False: they are more, or their types too long. */
static bool request_elements(const dart__rma_t *t, size_t nelem, size_t most,
                             dart__counter_t counter)
{
  dart__am_address_t at = dart__am_address(t->at);

  if (nelem > most || nelem * t->at_type->elem_size > most ||
      !dart__am_takes_type(dart__engine.am, t->at_type))
    return false;
  dart__count(counter);
  if (t->is_put)
    dart__am_put_typed(dart__engine.am, &at, t->at_type, t->buffer, t->buffer_type, nelem);
  else
    dart__am_get_typed(dart__engine.am, &at, t->at_type, t->buffer, t->buffer_type, nelem);
  return true;
}

/* Start a transfer, to be completed by a flush or, with `handle_out`, by the handle too. */
static dart__far_way_t start_elements(const dart__rma_t *t, size_t nelem, dart_handle_t *handle_out)
{
  size_t nbytes = dart__plain_bytes(t, nelem, DART__NET_MOST);

  if (nbytes > 0)
    return t->is_put ? dart__far_put_bytes(t->at, t->buffer, nbytes, handle_out)
                     : dart__far_get_bytes(t->at, t->buffer, nbytes, handle_out);
  if (handle_out != NULL) {
    *handle_out = dart__rma_start_with_handle(t, nelem);
    if (*handle_out == DART_HANDLE_NULL) {
      dart__error("no memory for a handle of %zu elements", nelem);
      return DART__FAR_NOMEM;
    }
  } else if (request_elements(t, nelem, dart__engine.aggregate, DART__COUNT_AGGREGATED)) {
    return DART__BY_REQUESTS;
  } else {
    dart__rma_start(t, nelem);
  }
  return DART__BY_NET;
}

/* Whether few elements of a blocking transfer take less time as a request than as a call of MPI, which describes their
 * types anew each time: gets do, and puts of blocks of different lengths; puts at constant distances do not. A target
 * without an agent may be in a call of MPI, where it completes transfers and answers no request. */
static bool is_shorter_by_request(const dart__rma_t *t)
{
  return dart__engine.by_agents && (!t->is_put || t->at_type->kind == DART__TYPE_INDEXED ||
                                    t->buffer_type->kind == DART__TYPE_INDEXED);
}

static dart_ret_t blocking(const dart__rma_t *t, size_t nelem)
{
  size_t nbytes = dart__plain_bytes(t, nelem, DART__NET_MOST);

  if (nbytes > 0)
    return t->is_put ? dart__far_put_bytes_blocking(t->at, t->buffer, nbytes)
                     : dart__far_get_bytes_blocking(t->at, t->buffer, nbytes);
  if (is_shorter_by_request(t) &&
      request_elements(t, nelem, DART__AM_PUT_MOST, DART__COUNT_REQUEST_BLOCKING))
    return dart__am_flush(dart__engine.am, t->at->team->members[t->at->unit], DART__AM_REMOTE);
  dart__rma_blocking(t, nelem);
  return DART_OK;
}

/* ---- far operations ------------------------------------------------------------------------ */

dart__far_way_t dart__far_put(const dart__address_t *at, const dart__type_t *at_type,
                              const void *src, const dart__type_t *src_type, size_t nelem,
                              dart_handle_t *handle_out)
{
  return start_elements(&(dart__rma_t){ at, at_type, (void *)(uintptr_t)src, src_type, true },
                        nelem, handle_out);
}

dart__far_way_t dart__far_get(const dart__address_t *at, const dart__type_t *at_type, void *dst,
                              const dart__type_t *dst_type, size_t nelem, dart_handle_t *handle_out)
{
  return start_elements(&(dart__rma_t){ at, at_type, dst, dst_type, false }, nelem, handle_out);
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
