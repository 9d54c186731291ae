#ifndef DART__FAR_HOST_H
#define DART__FAR_HOST_H
/* What the core of active messages needs to serve requests: this unit's portions of segments, and its
 * event. */
#include "far/am/am.h"

dart__am_host_t dart__am_host(void);

/* Words of dart__am_inform. With the first bit: how many messages of the program the unit has sent to this one in all. With
 * the second: the collective in which it has waited long for this one, as 14 bits of its number, its team, and its kind in
 * the lower half; with the third, too, there is the unit instead from which on each waits for the next one, up to this one.
 * With the third alone: the call, for a message (coll/leader_messages.c). Else a team and the last step that the unit took
 * part in. */
#define DART__INFORM_MESSAGES (UINT64_C(1) << 63)
#define DART__INFORM_WAITS    (UINT64_C(1) << 62)
#define DART__INFORM_CALL     (UINT64_C(1) << 61)
#define DART__INFORM_PASSED   (UINT64_C(1) << 61)
#define DART__INFORM_NUMBER   UINT32_C(0x3fff)

/* The sum of the former, of all far units. */
extern _Atomic uint64_t dart__messages_expected;

/* The unit for which this one has waited long in a collective, and the last words with the second and the third bit that it
 * has sent; 0: none. Of several threads that wait the last one counts. */
extern _Atomic int32_t  dart__awaited;
extern _Atomic uint64_t dart__awaited_waits, dart__awaited_call;

/* The last other unit that has sent a word of its wait, and this word; and the last one that was passed on. */
extern _Atomic int32_t  dart__waiter;
extern _Atomic uint64_t dart__waiter_waits, dart__waits_passed;

#endif
