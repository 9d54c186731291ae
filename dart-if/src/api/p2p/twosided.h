#ifndef DART__API_TWOSIDED_H
#define DART__API_TWOSIDED_H
/* Messages between two units. */
#include "model/team.h"
#include "node/wait.h"

/** Open this unit's inbox, and learn where those of the others are. Collective over the team of all,
 *  whose pool is open; agreed. */
dart_ret_t dart__twosided_open(dart__team_t *all);
void       dart__twosided_close(void);

/** The event of a near unit that is raised when something came for it. Whoever brings it something
 *  else may raise it too: waiters look for what they want whenever it changes. */
dart__event_t *dart__twosided_event(dart_unit_t unit);

#endif
