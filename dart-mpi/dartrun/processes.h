#ifndef DART__MPI_DARTRUN_PROCESSES_H
#define DART__MPI_DARTRUN_PROCESSES_H
/* Finds out which units have a process, by the kernel's list of mpiexec's descendants. */
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/** Look for the units that `mpiexec` has started, and set there[unit] of [nunits] for those that have a process. False:
 *  some units may not be visible, as they were started on another host or in an unknown way. */
bool processes_find(pid_t mpiexec, bool *there, uint32_t nunits);

#endif
