#ifndef DART__CHECK_COMPARE_H
#define DART__CHECK_COMPARE_H
/* Where all units meet, they compare their accesses and report races. */
#include "check.h"

/** Allocate the memory by which races are found, in `team`, the team of all units; collective over all units. And free
 *  it. */
void dart__check_races_open(dart_team_t team);
void dart__check_races_forget(void);

/** The members of the team are in a collective call, with or without a root: pass their clocks on as the call does.
 *  Where all units meet, each compares the accesses to its memory that were logged since the last meeting. Collective
 *  over the team. */
void dart__check_race_collective(dart_team_t team, dart__call_t call, int32_t root);

#endif
