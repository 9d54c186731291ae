#ifndef DART__WAIT_BARRIER_H
#define DART__WAIT_BARRIER_H
/* A barrier for the units of one node.
 *
 * Centralized and sense-reversing (Mellor-Crummey and Scott: Algorithms for Scalable Synchronization
 * on Shared-Memory Multiprocessors, ACM TOCS 9(1), 1991), the sense being a counter of episodes. It
 * comes in two halves, so that one unit, the leader, can communicate with other nodes in between:
 * all units arrive; then the last to arrive, or the leader once all others have arrived, opens the
 * episode.
 *
 * Units also bring a number, the kind of call that they are in, which has to be the same for all. The counter of
 * arrivals has the sum of the kinds in its upper half, so the last unit to arrive sees whether it is: without another
 * step between units, and but for sums that are equal by chance. */
#include <stdbool.h>

#include "wait/wait.h"

typedef struct {
  /* Units still to arrive in this episode, and in the upper half the sum of the others' kinds, negative. */
  _Alignas(DART__CACHE_LINE) _Atomic uint64_t missing;
  uint32_t nunits;
  _Alignas(DART__CACHE_LINE) dart__event_t full; /* with a leader: the last episode all came to */
  _Alignas(DART__CACHE_LINE) dart__event_t open; /* last episode that was opened */
  _Atomic bool differ;                           /* in some episode kinds were not the same */
} dart__barrier_t;

/** Called by one unit, before any unit uses the barrier. `episode` is what units have counted until then: 0, as a rule. */
void dart__barrier_init(dart__barrier_t *barrier, uint32_t nunits, uint32_t episode);

/** All units: returns once all have arrived. Everything a unit did before the barrier is visible to every
 *  unit after it. `episode` is the caller's own count, 0 at first, shared with the calls below. */
void dart__barrier_wait(dart__barrier_t *barrier, uint32_t *episode, uint32_t kind,
                        const dart__wait_policy_t *policy);

/** The leader: returns once all others have arrived; the others wait until dart__barrier_open. False, of both: the check of
 *  the policy has given the wait up. */
bool dart__barrier_collect(dart__barrier_t *barrier, uint32_t *episode, uint32_t kind,
                           const dart__wait_policy_t *policy);
void dart__barrier_open(dart__barrier_t *barrier, const uint32_t *episode);

/** All but the leader: arrive, and return once the leader has opened the episode. */
bool dart__barrier_follow(dart__barrier_t *barrier, uint32_t *episode, uint32_t kind,
                          const dart__wait_policy_t *policy);

/** Note that kinds were not the same, before dart__barrier_open. */
static inline void dart__barrier_note_difference(dart__barrier_t *barrier)
{
  /* relaxed: published by the raise of an event that follows */
  atomic_store_explicit(&barrier->differ, true, memory_order_relaxed);
}

/** After one of these, but for the opening: whether kinds were not the same, in this episode or an earlier one. */
static inline bool dart__barrier_differs(const dart__barrier_t *barrier)
{
  /* relaxed: it was stored before the raise of the event that the caller has waited for, or by the caller */
  return atomic_load_explicit(&barrier->differ, memory_order_relaxed) != 0;
}

#endif
