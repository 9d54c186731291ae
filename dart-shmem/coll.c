/* Between nodes: there is only one, so no leader ever asks. */
#include <stdlib.h>

#include "base/log.h"
#include "port.h"

static dart_ret_t unreachable(const char *function)
{
  dart__error("%s: dart-shmem has one node", function);
  abort();
}

dart_ret_t dart__port_nodes_barrier(dart__team_t *team)
{
  (void)team;
  return unreachable(__func__);
}

dart_ret_t dart__port_nodes_bcast(dart__team_t *team, void *buffer, size_t nbytes, int32_t root)
{
  (void)team, (void)buffer, (void)nbytes, (void)root;
  return unreachable(__func__);
}

dart_ret_t dart__port_nodes_reduce(dart__team_t *team, void *buffer, size_t nelem,
                                   dart_datatype_t type, dart_operation_t op)
{
  (void)team, (void)buffer, (void)nelem, (void)type, (void)op;
  return unreachable(__func__);
}

dart_ret_t dart__port_nodes_allgather(dart__team_t *team, void *buffer, const size_t *starts)
{
  (void)team, (void)buffer, (void)starts;
  return unreachable(__func__);
}

dart_ret_t dart__port_nodes_gather(dart__team_t *team, void *buffer, const size_t *starts,
                                   int32_t root)
{
  (void)team, (void)buffer, (void)starts, (void)root;
  return unreachable(__func__);
}

dart_ret_t dart__port_nodes_scatter(dart__team_t *team, void *buffer, const size_t *starts,
                                    int32_t root)
{
  (void)team, (void)buffer, (void)starts, (void)root;
  return unreachable(__func__);
}

dart_ret_t dart__port_nodes_swap(dart__team_t *team, int32_t node, const void *send,
                                 size_t send_nbytes, void *recv, size_t recv_nbytes)
{
  (void)team, (void)node, (void)send, (void)send_nbytes, (void)recv, (void)recv_nbytes;
  return unreachable(__func__);
}
