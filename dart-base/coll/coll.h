#ifndef DART__COLL_COLL_H
#define DART__COLL_COLL_H
/* Collectives over a team, for the entry points and for DART's own agreements.
 *
 * They go through the team's exchange in steps, see coll/step.h, in pieces that fit its buffers. All
 * units of the team call, in the same order, with arguments that agree. Buffers are checked by the
 * caller. Results are the same on all units. In a team that is broken (model/lost.h) buffers are half filled or untouched,
 * and the caller returns dart__team_result. */
#include <stdint.h>

#include "coll/staged.h"
#include "model/team.h"

/** `nbytes` of root's `buffer` to all units. */
dart_ret_t dart__coll_bcast(dart__team_t *team, void *buffer, size_t nbytes, int32_t root);

/** Block u of root's `send`, of `nbytes`, to `recv` of unit u. */
dart_ret_t dart__coll_scatter(dart__team_t *team, const void *send, void *recv, size_t nbytes,
                              int32_t root);

/** Block u of root's `recv` is unit u's `send`. */
dart_ret_t dart__coll_gather(dart__team_t *team, const void *send, void *recv, size_t nbytes,
                             int32_t root);

/** Block u of `recv` is unit u's `send`; `send` may be this unit's block of `recv`. */
dart_ret_t dart__coll_allgather(dart__team_t *team, const void *send, void *recv, size_t nbytes);

/** dart__coll_allgather for a few bytes of DART's own. It cannot fail, but for a broken team. */
void dart__coll_share(dart__team_t *team, const void *own, void *all, size_t nbytes);

/** dart__coll_share for the leader of each node alone. Other units' `all` is not looked at. */
void dart__coll_share_with_leaders(dart__team_t *team, const void *own, void *all, size_t nbytes);

/** dart__coll_share among the units of each node, in the order of node_units; at most a cache line. */
void dart__coll_share_on_node(dart__team_t *team, const void *own, void *all, size_t nbytes);

/** Hear what one unit of the node says as its `own`, by its index in node_units; all units of the node call, and may
 *  hear different ones. At most a cache line. `from_out` may be `own`. */
void dart__coll_hear_on_node(dart__team_t *team, const void *own, void *from_out, size_t nbytes,
                             int32_t index);

/** The nelem[u] elements of `size` bytes at element displs[u] of `recv` are unit u's `send`, which may
 *  be these elements of `recv`. */
dart_ret_t dart__coll_allgatherv(dart__team_t *team, const void *send, void *recv,
                                 const size_t *nelem, const size_t *displs, size_t size);

/** Block v of unit u's `send` becomes block u of unit v's `recv`; `send` may be `recv`. */
dart_ret_t dart__coll_alltoall(dart__team_t *team, const void *send, void *recv, size_t nbytes);

/** Combine element by element; the result goes to `root` or to every unit, bitwise the same.
 *  `send` may be `recv`. dart__op_reduces(op, dtype, nelem) holds. */
dart_ret_t dart__coll_reduce(dart__team_t *team, const void *send, void *recv, size_t nelem,
                             dart_datatype_t dtype, dart_operation_t op, int32_t root);

#endif
