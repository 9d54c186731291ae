#ifndef DART__MPI_DARTRUN_ROLL_H
#define DART__MPI_DARTRUN_ROLL_H
/* mpiexec, and the list of the units that it starts. */
#include <stdbool.h>
#include <stdint.h>

/** Run `command`, an mpiexec that starts `nunits` units, on hosts if `has_hosts`, and `logs_in` to these for that. Returns
 *  the exit code for dartrun: that of mpiexec, but never 0 if a unit died. Called once. */
int roll_run(char **command, uint32_t nunits, bool has_hosts, bool logs_in);

#endif
