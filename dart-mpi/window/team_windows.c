/* See team_windows.h. */
#include "window/team_windows.h"

#include <stdlib.h>

#include "base/log.h"
#include "model/world.h"
#include "mpi/comm.h"
#include "port.h"

/* A communicator of `units` (global ids), in this order. Collective over them, and agreed. */
static dart_ret_t make_comm(const dart__team_t *team, const dart_unit_t *units, int count,
                            MPI_Comm *comm_out)
{
  MPI_Group  all, subset;
  dart_ret_t ret;

  DART__MPI(MPI_Comm_group, dart__comm.world, &all);
  DART__MPI(MPI_Group_incl, all, count, units, &subset);
  /* the tag keeps teams apart that several threads connect at once; the first has no id yet */
  ret = DART__MPI_AGREED(MPI_Comm_create_group, dart__comm.world, subset,
                         team->id < 0 ? 0 : team->id, comm_out);
  if (ret == DART_OK) /* it does not inherit this */
    DART__MPI(MPI_Comm_set_errhandler, *comm_out, MPI_ERRORS_RETURN);
  else
    *comm_out = MPI_COMM_NULL;
  DART__MPI(MPI_Group_free, &subset);
  DART__MPI(MPI_Group_free, &all);
  return ret;
}

/* A communicator of this node's units, in team order. */
static dart_ret_t make_node_comm(const dart__team_t *team, MPI_Comm *comm_out)
{
  dart_unit_t *units = dart__team_port(team)->units;

  for (int32_t i = 0; i < team->node_nunits; i++)
    units[i] = team->members[team->node_units[i]];
  return make_comm(team, units, team->node_nunits, comm_out);
}

dart_ret_t dart__team_agree(const dart__team_t *team, dart_ret_t mine)
{
  dart__team_port_t *port = team->port;

  if (team->nunits == 1)
    return mine;
  return (dart_ret_t)dart__mpi_most(team->nnodes > 1 ? port->comm : port->node, (int)mine);
}

/* Make a communicator of all units, and one of this node's units, unless they are there already. Agreed: on
 * the former by MPI, and on the latter, of which each node has one, by a reduction on the former. */
static dart_ret_t make_comms(dart__team_t *team)
{
  dart__team_port_t *port = team->port;
  dart_ret_t         ret  = DART_OK;

  if (team->nnodes > 1 && port->comm == MPI_COMM_NULL)
    ret = make_comm(team, team->members, team->nunits, &port->comm);
  if (ret != DART_OK)
    return ret;
  if (team->node_nunits > 1 && port->node == MPI_COMM_NULL)
    ret = make_node_comm(team, &port->node);
  return team->nnodes > 1 ? dart__team_agree(team, ret) : ret;
}

/* ---- life -------------------------------------------------------------------------------- */

static void delete_port(dart__team_port_t *port)
{
  pthread_rwlock_destroy(&port->windows.lock);
  pthread_mutex_destroy(&port->flushing);
  pthread_mutex_destroy(&port->touched_lock);
  dart__window_delete(port->dynamic);
  free(port->units);
  free(port->unit);
  free(port->burst);
  free(port->words);
  free(port->ordered);
  dart__copies_delete(port->copies);
  free(port->touched);
  free(port->is_touched);
  free(port->requests);
  free(port->starts);
  free(port->room);
  free(port);
}

/* The tables of a team over several nodes. */
static bool make_tables(const dart__team_t *team, dart__team_port_t *port)
{
  size_t nunits = (size_t)team->nunits, nnodes = (size_t)team->nnodes;

  port->dynamic    = dart__window_new(team);
  port->unit       = calloc(nunits, sizeof *port->unit);
  port->burst      = calloc(nunits, sizeof *port->burst);
  port->words      = calloc(nunits, sizeof *port->words);
  port->ordered    = calloc(nunits, sizeof *port->ordered);
  port->copies     = dart__copies_new();
  port->touched    = calloc(nunits, sizeof *port->touched);
  port->is_touched = calloc(nunits, sizeof *port->is_touched);
  port->requests   = calloc(nnodes, sizeof *port->requests);
  port->starts     = calloc(nnodes + 1, sizeof *port->starts);
  port->room       = malloc(DART__TEAM_ROOM);
  return port->dynamic != NULL && port->unit != NULL && port->burst != NULL &&
         port->words != NULL && port->ordered != NULL && port->copies != NULL &&
         port->touched != NULL && port->is_touched != NULL && port->requests != NULL &&
         port->starts != NULL && port->room != NULL;
}

dart_ret_t dart__port_team_prepare(dart__team_t *team)
{
  dart__team_port_t *port = calloc(1, sizeof *port);

  if (port == NULL)
    return DART_ERR_NOMEM;
  port->comm = MPI_COMM_NULL;
  port->node = MPI_COMM_NULL;
  pthread_rwlock_init(&port->windows.lock, NULL);
  pthread_mutex_init(&port->flushing, NULL);
  pthread_mutex_init(&port->touched_lock, NULL);
  port->units = calloc((size_t)team->node_nunits, sizeof *port->units);
  if (port->units == NULL || (team->nnodes > 1 && !make_tables(team, port))) {
    delete_port(port);
    return DART_ERR_NOMEM;
  }
  team->port = port;
  return DART_OK;
}

dart_ret_t dart__port_team_open(dart__team_t *team)
{
  dart__team_port_t *port = team->port;
  dart_ret_t         ret  = DART_OK;

  if (team->id == DART_TEAM_NULL) { /* the first team has no id yet: it has all units */
    port->comm = dart__comm.world;
    port->node = dart__comm.node;
  }
#ifdef DART_ENABLE_HDF5
  ret = make_comms(team); /* dart__io__hdf5__prep_mpio is local, and cannot make them */
#endif
  return ret;
}

static void free_own(MPI_Comm *comm)
{
  if (*comm != MPI_COMM_NULL && *comm != dart__comm.world && *comm != dart__comm.node)
    DART__MPI(MPI_Comm_free, comm);
}

void dart__port_team_close(dart__team_t *team)
{
  dart__team_port_t *port = team->port;

  if (port == NULL)
    return;
  if (port->dynamic != NULL && port->dynamic->win != MPI_WIN_NULL)
    dart__window_close(&port->windows, port->dynamic);
  free_own(&port->node);
  free_own(&port->comm);
  delete_port(port);
  team->port = NULL;
}

dart_ret_t dart__team_connect(dart__team_t *team)
{
  dart__team_port_t *port = team->port;
  dart_ret_t         ret  = make_comms(team);

  if (ret == DART_OK && team->nnodes > 1 && port->dynamic->win == MPI_WIN_NULL)
    ret = dart__window_open_dynamic(&port->windows, port->comm, port->dynamic);
  return ret;
}
