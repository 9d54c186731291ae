#ifndef DART__MEMORY_REGISTER_H
#define DART__MEMORY_REGISTER_H
/* Registered memory. */
#include "model/team.h"

/** Deregister all segments of a team that ends, `nlive` of which this unit has not deregistered. Local; does not access
 *  the user's memory, which may be unmapped already. */
void dart__register_close(dart__team_t *team, int32_t nlive);

#endif
