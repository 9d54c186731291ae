/* Puts, gets, atomics and flushes. */
#include "check_type.h"
#include "handle_book.h"
#include "object.h"
#include "pending.h"
#include "segment.h"
#include "stuck.h"
#include "underway.h"

/* The size of the program's buffer if its elements are contiguous, as only such buffers are checked; else 0. */
static uint64_t in_a_row(size_t nelem, dart_datatype_t type)
{
  return dart__check_extent(type, nelem) * (dart__check_size(type) > 0);
}

/* The source of a put, if it must be checked until it is complete; else NULL. */
static const void *watched(const void *source, uint64_t nbytes)
{
  return nbytes == 0 || dart__check_is_copied(nbytes) ? NULL : source;
}

/* The call may wait for a post of its target. */
static void may_wait(dart_gptr_t gptr, dart__at_t at)
{
  dart_team_unit_t    target = DART_TEAM_UNIT_ID(gptr.unitid);
  dart__check_epoch_t epoch;

  if (!dart__check_any_epoch())
    return;
  dart__check_lock();
  epoch = dart__check_epoch_of(gptr);
  dart__check_unlock();
  if (epoch.kind == DART__EPOCH_START && epoch.is_told)
    dart__check_stuck_wait(gptr, DART__CALL_dart_epoch_post, 1, &target, at);
}

/* The call has returned `ret`. In an epoch it has waited until its target could be accessed. */
static dart_ret_t waited(dart__check_ticket_t *ticket, dart_ret_t ret)
{
  if (dart__check_any_epoch())
    dart__check_stuck_waited();
  if (ret == DART_OK)
    dart__check_race_began(ticket);
  return ret;
}

/* ---- put and get ---------------------------------------------------------------------------------- */

dart_ret_t dart_put(dart_gptr_t gptr, const void *src, size_t nelem, dart_datatype_t src_type,
                    dart_datatype_t dst_type)
{
  dart__at_t           at     = DART__AT(dart_put);
  uint64_t             nbytes = in_a_row(nelem, src_type);
  dart_ret_t           ret;
  dart__check_ticket_t ticket;

  if (!dart__check_access(gptr, dart__check_extent(dst_type, nelem), at))
    return DART_ERR_INVAL;
  dart__check_source(src, dart__check_extent(src_type, nelem), at);
  dart__check_race(&ticket, gptr, nelem, dst_type, DART__ACCESS_PUT, at);
  ret = pdart_put(gptr, src, nelem, src_type, dst_type);
  dart__check_race_started(&ticket, ret, gptr, DART_HANDLE_NULL);
  if (ret == DART_OK && nelem > 0)
    dart__check_started(gptr, watched(src, nbytes), nbytes, at);
  return ret;
}

/* DART writes contiguous elements to this library's buffer, so both have the program's type. */
dart_ret_t dart_get(void *dest, dart_gptr_t gptr, size_t nelem, dart_datatype_t src_type,
                    dart_datatype_t dst_type)
{
  dart__at_t           at     = DART__AT(dart_get);
  uint64_t             nbytes = in_a_row(nelem, dst_type);
  void                *buffer;
  dart_ret_t           ret;
  dart__check_ticket_t ticket;

  if (!dart__check_access(gptr, dart__check_extent(src_type, nelem), at))
    return DART_ERR_INVAL;
  buffer = dart__check_result(dest, nbytes);
  dart__check_race(&ticket, gptr, nelem, src_type, DART__ACCESS_GET, at);
  ret = pdart_get(buffer, gptr, nelem, src_type, dst_type);
  dart__check_race_started(&ticket, ret, gptr, DART_HANDLE_NULL);
  dart__check_result_started(ret, gptr, buffer, dest, nbytes, at);
  return ret;
}

dart_ret_t dart_put_blocking(dart_gptr_t gptr, const void *src, size_t nelem,
                             dart_datatype_t src_type, dart_datatype_t dst_type)
{
  dart__at_t           at = DART__AT(dart_put_blocking);
  dart__check_ticket_t ticket;
  dart_ret_t           ret;

  if (!dart__check_access(gptr, dart__check_extent(dst_type, nelem), at))
    return DART_ERR_INVAL;
  dart__check_source(src, dart__check_extent(src_type, nelem), at);
  dart__check_race(&ticket, gptr, nelem, dst_type, DART__ACCESS_PUT, at);
  may_wait(gptr, at);
  ret = waited(&ticket, pdart_put_blocking(gptr, src, nelem, src_type, dst_type));
  dart__check_race_returned(&ticket, ret);
  return ret;
}

dart_ret_t dart_get_blocking(void *dest, dart_gptr_t gptr, size_t nelem, dart_datatype_t src_type,
                             dart_datatype_t dst_type)
{
  dart__at_t           at = DART__AT(dart_get_blocking);
  dart__check_ticket_t ticket;
  dart_ret_t           ret;

  if (!dart__check_access(gptr, dart__check_extent(src_type, nelem), at))
    return DART_ERR_INVAL;
  dart__check_race(&ticket, gptr, nelem, src_type, DART__ACCESS_GET, at);
  may_wait(gptr, at);
  ret = waited(&ticket, pdart_get_blocking(dest, gptr, nelem, src_type, dst_type));
  dart__check_race_returned(&ticket, ret);
  return ret;
}

/* ---- with a handle -------------------------------------------------------------------------------- */

/* An operation without a handle is complete. */
static void handle_started(dart__check_ticket_t *ticket, dart_ret_t ret, dart_gptr_t gptr,
                           const dart_handle_t *handle)
{
  waited(ticket, ret);
  if (ret != DART_OK || *handle == DART_HANDLE_NULL)
    dart__check_race_returned(ticket, ret);
  else
    dart__check_race_started(ticket, ret, gptr, *handle);
}

dart_ret_t dart_put_handle(dart_gptr_t gptr, const void *src, size_t nelem,
                           dart_datatype_t src_type, dart_datatype_t dst_type,
                           dart_handle_t *handle)
{
  dart__at_t           at     = DART__AT(dart_put_handle);
  uint64_t             nbytes = in_a_row(nelem, src_type);
  dart_ret_t           ret;
  dart__check_ticket_t ticket;

  if (!dart__check_access(gptr, dart__check_extent(dst_type, nelem), at)) {
    if (handle != NULL)
      *handle = DART_HANDLE_NULL;
    return DART_ERR_INVAL;
  }
  dart__check_source(src, dart__check_extent(src_type, nelem), at);
  dart__check_race(&ticket, gptr, nelem, dst_type, DART__ACCESS_PUT, at);
  may_wait(gptr, at);
  ret = pdart_put_handle(gptr, src, nelem, src_type, dst_type, handle);
  if (ret == DART_OK && nelem > 0 && dart__check_for(DART__CHECK_COMPLETION))
    *handle = dart__check_handle(gptr, nbytes > 0 ? src : NULL, NULL, NULL, nbytes, *handle, at);
  handle_started(&ticket, ret, gptr, handle);
  return ret;
}

dart_ret_t dart_get_handle(void *dest, dart_gptr_t gptr, size_t nelem, dart_datatype_t src_type,
                           dart_datatype_t dst_type, dart_handle_t *handle)
{
  dart__at_t           at     = DART__AT(dart_get_handle);
  uint64_t             nbytes = in_a_row(nelem, dst_type);
  void                *buffer;
  dart_ret_t           ret;
  dart__check_ticket_t ticket;

  if (!dart__check_access(gptr, dart__check_extent(src_type, nelem), at)) {
    if (handle != NULL)
      *handle = DART_HANDLE_NULL;
    return DART_ERR_INVAL;
  }
  buffer = handle == NULL ? dest : dart__check_result(dest, nbytes);
  dart__check_race(&ticket, gptr, nelem, src_type, DART__ACCESS_GET, at);
  may_wait(gptr, at);
  ret = pdart_get_handle(buffer, gptr, nelem, src_type, dst_type, handle);
  if (ret == DART_OK && nelem > 0 && dart__check_for(DART__CHECK_COMPLETION))
    *handle = dart__check_handle(gptr, NULL, buffer, dest, nbytes, *handle, at);
  handle_started(&ticket, ret, gptr, handle);
  return ret;
}

/* ---- atomics -------------------------------------------------------------------------------------- */

static dart__access_kind_t access_kind(dart_operation_t op)
{
  return op == DART_OP_NO_OP ? DART__ACCESS_READ : DART__ACCESS_UPDATE;
}

typedef dart_ret_t (*accumulate_t)(dart_gptr_t, const void *, size_t, dart_datatype_t,
                                   dart_operation_t);

static dart_ret_t accumulate(accumulate_t call, dart__at_t at, dart_gptr_t gptr, const void *values,
                             size_t nelem, dart_datatype_t dtype, dart_operation_t op)
{
  uint64_t             nbytes = dart__check_extent(dtype, nelem);
  dart_ret_t           ret;
  dart__check_ticket_t ticket;

  if (!dart__check_access(gptr, nbytes, at))
    return DART_ERR_INVAL;
  dart__check_source(values, nbytes, at);
  dart__check_race(&ticket, gptr, nelem, dtype, access_kind(op), at);
  ticket.acquires = false; /* there is no result */
  if (at.id == DART__CALL_dart_accumulate_blocking_local)
    may_wait(gptr, at);
  ret = call(gptr, values, nelem, dtype, op);
  if (at.id == DART__CALL_dart_accumulate_blocking_local)
    waited(&ticket, ret);
  dart__check_race_started(&ticket, ret, gptr, DART_HANDLE_NULL);
  if (ret == DART_OK && nelem > 0)
    dart__check_started(gptr, NULL, nbytes, at);
  return ret;
}

dart_ret_t dart_accumulate(dart_gptr_t gptr, const void *values, size_t nelem,
                           dart_datatype_t dtype, dart_operation_t op)
{
  return accumulate(pdart_accumulate, DART__AT(dart_accumulate), gptr, values, nelem, dtype, op);
}

dart_ret_t dart_accumulate_blocking_local(dart_gptr_t gptr, const void *values, size_t nelem,
                                          dart_datatype_t dtype, dart_operation_t op)
{
  return accumulate(pdart_accumulate_blocking_local, DART__AT(dart_accumulate_blocking_local), gptr,
                    values, nelem, dtype, op);
}

dart_ret_t dart_fetch_and_op(dart_gptr_t gptr, const void *value, void *result,
                             dart_datatype_t dtype, dart_operation_t op)
{
  dart__at_t           at     = DART__AT(dart_fetch_and_op);
  uint64_t             nbytes = dart__check_extent(dtype, 1);
  void                *buffer;
  dart_ret_t           ret;
  dart__check_ticket_t ticket;

  if (!dart__check_access(gptr, nbytes, at))
    return DART_ERR_INVAL;
  dart__check_source(value, nbytes, at);
  buffer = dart__check_result(result, nbytes);
  dart__check_race(&ticket, gptr, 1, dtype, access_kind(op), at);
  may_wait(gptr, at);
  ret = waited(&ticket, pdart_fetch_and_op(gptr, value, buffer, dtype, op));
  dart__check_race_started(&ticket, ret, gptr, DART_HANDLE_NULL);
  dart__check_result_started(ret, gptr, buffer, result, nbytes, at);
  return ret;
}

dart_ret_t dart_compare_and_swap(dart_gptr_t gptr, const void *value, const void *compare,
                                 void *result, dart_datatype_t dtype)
{
  dart__at_t           at     = DART__AT(dart_compare_and_swap);
  uint64_t             nbytes = dart__check_extent(dtype, 1);
  void                *buffer;
  dart_ret_t           ret;
  dart__check_ticket_t ticket;

  if (!dart__check_access(gptr, nbytes, at))
    return DART_ERR_INVAL;
  dart__check_source(value, nbytes, at);
  dart__check_source(compare, nbytes, at);
  buffer = dart__check_result(result, nbytes);
  dart__check_race(&ticket, gptr, 1, dtype, DART__ACCESS_UPDATE, at);
  may_wait(gptr, at);
  ret = waited(&ticket, pdart_compare_and_swap(gptr, value, compare, buffer, dtype));
  dart__check_race_started(&ticket, ret, gptr, DART_HANDLE_NULL);
  dart__check_result_started(ret, gptr, buffer, result, nbytes, at);
  return ret;
}

/* ---- atomics on many elements ---------------------------------------------------------------------- */

/* A call of dart_atomics.h. `handle` is NULL if the call has none. */
typedef struct {
  dart_gptr_t          gptr;
  const void          *values;
  size_t               nelem;
  dart_datatype_t      src_type, dst_type;
  dart_operation_t     op;
  dart_handle_t       *handle;
  dart__at_t           at;
  dart__check_ticket_t ticket;
} elements_t;

/* A call whose arguments have these names. */
#define ELEMENTS(name, handle)                                                           \
  {                                                                                      \
    gptr, values, nelem, src_type, dst_type, op, handle, DART__AT(name), .ticket = { 0 } \
  }

/* False: the call is refused. */
static bool begin_elements(elements_t *e)
{
  if (!dart__check_access(e->gptr, dart__check_extent(e->dst_type, e->nelem), e->at)) {
    if (e->handle != NULL)
      *e->handle = DART_HANDLE_NULL;
    return false;
  }
  if (e->op != DART_OP_NO_OP)
    dart__check_source(e->values, dart__check_extent(e->src_type, e->nelem), e->at);
  dart__check_race(&e->ticket, e->gptr, e->nelem, e->dst_type, access_kind(e->op), e->at);
  return true;
}

/* The call has returned `ret`. If it has a result, DART writes it to `buffer`, for the `nbytes` bytes at `result`. */
static dart_ret_t end_elements(elements_t *e, dart_ret_t ret, void *buffer, void *result,
                               uint64_t nbytes)
{
  if (e->handle == NULL) {
    dart__check_race_started(&e->ticket, waited(&e->ticket, ret), e->gptr, DART_HANDLE_NULL);
    if (result != NULL)
      dart__check_result_started(ret, e->gptr, buffer, result, nbytes, e->at);
    else if (ret == DART_OK && e->nelem > 0)
      dart__check_started(e->gptr, NULL, nbytes, e->at);
    return ret;
  }
  if (ret != DART_OK && result != NULL) /* free the buffer */
    dart__check_result_started(ret, e->gptr, buffer, result, nbytes, e->at);
  if (ret == DART_OK && e->nelem > 0 && dart__check_for(DART__CHECK_COMPLETION))
    *e->handle = dart__check_handle(e->gptr, NULL, buffer, result, nbytes, *e->handle, e->at);
  handle_started(&e->ticket, ret, e->gptr, e->handle);
  return ret;
}

dart_ret_t dart_accumulate_typed(dart_gptr_t gptr, const void *values, size_t nelem,
                                 dart_datatype_t src_type, dart_datatype_t dst_type,
                                 dart_operation_t op)
{
  elements_t e = ELEMENTS(dart_accumulate_typed, NULL);

  if (!begin_elements(&e))
    return DART_ERR_INVAL;
  e.ticket.acquires = false; /* there is no result */
  return end_elements(&e, pdart_accumulate_typed(gptr, values, nelem, src_type, dst_type, op), NULL,
                      NULL, in_a_row(nelem, src_type));
}

dart_ret_t dart_accumulate_handle(dart_gptr_t gptr, const void *values, size_t nelem,
                                  dart_datatype_t src_type, dart_datatype_t dst_type,
                                  dart_operation_t op, dart_handle_t *handle)
{
  elements_t e = ELEMENTS(dart_accumulate_handle, handle);
  dart_ret_t ret;

  if (!begin_elements(&e))
    return DART_ERR_INVAL;
  e.ticket.acquires = false;
  ret               = pdart_accumulate_handle(gptr, values, nelem, src_type, dst_type, op, handle);
  return end_elements(&e, ret, NULL, NULL, in_a_row(nelem, src_type));
}

dart_ret_t dart_fetch_and_op_typed(dart_gptr_t gptr, const void *values, void *results,
                                   size_t nelem, dart_datatype_t src_type,
                                   dart_datatype_t result_type, dart_datatype_t dst_type,
                                   dart_operation_t op)
{
  elements_t e      = ELEMENTS(dart_fetch_and_op_typed, NULL);
  uint64_t   nbytes = in_a_row(nelem, result_type);
  void      *buffer;

  if (!begin_elements(&e))
    return DART_ERR_INVAL;
  buffer = dart__check_result(results, nbytes);
  return end_elements(
      &e,
      pdart_fetch_and_op_typed(gptr, values, buffer, nelem, src_type, result_type, dst_type, op),
      buffer, results, nbytes);
}

dart_ret_t dart_fetch_and_op_handle(dart_gptr_t gptr, const void *values, void *results,
                                    size_t nelem, dart_datatype_t src_type,
                                    dart_datatype_t result_type, dart_datatype_t dst_type,
                                    dart_operation_t op, dart_handle_t *handle)
{
  elements_t e      = ELEMENTS(dart_fetch_and_op_handle, handle);
  uint64_t   nbytes = in_a_row(nelem, result_type);
  void      *buffer;
  dart_ret_t ret;

  if (!begin_elements(&e))
    return DART_ERR_INVAL;
  buffer = handle == NULL ? results : dart__check_result(results, nbytes);
  ret = pdart_fetch_and_op_handle(gptr, values, buffer, nelem, src_type, result_type, dst_type, op,
                                  handle);
  return end_elements(&e, ret, buffer, results, nbytes);
}

/* ---- notified puts and gets -------------------------------------------------------------------------
 *
 * The source of a put may be used again when the consumer has seen the counter, and this library does not know when
 * that is. Nor does it know when the unit has seen the counter of a get, so the data go to the program's buffer. */

/* The data count as complete for all units, not only for those ordered after the notification. */
static bool begin_notified(dart_gptr_t gptr, size_t nelem, dart_datatype_t type,
                           dart__access_kind_t kind, dart_gptr_t flag, dart__at_t at)
{
  dart__check_ticket_t ticket;

  if ((nelem > 0 && !dart__check_access(gptr, dart__check_extent(type, nelem), at)) ||
      !dart__check_access(flag, sizeof(uint64_t), at))
    return false;
  dart__check_race(&ticket, gptr, nelem, type, kind, at);
  dart__check_race_notify(flag, at);
  return true;
}

static bool begin_notify(dart_gptr_t gptr, const void *src, size_t nelem, dart_datatype_t src_type,
                         dart_datatype_t dst_type, dart_gptr_t flag, dart__at_t at)
{
  dart__check_source(src, dart__check_extent(src_type, nelem), at);
  return begin_notified(gptr, nelem, dst_type, DART__ACCESS_PUT, flag, at);
}

dart_ret_t dart_put_notify(dart_gptr_t gptr, const void *src, size_t nelem,
                           dart_datatype_t src_type, dart_datatype_t dst_type, dart_gptr_t flag,
                           uint64_t by)
{
  return begin_notify(gptr, src, nelem, src_type, dst_type, flag, DART__AT(dart_put_notify))
             ? pdart_put_notify(gptr, src, nelem, src_type, dst_type, flag, by)
             : DART_ERR_INVAL;
}

dart_ret_t dart_put_notify_op(dart_gptr_t gptr, const void *src, size_t nelem,
                              dart_datatype_t src_type, dart_datatype_t dst_type, dart_gptr_t flag,
                              uint64_t value, dart_operation_t op)
{
  return begin_notify(gptr, src, nelem, src_type, dst_type, flag, DART__AT(dart_put_notify_op))
             ? pdart_put_notify_op(gptr, src, nelem, src_type, dst_type, flag, value, op)
             : DART_ERR_INVAL;
}

dart_ret_t dart_get_notify(void *dest, dart_gptr_t gptr, size_t nelem, dart_datatype_t src_type,
                           dart_datatype_t dst_type, dart_gptr_t flag, uint64_t by)
{
  dart__at_t at = DART__AT(dart_get_notify);

  return begin_notified(gptr, nelem, src_type, DART__ACCESS_GET, flag, at)
             ? pdart_get_notify(dest, gptr, nelem, src_type, dst_type, flag, by)
             : DART_ERR_INVAL;
}

dart_ret_t dart_get_notify_op(void *dest, dart_gptr_t gptr, size_t nelem, dart_datatype_t src_type,
                              dart_datatype_t dst_type, dart_gptr_t flag, uint64_t value,
                              dart_operation_t op)
{
  dart__at_t at = DART__AT(dart_get_notify_op);

  return begin_notified(gptr, nelem, src_type, DART__ACCESS_GET, flag, at)
             ? pdart_get_notify_op(dest, gptr, nelem, src_type, dst_type, flag, value, op)
             : DART_ERR_INVAL;
}

dart_ret_t dart_notify(dart_gptr_t flag, uint64_t by)
{
  dart__at_t at = DART__AT(dart_notify);

  if (!dart__check_access(flag, sizeof by, at))
    return DART_ERR_INVAL;
  dart__check_race_notify(flag, at);
  return pdart_notify(flag, by);
}

/* ---- flushes ---------------------------------------------------------------------------------------- */

/* Refused operations are complete, too. */
static dart_ret_t flush_checked(dart_ret_t (*second)(dart_gptr_t), dart_gptr_t gptr, bool all,
                                bool local, dart__at_t at)
{
  uint64_t   moment  = dart__check_moment();
  uint64_t   started = dart__check_race_moment();
  dart_ret_t ret;

  if (!(all ? dart__check_use(gptr, at) : dart__check_use_unit(gptr, at)))
    return DART_ERR_INVAL;
  if (!all)
    may_wait(gptr, at);
  ret = second(gptr);
  dart__check_stuck_waited();
  dart__check_flushed(gptr, all, local, moment, at);
  dart__check_race_flushed(gptr, all, local, started);
  return ret;
}

dart_ret_t dart_flush(dart_gptr_t gptr)
{
  return flush_checked(pdart_flush, gptr, false, false, DART__AT(dart_flush));
}

dart_ret_t dart_flush_all(dart_gptr_t gptr)
{
  return flush_checked(pdart_flush_all, gptr, true, false, DART__AT(dart_flush_all));
}

dart_ret_t dart_flush_local(dart_gptr_t gptr)
{
  return flush_checked(pdart_flush_local, gptr, false, true, DART__AT(dart_flush_local));
}

dart_ret_t dart_flush_local_all(dart_gptr_t gptr)
{
  return flush_checked(pdart_flush_local_all, gptr, true, true, DART__AT(dart_flush_local_all));
}

/* ---- order ------------------------------------------------------------------------------------------
 *
 * A unit that sees an operation after an order also sees those before it, so the order counts as a flush of these. */

dart_ret_t dart_order(dart_gptr_t gptr)
{
  uint64_t   started = dart__check_race_moment();
  dart_ret_t ret;

  if (!dart__check_use_unit(gptr, DART__AT(dart_order)))
    return DART_ERR_INVAL;
  ret = pdart_order(gptr);
  if (ret == DART_OK)
    dart__check_race_flushed(gptr, false, false, started);
  return ret;
}
