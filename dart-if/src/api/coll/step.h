#ifndef DART__API_STEP_H
#define DART__API_STEP_H
/* A step: what every collective is a row of.
 *
 * Units write into the buffers of the team's exchange, end the step, and read there what the others
 * wrote; node/exchange.h tells why one barrier a step is enough. In a team over several nodes the
 * leader of each speaks for it in between, while the node's other units wait:
 *
 *   write into the slot or the result;
 *   if (dart__step_end(team)) {
 *     <what the leaders do with the result>
 *     dart__step_release(team);
 *   }
 *   read from the result. */
#include "model/team.h"

/** Returns once the node's units have arrived. True at the leader of a node of a team over several
 *  nodes, whose units now wait for dart__step_release. */
bool dart__step_end(dart__team_t *team);

/** The leader: let them go. */
void dart__step_release(dart__team_t *team);

/** The parts of a result with a block of `nbytes` for every unit, listed node by node, as the
 *  leaders' functions of port.h take them. */
const size_t *dart__step_blocks(dart__team_t *team, size_t nbytes);

#endif
