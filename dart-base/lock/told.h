#ifndef DART__LOCK_TOLD_H
#define DART__LOCK_TOLD_H
/* How a unit that waits for a lock is told that it has it: the same for dart_lock, ranges and locks in words.
 *
 * The unit has a counter in its pool, which its request names. The unit that lets it in, near or far, adds to that counter
 * and raises the waiter's event, as a notification does; the unit waits as dart_notify_wait does. */
#include "far/grants.h"

/* A grant that is told in this way. Kinds with more to keep begin with it. */
typedef struct {
  dart__grant_t grant;
  int32_t       unit;    /* global id */
  uint64_t      counter; /* offset in the unit's pool */
  uint64_t      by;      /* what is added */
} dart__told_t;

/** Tell a unit. Any thread, outside of receiving; no progress is made. */
void dart__tell(int32_t unit, uint64_t counter, uint64_t by);

/** Tell a unit with the other grants: in the midst of receiving, where nothing may be sent. */
void dart__tell_later(int32_t unit, uint64_t counter, uint64_t by);

/** `tell` of a dart__grant_kind_t whose grants begin with dart__told_t. */
void dart__tell_grant(dart__am_t *am, const dart__grant_t *grant);

#endif
