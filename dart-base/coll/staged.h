#ifndef DART__COLL_STAGED_H
#define DART__COLL_STAGED_H
/* Barriers, reductions and agreements of a team through the buffers of its exchange, in steps (step.h).
 * The other collectives are built on them. All units of the team call, in the same order, with arguments that
 * agree. */
#include <stdint.h>

#include <dash/dart/if/dart_types.h>

#include "model/team.h"

/* DART_ERR_UNIT_LOST, of all but the second and dart__coll_most: the team is broken (model/lost.h). Values and buffers
 * of the others are as they were then, or half made. */

dart_ret_t dart__coll_barrier(dart__team_t *team);

/** A barrier of the units of each node alone. */
void dart__coll_node_barrier(dart__team_t *team);

#define DART__EVERY_UNIT (-1)

/** dart__coll_reduce through the exchange. The team has more than one unit. DART_ERR_NOMEM, on all units: one
 *  element does not fit the exchange. */
dart_ret_t dart__staged_reduce(dart__team_t *team, const void *send, void *recv, size_t nelem,
                               dart_datatype_t dtype, dart_operation_t op, int32_t root);

/** The first of two results that is an error; DART_OK if neither is. */
static inline dart_ret_t dart__worse(dart_ret_t a, dart_ret_t b)
{
  return a != DART_OK ? a : b;
}

/** Replace each of a few values by the maximum over all units. */
void dart__coll_most(dart__team_t *team, unsigned long *values, size_t count);

/** Agree on the worst of all units' results: DART_OK if all have DART_OK. */
dart_ret_t dart__coll_agree(dart__team_t *team, dart_ret_t mine);

/** Agree on the result of checking a call's arguments, of which all units must give the same two `values`: DART_ERR_INVAL
 *  on all if they do not. A unit whose own are right logs that it is refused. */
dart_ret_t dart__coll_agree_on(const char *function, dart__team_t *team, dart_ret_t mine,
                               const uint64_t values[2]);

/** The end of it, where `worst` is known in another way: logs, and returns `worst`. */
dart_ret_t dart__coll_refused(const char *function, const dart__team_t *team, dart_ret_t mine,
                              dart_ret_t worst, uint64_t value);

#endif
