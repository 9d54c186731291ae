/* Far memory: there is none in a job of one node. Whoever gets here found a unit that is not near,
 * which would be an error of DART. */
#include <stdlib.h>

#include "base/log.h"
#include "port.h"

static dart_ret_t unreachable(const char *function)
{
  dart__error("%s: dart-shmem has no far memory", function);
  abort();
}

dart_ret_t dart__far_put(const dart__place_t *at, const dart__type_t *at_type, const void *src,
                         const dart__type_t *src_type, size_t nelem, dart_handle_t *handle_out)
{
  (void)at, (void)at_type, (void)src, (void)src_type, (void)nelem, (void)handle_out;
  return unreachable(__func__);
}

dart_ret_t dart__far_get(const dart__place_t *at, const dart__type_t *at_type, void *dst,
                         const dart__type_t *dst_type, size_t nelem, dart_handle_t *handle_out)
{
  (void)at, (void)at_type, (void)dst, (void)dst_type, (void)nelem, (void)handle_out;
  return unreachable(__func__);
}

dart_ret_t dart__far_put_blocking(const dart__place_t *at, const dart__type_t *at_type,
                                  const void *src, const dart__type_t *src_type, size_t nelem)
{
  return dart__far_put(at, at_type, src, src_type, nelem, NULL);
}

dart_ret_t dart__far_get_blocking(const dart__place_t *at, const dart__type_t *at_type, void *dst,
                                  const dart__type_t *dst_type, size_t nelem)
{
  return dart__far_get(at, at_type, dst, dst_type, nelem, NULL);
}

void dart__far_accumulate(const dart__place_t *at, const void *values, size_t nelem,
                          dart_datatype_t type, dart_operation_t op)
{
  (void)at, (void)values, (void)nelem, (void)type, (void)op;
  unreachable(__func__);
}

void dart__far_fetch(const dart__place_t *at, const void *value, void *result, dart_datatype_t type,
                     dart_operation_t op)
{
  (void)at, (void)value, (void)result, (void)type, (void)op;
  unreachable(__func__);
}

void dart__far_swap(const dart__place_t *at, const void *value, const void *compare, void *result,
                    dart_datatype_t type)
{
  (void)at, (void)value, (void)compare, (void)result, (void)type;
  unreachable(__func__);
}

void dart__far_put_notify(const dart__place_t *at, const dart__type_t *at_type, const void *src,
                          const dart__type_t *src_type, size_t nelem, const dart__place_t *flag,
                          uint64_t by)
{
  (void)at, (void)at_type, (void)src, (void)src_type, (void)nelem, (void)flag, (void)by;
  unreachable(__func__);
}

/* Nothing is ever outstanding. */

dart_ret_t dart__far_flush(dart__team_t *team, int32_t unit)
{
  (void)team, (void)unit;
  return DART_OK;
}

dart_ret_t dart__far_flush_all(dart__team_t *team)
{
  (void)team;
  return DART_OK;
}

dart_ret_t dart__far_flush_local(dart__team_t *team, int32_t unit)
{
  (void)team, (void)unit;
  return DART_OK;
}

dart_ret_t dart__far_flush_local_all(dart__team_t *team)
{
  (void)team;
  return DART_OK;
}

void dart__far_settle(dart__team_t *team, int32_t unit)
{
  (void)team, (void)unit;
}

/* No transfer here ever gave a handle. */

void dart__far_wait(dart_handle_t *handle, bool at_target)
{
  (void)handle, (void)at_target;
  unreachable(__func__);
}

bool dart__far_test(dart_handle_t handle)
{
  (void)handle;
  return unreachable(__func__) == DART_OK;
}

void dart__far_release(dart_handle_t *handle)
{
  (void)handle;
  unreachable(__func__);
}
