/* Entry points of put and get: check and resolve once, then copy if the memory is near; for other memory see
 * remote.h. Near transfers of all forms are complete when the call returns.
 *
 * An entry point first tries the direct map, which calls no function and so saves no registers on the stack;
 * otherwise it passes its arguments to the function of the same name with `_any`. */
#include <dash/dart/if/dart_communication.h>

#include "api/rma/remote.h"
#include "api/rma/transfer.h"
#include "node/near.h"

/* ---- the direct map: one element of a basic type, near, aligned --------------------------- */

/* False: nothing was done; the general path is taken. */
static inline bool put_word(dart_gptr_t gptr, const void *src, size_t nelem,
                            dart_datatype_t src_type, dart_datatype_t dst_type)
{
  size_t size = dart__type_basic_size(src_type);
  char  *near;

  if (__builtin_expect(nelem != 1 || src_type != dst_type || size == 0 || src == NULL, 0))
    return false;
  near = dart__near_address(gptr, size);
  return near != NULL && dart__near_put_word(near, src, size);
}

static inline bool get_word(void *dest, dart_gptr_t gptr, size_t nelem, dart_datatype_t src_type,
                            dart_datatype_t dst_type)
{
  size_t size = dart__type_basic_size(src_type);
  char  *near;

  if (__builtin_expect(nelem != 1 || src_type != dst_type || size == 0 || dest == NULL, 0))
    return false;
  near = dart__near_address(gptr, size);
  return near != NULL && dart__near_get_word(dest, near, size);
}

/* Any number of elements of a basic type, near. */
static inline bool is_plain(const void *buffer, size_t nelem, dart_datatype_t src_type,
                            dart_datatype_t dst_type, size_t *nbytes_out)
{
  size_t size = dart__type_basic_size(src_type);

  return src_type == dst_type && size > 0 && buffer != NULL &&
         !__builtin_mul_overflow(nelem, size, nbytes_out);
}

static inline bool put_plain(dart_gptr_t gptr, const void *src, size_t nelem,
                             dart_datatype_t src_type, dart_datatype_t dst_type)
{
  size_t nbytes;
  char  *near =
      is_plain(src, nelem, src_type, dst_type, &nbytes) ? dart__near_address(gptr, nbytes) : NULL;

  if (near != NULL)
    dart__near_put_bytes(near, src, nbytes);
  return near != NULL;
}

static inline bool get_plain(void *dest, dart_gptr_t gptr, size_t nelem, dart_datatype_t src_type,
                             dart_datatype_t dst_type)
{
  size_t nbytes;
  char  *near =
      is_plain(dest, nelem, src_type, dst_type, &nbytes) ? dart__near_address(gptr, nbytes) : NULL;

  if (near != NULL)
    dart__near_get_bytes(dest, near, nbytes);
  return near != NULL;
}

/* ---- the general path ---------------------------------------------------------------------- */

/* If `blocking`, `handle_out` is not used; else NULL: no handle. */
static inline dart_ret_t put(const char *function, dart_gptr_t gptr, const void *src, size_t nelem,
                             dart_datatype_t src_type, dart_datatype_t dst_type, bool blocking,
                             dart_handle_t *handle_out)
{
  dart__transfer_t t;
  dart_ret_t       ret;

  if (put_plain(gptr, src, nelem, src_type, dst_type))
    return DART_OK;
  ret = dart__transfer(function, gptr, src, nelem, dst_type, src_type, &t);
  if (ret != DART_OK || nelem == 0)
    return ret;
  if (t.at.near != NULL)
    dart__near_put(t.at.near, t.global_type, src, t.local_type, nelem);
  else if (blocking)
    ret = dart__remote_put_blocking(&t.at, t.global_type, src, t.local_type, nelem);
  else
    ret = dart__remote_put(&t.at, t.global_type, src, t.local_type, nelem, handle_out);
  return ret;
}

static inline dart_ret_t get(const char *function, void *dest, dart_gptr_t gptr, size_t nelem,
                             dart_datatype_t src_type, dart_datatype_t dst_type, bool blocking,
                             dart_handle_t *handle_out)
{
  dart__transfer_t t;
  dart_ret_t       ret;

  if (get_plain(dest, gptr, nelem, src_type, dst_type))
    return DART_OK;
  ret = dart__transfer(function, gptr, dest, nelem, src_type, dst_type, &t);
  if (ret != DART_OK || nelem == 0)
    return ret;
  if (t.at.near != NULL)
    dart__near_get(dest, t.local_type, t.at.near, t.global_type, nelem);
  else if (blocking)
    ret = dart__remote_get_blocking(&t.at, t.global_type, dest, t.local_type, nelem);
  else
    ret = dart__remote_get(&t.at, t.global_type, dest, t.local_type, nelem, handle_out);
  return ret;
}

DART__OUT_OF_LINE put_blocking_any(dart_gptr_t gptr, const void *src, size_t nelem,
                                   dart_datatype_t src_type, dart_datatype_t dst_type)
{
  dart__progress(); /* may be called in a polling loop */
  return put("dart_put_blocking", gptr, src, nelem, src_type, dst_type, true, NULL);
}

DART__OUT_OF_LINE get_blocking_any(void *dest, dart_gptr_t gptr, size_t nelem,
                                   dart_datatype_t src_type, dart_datatype_t dst_type)
{
  size_t     nbytes;
  dart_ret_t ret;

  dart__progress(); /* may be called in a polling loop */
  ret = get("dart_get_blocking", dest, gptr, nelem, src_type, dst_type, true, NULL);
  if (dart__world.many_nodes && ret == DART_OK &&
      is_plain(dest, nelem, src_type, dst_type, &nbytes) && nbytes <= sizeof(uint64_t))
    dart__progress_polled(gptr, dest, nbytes);
  return ret;
}

DART__OUT_OF_LINE put_any(dart_gptr_t gptr, const void *src, size_t nelem, dart_datatype_t src_type,
                          dart_datatype_t dst_type)
{
  return put("dart_put", gptr, src, nelem, src_type, dst_type, false, NULL);
}

DART__OUT_OF_LINE get_any(void *dest, dart_gptr_t gptr, size_t nelem, dart_datatype_t src_type,
                          dart_datatype_t dst_type)
{
  return get("dart_get", dest, gptr, nelem, src_type, dst_type, false, NULL);
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
  return put("dart_put_handle", gptr, src, nelem, src_type, dst_type, false, handle);
}

DART__OUT_OF_LINE get_handle_any(void *dest, dart_gptr_t gptr, size_t nelem,
                                 dart_datatype_t src_type, dart_datatype_t dst_type,
                                 dart_handle_t *handle)
{
  if (handle == NULL)
    return no_handle("dart_get_handle");
  *handle = DART_HANDLE_NULL;
  return get("dart_get_handle", dest, gptr, nelem, src_type, dst_type, false, handle);
}

/* ---- entry points -------------------------------------------------------------------------- */

dart_ret_t dart_put_blocking(dart_gptr_t gptr, const void *src, size_t nelem,
                             dart_datatype_t src_type, dart_datatype_t dst_type)
{
  if (dart__progress_is_due() || !put_word(gptr, src, nelem, src_type, dst_type))
    return put_blocking_any(gptr, src, nelem, src_type, dst_type);
  return DART_OK;
}

dart_ret_t dart_get_blocking(void *dest, dart_gptr_t gptr, size_t nelem, dart_datatype_t src_type,
                             dart_datatype_t dst_type)
{
  if (dart__progress_is_due() || !get_word(dest, gptr, nelem, src_type, dst_type))
    return get_blocking_any(dest, gptr, nelem, src_type, dst_type);
  return DART_OK;
}

dart_ret_t dart_put(dart_gptr_t gptr, const void *src, size_t nelem, dart_datatype_t src_type,
                    dart_datatype_t dst_type)
{
  if (!put_word(gptr, src, nelem, src_type, dst_type))
    return put_any(gptr, src, nelem, src_type, dst_type);
  return DART_OK;
}

dart_ret_t dart_get(void *dest, dart_gptr_t gptr, size_t nelem, dart_datatype_t src_type,
                    dart_datatype_t dst_type)
{
  if (!get_word(dest, gptr, nelem, src_type, dst_type))
    return get_any(dest, gptr, nelem, src_type, dst_type);
  return DART_OK;
}

dart_ret_t dart_put_handle(dart_gptr_t gptr, const void *src, size_t nelem,
                           dart_datatype_t src_type, dart_datatype_t dst_type,
                           dart_handle_t *handle)
{
  if (handle == NULL || !put_word(gptr, src, nelem, src_type, dst_type))
    return put_handle_any(gptr, src, nelem, src_type, dst_type, handle);
  *handle = DART_HANDLE_NULL;
  return DART_OK;
}

dart_ret_t dart_get_handle(void *dest, dart_gptr_t gptr, size_t nelem, dart_datatype_t src_type,
                           dart_datatype_t dst_type, dart_handle_t *handle)
{
  if (handle == NULL || !get_word(dest, gptr, nelem, src_type, dst_type))
    return get_handle_any(dest, gptr, nelem, src_type, dst_type, handle);
  *handle = DART_HANDLE_NULL;
  return DART_OK;
}
