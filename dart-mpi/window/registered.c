/* Registered memory: attached to the team's window like a portion of a chunk, but mapped by its unit only. */
#include "port.h"
#include "window/nested_window.h"
#include "window/team_windows.h"

dart_ret_t dart__port_register(dart__team_t *team, dart__chunk_t *chunk, void *address,
                               size_t nbytes)
{
  dart__chunk_port_t *port = chunk->port;
  dart_ret_t          ret;

  if (team->nnodes == 1)
    return DART_OK;
  ret = dart__team_connect(team);
  if (ret != DART_OK)
    return ret;
  port->base    = address;
  chunk->nbytes = nbytes;
  return dart__chunk_attach(team, nbytes, port);
}

void dart__port_deregister(dart__team_t *team, dart__chunk_t *chunk)
{
  dart__chunk_port_t *port = chunk->port;

  (void)team;
  if (port->window != NULL && chunk->nbytes > 0)
    DART__MPI(MPI_Win_detach, port->window->win, port->base);
}
