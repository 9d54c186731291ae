#ifndef DART__JOB_RELAYS_H
#define DART__JOB_RELAYS_H
/* The memory of relays (far/relayed.h), which lies in the pool of each node's first unit. */
#include "model/team.h"

/** Have relays, if the job is to have them and there is memory. Collective over the team of all units; no unit relays
 *  anything before a barrier that follows. */
void dart__relays_open(dart__team_t *all);

/** All that was requested is complete, on all units. */
void dart__relays_close(dart__team_t *all);

#endif
