/* Entry points that return near addresses. */
#include <dash/dart/ext/dart_near.h>

#include "base/counters.h"
#include "base/profile.h"
#include "data/name.h"
#include "data/type.h"
#include "model/address.h"
#include "model/argument_check.h"

DART__PROFILED(dart_near_ptr, dart_team_near_units, dart_resolve, dart_resolved_check);

static char *near_of(const dart__address_t *at)
{
  return at->unit == at->team->me ? dart__own_start(at->team, at->segment) + at->offset : at->near;
}

void *dart_near_ptr(dart_gptr_t gptr)
{
  dart__address_t at;

  if (dart__locate(__func__, gptr, 0, &at) != DART_OK)
    return NULL;
  return near_of(&at);
}

dart_ret_t dart_team_near_units(dart_team_t teamid, size_t capacity, dart_team_unit_t *units,
                                size_t *nunits)
{
  dart__team_t *team = dart__check_team(__func__, teamid);

  if (nunits == NULL)
    return dart__fail(DART_ERR_INVAL, "%s: nunits is NULL", __func__);
  *nunits = 0;
  if (team == NULL)
    return DART_ERR_INVAL;
  if (units == NULL && capacity > 0)
    return dart__fail(DART_ERR_INVAL, "%s: units is NULL for %zu units", __func__, capacity);
  *nunits = (size_t)team->node_nunits;
  for (size_t i = 0; i < *nunits && i < capacity; i++)
    units[i] = dart_create_team_unit(team->node_units[i]);
  return DART_OK;
}

dart_ret_t dart_resolve(dart_gptr_t gptr, uint64_t nbytes, dart_resolved_t *resolved)
{
  dart__address_t at;

  if (resolved == NULL)
    return dart__fail(DART_ERR_INVAL, "%s: resolved is NULL", __func__);
  *resolved = (dart_resolved_t){ NULL, gptr, 0 };
  if (dart__locate(__func__, gptr, nbytes, &at) != DART_OK)
    return DART_ERR_INVAL;
  resolved->nbytes = nbytes;
  if (!dart__counts_near && dart__segment_epoch(at.segment) == NULL)
    resolved->near = near_of(&at);
  if ((uintptr_t)resolved->near % sizeof(uint64_t) != 0)
    resolved->near = NULL; /* elements might be torn: leave them to the library */
  return DART_OK;
}

dart_ret_t dart_resolved_check(const char *function, uint64_t nbytes, uint64_t offset,
                               dart_datatype_t type)
{
  size_t size = dart__type_basic_size(type);

  if (size == 0)
    return dart__fail(DART_ERR_INVAL, "%s: %s is no basic type", function,
                      dart__type_text(type).text);
  if (offset % size != 0)
    return dart__fail(DART_ERR_INVAL, "%s: offset %lld is no multiple of the element's %zu bytes",
                      function, (long long)offset, size);
  if (offset < nbytes && size <= nbytes - offset)
    return DART_OK;
  return dart__fail(DART_ERR_INVAL, "%s: %zu bytes at offset %lld of a range of %llu bytes",
                    function, size, (long long)offset, (unsigned long long)nbytes);
}
