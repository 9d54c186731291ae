#ifndef DART__MPI_PROGRESS_HOST_H
#define DART__MPI_PROGRESS_HOST_H
/* What the core of active messages needs to serve requests: this unit's portions of segments, and its
 * event. */
#include "far/am/am.h"

dart__am_host_t dart__am_host(void);

#endif
