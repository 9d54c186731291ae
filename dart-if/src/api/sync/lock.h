#ifndef DART__API_LOCK_H
#define DART__API_LOCK_H
/* Locks: what other modules need of them. */
#include <dash/dart/if/dart_types.h>

/** The team of a lock of this cycle that a thread of this unit holds; DART_TEAM_NULL: there is none. */
dart_team_t dart__lock_held(void);

#endif
