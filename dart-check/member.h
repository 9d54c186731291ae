#ifndef DART__CHECK_MEMBER_H
#define DART__CHECK_MEMBER_H
/* The teams that this unit is a member of. */
#include "check.h"

#define DART__CHECK_TEAMS 1024 /* teams of higher ids are not looked at */

/** A team that this unit is a member of exists from now on. */
void dart__check_team_known(dart_team_t team);

/** A team is gone; or all of them. */
void dart__check_team_gone(dart_team_t team);
void dart__check_teams_forget(void);

/** The unit's id in such a team and its size; false: it is no such team. */
bool dart__check_team(dart_team_t team, int32_t *me_out, size_t *size_out);

/** The size alone; 0: it is no such team. */
size_t dart__check_team_size(dart_team_t team);

#endif
