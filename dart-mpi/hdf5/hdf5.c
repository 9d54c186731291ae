/* Files that the units of a team share, through HDF5 over MPI. */
#include <hdf5.h>
#include <mpi.h>

#include <dash/dart/if/dart_io.h>

#include "base/profile.h"
#include "model/argument_check.h"
#include "window/team_windows.h"

DART__PROFILED(dart__io__hdf5__prep_mpio);

/* A communicator of the team's units in team order. Builds with HDF5 make it when they create the team. */
static MPI_Comm comm_of(const dart__team_t *team)
{
  const dart__team_net_t *net = dart__team_net(team);

  if (team->nunits == 1)
    return MPI_COMM_SELF;
  return team->nnodes > 1 ? net->comm : net->node;
}

dart_ret_t dart__io__hdf5__prep_mpio(hid_t plist_id, dart_team_t teamid)
{
  dart__team_t *team = dart__check_team(__func__, teamid);

  if (team == NULL)
    return DART_ERR_INVAL;
  if (H5Pset_fapl_mpio(plist_id, comm_of(team), MPI_INFO_NULL) >= 0)
    return DART_OK;
  return dart__fail(DART_ERR_OTHER,
                    "%s: HDF5 does not take %lld for a list of file access properties", __func__,
                    (long long)plist_id);
}
