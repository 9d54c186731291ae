#ifndef DART__API_TWOSIDED_H
#define DART__API_TWOSIDED_H
/* Messages between two units. */
#include "model/team.h"
#include "node/wait.h"

/** Open this unit's inbox, and exchange the inboxes' offsets. Collective over the team of all units, whose
 *  pool is open; agreed. */
dart_ret_t dart__twosided_open(dart__team_t *all);
void       dart__twosided_close(void);

/** The event of a near unit that is raised when a message arrives for it. It may also be raised for other
 *  reasons (notifications): whenever it changes, a waiter checks for what it waits for. */
dart__event_t *dart__twosided_event(dart_unit_t unit);

/** A counter of any unit, as the offset in its pool, that lives from init to exit: raised by others as a hint that what
 *  the unit waits for is near. Nothing depends on it. */
uint64_t dart__twosided_hints(dart_unit_t unit);

#endif
