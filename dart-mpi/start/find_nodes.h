#ifndef DART__MPI_START_FIND_NODES_H
#define DART__MPI_START_FIND_NODES_H
/* Which units share a node. */
#include <dash/dart/if/dart_types.h>

/** Enter the node of each unit, by its first unit, into dart__world, and choose the kind of windows if there are several;
 *  `mine` is this unit's result so far. Agreed: the worst of all units' results. Collective over the job. */
dart_ret_t dart__find_nodes(dart_ret_t mine);

#endif
