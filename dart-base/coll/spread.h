#ifndef DART__COLL_SPREAD_H
#define DART__COLL_SPREAD_H
/* Collectives of a team with one unit on each of its nodes. Nothing is shared there, so the exchange would be
 * a detour of two copies: what leaders do between nodes is done with the buffers of the program, whatever
 * the size, in one step.
 *
 * Arguments as in coll/coll.h. A team's nodes are numbered by their first units, so here a node has the
 * number of its unit. */
#include "model/team.h"

static inline bool dart__is_spread(const dart__team_t *team)
{
  return team->nnodes == team->nunits && team->nunits > 1;
}

void dart__spread_bcast(dart__team_t *team, void *buffer, size_t nbytes, int32_t root);
void dart__spread_scatter(dart__team_t *team, const void *send, void *recv, size_t nbytes,
                          int32_t root);
void dart__spread_gather(dart__team_t *team, const void *send, void *recv, size_t nbytes,
                         int32_t root);
void dart__spread_allgather(dart__team_t *team, const void *send, void *recv, size_t nbytes);
void dart__spread_alltoall(dart__team_t *team, const void *send, void *recv, size_t nbytes);

/** The operator commutes, and an element has at most DART__NODES_ELEMENT bytes. */
void dart__spread_reduce(dart__team_t *team, const void *send, void *recv, size_t nelem,
                         dart_datatype_t dtype, dart_operation_t op, int32_t root);

#endif
