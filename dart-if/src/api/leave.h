#ifndef DART__API_LEAVE_H
#define DART__API_LEAVE_H
/* A process that ends inside of a cycle, without dart_exit. */
#include "model/team.h"

/** Be ready for it; at init. */
void dart__leave_open(void);

/** Have the waits in a team's collectives find out if they are for a unit that has left so. Its exchange
 *  is open. */
void dart__leave_watch(dart__team_t *team);

/** A wait for two units, by global id, of which either may be -1: as dart__world.wait, but it ends the
 *  program if one of them has left. `watch` stays in place meanwhile. */
typedef struct {
  const char *function;
  dart_unit_t to;
  dart_unit_t from;
  int64_t     since; /* ns; when one was seen to have left; 0: not yet */
} dart__leave_watch_t;

dart__wait_policy_t dart__leave_wait(dart__leave_watch_t *watch);

/** In a wait for anyone, after a sleep: if all other units have left, it ends the program. */
void dart__leave_look(const char *function);

/** What dart_exit does after its last barrier; init.c. */
void dart__close(void);

#endif
