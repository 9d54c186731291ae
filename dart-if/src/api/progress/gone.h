#ifndef DART__API_PROGRESS_GONE_H
#define DART__API_PROGRESS_GONE_H
/* Waits that find out that what they wait for never comes: the unit has ended without dart_exit
 * (job/leave.c). They look for it after they have slept, and end the program with a line that names the
 * unit. */
#include <stdint.h>

#include "model/team.h"

/** Have the waits in a team's collectives find out. Its exchange is open. */
void dart__gone_watch(dart__team_t *team);

/** A wait for two units, by global id, of which either may be -1: as dart__world.wait, but it ends the
 *  program if one of them has left. `watch` stays in place meanwhile. */
typedef struct {
  const char *function;
  dart_unit_t to;
  dart_unit_t from;
  int64_t     since; /* ns; when one was seen to have left; 0: not yet */
} dart__gone_watch_t;

dart__wait_policy_t dart__gone_wait(dart__gone_watch_t *watch);

/** In a wait for anyone, after a sleep: if all other units have left, it ends the program. */
void dart__gone_look(const char *function);

#endif
