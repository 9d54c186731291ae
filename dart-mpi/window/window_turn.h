#ifndef DART__MPI_WINDOW_WINDOW_TURN_H
#define DART__MPI_WINDOW_WINDOW_TURN_H
/* One window is made at a time on a host, where MPI needs that (mpi/vendor.h, DART__MPI_WINDOWS_COLLIDE).
 *
 * Two teams without a common unit may allocate at the same time. In Open MPI 4.1 their windows may then use the same
 * file in /dev/shm, and the job fails, or the teams change each other's state. So one unit of the team on each host
 * claims a name there. A team that does not get it on all its hosts releases the names, and tries again after a random
 * time: no team waits for another one while it holds a name, so there is no deadlock. */
#include <stdbool.h>

#include "mpi/call.h"

/** Wait for the turn of the team with this communicator. `leads`: this unit claims the name on its host. Collective.
 *  Returns what dart__window_turn_end needs. */
int dart__window_turn_begin(MPI_Comm comm, bool leads);

/** The window was made. Local. */
void dart__window_turn_end(int turn);

#endif
