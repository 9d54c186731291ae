#ifndef DART__MPI_DARTRUN_SHORTAGE_H
#define DART__MPI_DARTRUN_SHORTAGE_H
/* Resources that MPI needs to start, and of which a machine has too little. MPI reports a shortage in a dozen lines for
 * each unit, and without figures. So if MPI has not started, dartrun adds one line. */
#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>

#include "launch.h"

/** Print a line for each shortage that may have kept `nunits` units on this machine from starting. `files`: their limit
 *  on descriptors. True: there was one. */
bool shortage_say(uint32_t nunits, rlim_t files);

/** Whether the user or a resource manager names hosts, on which mpiexec starts units. */
bool shortage_has_hosts(const launch_t *launch);

/** Before MPI is started: end with one line if this machine cannot run `nunits` units, and no other one is to run
 *  some. */
void shortage_refuse(const launch_t *launch);

#endif
