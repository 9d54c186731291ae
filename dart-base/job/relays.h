#ifndef DART__JOB_RELAYS_H
#define DART__JOB_RELAYS_H
/* The memory of relays (far/relayed.h): blocks of the pool. The unit that first needs a node's relay makes it, and enters
 * it in a table, which is in the pool of the node's first unit. */
#include "model/team.h"

/** Have relays, if the job is to have them. Collective over the team of all units; no unit relays anything before a barrier
 *  that follows. */
void dart__relays_open(dart__team_t *all);

/** All that was requested is complete, on all units. The pool ends next, and with it the relays. */
void dart__relays_close(void);

#endif
