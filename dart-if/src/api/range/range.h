#ifndef DART__API_RANGE_H
#define DART__API_RANGE_H
/* Range locks: what other modules need of them. */
#include <dash/dart/if/dart_types.h>

/** Let far units operate on the tables of this unit, from init to exit. */
void dart__range_open(void);
void dart__range_close(void);

/** The team of an object of this cycle of which this unit holds a range; DART_TEAM_NULL: there is none. */
dart_team_t dart__range_held(void);

#endif
