#ifndef DART__LOCK_LOCK_H
#define DART__LOCK_LOCK_H
/* Locks at the end of a cycle of init and exit. */

/** Release all locks that this unit holds, whichever of its threads took them; none of them uses DART any more. */
void dart__lock_release_all(void);

#endif
