#ifndef DART__CHECK_OPENING_H
#define DART__CHECK_OPENING_H
/* What operations in epochs come after: what lets them begin, and has passed on a clock. */
#include "open_epochs.h"
#include "place.h"

/** `n` places with that clock. */
typedef struct {
  size_t              n;
  dart__check_place_t place[2];
} dart__check_opening_t;

dart__check_opening_t dart__check_opening(dart_gptr_t gptr, dart__check_epoch_t epoch);

/** Where a clock passes by the call `what` between `from` and `to`, team units of the segment's team: at the latter. */
dart__check_place_t dart__check_between(dart_gptr_t gptr, int32_t from, int32_t to,
                                        dart__call_t what);

/** Where those who held the lock of gptr's unit in this way have passed on their clocks. */
dart__check_place_t dart__check_lock_place(dart_gptr_t gptr, dart__check_epoch_kind_t kind);

/** This unit's id in the segment's team. */
int32_t dart__check_team_me(dart_gptr_t gptr);

#endif
