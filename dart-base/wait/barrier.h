#ifndef DART__WAIT_BARRIER_H
#define DART__WAIT_BARRIER_H
/* A barrier for the units of one node.
 *
 * Centralized and sense-reversing (Mellor-Crummey and Scott: Algorithms for Scalable Synchronization
 * on Shared-Memory Multiprocessors, ACM TOCS 9(1), 1991), the sense being a counter of episodes. It
 * comes in two halves, so that one unit, the leader, can communicate with other nodes in between:
 * all units arrive; then the last to arrive, or the leader once all others have arrived, opens the
 * episode. */
#include "wait/wait.h"

typedef struct {
  _Alignas(DART__CACHE_LINE) _Atomic uint32_t missing; /* units still to arrive in this episode */
  uint32_t nunits;
  _Alignas(DART__CACHE_LINE)
      dart__event_t full; /* last episode in which all have arrived, where there is a leader */
  _Alignas(DART__CACHE_LINE) dart__event_t open; /* last episode that was opened */
} dart__barrier_t;

/** Called by one unit, before any unit uses the barrier. */
void dart__barrier_init(dart__barrier_t *barrier, uint32_t nunits);

/** All units: returns once all have arrived. Everything a unit did before the barrier is visible to every
 *  unit after it. `episode` is the caller's own count, 0 at first, shared with the calls below. */
void dart__barrier_wait(dart__barrier_t *barrier, uint32_t *episode,
                        const dart__wait_policy_t *policy);

/** The leader: returns once all others have arrived; the others wait until dart__barrier_open. */
void dart__barrier_collect(dart__barrier_t *barrier, uint32_t *episode,
                           const dart__wait_policy_t *policy);
void dart__barrier_open(dart__barrier_t *barrier, const uint32_t *episode);

/** All but the leader: arrive, and return once the leader has opened the episode. */
void dart__barrier_follow(dart__barrier_t *barrier, uint32_t *episode,
                          const dart__wait_policy_t *policy);

#endif
