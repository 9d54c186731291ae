#ifndef DART__CHECK_OPENING_H
#define DART__CHECK_OPENING_H
/* What an operation in an epoch comes after: a call of its target, which has published a clock. */
#include "open_epochs.h"
#include "place.h"

/** `n` places that have that clock. */
typedef struct {
  size_t              n;
  dart__check_place_t place[2];
} dart__check_opening_t;

dart__check_opening_t dart__check_opening(dart_gptr_t gptr, dart__check_epoch_t epoch);

/** The place at `to` for clocks that the call `what` passes from `from` to `to`, units of the segment's team. */
dart__check_place_t dart__check_between(dart_gptr_t gptr, int32_t from, int32_t to,
                                        dart__call_t what);

/** The place of clocks that holders of such a lock of gptr's unit have published. */
dart__check_place_t dart__check_lock_place(dart_gptr_t gptr, dart__check_epoch_kind_t kind);

/** This unit's id in the segment's team. */
int32_t dart__check_team_me(dart_gptr_t gptr);

#endif
