#ifndef DART__TEAM_MAKE_H
#define DART__TEAM_MAKE_H
/* What every way of making a team needs: its description, its id, and the exchange of its units on a node. */
#include <stdbool.h>
#include <stdint.h>

#include "model/team.h"

/** Allocate a team with these members, not open. Local. NULL: no memory. */
dart__team_t *dart__team_describe(const dart__members_t *members);

/** Close the team if it is open, and free it; NULL: nothing. Collective if it was opened on all units. */
void dart__team_discard(dart__team_t *team);

/* Ids. A unit never has two teams with one id before dart_exit; teams without a unit in common may have the
 * same. Any thread. */

/** All ids are free again, but that of the team of all units. */
void dart__team_ids_reset(void);

/** 1 + the highest id that a team of this unit has had. */
int32_t dart__team_next_id(void);

/** Take an id, of at most INT16_MAX, for a new team. False: this unit has given it to another one. */
bool dart__team_take_id(int32_t id);

/** The global id of the first of the team's units on this node. */
dart_unit_t dart__team_leader(const dart__team_t *team);

/** Allocate and initialise the node's exchange, and the team's lists behind it. Called by a leader. DART_ERR_NOMEM. */
dart_ret_t dart__team_exchange_alloc(const dart__team_t *team, uint64_t *offset_out);

/* What a unit allocates for a new team. */
typedef struct {
  dart__team_t *team;     /* NULL: it is no member, or there is no memory */
  uint64_t      exchange; /* in its pool, if it is a leader; 0: there is none */
} dart__team_plan_t;

/** Allocate it; `members` is NULL on a unit that is none. DART_ERR_NOMEM: the plan still has to be discarded. */
dart_ret_t dart__team_plan(const dart__members_t *members, dart__team_plan_t *plan_out);
void       dart__team_plan_discard(const dart__team_plan_t *plan);

/** Whether the units of a team agree once more, on whether each could open it, after they have agreed that each has what
 *  it needs: only the network, or a loss, may prevent that. The same on all units. */
bool dart__team_agrees_twice(void);

/** Open the exchange that lies at `offset` in the pool of the node's leader. */
void dart__team_exchange_open(dart__team_t *team, uint64_t offset);

/** Put the units of each node into groups, by the machine, where a node has many and each has a core (wait/tree.h). Collective
 *  over the open team, after dart__locality_open. Without memory all is as it was. */
void dart__team_exchange_group(dart__team_t *team);

/** Leave it. The leader frees it after all other units of the node have left it. */
void dart__team_exchange_close(dart__team_t *team);

#endif
