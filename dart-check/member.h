#ifndef DART__CHECK_MEMBER_H
#define DART__CHECK_MEMBER_H
/* The teams that this unit is a member of. */
#include "check.h"

#define DART__CHECK_TEAMS 1024 /* teams with higher ids are not checked */

/** This unit is a member of a new team. */
void dart__check_team_known(dart_team_t team);

/** A team is destroyed; all teams are. */
void dart__check_team_gone(dart_team_t team);
void dart__check_teams_forget(void);

/** This unit's id in the team, and the team's size. False: the unit is not a member of such a team. */
bool dart__check_team(dart_team_t team, int32_t *me_out, size_t *size_out);

/** The size alone; 0: the unit is not a member of such a team. */
size_t dart__check_team_size(dart_team_t team);

/** Whether a member of a team that exists is lost: then most that belongs to it cannot be destroyed. */
bool dart__check_is_broken(dart_team_t team);

#endif
