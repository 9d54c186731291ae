#ifndef DART__CHECK_STUCK_H
#define DART__CHECK_STUCK_H
/* Units that wait in an epoch for a call that will not come. */
#include "check.h"

/** Allocate the records of such waits, which all units can read. Collective over the team of all units. */
void dart__check_stuck_open(dart_team_t team);
void dart__check_stuck_forget(void);

/** This unit has called `what` for each of the `n` units: dart_epoch_post, dart_epoch_start or dart_epoch_complete. */
void dart__check_stuck_count(dart_gptr_t gptr, dart__call_t what, size_t n,
                             const dart_team_unit_t units[]);

/** The segment is freed, or all segments of the team are (`segment` NULL). */
void dart__check_stuck_end(dart_team_t team, const int16_t *segment);

/** The call `at` is about to wait until each of the units calls `what`: the post for the last start, or the completion
 *  for the last post. And the call has returned. */
void dart__check_stuck_wait(dart_gptr_t gptr, dart__call_t what, size_t n,
                            const dart_team_unit_t units[], dart__at_t at);
void dart__check_stuck_waited(void);

/** The wait of a unit. */
typedef struct {
  dart__at_t   at;
  dart__call_t what; /* for which it waits */
  dart_team_t  team;
  int16_t      segment;
} dart__check_stuck_t;

/** Whether `unit`, a global id, waits for a call that this unit cannot make, as it is in another call. True only if the
 *  unit was in the same wait at the last call of this function, which has stored the wait's number in `*number`; 0 at
 *  first. */
bool dart__check_stuck_for_me(int32_t unit, uint64_t *number, dart__check_stuck_t *stuck_out);

#endif
