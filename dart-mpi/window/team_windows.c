/* See team_windows.h. */
#include "window/team_windows.h"

#include <stdlib.h>

#include "mpi/comm.h"
#include "net.h"

/* A communicator of these units, in this order. Collective over them, and agreed. */
static dart_ret_t make_comm(const dart__team_t *team, const dart__members_t *units,
                            MPI_Comm *comm_out)
{
  int range[1][3] = { { units->first, dart__member(units, units->count - 1), units->stride } };
  MPI_Group  all, subset;
  dart_ret_t ret;

  DART__MPI(MPI_Comm_group, dart__comm.world, &all);
  if (units->ids == NULL)
    DART__MPI(MPI_Group_range_incl, all, 1, range, &subset);
  else
    DART__MPI(MPI_Group_incl, all, units->count, units->ids, &subset);
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
  dart_unit_t    *units = dart__team_net(team)->units;
  dart__members_t members;

  for (int32_t i = 0; i < team->node_nunits; i++)
    units[i] = dart__team_member(team, team->node_units[i]);
  members = dart__members_of(units, team->node_nunits);
  return make_comm(team, &members, comm_out);
}

dart_ret_t dart__team_agree(const dart__team_t *team, dart_ret_t mine)
{
  dart__team_net_t *net = team->net;

  if (team->nunits == 1)
    return mine;
  return (dart_ret_t)dart__mpi_most(team->nnodes > 1 ? net->comm : net->node, (int)mine);
}

dart_ret_t dart__team_connect_node(dart__team_t *team)
{
  dart__team_net_t *net = team->net;

  return team->node_nunits > 1 && net->node == MPI_COMM_NULL ? make_node_comm(team, &net->node)
                                                             : DART_OK;
}

static dart_ret_t connect_all(dart__team_t *team)
{
  dart__team_net_t *net = team->net;

  return team->nnodes > 1 && net->comm == MPI_COMM_NULL
             ? make_comm(team, &team->members, &net->comm)
             : DART_OK;
}

/* Agreed: on the first communicator by MPI, and on the second, of which each node has one, by a reduction on the first. */
dart_ret_t dart__team_connect(dart__team_t *team)
{
  dart_ret_t ret = connect_all(team);

  if (ret != DART_OK)
    return ret;
  ret = dart__team_connect_node(team);
  return team->nnodes > 1 ? dart__team_agree(team, ret) : ret;
}

/* ---- life -------------------------------------------------------------------------------- */

static void delete_net(dart__team_net_t *net)
{
  pthread_rwlock_destroy(&net->windows.lock);
  dart__window_delete(net->dynamic);
  free(net->units);
  free(net);
}

static dart_ret_t prepare_windows(dart__team_t *team)
{
  bool              is_first = dart__teams[DART_TEAM_ALL] == NULL; /* it has all units */
  dart__team_net_t *net      = calloc(1, sizeof *net);

  if (net == NULL)
    return DART_ERR_NOMEM;
  net->comm = is_first ? dart__comm.world : MPI_COMM_NULL;
  net->node = is_first ? dart__comm.node : MPI_COMM_NULL;
  pthread_rwlock_init(&net->windows.lock, NULL);
  net->units = calloc((size_t)team->node_nunits, sizeof *net->units);
  if (team->nnodes > 1)
    net->dynamic = dart__window_new(team);
  if (net->units == NULL || (team->nnodes > 1 && net->dynamic == NULL)) {
    delete_net(net);
    return DART_ERR_NOMEM;
  }
  team->net = net;
  return DART_OK;
}

/* dart__io__hdf5__prep_mpio is local, and cannot make it. */
#ifdef DART_ENABLE_HDF5
static dart_ret_t open_windows(dart__team_t *team)
{
  return team->nnodes > 1 ? connect_all(team) : dart__team_connect_node(team);
}
#else
#define open_windows NULL
#endif

static void free_own(MPI_Comm *comm)
{
  if (*comm != MPI_COMM_NULL && *comm != dart__comm.world && *comm != dart__comm.node)
    DART__MPI(MPI_Comm_free, comm);
}

static void close_windows(dart__team_t *team)
{
  dart__team_net_t *net = team->net;

  if (net->dynamic != NULL && net->dynamic->win != MPI_WIN_NULL)
    dart__window_close(&net->windows, net->dynamic);
  free_own(&net->node);
  free_own(&net->comm);
  delete_net(net);
  team->net = NULL;
}

const dart__net_teams_t dart__team_windows = { prepare_windows, open_windows, close_windows };

dart_ret_t dart__team_open_dynamic(dart__team_t *team)
{
  dart__team_net_t *net = team->net;

  return net->dynamic->win == MPI_WIN_NULL
             ? dart__window_open_dynamic(&net->windows, net->comm, net->dynamic)
             : DART_OK;
}
