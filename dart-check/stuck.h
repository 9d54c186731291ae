#ifndef DART__CHECK_STUCK_H
#define DART__CHECK_STUCK_H
/* Units that wait in an epoch for a call that will not come. */
#include "check.h"

/** Make the book of such waits, which all units can read. Collective over the team of all units. */
void dart__check_stuck_open(dart_team_t team);
void dart__check_stuck_forget(void);

/** What was called on the segment: `what` is dart_epoch_post, dart_epoch_start or dart_epoch_complete, for each of the
 *  `n` units. */
void dart__check_stuck_count(dart_gptr_t gptr, dart__call_t what, size_t n,
                             const dart_team_unit_t units[]);

/** The segment is gone, or all of the team's (`segment` NULL). */
void dart__check_stuck_end(dart_team_t team, const int16_t *segment);

/** The call `at` is about to wait for the units to call `what`, the post that goes with the last start, or the completion
 *  that goes with the last post; and it has returned. */
void dart__check_stuck_wait(dart_gptr_t gptr, dart__call_t what, size_t n,
                            const dart_team_unit_t units[], dart__at_t at);
void dart__check_stuck_waited(void);

/** What a unit waits in. */
typedef struct {
  dart__at_t   at;
  dart__call_t what; /* that it waits for */
  dart_team_t  team;
  int16_t      segment;
} dart__check_stuck_t;

/** Whether `unit`, a global id, waits for this one, which is in a call and so cannot do what that waits for. True only in
 *  the same wait as in the call before, which has left its number in `*number`; 0 at first. */
bool dart__check_stuck_for_me(int32_t unit, uint64_t *number, dart__check_stuck_t *stuck_out);

#endif
