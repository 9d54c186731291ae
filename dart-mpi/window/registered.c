/* Registered memory: attached to the team's window like a portion of a chunk, but mapped by its unit only. */
#include "net.h"
#include "window/nested_window.h"
#include "window/team_windows.h"

dart_ret_t dart__net_register(dart__team_t *team, dart__chunk_t *chunk, void *address,
                              size_t nbytes)
{
  dart__chunk_net_t *net = chunk->net;
  dart_ret_t         ret;

  if (team->nnodes == 1)
    return DART_OK;
  ret = dart__team_connect(team);
  if (ret != DART_OK)
    return ret;
  net->base     = address;
  chunk->nbytes = nbytes;
  return dart__chunk_attach(team, nbytes, net);
}
