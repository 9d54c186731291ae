#ifndef DART__API_LOCK_H
#define DART__API_LOCK_H
/* Locks: what other modules need of them. */
#include <stdbool.h>

/** Whether any thread of this unit holds a lock of this cycle. */
bool dart__locks_are_held(void);

#endif
