/* Entry points of put and get: check and resolve once, then copy if the memory is near; for other memory see
 * remote.h. Near transfers of all forms are complete when the call returns.
 *
 * An entry point first tries the direct map, which calls no function and so saves no registers on the stack;
 * otherwise it passes its arguments to the function of the same name with `_any`. */
#include <dash/dart/if/dart_communication.h>

#include "base/profile.h"

/* Before dart_value.h, whose inline functions call dart_put. */
DART__PROFILED(dart_put_blocking);
DART__PROFILED(dart_get_blocking);
DART__PROFILED(dart_put);
DART__PROFILED(dart_get);
DART__PROFILED(dart_put_handle);
DART__PROFILED(dart_get_handle);

#include "far/far_ops.h"
#include "rma/context.h"
#include "rma/count.h"
#include "rma/gate.h"
#include "rma/remote.h"
#include "rma/transfer.h"
#include "rma/watch.h"
#include "wait/near.h"

/* ---- the direct map: elements of a basic type ------------------------ */

/* One element of a basic type, the most frequent transfer: all else is sorted out elsewhere, so that this path needs
 * few registers, and saves few of them on the stack. */
static inline bool is_one(const void *buffer, size_t nelem, dart_datatype_t src_type,
                          dart_datatype_t dst_type)
{
  uintptr_t different = ((uintptr_t)src_type ^ (uintptr_t)dst_type) | (nelem ^ 1); /* one branch */

  return __builtin_expect(different == 0, 1) && __builtin_expect(buffer != NULL, 1);
}

/* False: nothing was done; the general path is taken. `maps`: where the direct map is looked up. */
static inline bool put_one(dart_inline_maps_t maps, dart_gptr_t gptr, const void *src,
                           dart_datatype_t type)
{
  size_t size = dart__type_basic_size(type);
  char  *near = dart__near_address_by(maps, gptr, size);

  return near != NULL && dart__near_put_word(near, src, size);
}

static inline bool get_one(dart_inline_maps_t maps, void *dest, dart_gptr_t gptr,
                           dart_datatype_t type)
{
  size_t size = dart__type_basic_size(type);
  char  *near = dart__near_address_by(maps, gptr, size);

  return near != NULL && dart__near_get_word(dest, near, size);
}

/* Any number of elements of a basic type: where they are, and how many bytes. NULL: the general path is taken. */
static inline char *bytes_address(dart_inline_maps_t maps, dart_gptr_t gptr, const void *buffer,
                                  size_t nelem, dart_datatype_t src_type, dart_datatype_t dst_type,
                                  size_t *nbytes_out)
{
  return dart__transfer_is_plain(buffer, nelem, src_type, dst_type, nbytes_out)
             ? dart__near_address_by(maps, gptr, *nbytes_out)
             : NULL;
}

/* By a call of memmove. What is to be woken is found by the address alone, so that one register is saved for it. */
static inline dart_ret_t put_many(char *near, const void *src, size_t nbytes)
{
  atomic_thread_fence(memory_order_release); /* as in dart__near_put_bytes */
  memmove(near, src, nbytes);
  return dart__is_watched() ? dart__watch_wrote_at(near, nbytes) : DART_OK;
}

static inline dart_ret_t get_many(void *dest, const char *near, size_t nbytes)
{
  memmove(dest, near, nbytes);
  atomic_thread_fence(memory_order_acquire); /* as in dart__near_get_bytes */
  return DART_OK;
}

static inline dart_ret_t put_bytes(char *near, const dart_gptr_t *gptr, const void *src,
                                   size_t nbytes)
{
  if (nbytes - 16 <= DART__FEW_BYTES_MOST - 16) {
    atomic_thread_fence(memory_order_release); /* as in dart__near_put_bytes */
    dart__near_copy_few(near, src, nbytes);
  } else if (nbytes > sizeof(uint64_t) || !dart__near_put_word(near, src, nbytes)) {
    return put_many(near, src, nbytes);
  }
  return dart__is_watched() ? dart__watch_wrote_few(*gptr) : DART_OK;
}

static inline dart_ret_t get_bytes(void *dest, const char *near, size_t nbytes)
{
  if (nbytes - 16 <= DART__FEW_BYTES_MOST - 16) {
    dart__near_copy_few(dest, near, nbytes);
    atomic_thread_fence(memory_order_acquire); /* as in dart__near_get_bytes */
  } else if (nbytes > sizeof(uint64_t) || !dart__near_get_word(dest, near, nbytes)) {
    return get_many(dest, near, nbytes);
  }
  return DART_OK;
}

/* By the address of the global pointer, here and below: passed on as a value through inlined functions, it is stored as
 * two words and loaded as a whole, and the load waits for both stores. */
static inline char *near_address(const dart_gptr_t *gptr, size_t nbytes)
{
  return dart__near_place_by(dart__team_direct, dart__gptr_ids_at(gptr), gptr->addr_or_offs.offset,
                             nbytes);
}

/* Any number of elements of a basic type, near. */
static inline bool put_plain(const dart_gptr_t *gptr, const void *src, size_t nbytes)
{
  char *near = near_address(gptr, nbytes);

  if (near != NULL)
    dart__near_put_bytes(near, src, nbytes);
  return near != NULL;
}

static inline bool get_plain(void *dest, const dart_gptr_t *gptr, size_t nbytes)
{
  char *near = near_address(gptr, nbytes);

  if (near != NULL)
    dart__near_get_bytes(dest, near, nbytes);
  return near != NULL;
}

/* ---- bytes in a row of far memory --------------------------------------------------------------- */

/* Far, and no updates are deferred, which would have to be applied first. Then the backend makes progress while the
 * transfer is under way. */
static inline bool is_far_alone(const dart_gptr_t *gptr, size_t nbytes, dart__address_t *at_out)
{
  return dart__stream == 0 && dart__transfer_is_far(gptr, nbytes, at_out);
}

static inline dart_ret_t put_far(const char *function, const dart__address_t *at, const void *src,
                                 size_t nbytes, bool blocking, dart_handle_t *handle_out)
{
  dart_ret_t ret;

  dart__call_note(function);
  if (blocking) {
    ret = dart__far_put_bytes_blocking(at, src, nbytes);
  } else {
    dart__far_way_t way = dart__far_put_bytes(at, src, nbytes, handle_out);

    dart__context_note(at, way);
    ret = dart__far_result(way);
  }
  if (ret == DART_OK)
    dart__count_operation(DART__COUNT_PUT_FAR, nbytes);
  return ret;
}

static inline dart_ret_t get_far(const char *function, void *dest, const dart__address_t *at,
                                 size_t nbytes, bool blocking, dart_handle_t *handle_out)
{
  dart_ret_t ret;

  dart__call_note(function);
  if (blocking) {
    ret = dart__far_get_bytes_blocking(at, dest, nbytes);
  } else {
    dart__far_way_t way = dart__far_get_bytes(at, dest, nbytes, handle_out);

    dart__context_note(at, way);
    ret = dart__far_result(way);
  }
  if (ret == DART_OK)
    dart__count_operation(DART__COUNT_GET_FAR, nbytes);
  return ret;
}

/* ---- the direct map: elements at constant distances --------------------------------------------- */

/* So many elements, at most, that no product of sizes below overflows. */
#define STEPS_MOST (1 << 24)

/* Where the elements are near by the direct map, and at a constant distance on both sides: the address. NULL:
 * otherwise, and for all errors. */
static inline char *steps_address(const dart_gptr_t *gptr, const void *buffer, size_t nelem,
                                  const dart__type_t *global, const dart__type_t *local)
{
  if (global == NULL || local == NULL || global->base != local->base || buffer == NULL ||
      global->elem_count != 1 || local->elem_count != 1 || nelem - 1 >= STEPS_MOST ||
      global->kind == DART__TYPE_INDEXED || local->kind == DART__TYPE_INDEXED ||
      global->elem_size > sizeof(long double))
    return NULL;
  return near_address(gptr, ((nelem - 1) * global->stride + 1) * global->elem_size);
}

static inline bool put_steps(const dart_gptr_t *gptr, const void *src, size_t nelem,
                             dart_datatype_t src_type, dart_datatype_t dst_type)
{
  const dart__type_t *global = dart__type_find(dst_type), *local = dart__type_find(src_type);
  char               *near = steps_address(gptr, src, nelem, global, local);

  if (near == NULL)
    return false;
  if (nelem == 1) {
    dart__near_put_bytes(near, src, global->elem_size);
    return true;
  }
  atomic_thread_fence(memory_order_release); /* as in dart__near_put */
  return dart__near_copy_steps(near, global->stride, src, local->stride, nelem, global->elem_size);
}

static inline bool get_steps(void *dest, const dart_gptr_t *gptr, size_t nelem,
                             dart_datatype_t src_type, dart_datatype_t dst_type)
{
  const dart__type_t *global = dart__type_find(src_type), *local = dart__type_find(dst_type);
  char               *near = steps_address(gptr, dest, nelem, global, local);
  bool                done;

  if (near == NULL)
    return false;
  if (nelem == 1) {
    dart__near_get_bytes(dest, near, global->elem_size);
    return true;
  }
  done = dart__near_copy_steps(dest, local->stride, near, global->stride, nelem, global->elem_size);
  atomic_thread_fence(memory_order_acquire); /* as in dart__near_get */
  return done;
}

/* ---- the general path ---------------------------------------------------------------------- */

static dart__access_t put_off(const char *function, const dart__transfer_t *t, void *buffer,
                              size_t nelem, dart__epoch_op_kind_t kind)
{
  dart__epoch_op_t
      op; /* not initialised as a whole: to clear `value` takes longer than a short put */

  op.kind       = kind;
  op.at         = t->at;
  op.type       = t->global_type;
  op.local_type = NULL;
  op.buffer     = buffer;
  op.nelem      = nelem;
  if (kind == DART__EPOCH_PUT && dart__type_is_copied(t->local_type, nelem)) {
    memcpy(op.value, buffer, nelem * t->local_type->elem_size);
    op.buffer = NULL;
  }
  if (!dart__type_is_contiguous(t->global_type) || !dart__type_is_contiguous(t->local_type)) {
    op.local_type = t->local_type;
  } else if (t->global_type->kind != DART__TYPE_BASIC) {
    op.type = &dart__type_basic[DART_TYPE_BYTE];
    op.nelem *= t->global_type->elem_size;
  }
  return dart__gate.later(function, &op);
}

/* The segment has had epochs: whether the transfer goes on, see epoch/access.h. `at_once`: it cannot be
 * deferred. */
static __attribute__((noinline)) dart__access_t may_go(const char             *function,
                                                       const dart__transfer_t *t, void *buffer,
                                                       size_t nelem, dart__epoch_op_kind_t kind,
                                                       bool at_once)
{
  return at_once ? dart__gate.now(function, &t->at, kind)
                 : put_off(function, t, buffer, nelem, kind);
}

/* The end of a put, near or far: wake who sleeps for what it may have changed. */
static inline dart_ret_t put_told(const dart_gptr_t *gptr, size_t nelem, dart_datatype_t dst_type)
{
  size_t size = dart__type_basic_size(dst_type);

  if (dart__is_watched())
    dart__watch_wrote(*gptr, size > 0 ? nelem * size : UINT64_MAX); /* scattered: anywhere behind */
  return DART_OK;
}

/* All other elements, and all errors. If `blocking`, `handle_out` is not used; else NULL: no handle. */
DART__OUT_OF_LINE put_elements(const char *function, dart_gptr_t gptr, const void *src,
                               size_t nelem, dart_datatype_t src_type, dart_datatype_t dst_type,
                               bool blocking, dart_handle_t *handle_out)
{
  dart__transfer_t t;
  dart_ret_t       ret;

  ret = dart__transfer(function, gptr, src, nelem, dst_type, src_type, &t);
  if (ret != DART_OK || nelem == 0)
    return ret;
  if (__builtin_expect(dart__segment_epoch(t.at.segment) != NULL, 0)) {
    dart__access_t goes = may_go(function, &t, (void *)(uintptr_t)src, nelem, DART__EPOCH_PUT,
                                 blocking || handle_out != NULL);

    if (goes == DART__ACCESS_DONE)
      dart__count_put(&t.at, nelem * t.global_type->elem_size);
    if (goes != DART__ACCESS_PASS)
      return dart__access_result(goes);
  }
  if (t.at.near != NULL)
    dart__near_put(t.at.near, t.global_type, src, t.local_type, nelem);
  else if (blocking)
    ret = dart__remote_put_blocking(&t.at, t.global_type, src, t.local_type, nelem);
  else
    ret = dart__remote_put(&t.at, t.global_type, src, t.local_type, nelem, handle_out);
  if (ret != DART_OK)
    return ret;
  dart__count_put(&t.at, nelem * t.global_type->elem_size);
  return put_told(&gptr, nelem, dst_type);
}

/* The same; bytes in a row, and elements at constant distances on the direct map, are sorted out first. */
static inline dart_ret_t put(const char *function, const dart_gptr_t *gptr, const void *src,
                             size_t nelem, dart_datatype_t src_type, dart_datatype_t dst_type,
                             bool blocking, dart_handle_t *handle_out)
{
  dart__address_t at;
  size_t          nbytes;

  if (dart__transfer_is_plain(src, nelem, src_type, dst_type, &nbytes)) {
    if (dart__transfer_is_far(gptr, nbytes, &at))
      return put_far(function, &at, src, nbytes, blocking, handle_out);
    if (put_plain(gptr, src, nbytes))
      return put_told(gptr, nelem, dst_type);
  } else if (put_steps(gptr, src, nelem, src_type, dst_type)) {
    return put_told(gptr, nelem, dst_type);
  }
  return put_elements(function, *gptr, src, nelem, src_type, dst_type, blocking, handle_out);
}

/* All other elements, and all errors. If `blocking`, `handle_out` is not used; else NULL: no handle. */
DART__OUT_OF_LINE get_elements(const char *function, void *dest, dart_gptr_t gptr, size_t nelem,
                               dart_datatype_t src_type, dart_datatype_t dst_type, bool blocking,
                               dart_handle_t *handle_out)
{
  dart__transfer_t t;
  dart_ret_t       ret;

  ret = dart__transfer(function, gptr, dest, nelem, src_type, dst_type, &t);
  if (ret != DART_OK || nelem == 0)
    return ret;
  if (__builtin_expect(dart__segment_epoch(t.at.segment) != NULL, 0)) {
    dart__access_t goes =
        may_go(function, &t, dest, nelem, DART__EPOCH_GET, blocking || handle_out != NULL);

    if (goes == DART__ACCESS_DONE)
      dart__count_get(&t.at, nelem * t.global_type->elem_size);
    if (goes != DART__ACCESS_PASS)
      return dart__access_result(goes);
  }
  if (t.at.near != NULL)
    dart__near_get(dest, t.local_type, t.at.near, t.global_type, nelem);
  else if (blocking)
    ret = dart__remote_get_blocking(&t.at, t.global_type, dest, t.local_type, nelem);
  else
    ret = dart__remote_get(&t.at, t.global_type, dest, t.local_type, nelem, handle_out);
  if (ret == DART_OK)
    dart__count_get(&t.at, nelem * t.global_type->elem_size);
  return ret;
}

/* The same; bytes in a row, and elements at constant distances on the direct map, are sorted out first. */
static inline dart_ret_t get(const char *function, void *dest, const dart_gptr_t *gptr,
                             size_t nelem, dart_datatype_t src_type, dart_datatype_t dst_type,
                             bool blocking, dart_handle_t *handle_out)
{
  dart__address_t at;
  size_t          nbytes;

  if (dart__transfer_is_plain(dest, nelem, src_type, dst_type, &nbytes)) {
    if (dart__transfer_is_far(gptr, nbytes, &at))
      return get_far(function, dest, &at, nbytes, blocking, handle_out);
    if (get_plain(dest, gptr, nbytes))
      return DART_OK;
  } else if (get_steps(dest, gptr, nelem, src_type, dst_type)) {
    return DART_OK;
  }
  return get_elements(function, dest, *gptr, nelem, src_type, dst_type, blocking, handle_out);
}

DART__OUT_OF_LINE put_blocking_any(dart_gptr_t gptr, const void *src, size_t nelem,
                                   dart_datatype_t src_type, dart_datatype_t dst_type)
{
  dart__address_t at;
  size_t          nbytes;

  if (dart__transfer_is_plain(src, nelem, src_type, dst_type, &nbytes) &&
      is_far_alone(&gptr, nbytes, &at))
    return put_far("dart_put_blocking", &at, src, nbytes, true, NULL);
  dart__progress(); /* may be called in a polling loop */
  return put("dart_put_blocking", &gptr, src, nelem, src_type, dst_type, true, NULL);
}

/* On several nodes, where a unit that polls is found out. */
DART__OUT_OF_LINE get_blocking_nodes(void *dest, dart_gptr_t gptr, size_t nelem,
                                     dart_datatype_t src_type, dart_datatype_t dst_type)
{
  dart__address_t at;
  dart_ret_t      ret;
  size_t          nbytes   = 0;
  bool            is_bytes = dart__transfer_is_plain(dest, nelem, src_type, dst_type, &nbytes);

  if (is_bytes && is_far_alone(&gptr, nbytes, &at)) {
    ret = get_far("dart_get_blocking", dest, &at, nbytes, true, NULL);
  } else {
    dart__progress(); /* may be called in a polling loop */
    ret = get("dart_get_blocking", dest, &gptr, nelem, src_type, dst_type, true, NULL);
  }
  if (ret == DART_OK && is_bytes && nbytes <= sizeof(uint64_t))
    dart__progress_polled(gptr, dest, nbytes);
  return ret;
}

DART__OUT_OF_LINE get_blocking_any(void *dest, dart_gptr_t gptr, size_t nelem,
                                   dart_datatype_t src_type, dart_datatype_t dst_type)
{
  if (dart__world.many_nodes)
    return get_blocking_nodes(dest, gptr, nelem, src_type, dst_type);
  dart__progress(); /* may be called in a polling loop */
  return get("dart_get_blocking", dest, &gptr, nelem, src_type, dst_type, true, NULL);
}

DART__OUT_OF_LINE put_any(dart_gptr_t gptr, const void *src, size_t nelem, dart_datatype_t src_type,
                          dart_datatype_t dst_type)
{
  if (__builtin_expect(dart__stream > 0, 0))
    dart__progress_apply(); /* updates of the same element come first */
  return put("dart_put", &gptr, src, nelem, src_type, dst_type, false, NULL);
}

DART__OUT_OF_LINE get_any(void *dest, dart_gptr_t gptr, size_t nelem, dart_datatype_t src_type,
                          dart_datatype_t dst_type)
{
  return get("dart_get", dest, &gptr, nelem, src_type, dst_type, false, NULL);
}

static dart_ret_t no_handle(const char *function)
{
  dart__error("%s: handle is NULL", function);
  return DART_ERR_INVAL;
}

DART__OUT_OF_LINE put_handle_any(dart_gptr_t gptr, const void *src, size_t nelem,
                                 dart_datatype_t src_type, dart_datatype_t dst_type,
                                 dart_handle_t *handle)
{
  if (handle == NULL)
    return no_handle("dart_put_handle");
  *handle = DART_HANDLE_NULL;
  if (__builtin_expect(dart__stream > 0, 0))
    dart__progress_apply(); /* as in put_any */
  return put("dart_put_handle", &gptr, src, nelem, src_type, dst_type, false, handle);
}

DART__OUT_OF_LINE get_handle_any(void *dest, dart_gptr_t gptr, size_t nelem,
                                 dart_datatype_t src_type, dart_datatype_t dst_type,
                                 dart_handle_t *handle)
{
  if (handle == NULL)
    return no_handle("dart_get_handle");
  *handle = DART_HANDLE_NULL;
  return get("dart_get_handle", dest, &gptr, nelem, src_type, dst_type, false, handle);
}

/* ---- entry points -------------------------------------------------------------------------- */

/* Other than one element of a basic type. */
DART__OUT_OF_LINE put_blocking_several(dart_gptr_t gptr, const void *src, size_t nelem,
                                       dart_datatype_t src_type, dart_datatype_t dst_type)
{
  size_t nbytes;
  char  *near = bytes_address(dart__progress_maps, gptr, src, nelem, src_type, dst_type, &nbytes);

  if (near == NULL)
    return put_blocking_any(gptr, src, nelem, src_type, dst_type);
  return put_bytes(near, &gptr, src, nbytes);
}

DART__OUT_OF_LINE get_blocking_several(void *dest, dart_gptr_t gptr, size_t nelem,
                                       dart_datatype_t src_type, dart_datatype_t dst_type)
{
  size_t      nbytes;
  const char *near =
      bytes_address(dart__progress_maps, gptr, dest, nelem, src_type, dst_type, &nbytes);

  if (near == NULL)
    return get_blocking_any(dest, gptr, nelem, src_type, dst_type);
  return get_bytes(dest, near, nbytes);
}

DART__OUT_OF_LINE put_several(dart_gptr_t gptr, const void *src, size_t nelem,
                              dart_datatype_t src_type, dart_datatype_t dst_type)
{
  size_t nbytes;
  char  *near = bytes_address(dart__put_maps, gptr, src, nelem, src_type, dst_type, &nbytes);

  if (near == NULL)
    return put_any(gptr, src, nelem, src_type, dst_type);
  return put_bytes(near, &gptr, src, nbytes);
}

DART__OUT_OF_LINE get_several(void *dest, dart_gptr_t gptr, size_t nelem, dart_datatype_t src_type,
                              dart_datatype_t dst_type)
{
  size_t      nbytes;
  const char *near =
      bytes_address(dart__team_direct, gptr, dest, nelem, src_type, dst_type, &nbytes);

  if (near == NULL)
    return get_any(dest, gptr, nelem, src_type, dst_type);
  return get_bytes(dest, near, nbytes);
}

DART__OUT_OF_LINE put_handle_several(dart_gptr_t gptr, const void *src, size_t nelem,
                                     dart_datatype_t src_type, dart_datatype_t dst_type,
                                     dart_handle_t *handle)
{
  size_t nbytes;
  char  *near = bytes_address(dart__put_maps, gptr, src, nelem, src_type, dst_type, &nbytes);

  if (near == NULL || handle == NULL)
    return put_handle_any(gptr, src, nelem, src_type, dst_type, handle);
  *handle = DART_HANDLE_NULL;
  return put_bytes(near, &gptr, src, nbytes);
}

DART__OUT_OF_LINE get_handle_several(void *dest, dart_gptr_t gptr, size_t nelem,
                                     dart_datatype_t src_type, dart_datatype_t dst_type,
                                     dart_handle_t *handle)
{
  size_t      nbytes;
  const char *near =
      bytes_address(dart__team_direct, gptr, dest, nelem, src_type, dst_type, &nbytes);

  if (near == NULL || handle == NULL)
    return get_handle_any(dest, gptr, nelem, src_type, dst_type, handle);
  *handle = DART_HANDLE_NULL;
  return get_bytes(dest, near, nbytes);
}

dart_ret_t dart_put_blocking(dart_gptr_t gptr, const void *src, size_t nelem,
                             dart_datatype_t src_type, dart_datatype_t dst_type)
{
  if (!is_one(src, nelem, src_type, dst_type))
    return put_blocking_several(gptr, src, nelem, src_type, dst_type);
  if (!put_one(dart__progress_maps, gptr, src, src_type))
    return put_blocking_any(gptr, src, 1, src_type, src_type);
  if (dart__is_watched())
    return dart__watch_wrote_few(gptr);
  return DART_OK;
}

dart_ret_t dart_get_blocking(void *dest, dart_gptr_t gptr, size_t nelem, dart_datatype_t src_type,
                             dart_datatype_t dst_type)
{
  if (!is_one(dest, nelem, src_type, dst_type))
    return get_blocking_several(dest, gptr, nelem, src_type, dst_type);
  if (!get_one(dart__progress_maps, dest, gptr, src_type))
    return get_blocking_any(dest, gptr, 1, src_type, src_type);
  return DART_OK;
}

dart_ret_t dart_put(dart_gptr_t gptr, const void *src, size_t nelem, dart_datatype_t src_type,
                    dart_datatype_t dst_type)
{
  if (!is_one(src, nelem, src_type, dst_type))
    return put_several(gptr, src, nelem, src_type, dst_type);
  if (!put_one(dart__put_maps, gptr, src, src_type))
    return put_any(gptr, src, 1, src_type, src_type);
  if (dart__is_watched())
    return dart__watch_wrote_few(gptr);
  return DART_OK;
}

dart_ret_t dart_get(void *dest, dart_gptr_t gptr, size_t nelem, dart_datatype_t src_type,
                    dart_datatype_t dst_type)
{
  if (!is_one(dest, nelem, src_type, dst_type))
    return get_several(dest, gptr, nelem, src_type, dst_type);
  if (!get_one(dart__team_direct, dest, gptr, src_type))
    return get_any(dest, gptr, 1, src_type, src_type);
  return DART_OK;
}

dart_ret_t dart_put_handle(dart_gptr_t gptr, const void *src, size_t nelem,
                           dart_datatype_t src_type, dart_datatype_t dst_type,
                           dart_handle_t *handle)
{
  if (!is_one(src, nelem, src_type, dst_type) || __builtin_expect(handle == NULL, 0))
    return put_handle_several(gptr, src, nelem, src_type, dst_type, handle);
  if (!put_one(dart__put_maps, gptr, src, src_type))
    return put_handle_any(gptr, src, 1, src_type, src_type, handle);
  *handle = DART_HANDLE_NULL;
  if (dart__is_watched())
    return dart__watch_wrote_few(gptr);
  return DART_OK;
}

dart_ret_t dart_get_handle(void *dest, dart_gptr_t gptr, size_t nelem, dart_datatype_t src_type,
                           dart_datatype_t dst_type, dart_handle_t *handle)
{
  if (!is_one(dest, nelem, src_type, dst_type) || __builtin_expect(handle == NULL, 0))
    return get_handle_several(dest, gptr, nelem, src_type, dst_type, handle);
  if (!get_one(dart__team_direct, dest, gptr, src_type))
    return get_handle_any(dest, gptr, 1, src_type, src_type, handle);
  *handle = DART_HANDLE_NULL;
  return DART_OK;
}
