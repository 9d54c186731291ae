#ifndef DART__LOCK_LOCK_AT_H
#define DART__LOCK_LOCK_AT_H
/* Locks in words of the program's memory. */

/** Serve far units' requests for locks of this unit, from init on, after dart__table_open; at exit, forget those that
 *  still wait. */
void dart__lock_at_open(void);
void dart__lock_at_close(void);

#endif
