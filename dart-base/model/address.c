/* The cold half of dart__locate: errors of global pointers. */
#include "model/address.h"

#include <inttypes.h>

#include "base/log.h"

static bool is_inside(const dart__segment_t *segment, dart_gptr_t gptr, size_t nbytes)
{
  uint64_t size = dart__segment_size(segment, gptr.unitid);

  return nbytes <= size && gptr.addr_or_offs.offset <= size - nbytes;
}

/* Callers refuse all of a segment that has ended, or this unit's portion. */
dart_ret_t dart__locate_error(const char *function, dart_gptr_t gptr, size_t nbytes)
{
  dart__team_t    *team;
  dart__segment_t *segment = dart__locate_known(gptr, &team);

  if (DART_GPTR_ISNULL(gptr))
    dart__error("%s: null pointer", function);
  else if (team == NULL)
    dart__team_error(function, gptr.teamid);
  else if (segment == NULL)
    dart__error("%s: team %d has no segment %d", function, gptr.teamid, gptr.segid);
  else if (gptr.unitid < 0 || gptr.unitid >= team->nunits)
    dart__error("%s: unit %d is not in 0..%d of team %d", function, (int)gptr.unitid,
                team->nunits - 1, gptr.teamid);
  else if (is_inside(segment, gptr, nbytes) ||
           (dart__segment_has_ended(segment) && gptr.unitid == team->me))
    dart__error("%s: this unit has deregistered its portion of segment %d of team %d", function,
                gptr.segid, gptr.teamid);
  else /* an offset that was lowered below 0 as the program has it */
    dart__error("%s: %zu bytes at offset %" PRId64 " exceed the %" PRIu64
                " bytes of unit %d in segment %d of team %d",
                function, nbytes, (int64_t)gptr.addr_or_offs.offset,
                dart__segment_size(segment, gptr.unitid), (int)gptr.unitid, gptr.segid,
                gptr.teamid);
  return DART_ERR_INVAL;
}
