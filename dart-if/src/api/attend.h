#ifndef DART__API_ATTEND_H
#define DART__API_ATTEND_H
/* What calls do on their way: apply own updates that wait (node/deferred.h), and serve far units.
 *
 * Updates wait only while a single thread uses DART: then no one else touches their queue, and any
 * call of the unit may be the one that completes them. Every call that completes, waits, polls or
 * publishes attends first, so an update is late for at most as long as the unit stays away from
 * DART, or goes on with more of the same. */
#include "model/world.h"
#include "node/deferred.h"

extern dart__deferred_t dart__deferred;

/** The way out of line. */
void dart__attend_now(void);

/** Set up what the world says; at init. */
void dart__attend_open(void);

/** Whether there is something to do: one look at a flag. */
static inline bool dart__is_attentive(void)
{
  return __builtin_expect(dart__world.attention, 0);
}

static inline void dart__attend(void)
{
  if (dart__is_attentive())
    dart__attend_now();
}

/** Whether updates without a result may wait. */
static inline bool dart__may_defer(void)
{
  return !dart__world.many_threads && !dart__world.far_atomics;
}

#endif
