#ifndef DART__TEAM_TEAM_CALLS_H
#define DART__TEAM_TEAM_CALLS_H
/* Creation and destruction of teams. */
#include "model/team.h"

/** Create the team of all units, not entered, open its pool, and allocate its exchange there. Collective over the job; an error may be of this unit
 *  alone. `before`: unless DART_OK, an error of this unit's, which has a line; then it fails with this on all. */
dart_ret_t dart__team_open_all(dart_ret_t before, dart__team_t **all_out);

/** Enter the team. `mine`: this unit's result so far. Collective over the job; agreed. Without success the team and
 *  the pool are closed. */
dart_ret_t dart__team_enter_all(dart__team_t *all, dart_ret_t mine);

/** Destroy all teams that this unit is still a member of, the team of all units last. Collective over the
 *  job, after a barrier of it. */
void dart__team_close_all(void);

/** Where units may be lost: vote on whether all members of `parent` that are left have made a team, or are no members of it
 *  (DART_TEAM_NULL). `ret`: the result here. If one has failed the team is dropped, as its members would wait in vain
 *  for each other. Returns the highest code of all, on all. */
dart_ret_t dart__team_vote_made(dart__team_t *parent, dart_ret_t ret, dart_team_t *newteam);

#endif
