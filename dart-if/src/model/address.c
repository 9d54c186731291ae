/* Errors of global pointers: the cold half of dart__locate. */
#include "model/address.h"

#include <inttypes.h>

#include "base/log.h"

dart_ret_t dart__locate_error(const char *function, dart_gptr_t gptr, size_t nbytes)
{
  dart__team_t    *team;
  dart__segment_t *segment = dart__locate_segment(gptr, &team);

  if (DART_GPTR_ISNULL(gptr))
    dart__error("%s: null pointer", function);
  else if (team == NULL)
    dart__error("%s: unknown team %d", function, gptr.teamid);
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
