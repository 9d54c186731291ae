#ifndef DART__P2P_TWOSIDED_H
#define DART__P2P_TWOSIDED_H
/* Messages between two units. */
#include "model/team.h"
#include "wait/wait.h"
#include "wait/watches.h"

/** Make this unit's inbox in its pool, which is open. Local. DART_ERR_NOMEM: close it nevertheless. */
dart_ret_t dart__twosided_prepare(const dart__team_t *all);

/** All units have made theirs. */
void dart__twosided_open(void);
void dart__twosided_close(void);

/** Send to another unit, or receive from it, a message of DART's own of at most DART__TWOSIDED_OWN_MOST bytes.
 *  `tag` is negative, which tells it from the program's, and not below DART__TWOSIDED_TAG_LEAST. Both sides give the
 *  same number of bytes. They carry what units have to agree on: what is missing is waited for. DART_ERR_UNIT_LOST: the
 *  other unit is lost (model/lost.h); there is no other error. Any thread. A sender does not wait for its receiver, but
 *  where the pool is used up. */
#define DART__TWOSIDED_OWN_MOST  ((size_t)64)
#define DART__TWOSIDED_TAG_LEAST (-32768)
dart_ret_t dart__twosided_send(const char *function, dart_unit_t unit, int tag, const void *data,
                               size_t nbytes);
dart_ret_t dart__twosided_recv(const char *function, dart_unit_t unit, int tag, void *buffer,
                               size_t nbytes);

/** Both at a time, with a unit that does the same: each sends before it waits, also where the pool is used up. */
dart_ret_t dart__twosided_swap(const char *function, dart_unit_t unit, int tag, const void *data,
                               void *buffer, size_t nbytes);

/** The event of a near unit that is raised when a message arrives for it. It may also be raised for other
 *  reasons (notifications): whenever it changes, a waiter checks for what it waits for. */
dart__event_t *dart__twosided_event(dart_unit_t unit);

/** What threads of a unit sleep for, and the event that wakes them; NULL: the unit is far. */
dart__sleepers_t dart__twosided_sleepers(dart_unit_t unit);

/** A counter that each unit has, as the offset in its pool, that lives from init to exit: raised by others as a hint that what
 *  the unit waits for is near. Nothing depends on it. */
uint64_t dart__twosided_hints(void);

#endif
