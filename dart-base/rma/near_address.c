/* Entry points that return near addresses. */
#include <dash/dart/ext/dart_near.h>

#include "base/profile.h"
#include "model/address.h"
#include "model/argument_check.h"

DART__PROFILED(dart_near_ptr);
DART__PROFILED(dart_team_near_units);

void *dart_near_ptr(dart_gptr_t gptr)
{
  dart__address_t at;

  if (dart__locate(__func__, gptr, 0, &at) != DART_OK)
    return NULL;
  return at.unit == at.team->me ? dart__own_start(at.team, at.segment) + at.offset : at.near;
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
