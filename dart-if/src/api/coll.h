#ifndef DART__API_COLL_H
#define DART__API_COLL_H
/* Collectives over a team, for the entry points and for DART's own agreements.
 *
 * Inside a node they go through the team's exchange, in pieces that fit its buffers. In a team over
 * several nodes each node's leader speaks for it in the middle of a step, while the node's other
 * units wait in shared memory. All units of the team call, in the same order, with arguments that
 * agree. Buffers are checked by the caller. */
#include <stdint.h>

#include "model/team.h"

dart_ret_t dart__coll_barrier(dart__team_t *team);

/** `nbytes` of root's `buffer` to all. */
dart_ret_t dart__coll_bcast(dart__team_t *team, void *buffer, size_t nbytes, int32_t root);

/** Block u of `recv` is unit u's `send`; `send` may be the own block of `recv`. */
dart_ret_t dart__coll_allgather(dart__team_t *team, const void *send, void *recv, size_t nbytes);

#define DART__EVERY_UNIT (-1)

/** Combine element by element; the result goes to `root` or to every unit, bitwise the same.
 *  `send` may be `recv`. dart__op_reduces(op, dtype, nelem) holds. */
dart_ret_t dart__coll_reduce(dart__team_t *team, const void *send, void *recv, size_t nelem,
                             dart_datatype_t dtype, dart_operation_t op, int32_t root);

/** Agree on the worst of all units' results: DART_OK if all bring DART_OK. */
dart_ret_t dart__coll_agree(dart__team_t *team, dart_ret_t mine);

#endif
