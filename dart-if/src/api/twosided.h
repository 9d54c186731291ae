#ifndef DART__API_TWOSIDED_H
#define DART__API_TWOSIDED_H
/* Messages between two units. */
#include "model/team.h"

/** Open this unit's inbox, and learn where those of the others are. Collective over the team of all,
 *  whose pool is open; agreed. */
dart_ret_t dart__twosided_open(dart__team_t *all);
void       dart__twosided_close(void);

#endif
