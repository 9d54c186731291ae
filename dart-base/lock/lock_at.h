#ifndef DART__LOCK_LOCK_AT_H
#define DART__LOCK_LOCK_AT_H
/* Locks in words of the program's memory. */

/** Serve far units' requests for locks of this unit, from init on. */
void dart__lock_at_open(void);

#endif
