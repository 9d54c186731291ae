#ifndef DART__COLL_NODES_H
#define DART__COLL_NODES_H
/* Collectives between nodes: called by the leader of every node of the team while the node's other units wait. */
#include <dash/dart/if/dart_types.h>

#include "model/team.h"

void dart__nodes_barrier(dart__team_t *team);

/** `buffer` of the leader of node `root` to all leaders. */
void dart__nodes_bcast(dart__team_t *team, void *buffer, size_t nbytes, int32_t root);

/* Bytes of the largest element that dart__nodes_reduce takes. */
#define DART__NODES_ELEMENT ((size_t)64 * 1024)

/** Combine the leaders' `send` element by element, by an operator that commutes. The result goes to `recv` of the leader
 *  of node `root`, or, root -1, of all, bitwise equal; `recv` of others is not looked at. `send` may be `recv`. */
void dart__nodes_reduce(dart__team_t *team, const void *send, void *recv, size_t nelem,
                        dart_datatype_t dtype, dart_operation_t op, int32_t root);

/* Below, bytes [starts[k], starts[k + 1]) of a buffer with a block for every node are node k's. Buffers do not overlap
 * but for a node's own block, which is where it belongs. */

/** Each leader has the block of its node in `buffer`; completes it on all. */
void dart__nodes_allgather(dart__team_t *team, void *buffer, const size_t *starts);

/** Each leader's block `send` to the `recv` of the leader of node `root`, whose own is there. */
void dart__nodes_gather(dart__team_t *team, const void *send, void *recv, const size_t *starts,
                        int32_t root);

/** The blocks in `send` of the leader of node `root`, which keeps its own, to each leader's `recv`. */
void dart__nodes_scatter(dart__team_t *team, const void *send, void *recv, const size_t *starts,
                         int32_t root);

/** Send to the leader of another node, and receive what that leader sends in its call. `send` may be `recv`. */
void dart__nodes_swap(dart__team_t *team, int32_t node, const void *send, size_t send_nbytes,
                      void *recv, size_t recv_nbytes);

#endif
