#ifndef DART__API_MEMORY_H
#define DART__API_MEMORY_H
/* Collective allocation. */
#include "model/team.h"

/** Give back every segment and chunk of a team that ends. Collective, after a barrier of it. */
void dart__memory_close(dart__team_t *team);

#endif
