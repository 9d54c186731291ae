/* See place.h. */
#include "place.h"

#include "member.h"

static int32_t owner_of(dart_gptr_t gptr)
{
  dart_global_unit_t unit;
  int32_t            me;
  size_t             size;

  if (!dart__check_team(gptr.teamid, &me, &size) || gptr.unitid < 0 || (size_t)gptr.unitid >= size)
    return -1; /* DART reports this */
  if (gptr.teamid == DART_TEAM_ALL)
    return gptr.unitid;
  return pdart_team_unit_l2g(gptr.teamid, DART_TEAM_UNIT_ID(gptr.unitid), &unit) == DART_OK
             ? unit.id
             : -1;
}

uint64_t dart__check_mix(uint64_t hash, uint64_t value)
{
  hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
  return hash ^ hash >> 29;
}

dart__check_place_t dart__check_word(dart_gptr_t gptr)
{
  uint64_t hash =
      dart__check_mix(1, (uint64_t)(uint16_t)gptr.teamid << 48 |
                             (uint64_t)(uint16_t)gptr.segid << 32 | (uint32_t)gptr.unitid);

  return (dart__check_place_t){ owner_of(gptr), dart__check_mix(hash, gptr.addr_or_offs.offset) };
}

dart__check_place_t dart__check_thing(int32_t home, dart__call_t kind, uint64_t a, uint64_t b,
                                      uint64_t c)
{
  return (dart__check_place_t){
    home, dart__check_mix(dart__check_mix(dart__check_mix(dart__check_mix(2, kind), a), b), c)
  };
}
