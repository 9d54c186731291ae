#ifndef DART__CHECK_CREATION_H
#define DART__CHECK_CREATION_H
/* Teams made by their members alone (dart_team_group.h): members that name different groups. */
#include "check.h"

/** Make the records, in memory of `team`, which is this library's own, of all units. Collective. */
void dart__check_creation_open(dart_team_t team);

/** This unit is about to make a team of `group`. Where another member of it is making one with the same tag, of another
 *  group that has this unit, too, neither comes to the other's call: that ends the program with a report. */
void dart__check_creation_enter(dart_team_t parent, const dart_group_t group, int tag,
                                dart__at_t at);

/** The team is made, or was refused. */
void dart__check_creation_leave(void);

#endif
