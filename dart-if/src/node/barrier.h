#ifndef DART__NODE_BARRIER_H
#define DART__NODE_BARRIER_H
/* A barrier for the units of one node.
 *
 * Centralized and sense-reversing (Mellor-Crummey and Scott: Algorithms for Scalable Synchronization
 * on Shared-Memory Multiprocessors, ACM TOCS 9(1), 1991), the sense being a counter of episodes. It
 * comes in two halves, so that one unit, the leader, may speak with other nodes in between:
 * everyone arrives; whoever completes the episode (the last to arrive, or the leader once all
 * others are there) opens it. */
#include "node/wait.h"

typedef struct {
  _Alignas(DART__CACHE_LINE) _Atomic uint32_t missing; /* units still to arrive in this episode */
  uint32_t nunits;
  _Alignas(DART__CACHE_LINE) dart__event_t full; /* episodes a leader may collect */
  _Alignas(DART__CACHE_LINE) dart__event_t open; /* episodes that were opened */
} dart__barrier_t;

/** Before anyone uses it, by one unit. */
void dart__barrier_init(dart__barrier_t *barrier, uint32_t nunits);

/** All units: returns once all have arrived. Everything a unit did before is visible to every
 *  unit after. `episode` is the caller's own count, 0 at first, shared with the calls below. */
void dart__barrier_wait(dart__barrier_t *barrier, uint32_t *episode,
                        const dart__wait_policy_t *policy);

/** The leader: returns once all others have arrived; they stay until dart__barrier_open. */
void dart__barrier_collect(dart__barrier_t *barrier, uint32_t *episode,
                           const dart__wait_policy_t *policy);
void dart__barrier_open(dart__barrier_t *barrier, const uint32_t *episode);

/** The others: arrive, and return once the leader opened. */
void dart__barrier_follow(dart__barrier_t *barrier, uint32_t *episode,
                          const dart__wait_policy_t *policy);

#endif
