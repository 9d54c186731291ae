/* Entry points of put and get: check and resolve once, then copy if the memory is near; remote.h
 * has the rest. Near transfers of all forms are complete when the call returns. */
#include <dash/dart/if/dart_communication.h>

#include "api/remote.h"
#include "api/transfer.h"
#include "node/near.h"

dart_ret_t dart__transfer_check(const char *function, dart_gptr_t gptr, const void *buffer,
                                size_t nelem, dart_datatype_t global_type,
                                dart_datatype_t local_type, dart__transfer_t *transfer_out)
{
  const dart__type_t *global = dart__type_find(global_type), *local = dart__type_find(local_type);
  size_t              span;

  if (global == NULL || local == NULL) {
    dart__error("%s: unknown type %#lx", function,
                (unsigned long)(global == NULL ? global_type : local_type));
    return DART_ERR_INVAL;
  }
  if (!dart__type_compatible(local, global, nelem)) {
    dart__error("%s: %zu elements do not go from type %#lx to type %#lx", function, nelem,
                (unsigned long)local_type, (unsigned long)global_type);
    return DART_ERR_INVAL;
  }
  if (buffer == NULL && nelem > 0) {
    dart__error("%s: the local buffer is NULL for %zu elements", function, nelem);
    return DART_ERR_INVAL;
  }
  span = dart__type_span(global, nelem);
  if (span == SIZE_MAX || dart__type_span(local, nelem) == SIZE_MAX) {
    dart__error("%s: %zu elements are more than memory can hold", function, nelem);
    return DART_ERR_INVAL;
  }
  transfer_out->global_type = global;
  transfer_out->local_type  = local;
  return dart__locate(function, gptr, span, &transfer_out->at);
}

dart_ret_t dart_put_blocking(dart_gptr_t gptr, const void *src, size_t nelem,
                             dart_datatype_t src_type, dart_datatype_t dst_type)
{
  dart__transfer_t t;
  dart_ret_t       ret = dart__transfer(__func__, gptr, src, nelem, dst_type, src_type, &t);

  if (ret != DART_OK || nelem == 0)
    return ret;
  if (t.at.near == NULL)
    return dart__remote_put_blocking(&t.at, t.global_type, src, t.local_type, nelem);
  dart__near_put(t.at.near, t.global_type, src, t.local_type, nelem);
  dart__poke();
  return DART_OK;
}

dart_ret_t dart_get_blocking(void *dest, dart_gptr_t gptr, size_t nelem, dart_datatype_t src_type,
                             dart_datatype_t dst_type)
{
  dart__transfer_t t;
  dart_ret_t       ret = dart__transfer(__func__, gptr, dest, nelem, src_type, dst_type, &t);

  if (ret != DART_OK || nelem == 0)
    return ret;
  if (t.at.near == NULL)
    return dart__remote_get_blocking(&t.at, t.global_type, dest, t.local_type, nelem);
  dart__near_get(dest, t.local_type, t.at.near, t.global_type, nelem);
  dart__poke();
  return DART_OK;
}

dart_ret_t dart_put(dart_gptr_t gptr, const void *src, size_t nelem, dart_datatype_t src_type,
                    dart_datatype_t dst_type)
{
  dart__transfer_t t;
  dart_ret_t       ret = dart__transfer(__func__, gptr, src, nelem, dst_type, src_type, &t);

  if (ret != DART_OK || nelem == 0)
    return ret;
  if (t.at.near == NULL)
    return dart__remote_put(&t.at, t.global_type, src, t.local_type, nelem, NULL);
  dart__near_put(t.at.near, t.global_type, src, t.local_type, nelem);
  return DART_OK;
}

dart_ret_t dart_get(void *dest, dart_gptr_t gptr, size_t nelem, dart_datatype_t src_type,
                    dart_datatype_t dst_type)
{
  dart__transfer_t t;
  dart_ret_t       ret = dart__transfer(__func__, gptr, dest, nelem, src_type, dst_type, &t);

  if (ret != DART_OK || nelem == 0)
    return ret;
  if (t.at.near == NULL)
    return dart__remote_get(&t.at, t.global_type, dest, t.local_type, nelem, NULL);
  dart__near_get(dest, t.local_type, t.at.near, t.global_type, nelem);
  return DART_OK;
}

static dart_ret_t no_handle(const char *function)
{
  dart__error("%s: handle is NULL", function);
  return DART_ERR_INVAL;
}

dart_ret_t dart_put_handle(dart_gptr_t gptr, const void *src, size_t nelem,
                           dart_datatype_t src_type, dart_datatype_t dst_type,
                           dart_handle_t *handle)
{
  dart__transfer_t t;
  dart_ret_t       ret;

  if (handle == NULL)
    return no_handle(__func__);
  *handle = DART_HANDLE_NULL;
  ret     = dart__transfer(__func__, gptr, src, nelem, dst_type, src_type, &t);
  if (ret != DART_OK || nelem == 0)
    return ret;
  if (t.at.near == NULL)
    return dart__remote_put(&t.at, t.global_type, src, t.local_type, nelem, handle);
  dart__near_put(t.at.near, t.global_type, src, t.local_type, nelem);
  return DART_OK;
}

dart_ret_t dart_get_handle(void *dest, dart_gptr_t gptr, size_t nelem, dart_datatype_t src_type,
                           dart_datatype_t dst_type, dart_handle_t *handle)
{
  dart__transfer_t t;
  dart_ret_t       ret;

  if (handle == NULL)
    return no_handle(__func__);
  *handle = DART_HANDLE_NULL;
  ret     = dart__transfer(__func__, gptr, dest, nelem, src_type, dst_type, &t);
  if (ret != DART_OK || nelem == 0)
    return ret;
  if (t.at.near == NULL)
    return dart__remote_get(&t.at, t.global_type, dest, t.local_type, nelem, handle);
  dart__near_get(dest, t.local_type, t.at.near, t.global_type, nelem);
  return DART_OK;
}
