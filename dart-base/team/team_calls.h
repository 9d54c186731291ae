#ifndef DART__TEAM_TEAM_CALLS_H
#define DART__TEAM_TEAM_CALLS_H
/* Creation and destruction of teams. */
#include "model/team.h"

/** Create the team of all units, and the pool. Collective over the job; agreed. `before`: unless DART_OK, an error of
 *  this unit's, which has a line; then it fails with this on all. */
dart_ret_t dart__team_open_all(dart_ret_t before);

/** Destroy all teams that this unit is still a member of, the team of all units last. Collective over the
 *  job, after a barrier of it. */
void dart__team_close_all(void);

#endif
