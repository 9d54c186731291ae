/* See opening.h. */
#include "opening.h"

dart__check_place_t dart__check_between(dart_gptr_t gptr, int32_t from, int32_t to,
                                        dart__call_t what)
{
  dart__check_place_t home;

  gptr.unitid = to;
  home        = dart__check_word(gptr);
  return dart__check_thing(home.home, what,
                           (uint64_t)(uint16_t)gptr.teamid << 16 | (uint16_t)gptr.segid,
                           (uint64_t)from, (uint64_t)to);
}

int32_t dart__check_team_me(dart_gptr_t gptr)
{
  dart_team_unit_t me = DART_TEAM_UNIT_ID(-1);

  pdart_team_myid(gptr.teamid, &me);
  return me.id;
}

dart__check_place_t dart__check_lock_place(dart_gptr_t gptr, dart__check_epoch_kind_t kind)
{
  return dart__check_between(gptr, kind == DART__EPOCH_SHARED, gptr.unitid,
                             DART__CALL_dart_epoch_lock);
}

/* A shared lock comes after exclusive locks only. */
dart__check_opening_t dart__check_opening(dart_gptr_t gptr, dart__check_epoch_t epoch)
{
  dart__check_opening_t opening = { .n = epoch.is_told };

  if (!epoch.is_told)
    return opening;
  switch (epoch.kind) {
  case DART__EPOCH_FENCE:
    opening.place[0] =
        dart__check_between(gptr, gptr.unitid, gptr.unitid, DART__CALL_dart_epoch_fence);
    break;
  case DART__EPOCH_START:
    opening.place[0] = dart__check_between(gptr, gptr.unitid, dart__check_team_me(gptr),
                                           DART__CALL_dart_epoch_post);
    break;
  default:
    opening.place[0] = dart__check_lock_place(gptr, DART__EPOCH_EXCLUSIVE);
    opening.place[1] = dart__check_lock_place(gptr, DART__EPOCH_SHARED);
    opening.n        = epoch.kind == DART__EPOCH_EXCLUSIVE ? 2 : 1;
  }
  return opening;
}
