#ifndef DART__CHECK_COMPARE_H
#define DART__CHECK_COMPARE_H
/* Where units meet. */
#include "check.h"

/** Make all that races are found by, in memory of `team`, and forget it. The first is collective over all units, whose
 *  team it is. */
void dart__check_races_open(dart_team_t team);
void dart__check_races_forget(void);

/** Members of the team are in a collective call, with a root or without, and go on as the call says. Where all units
 *  meet, they compare what they have logged since the last time, each the accesses to its memory. Collective over the
 *  team. */
void dart__check_race_collective(dart_team_t team, dart__call_t call, int32_t root);

#endif
