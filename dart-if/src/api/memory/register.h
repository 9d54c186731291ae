#ifndef DART__API_REGISTER_H
#define DART__API_REGISTER_H
/* Registered memory. */
#include "model/team.h"

/** Forget a registered segment. Local; does not touch the user's memory, which may be gone. */
void dart__deregister(dart__team_t *team, dart__segment_t *segment);

#endif
