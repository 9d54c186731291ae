#ifndef DART__LOCK_LOCK_H
#define DART__LOCK_LOCK_H
/* What init and exit do about locks. */

/** Release all locks that this unit holds, whichever of its threads took them; none of them uses DART any more. */
void dart__lock_release_all(void);

/** Serve far units' requests for locks in words of this unit's memory (lock_at.c), from init on. */
void dart__lock_at_open(void);

#endif
