/* Atomics on many elements (dart_atomics.h). The layouts are cut into runs: elements that lie in a row in the target and
 * in every buffer. Each run takes the path of the other atomics (rma/atomics.c), so every update of an element is
 * the same kind of access, and a unit's updates of one element keep the order of its calls. */
#include <dash/dart/ext/dart_atomics.h>

#include "base/profile.h"
#include "base/size.h"
#include "data/name.h"
#include "data/op.h"
#include "far/far_handle.h"
#include "far/far_ops.h"
#include "rma/context.h"
#include "rma/count.h"
#include "rma/gate.h"
#include "rma/remote.h"
#include "rma/transfer.h"
#include "rma/watch.h"
#include "wait/atomic.h"

DART__PROFILED(dart_accumulate_typed, dart_accumulate_handle, dart_fetch_and_op_typed);
DART__PROFILED(dart_fetch_and_op_handle);

/* A call. Buffers that are not needed have the layout of the target, and are not accessed. */
typedef struct {
  const char      *function;
  dart_gptr_t      gptr;
  const char      *values;
  char            *results;
  size_t           nelem;
  dart_operation_t op;
  bool             fetches;

  /* When it is checked. */
  dart__address_t     at;
  const dart__type_t *type, *src_type, *result_type;
  dart__completion_t  last; /* of its runs, if they are far */
} update_t;

/* ---- checks -------------------------------------------------------------------------------- */

static dart_ret_t check_op(const update_t *u, dart_datatype_t dst_type)
{
  const dart__type_t *type = dart__type_find(dst_type);

  if (type != NULL && dart__op_is_atomic(u->op, type->base))
    return DART_OK;
  return dart__fail(DART_ERR_INVAL, "%s: no atomic operation %s on elements of type %s",
                    u->function, dart__op_text(u->op).text, dart__type_text(dst_type).text);
}

/* Whether the pointer, and the layout of one buffer, fit the target: of elements that are in a row on both sides this may
 * be any type's. */
static dart_ret_t check_layout(update_t *u, const void *buffer, dart_datatype_t dst_type,
                               dart_datatype_t type, const dart__type_t **layout_out)
{
  dart__rma_t rma;
  size_t      span;
  dart_ret_t ret = dart__transfer_check(u->function, buffer, u->nelem, dst_type, type, &rma, &span);

  if (ret != DART_OK)
    return ret;
  u->type     = rma.type;
  *layout_out = rma.local_type != NULL ? rma.local_type : rma.type;
  return dart__locate(u->function, u->gptr, span, &u->at);
}

static dart_ret_t check_update(update_t *u, dart_datatype_t src_type, dart_datatype_t result_type,
                               dart_datatype_t dst_type)
{
  bool       needs_values = u->op != DART_OP_NO_OP;
  dart_ret_t ret          = check_op(u, dst_type);

  if (!needs_values)
    u->values = NULL;
  if (ret == DART_OK && (needs_values || !u->fetches))
    ret = check_layout(u, needs_values ? u->values : "", dst_type, src_type, &u->src_type);
  if (ret == DART_OK && u->fetches)
    ret = check_layout(u, u->results, dst_type, result_type, &u->result_type);
  if (ret != DART_OK)
    return ret;
  if (!needs_values)
    u->src_type = u->type;
  if (!u->fetches)
    u->result_type = u->type;
  if (dart__is_aligned(&u->at, u->type->elem_size))
    return DART_OK;
  return dart__fail(DART_ERR_INVAL, "%s: offset %lld is not aligned to an element of %zu bytes",
                    u->function, (long long)u->at.offset, u->type->elem_size);
}

/* The segment has had epochs: the target has to be open. */
static dart_ret_t enter_epoch(const update_t *u)
{
  return dart__gate_pass(u->function, &u->at,
                         u->op == DART_OP_NO_OP ? DART__GET : DART__ACCUMULATE);
}

/* ---- runs ---------------------------------------------------------------------------------- */

static dart_ret_t update_remote(update_t *u, const dart__rma_t *rma)
{
  if (!dart__remote_is_far(&rma->at))
    return dart__remote_start(rma, NULL);
  u->last = dart__context_note(&rma->at, dart__far_start(rma, NULL));
  return DART_OK;
}

/* A run: `nelem` elements at `at`, whose values and results are in a row, too. */
static dart_ret_t update_run(update_t *u, const dart__address_t *at, const char *values,
                             char *results, size_t nelem)
{
  dart_datatype_t base = u->type->base;
  dart__rma_t     rma;

  if (at->near == NULL) {
    rma = results == NULL ? dart__rma_accumulate(at, values, nelem, base, u->op)
                          : dart__rma_fetch(at, values, results, nelem, base, u->op);
    return update_remote(u, &rma);
  }
  if (results == NULL)
    dart__atomic_accumulate(at->near, values, nelem, base, u->op);
  else
    dart__atomic_fetch_elements(at->near, values, results, nelem, base, u->op);
  return DART_OK;
}

/* The next run, from element `elem` on; returns its length. */
static size_t next_run(const update_t *u, size_t elem, dart__address_t *at_out,
                       const char **values_out, char **results_out)
{
  size_t size = u->type->elem_size, position, count = u->nelem - elem;

  count   = dart__least(count, dart__type_run(u->type, elem, &position));
  *at_out = u->at;
  at_out->offset += position * size;
  if (at_out->near != NULL)
    at_out->near += position * size;
  count        = dart__least(count, dart__type_run(u->src_type, elem, &position));
  *values_out  = u->values == NULL ? NULL : u->values + position * size;
  count        = dart__least(count, dart__type_run(u->result_type, elem, &position));
  *results_out = u->results == NULL ? NULL : u->results + position * size;
  return count;
}

static dart_ret_t update_all(update_t *u)
{
  dart_ret_t ret = DART_OK;

  for (size_t elem = 0, count; elem < u->nelem && ret == DART_OK; elem += count) {
    dart__address_t at;
    const char     *values;
    char           *results;

    count = next_run(u, elem, &at, &values, &results);
    ret   = update_run(u, &at, values, results, count);
  }
  return ret;
}

/* Wake a unit that sleeps for an element that may have changed. */
static void wake_watchers(const update_t *u)
{
  size_t nbytes = u->nelem * u->type->elem_size;

  if (u->op != DART_OP_NO_OP && dart__is_watched())
    dart__watch_wrote(u->gptr, dart__type_is_contiguous(u->type) ? nbytes : UINT64_MAX);
}

/* `handle_out` NULL: none is wanted. */
static dart_ret_t update_elements(update_t *u, dart_datatype_t src_type,
                                  dart_datatype_t result_type, dart_datatype_t dst_type,
                                  dart_handle_t *handle_out)
{
  dart_handle_t handle = DART_HANDLE_NULL;
  dart_ret_t    ret    = check_update(u, src_type, result_type, dst_type);

  if (ret != DART_OK || u->nelem == 0 || (u->op == DART_OP_NO_OP && !u->fetches))
    return ret;
  if (handle_out != NULL && u->at.near == NULL && dart__remote_is_far(&u->at)) {
    handle = dart__handle_new(u->at.team, u->at.unit, false);
    if (handle == DART_HANDLE_NULL)
      return dart__fail(DART_ERR_NOMEM, "%s: no memory for a handle", u->function);
  }
  ret = enter_epoch(u);
  if (ret == DART_OK) {
    dart__count_atomic(&u->at, u->nelem * u->type->elem_size);
    dart__progress(); /* deferred updates come first: those of a word are applied in the order of their calls */
    ret = update_all(u);
  }
  if (ret == DART_OK)
    wake_watchers(u);
  if (handle == DART_HANDLE_NULL)
    return ret;
  if (ret == DART_OK) {
    dart__mark_add(&handle->mark, u->last);
    *handle_out = handle;
  } else {
    dart__far_release(&handle);
  }
  return ret;
}

static dart_ret_t update_with_handle(update_t *u, dart_datatype_t src_type,
                                     dart_datatype_t result_type, dart_datatype_t dst_type,
                                     dart_handle_t *handle)
{
  if (handle == NULL)
    return dart__fail(DART_ERR_INVAL, "%s: handle is NULL", u->function);
  *handle = DART_HANDLE_NULL;
  return update_elements(u, src_type, result_type, dst_type, handle);
}

/* ---- entry points -------------------------------------------------------------------------- */

dart_ret_t dart_accumulate_typed(dart_gptr_t gptr, const void *values, size_t nelem,
                                 dart_datatype_t src_type, dart_datatype_t dst_type,
                                 dart_operation_t op)
{
  update_t u = { __func__, gptr, values, NULL, nelem, op, .fetches = false };

  return update_elements(&u, src_type, dst_type, dst_type, NULL);
}

dart_ret_t dart_accumulate_handle(dart_gptr_t gptr, const void *values, size_t nelem,
                                  dart_datatype_t src_type, dart_datatype_t dst_type,
                                  dart_operation_t op, dart_handle_t *handle)
{
  update_t u = { __func__, gptr, values, NULL, nelem, op, .fetches = false };

  return update_with_handle(&u, src_type, dst_type, dst_type, handle);
}

dart_ret_t dart_fetch_and_op_typed(dart_gptr_t gptr, const void *values, void *results,
                                   size_t nelem, dart_datatype_t src_type,
                                   dart_datatype_t result_type, dart_datatype_t dst_type,
                                   dart_operation_t op)
{
  update_t u = { __func__, gptr, values, results, nelem, op, .fetches = true };

  return update_elements(&u, src_type, result_type, dst_type, NULL);
}

dart_ret_t dart_fetch_and_op_handle(dart_gptr_t gptr, const void *values, void *results,
                                    size_t nelem, dart_datatype_t src_type,
                                    dart_datatype_t result_type, dart_datatype_t dst_type,
                                    dart_operation_t op, dart_handle_t *handle)
{
  update_t u = { __func__, gptr, values, results, nelem, op, .fetches = true };

  return update_with_handle(&u, src_type, result_type, dst_type, handle);
}
