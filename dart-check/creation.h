#ifndef DART__CHECK_CREATION_H
#define DART__CHECK_CREATION_H
/* Teams that their members alone create (dart_team_group.h): members that name different groups. */
#include "check.h"

/** Allocate the records in `team`, this library's team of all units. Collective. */
void dart__check_creation_open(dart_team_t team);

/** This unit is about to create a team of `group`. If another member is creating one with the same tag, and with
 *  another group that contains this unit, neither can join the other's call. Then the program ends with a report. */
void dart__check_creation_enter(dart_team_t parent, const dart_group_t group, int tag,
                                dart__at_t at);

/** The call has returned. */
void dart__check_creation_leave(void);

#endif
