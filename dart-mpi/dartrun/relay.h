#ifndef DART__MPI_DARTRUN_RELAY_H
#define DART__MPI_DARTRUN_RELAY_H
/* Output of mpiexec: that of the program is passed on, and lines of Hydra, MPICH's mpiexec, about the end of a program
 * are kept, as dartrun says it in one line. */
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "children.h"

/** Before mpiexec is started. If there is no pipe, mpiexec writes for itself. */
void relay_open(children_t *children);

/** In the child that becomes mpiexec. */
void relay_become(void);

/** A descriptor is readable. False: it is none of these. */
bool relay_readable(int fd);

/** mpiexec has ended: write the rest of its output. */
void relay_ended(void);

/** The process that was killed by a signal, as Hydra has said; 0: it has said of none; -1: of one that it does not name. */
pid_t relay_killed(int *signal_out);

#define RELAY_CODES 1000 /* processes of which Hydra may be asked for all codes: a line has them */

/** The code of the first process that has exited with another code than 0, as Hydra has said, and its unit; -1: it is not
 *  known which. 0: no such process is known. */
int relay_exit_code(int64_t *unit_out);

/** Whether Hydra has said of all processes that they have exited, and of one that its code is not 0. */
bool relay_has_exited(void);

/** How the unit has ended, as waitpid and Hydra say; -1: Hydra has not said it, or not of which unit. */
int relay_status(uint32_t unit);

/** Whether Hydra has lost a proxy, as it says in four lines: it then knows nothing of the units of that. */
bool relay_lost_proxy(void);

/** Write what was kept to stderr. False: there is nothing. */
bool relay_write_kept(void);

#endif
