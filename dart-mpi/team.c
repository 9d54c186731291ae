/* Teams: their communicators and their window, made when they are first needed.
 *
 * Most teams only synchronise, and MPI has few context ids, so a team on one node costs no MPI
 * object until it allocates; one over several nodes starts with its leaders' communicator. */
#include <stdlib.h>

#include "base/log.h"
#include "model/world.h"
#include "mpi_port.h"

/* A communicator of these units (global ids), in this order. Collective over them. */
static dart_ret_t make_comm(const dart__team_t *team, const dart_unit_t *units, int count,
                            MPI_Comm *comm_out)
{
  MPI_Group  all, part;
  dart_ret_t ret = DART__MPI(MPI_Comm_group, dart__mpi.world, &all);

  if (ret != DART_OK)
    return ret;
  ret = DART__MPI(MPI_Group_incl, all, count, units, &part);
  if (ret == DART_OK) {
    /* the tag keeps teams apart that several threads connect at once; the first has no id yet */
    ret = DART__MPI(MPI_Comm_create_group, dart__mpi.world, part, team->id < 0 ? 0 : team->id,
                    comm_out);
    MPI_Group_free(&part);
  }
  MPI_Group_free(&all);
  return ret;
}

/* The same of selected units of the team, in team order. */
static dart_ret_t make_part(const dart__team_t *team, bool (*selected)(const dart__team_t *, int32_t),
                            MPI_Comm *comm_out)
{
  dart_unit_t *units = calloc((size_t)team->nunits, sizeof *units);
  int          count = 0;
  dart_ret_t   ret;

  if (units == NULL)
    return DART_ERR_NOMEM;
  for (int32_t u = 0; u < team->nunits; u++)
    if (selected(team, u))
      units[count++] = team->members[u];
  ret = make_comm(team, units, count, comm_out);
  free(units);
  return ret;
}

static bool is_first_of_node(const dart__team_t *team, int32_t unit)
{
  return team->rank[unit] == team->node_start[team->node_of[unit]];
}

static bool is_on_own_node(const dart__team_t *team, int32_t unit)
{
  return team->node_of[unit] == team->node;
}

/* A communicator of all, and one of this node's units, where they are not there yet. */
static dart_ret_t make_comms(dart__team_t *team)
{
  dart__team_port_t *port = team->port;
  dart_ret_t         ret  = DART_OK;

  if (port->node == MPI_COMM_NULL && team->node_nunits > 1)
    ret = make_part(team, is_on_own_node, &port->node);
  if (ret == DART_OK && team->nnodes > 1 && port->comm == MPI_COMM_NULL)
    ret = make_comm(team, team->members, team->nunits, &port->comm);
  return ret;
}

dart_ret_t dart__port_team_open(dart__team_t *team)
{
  dart__team_port_t *port = calloc(1, sizeof *port);
  dart_ret_t         ret  = DART_OK;

  if (port == NULL)
    return DART_ERR_NOMEM;
  port->comm    = MPI_COMM_NULL;
  port->node    = MPI_COMM_NULL;
  port->leaders = MPI_COMM_NULL;
  pthread_rwlock_init(&port->windows_lock, NULL);
  pthread_mutex_init(&port->flushing, NULL);
  pthread_mutex_init(&port->touched_lock, NULL);
  team->port    = port;
  if (team->id == DART_TEAM_NULL) { /* the first team has no number yet: it has all units */
    port->comm = dart__mpi.world;
    port->node = dart__mpi.node;
  }
  if (team->nnodes > 1) {
    port->unit       = calloc((size_t)team->nunits, sizeof *port->unit);
    port->touched    = calloc((size_t)team->nunits, sizeof *port->touched);
    port->is_touched = calloc((size_t)team->nunits, sizeof *port->is_touched);
    port->counts     = calloc((size_t)team->nnodes, sizeof *port->counts);
    port->starts     = calloc((size_t)team->nnodes, sizeof *port->starts);
    if (port->unit == NULL || port->touched == NULL || port->is_touched == NULL ||
        port->counts == NULL || port->starts == NULL)
      ret = DART_ERR_NOMEM;
    else if (dart__team_is_leader(team))
      ret = make_part(team, is_first_of_node, &port->leaders);
  }
#ifdef DART_ENABLE_HDF5
  if (ret == DART_OK)
    ret = make_comms(team); /* dart__io__hdf5__prep_mpio is local, and cannot make them */
#endif
  if (ret != DART_OK)
    dart__port_team_close(team);
  return ret;
}

static void free_own(MPI_Comm *comm)
{
  if (*comm != MPI_COMM_NULL && *comm != dart__mpi.world && *comm != dart__mpi.node)
    MPI_Comm_free(comm);
}

void dart__port_team_close(dart__team_t *team)
{
  dart__team_port_t *port = team->port;

  if (port->dynamic != NULL)
    dart__window_close(team, port->dynamic);
  free_own(&port->leaders);
  free_own(&port->node);
  free_own(&port->comm);
  pthread_rwlock_destroy(&port->windows_lock);
  pthread_mutex_destroy(&port->flushing);
  pthread_mutex_destroy(&port->touched_lock);
  free(port->unit);
  free(port->touched);
  free(port->is_touched);
  free(port->counts);
  free(port->starts);
  free(port);
  team->port = NULL;
}

dart_ret_t dart__team_connect(dart__team_t *team)
{
  dart__team_port_t *port = team->port;
  dart_ret_t         ret  = make_comms(team);

  if (ret == DART_OK && team->nnodes > 1 && port->dynamic == NULL)
    ret = dart__window_open_dynamic(team, &port->dynamic);
  return ret;
}
