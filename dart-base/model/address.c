/* The cold half of dart__locate: errors of global pointers, and segments that this unit has deregistered. */
#include "model/address.h"

#include <inttypes.h>

#include "base/log.h"

dart_ret_t dart__locate_error(const char *function, dart_gptr_t gptr, size_t nbytes)
{
  dart__team_t    *team;
  dart__segment_t *segment = dart__locate_segment(gptr, &team);
  dart__segment_t *ended   = team != NULL ? dart__segment_find_ended(team, gptr.segid) : NULL;

  if (segment == NULL && ended != NULL && gptr.unitid != team->me)
    segment = ended;
  if (DART_GPTR_ISNULL(gptr))
    dart__error("%s: null pointer", function);
  else if (team == NULL)
    dart__error("%s: unknown team %d", function, gptr.teamid);
  else if (segment == NULL && ended != NULL)
    dart__error("%s: this unit has deregistered its portion of segment %d of team %d", function,
                gptr.segid, gptr.teamid);
  else if (segment == NULL)
    dart__error("%s: team %d has no segment %d", function, gptr.teamid, gptr.segid);
  else if (gptr.unitid < 0 || gptr.unitid >= team->nunits)
    dart__error("%s: unit %d is not in 0..%d of team %d", function, (int)gptr.unitid,
                team->nunits - 1, gptr.teamid);
  else
    dart__error("%s: %zu bytes at offset %" PRIu64 " exceed the %" PRIu64
                " bytes of unit %d in segment %d of team %d",
                function, nbytes, gptr.addr_or_offs.offset,
                dart__segment_size(segment, gptr.unitid), (int)gptr.unitid, gptr.segid,
                gptr.teamid);
  return DART_ERR_INVAL;
}

dart_ret_t dart__locate_ended(const char *function, dart_gptr_t gptr, size_t nbytes,
                              dart__address_t *address_out)
{
  dart__team_t    *team    = dart__team_find(gptr.teamid);
  dart__segment_t *segment = team != NULL ? dart__segment_find_ended(team, gptr.segid) : NULL;
  uint64_t         offset  = gptr.addr_or_offs.offset, size;

  if (segment == NULL || (uint32_t)gptr.unitid >= (uint32_t)team->nunits || gptr.unitid == team->me)
    return dart__locate_error(function, gptr, nbytes);
  size = dart__segment_size(segment, gptr.unitid);
  if (nbytes > size || offset > size - nbytes)
    return dart__locate_error(function, gptr, nbytes);
  *address_out = (dart__address_t){ team, segment, gptr.unitid, offset, NULL };
  return DART_OK;
}
