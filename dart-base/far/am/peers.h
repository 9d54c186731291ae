#ifndef DART__FAR_AM_PEERS_H
#define DART__FAR_AM_PEERS_H
/* A set of few peers out of many: to add a peer or remove one is O(1), and to go over the set costs what is
 * in it, not what there could be.
 *
 * The index of a peer in the set, counted from 1, is in its `*index`; 0: the peer is not in the set. The
 * caller makes sure that only one thread at a time adds or removes a peer; when another peer is removed,
 * the index may change.
 * A loop over a set starts at the end: removal moves the last peer to the index that becomes free, so no
 * peer that stays in the set is passed over. */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "far/am/spin.h"

typedef struct {
  dart__am_spin_t   lock;
  _Atomic int32_t   count; /* for a look without the lock */
  int32_t          *peer;
  _Atomic int32_t **index; /* of each in turn */
} dart__am_peers_t;

/** False: no memory. */
bool dart__am_peers_open(dart__am_peers_t *set, int32_t most);
void dart__am_peers_close(dart__am_peers_t *set);

/** No effect if the peer is in the set already; or, for remove, if it is not. */
void dart__am_peers_add(dart__am_peers_t *set, int32_t peer, _Atomic int32_t *index);
void dart__am_peers_remove(dart__am_peers_t *set, _Atomic int32_t *index);

/** The number of peers. A thread counts the peers it has added itself, and sees what was done before peers
 *  that are not counted any more were removed. */
static inline int32_t dart__am_peers_count(const dart__am_peers_t *set)
{
  /* acquire: pairs with the release in remove */
  return atomic_load_explicit((_Atomic int32_t *)&set->count, memory_order_acquire);
}

/** The peer at `index`, -1 if there are fewer. */
int32_t dart__am_peers_at(dart__am_peers_t *set, int32_t index);

#endif
