#ifndef DART__FAR_GONE_H
#define DART__FAR_GONE_H
/* Waits that detect that they can never end, because a unit they wait for is gone: it has ended without
 * dart_exit (job/leave.c). They check after they have slept, and end the program with a log line that names
 * the unit; or, where the job outlives units (model/lost.h), they are abandoned. */
#include <stdint.h>

#include "model/team.h"

/** Make the waits in a team's collectives check. The team's exchange is open. */
void dart__gone_watch(dart__team_t *team);

/** The policy of a wait for two units, by global id; either may be -1, for none: as dart__world.wait, but it ends the
 *  program if one of them is gone. `from` may be DART__GONE_ANY: then if all other units are. `watch` stays in place
 *  during the wait. */
#define DART__GONE_ANY INT32_MIN
typedef struct {
  const char *function;
  dart_unit_t to;
  dart_unit_t from;
  int64_t     since; /* ns; when one was first seen to be gone; 0: not yet */
} dart__gone_watch_t;

dart__wait_policy_t dart__gone_wait(dart__gone_watch_t *watch);

/** Whether a wait for this is abandoned, since a member of the team is lost. */
bool dart__gone_gives_up(const dart__wait_for_t *what);

/** In a wait for any unit, after a sleep: end the program if all other units are gone. */
void dart__gone_check_all(const char *function);

#endif
