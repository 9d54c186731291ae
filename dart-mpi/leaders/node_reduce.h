#ifndef DART__MPI_LEADERS_NODE_REDUCE_H
#define DART__MPI_LEADERS_NODE_REDUCE_H
/* Reductions between nodes; see dart__nodes_ops_t in port.h. */
#include "model/team.h"

void dart__nodes_reduce(dart__team_t *team, const void *send, void *recv, size_t nelem,
                        dart_datatype_t dtype, dart_operation_t op, int32_t root);

#endif
