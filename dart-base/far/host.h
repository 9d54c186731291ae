#ifndef DART__FAR_HOST_H
#define DART__FAR_HOST_H
/* What the core of active messages needs to serve requests: this unit's portions of segments, and its
 * event. */
#include "far/am/am.h"

dart__am_host_t dart__am_host(void);

/* Words of dart__am_inform: with this bit, how many messages of the program the unit has sent to this one in all; else
 * a team and the last step that the unit took part in. */
#define DART__INFORM_MESSAGES (UINT64_C(1) << 63)

/* The sum of the former, of all far units. */
extern _Atomic uint64_t dart__messages_expected;

#endif
