/* Between nodes: there is only one, so no leader ever asks. */
#include <stdlib.h>

#include "base/log.h"
#include "port.h"

static void unreachable(const char *function) __attribute__((noreturn));
static void unreachable(const char *function)
{
  dart__error("%s: dart-shmem has one node", function);
  abort();
}

void dart__port_nodes_barrier(dart__team_t *team)
{
  (void)team;
  unreachable(__func__);
}

void dart__port_nodes_bcast(dart__team_t *team, void *buffer, size_t nbytes, int32_t root)
{
  (void)team, (void)buffer, (void)nbytes, (void)root;
  unreachable(__func__);
}

void dart__port_nodes_reduce(dart__team_t *team, void *buffer, size_t nelem, dart_datatype_t type,
                             dart_operation_t op)
{
  (void)team, (void)buffer, (void)nelem, (void)type, (void)op;
  unreachable(__func__);
}

void dart__port_nodes_allgather(dart__team_t *team, void *buffer, const size_t *starts)
{
  (void)team, (void)buffer, (void)starts;
  unreachable(__func__);
}

void dart__port_nodes_gather(dart__team_t *team, void *buffer, const size_t *starts, int32_t root)
{
  (void)team, (void)buffer, (void)starts, (void)root;
  unreachable(__func__);
}

void dart__port_nodes_scatter(dart__team_t *team, void *buffer, const size_t *starts, int32_t root)
{
  (void)team, (void)buffer, (void)starts, (void)root;
  unreachable(__func__);
}

void dart__port_nodes_swap(dart__team_t *team, int32_t node, const void *send, size_t send_nbytes,
                           void *recv, size_t recv_nbytes)
{
  (void)team, (void)node, (void)send, (void)send_nbytes, (void)recv, (void)recv_nbytes;
  unreachable(__func__);
}
