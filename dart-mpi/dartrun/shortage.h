#ifndef DART__MPI_DARTRUN_SHORTAGE_H
#define DART__MPI_DARTRUN_SHORTAGE_H
/* What a machine is short of that MPI needs to start. MPI says so in a dozen lines for each unit, and without
 * figures; so when it did not start, dartrun adds one. */
#include <stdint.h>
#include <sys/resource.h>

/** Print a line for each shortage that may have kept `nunits` units on this machine from starting. `files`: the
 *  limit on descriptors that they had. */
void shortage_say(uint32_t nunits, rlim_t files);

#endif
