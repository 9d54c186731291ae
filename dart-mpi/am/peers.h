#ifndef DART__AM_PEERS_H
#define DART__AM_PEERS_H
/* A set of peers, for those few of many that something has to be done about: to add, to remove and to
 * go over them costs what is in the set, not what there could be.
 *
 * A peer has its index in the set, counted from 1, noted in `*index`; 0: it is not in the set. Whoever adds
 * and removes that peer sees to it that only one thread does so at a time; when others are removed, its
 * index may change.
 * Who goes over a set does so from the end: removal moves the last one to the index that becomes free,
 * so none that stays in the set is passed over. */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "am/spin.h"

typedef struct {
  dart__am_spin_t   lock;
  _Atomic int32_t   count; /* for a look without the lock */
  int32_t          *peer;
  _Atomic int32_t **index; /* of each in turn */
} dart__am_peers_t;

/** False: no memory. */
bool dart__am_peers_open(dart__am_peers_t *set, int32_t most);
void dart__am_peers_close(dart__am_peers_t *set);

/** Nothing, if it is in the set already; or if it is not. */
void dart__am_peers_add(dart__am_peers_t *set, int32_t peer, _Atomic int32_t *index);
void dart__am_peers_remove(dart__am_peers_t *set, _Atomic int32_t *index);

/** How many there are. A thread knows of the peers it has added, and sees what was done before others were
 *  removed. */
static inline int32_t dart__am_peers_count(const dart__am_peers_t *set)
{
  /* acquire: pairs with the release in remove */
  return atomic_load_explicit((_Atomic int32_t *)&set->count, memory_order_acquire);
}

/** The peer at `index`, -1 if there are not so many. */
int32_t dart__am_peers_at(dart__am_peers_t *set, int32_t index);

#endif
