#ifndef DART__PROGRESS_HOST_H
#define DART__PROGRESS_HOST_H
/* What requests of far units are about: the own portions of segments, and counters that this unit waits
 * for. */
#include "am/am.h"

dart__am_host_t dart__am_host(void);

#endif
