#ifndef DART__TEAM_TEAM_LOCALITY_H
#define DART__TEAM_TEAM_LOCALITY_H
/* The locality of teams: a tree and a descriptor per unit. */
#include <stdbool.h>

#include <dash/dart/if/dart_locality.h>

#include "model/team.h"
#include "topology/hardware.h"

/** Allocate room for what tells of all units' hardware. `set_bytes` of a set of processors, the same on all. Local.
 *  DART_ERR_NOMEM. */
dart_ret_t dart__locality_prepare(const dart__team_t *all, size_t set_bytes);

/** Gather that, and set the pace of waits by it. Collective; agreed. */
dart_ret_t dart__locality_open(void);

/** The domains of a unit with this hardware, from the core outwards: the outermost cache, and the NUMA domain and the
 *  package in the order in which they enclose it. */
dart__tree_place_t dart__locality_place(const dart__hardware_t *hardware);

/** Where the units of the team on this node run, by their index on it. False: it is not known. */
bool dart__locality_places(const dart__team_t *team, dart__tree_place_t places[]);

/** Free all of it. Other teams have dropped their trees already. */
void dart__locality_close(void);

/** Free the tree and the descriptors of `team`, if it has them. */
void dart__locality_drop(dart__team_t *team);

/** Whether `domain` is the root of a team's own tree. */
bool dart__locality_is_root(const dart_domain_locality_t *domain);

#endif
