/* Entry points of put and get: check and resolve once, then copy if the memory is near; for other memory see
 * remote.h. Near transfers of all forms are complete when the call returns.
 *
 * Put and get are one source. The direction, and what completes the call, are constants of inlined functions: so each
 * entry point has code without branches on them. It first tries the direct map, which calls no function and so saves
 * no registers on the stack; otherwise it passes its arguments to functions of its own that are not inlined. */
#include <dash/dart/if/dart_communication.h>

#include "base/profile.h"

/* Before dart_value.h, whose inline functions call dart_put. */
DART__PROFILED(dart_put_blocking, dart_get_blocking, dart_put, dart_get);
DART__PROFILED(dart_put_handle, dart_get_handle);

#include "base/copy.h"
#include "rma/context.h"
#include "rma/count.h"
#include "rma/gate.h"
#include "rma/remote.h"
#include "rma/transfer.h"
#include "rma/watch.h"
#include "wait/near.h"

#define INLINED static inline __attribute__((always_inline))

/* What completes a call: its return, a flush, or a handle. */
typedef enum { BLOCKING, FLUSHED, HANDLE } end_t;

/* Where a call looks up the direct map: one that may be called in a polling loop has to make progress, and a put comes
 * after the updates of the same element that are deferred (far/progress.h). */
INLINED dart_inline_maps_t maps_of(bool is_put, end_t end)
{
  if (end == BLOCKING)
    return dart__progress_maps;
  return is_put ? dart__put_maps : dart__team_direct;
}

INLINED const char *name_of(bool is_put, end_t end)
{
  static const char *const name[][2] = { [BLOCKING] = { "dart_get_blocking", "dart_put_blocking" },
                                         [FLUSHED]  = { "dart_get", "dart_put" },
                                         [HANDLE]   = { "dart_get_handle", "dart_put_handle" } };

  return name[end][is_put];
}

/* ---- the direct map: one element --------------------------------------------------------------- */

/* One element of a basic type, the most frequent transfer: all else is sorted out elsewhere, so that this path needs
 * few registers, and saves few of them on the stack. */
INLINED bool is_one(const void *buffer, size_t nelem, dart_datatype_t src_type,
                    dart_datatype_t dst_type)
{
  uintptr_t different = ((uintptr_t)src_type ^ (uintptr_t)dst_type) | (nelem ^ 1); /* one branch */

  return __builtin_expect(different == 0, 1) && __builtin_expect(buffer != NULL, 1);
}

INLINED int copy_word(bool is_put, char *near, void *buffer, size_t size)
{
  return is_put ? dart__near_put_word(near, buffer, size) : dart__near_get_word(buffer, near, size);
}

/* False: nothing was done; the general path is taken. */
INLINED bool copy_one(bool is_put, end_t end, dart_gptr_t gptr, void *buffer, dart_datatype_t type)
{
  size_t size = dart__type_basic_size(type);
  char  *near = dart_inline_bytes(maps_of(is_put, end), dart_inline_ids(&gptr), size);

  return near != NULL && copy_word(is_put, near, buffer, size);
}

/* ---- the direct map: elements in a row, or at constant distances --------------------------------- */

/* So many elements, at most, that no product of sizes below overflows. */
#define STEPS_MOST (1 << 24)

/* Elements of one size, each one a basic type's or a block. */
typedef struct {
  size_t              span;           /* bytes from the first to the last, behind the pointer */
  const dart__type_t *global, *local; /* the distances; NULL: there are none, on both sides */
} elements_t;

/* False: they are others, or of a size that dart__near_copy_steps does not take, or there is an error. */
INLINED bool find_steps(const void *buffer, size_t nelem, dart_datatype_t global_type,
                        dart_datatype_t local_type, elements_t *out)
{
  const dart__type_t *global = dart__type_find(global_type), *local = dart__type_find(local_type);

  if (global == NULL || local == NULL || global->base != local->base || buffer == NULL ||
      global->elem_count != 1 || local->elem_count != 1 || nelem - 1 >= STEPS_MOST ||
      global->kind == DART__TYPE_INDEXED || local->kind == DART__TYPE_INDEXED ||
      global->elem_size > sizeof(long double) || (global->elem_size & (global->elem_size - 1)) != 0)
    return false;
  *out = (elements_t){ ((nelem - 1) * global->stride + 1) * global->elem_size, global, local };
  return true;
}

INLINED bool find_elements(const void *buffer, size_t nelem, dart_datatype_t global_type,
                           dart_datatype_t local_type, elements_t *out)
{
  out->global = NULL;
  return dart__transfer_is_plain(buffer, nelem, global_type, local_type, &out->span) ||
         find_steps(buffer, nelem, global_type, local_type, out);
}

/* Few are copied here. */
INLINED void copy_row(bool is_put, char *near, void *buffer, size_t nbytes)
{
  if (nbytes - 16 <= DART__FEW_BYTES_MOST - 16)
    dart_inline_copy(is_put ? near : buffer, is_put ? buffer : near, nbytes);
  else if (nbytes > sizeof(uint64_t) || !copy_word(is_put, near, buffer, nbytes))
    dart__copy_bytes(is_put ? near : buffer, is_put ? buffer : near, nbytes);
}

INLINED void copy_steps(bool is_put, char *near, void *buffer, size_t nelem, const elements_t *e)
{
  size_t size = e->global->elem_size, there = e->global->stride, here = e->local->stride;

  if (nelem == 1 && copy_word(is_put, near, buffer, size))
    return;
  if (is_put)
    dart__near_copy_steps(near, there, buffer, here, nelem, size);
  else
    dart__near_copy_steps(buffer, here, near, there, nelem, size);
}

/* One element of a basic type on this side, and of a strided type of single elements on the other: their distance does not
 * matter. False: nothing was done. */
INLINED bool copy_single(bool is_put, end_t end, const dart_gptr_t *gptr, void *buffer,
                         dart_datatype_t global_type, dart_datatype_t local_type)
{
  const dart__type_t *global = dart__handle_find(&dart__type_objects, global_type);
  size_t              size   = dart__type_basic_size(local_type);
  char               *near;

  if (global == NULL || global->kind != DART__TYPE_STRIDED || global->elem_count != 1 ||
      global->base != local_type || buffer == NULL)
    return false;
  near = dart_inline_bytes(maps_of(is_put, end), dart_inline_ids(gptr), size);
  return near != NULL && copy_word(is_put, near, buffer, size);
}

/* False: nothing was done; the general path is taken. The fences are those of dart__near_put and dart__near_get. */
INLINED bool copy_several(bool is_put, end_t end, const dart_gptr_t *gptr, void *buffer,
                          size_t nelem, dart_datatype_t global_type, dart_datatype_t local_type)
{
  elements_t e;
  char      *near;

  if (nelem == 1 && copy_single(is_put, end, gptr, buffer, global_type, local_type)) {
    e.span = sizeof(long double); /* at most */
  } else {
    if (!find_elements(buffer, nelem, global_type, local_type, &e))
      return false;
    near = dart_inline_bytes(maps_of(is_put, end), dart_inline_ids(gptr), e.span);
    if (near == NULL)
      return false;
    if (is_put)
      atomic_thread_fence(memory_order_release);
    if (__builtin_expect(e.global == NULL, 1))
      copy_row(is_put, near, buffer, e.span);
    else
      copy_steps(is_put, near, buffer, nelem, &e);
    if (!is_put)
      atomic_thread_fence(memory_order_acquire);
  }
  if (is_put && dart__is_watched())
    dart__watch_wrote(*gptr, e.span);
  return true;
}

/* ---- the general path: any elements of any memory, and all errors -------------------------------- */

/* The segment has had epochs: whether the transfer goes on, see epoch/access.h. */
static __attribute__((noinline)) dart__access_t may_go(end_t end, const dart__rma_t *rma)
{
  bool           is_put   = rma->kind == DART__PUT;
  const char    *function = name_of(is_put, end);
  dart__access_t goes     = end == FLUSHED ? dart__gate.later(function, rma)
                                           : dart__gate.now(function, &rma->at, rma->kind);

  if (goes == DART__ACCESS_DONE)
    dart__count_transfer(is_put, rma);
  return goes;
}

/* A blocking call may be made in a polling loop, so it makes progress: before the copy, or while a far transfer is under
 * way. */
INLINED dart_ret_t move(bool is_put, end_t end, const dart__rma_t *rma, dart_handle_t *handle_out)
{
  if (rma->at.near == NULL)
    return end == BLOCKING ? dart__remote_blocking(rma) : dart__remote_start(rma, handle_out);
  if (end == BLOCKING)
    dart__progress();
  else
    dart__progress_if_spent();
  dart__transfer_near(rma, is_put);
  return DART_OK;
}

/* The pointer by its address, as to dart_inline_ids. */
INLINED dart_ret_t transfer_any(bool is_put, end_t end, const dart_gptr_t *gptr, void *buffer,
                                size_t nelem, dart_datatype_t global_type,
                                dart_datatype_t local_type, dart_handle_t *handle)
{
  dart__rma_t rma;
  dart_ret_t  ret;

  if (end == HANDLE && handle == NULL)
    return dart__fail(DART_ERR_INVAL, "%s: handle is NULL", name_of(is_put, end));
  if (end == HANDLE)
    *handle = DART_HANDLE_NULL;
  if ((is_put || end == BLOCKING) && __builtin_expect(dart__stream > 0, 0))
    dart__progress_apply(); /* updates of the same element come first */
  ret = dart__transfer(name_of(is_put, end), *gptr, buffer, nelem, global_type, local_type, &rma);
  if (ret != DART_OK || nelem == 0)
    return ret;
  rma.kind = is_put ? DART__PUT : DART__GET;
  if (__builtin_expect(dart__segment_epoch(rma.at.segment) != NULL, 0)) {
    dart__access_t goes = may_go(end, &rma);

    if (goes != DART__ACCESS_PASS)
      return dart__access_result(goes);
  }
  ret = move(is_put, end, &rma, handle);
  if (ret != DART_OK)
    return ret;
  dart__count_transfer(is_put, &rma);
  if (is_put && dart__is_watched())
    dart__watch_wrote(*gptr, rma.local_type == NULL ? rma.nbytes : UINT64_MAX);
  return DART_OK;
}

/* ---- entry points -----------------------------------------------------------------------------------
 *
 * Functions that are not inlined take the arguments of their entry point, in its order: so it jumps to them. */

DART__OUT_OF_LINE put_blocking_any(dart_gptr_t gptr, const void *src, size_t nelem,
                                   dart_datatype_t src_type, dart_datatype_t dst_type)
{
  return transfer_any(true, BLOCKING, &gptr, (void *)(uintptr_t)src, nelem, dst_type, src_type,
                      NULL);
}

/* On several nodes, where a unit that polls is found out. */
DART__OUT_OF_LINE get_blocking_nodes(void *dest, dart_gptr_t gptr, size_t nelem,
                                     dart_datatype_t src_type, dart_datatype_t dst_type)
{
  dart_ret_t ret = transfer_any(false, BLOCKING, &gptr, dest, nelem, src_type, dst_type, NULL);
  size_t     nbytes;

  if (ret == DART_OK && dart__transfer_is_plain(dest, nelem, src_type, dst_type, &nbytes) &&
      nbytes <= sizeof(uint64_t))
    dart__progress_polled(gptr, dest, nbytes);
  return ret;
}

DART__OUT_OF_LINE get_blocking_any(void *dest, dart_gptr_t gptr, size_t nelem,
                                   dart_datatype_t src_type, dart_datatype_t dst_type)
{
  if (dart__world.many_nodes)
    return get_blocking_nodes(dest, gptr, nelem, src_type, dst_type);
  return transfer_any(false, BLOCKING, &gptr, dest, nelem, src_type, dst_type, NULL);
}

DART__OUT_OF_LINE put_any(dart_gptr_t gptr, const void *src, size_t nelem, dart_datatype_t src_type,
                          dart_datatype_t dst_type)
{
  return transfer_any(true, FLUSHED, &gptr, (void *)(uintptr_t)src, nelem, dst_type, src_type,
                      NULL);
}

DART__OUT_OF_LINE get_any(void *dest, dart_gptr_t gptr, size_t nelem, dart_datatype_t src_type,
                          dart_datatype_t dst_type)
{
  return transfer_any(false, FLUSHED, &gptr, dest, nelem, src_type, dst_type, NULL);
}

DART__OUT_OF_LINE put_handle_any(dart_gptr_t gptr, const void *src, size_t nelem,
                                 dart_datatype_t src_type, dart_datatype_t dst_type,
                                 dart_handle_t *handle)
{
  return transfer_any(true, HANDLE, &gptr, (void *)(uintptr_t)src, nelem, dst_type, src_type,
                      handle);
}

DART__OUT_OF_LINE get_handle_any(void *dest, dart_gptr_t gptr, size_t nelem,
                                 dart_datatype_t src_type, dart_datatype_t dst_type,
                                 dart_handle_t *handle)
{
  return transfer_any(false, HANDLE, &gptr, dest, nelem, src_type, dst_type, handle);
}

/* Other than one element of a basic type. */
DART__OUT_OF_LINE put_blocking_several(dart_gptr_t gptr, const void *src, size_t nelem,
                                       dart_datatype_t src_type, dart_datatype_t dst_type)
{
  return copy_several(true, BLOCKING, &gptr, (void *)(uintptr_t)src, nelem, dst_type, src_type)
             ? DART_OK
             : put_blocking_any(gptr, src, nelem, src_type, dst_type);
}

DART__OUT_OF_LINE get_blocking_several(void *dest, dart_gptr_t gptr, size_t nelem,
                                       dart_datatype_t src_type, dart_datatype_t dst_type)
{
  return copy_several(false, BLOCKING, &gptr, dest, nelem, src_type, dst_type)
             ? DART_OK
             : get_blocking_any(dest, gptr, nelem, src_type, dst_type);
}

DART__OUT_OF_LINE put_several(dart_gptr_t gptr, const void *src, size_t nelem,
                              dart_datatype_t src_type, dart_datatype_t dst_type)
{
  return copy_several(true, FLUSHED, &gptr, (void *)(uintptr_t)src, nelem, dst_type, src_type)
             ? DART_OK
             : put_any(gptr, src, nelem, src_type, dst_type);
}

DART__OUT_OF_LINE get_several(void *dest, dart_gptr_t gptr, size_t nelem, dart_datatype_t src_type,
                              dart_datatype_t dst_type)
{
  return copy_several(false, FLUSHED, &gptr, dest, nelem, src_type, dst_type)
             ? DART_OK
             : get_any(dest, gptr, nelem, src_type, dst_type);
}

DART__OUT_OF_LINE put_handle_several(dart_gptr_t gptr, const void *src, size_t nelem,
                                     dart_datatype_t src_type, dart_datatype_t dst_type,
                                     dart_handle_t *handle)
{
  if (handle == NULL)
    return put_handle_any(gptr, src, nelem, src_type, dst_type, handle);
  *handle = DART_HANDLE_NULL;
  return copy_several(true, HANDLE, &gptr, (void *)(uintptr_t)src, nelem, dst_type, src_type)
             ? DART_OK
             : put_handle_any(gptr, src, nelem, src_type, dst_type, handle);
}

DART__OUT_OF_LINE get_handle_several(void *dest, dart_gptr_t gptr, size_t nelem,
                                     dart_datatype_t src_type, dart_datatype_t dst_type,
                                     dart_handle_t *handle)
{
  if (handle == NULL)
    return get_handle_any(dest, gptr, nelem, src_type, dst_type, handle);
  *handle = DART_HANDLE_NULL;
  return copy_several(false, HANDLE, &gptr, dest, nelem, src_type, dst_type)
             ? DART_OK
             : get_handle_any(dest, gptr, nelem, src_type, dst_type, handle);
}

dart_ret_t dart_put_blocking(dart_gptr_t gptr, const void *src, size_t nelem,
                             dart_datatype_t src_type, dart_datatype_t dst_type)
{
  if (!is_one(src, nelem, src_type, dst_type))
    return put_blocking_several(gptr, src, nelem, src_type, dst_type);
  if (!copy_one(true, BLOCKING, gptr, (void *)(uintptr_t)src, src_type))
    return put_blocking_any(gptr, src, 1, src_type, src_type);
  return dart__is_watched() ? dart__watch_wrote_few(gptr) : DART_OK;
}

dart_ret_t dart_get_blocking(void *dest, dart_gptr_t gptr, size_t nelem, dart_datatype_t src_type,
                             dart_datatype_t dst_type)
{
  if (!is_one(dest, nelem, src_type, dst_type))
    return get_blocking_several(dest, gptr, nelem, src_type, dst_type);
  if (!copy_one(false, BLOCKING, gptr, dest, src_type))
    return get_blocking_any(dest, gptr, 1, src_type, src_type);
  return DART_OK;
}

dart_ret_t dart_put(dart_gptr_t gptr, const void *src, size_t nelem, dart_datatype_t src_type,
                    dart_datatype_t dst_type)
{
  if (!is_one(src, nelem, src_type, dst_type))
    return put_several(gptr, src, nelem, src_type, dst_type);
  if (!copy_one(true, FLUSHED, gptr, (void *)(uintptr_t)src, src_type))
    return put_any(gptr, src, 1, src_type, src_type);
  return dart__is_watched() ? dart__watch_wrote_few(gptr) : DART_OK;
}

dart_ret_t dart_get(void *dest, dart_gptr_t gptr, size_t nelem, dart_datatype_t src_type,
                    dart_datatype_t dst_type)
{
  if (!is_one(dest, nelem, src_type, dst_type))
    return get_several(dest, gptr, nelem, src_type, dst_type);
  if (!copy_one(false, FLUSHED, gptr, dest, src_type))
    return get_any(dest, gptr, 1, src_type, src_type);
  return DART_OK;
}

dart_ret_t dart_put_handle(dart_gptr_t gptr, const void *src, size_t nelem,
                           dart_datatype_t src_type, dart_datatype_t dst_type,
                           dart_handle_t *handle)
{
  if (!is_one(src, nelem, src_type, dst_type) || __builtin_expect(handle == NULL, 0))
    return put_handle_several(gptr, src, nelem, src_type, dst_type, handle);
  if (!copy_one(true, HANDLE, gptr, (void *)(uintptr_t)src, src_type))
    return put_handle_any(gptr, src, 1, src_type, src_type, handle);
  *handle = DART_HANDLE_NULL;
  return dart__is_watched() ? dart__watch_wrote_few(gptr) : DART_OK;
}

dart_ret_t dart_get_handle(void *dest, dart_gptr_t gptr, size_t nelem, dart_datatype_t src_type,
                           dart_datatype_t dst_type, dart_handle_t *handle)
{
  if (!is_one(dest, nelem, src_type, dst_type) || __builtin_expect(handle == NULL, 0))
    return get_handle_several(dest, gptr, nelem, src_type, dst_type, handle);
  if (!copy_one(false, HANDLE, gptr, dest, src_type))
    return get_handle_any(dest, gptr, 1, src_type, src_type, handle);
  *handle = DART_HANDLE_NULL;
  return DART_OK;
}
