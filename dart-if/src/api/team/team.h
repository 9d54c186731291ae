#ifndef DART__API_TEAM_H
#define DART__API_TEAM_H
/* Making and ending teams. */
#include "model/team.h"

/** The team of all units, its pool included. Collective over the job; agreed. */
dart_ret_t dart__team_open_all(void);

/** End every team this unit is still in, the team of all last. Collective over the job, after a
 *  barrier of it. */
void dart__team_close_all(void);

#endif
