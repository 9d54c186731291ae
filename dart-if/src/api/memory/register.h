#ifndef DART__API_REGISTER_H
#define DART__API_REGISTER_H
/* Registered memory. */
#include "model/team.h"

/** Deregister a segment. Local; does not access the user's memory, which may be unmapped already. */
void dart__deregister(dart__team_t *team, dart__segment_t *segment);

#endif
