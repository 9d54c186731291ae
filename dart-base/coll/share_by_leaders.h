#ifndef DART__COLL_SHARE_BY_LEADERS_H
#define DART__COLL_SHARE_BY_LEADERS_H
/* Large teams: what all units tell one another goes through the leaders' own memory, for no result of the team's exchange has
 * room for a piece of every unit. So a leader has as many messages as the logarithm of the nodes, and more only as far as
 * one cannot hold the bytes. */
#include "model/team.h"

/** dart__coll_share or dart__coll_share_with_leaders, of a team over several nodes. */
void dart__coll_share_by_leaders(dart__team_t *team, const void *own, void *all, size_t nbytes,
                                 bool is_for_leaders);

#endif
