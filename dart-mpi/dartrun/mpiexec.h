#ifndef DART__MPI_DARTRUN_MPIEXEC_H
#define DART__MPI_DARTRUN_MPIEXEC_H
/* What dartrun asks of mpiexec, in words that MPICH's and Open MPI's know. What Open MPI's alone needs is in base/openmpi.h;
 * what Hydra, MPICH's mpiexec, writes is in relay.c. */
#include "launch.h"

/** Exit after one line if Hydra cannot read the file of --hosts-file: it prints eight lines then, or crashes. */
void mpiexec_check_hosts_file(const char *mpiexec, const launch_t *launch);

/** Set the environment variables for mpiexec, and for the MPI of the units. */
void mpiexec_set_up(const launch_t *launch);

/** The command that starts the units, NULL-terminated, for free. `before`, of `nbefore` words, stands between mpiexec's
 *  options and the program. `mpiexec` and `launch` must live as long. */
char **mpiexec_command(const char *mpiexec, const launch_t *launch, char *const *before,
                       size_t nbefore);

/** In a process that mpiexec has started: its rank as text; NULL: mpiexec does not say. */
const char *mpiexec_rank(void);

#endif
