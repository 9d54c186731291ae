/* See peers.h. */
#include "far/am/peers.h"

#include <stdlib.h>

#include "base/sparse.h"

bool dart__am_peers_open(dart__am_peers_t *set, int32_t most)
{
  set->peer  = dart__sparse_new((size_t)most, sizeof *set->peer);
  set->index = dart__sparse_new((size_t)most, sizeof *set->index);
  if (set->peer != NULL && set->index != NULL)
    return true;
  dart__am_peers_close(set);
  return false;
}

void dart__am_peers_close(dart__am_peers_t *set)
{
  dart__sparse_delete(set->peer);
  dart__sparse_delete(set->index);
  *set = (dart__am_peers_t){ .peer = NULL };
}

/* relaxed, all: the set's lock orders changes; without it a caller looks only at whether there is an
 * index, which no other thread changes. */
static int32_t load_index(const _Atomic int32_t *index)
{
  return atomic_load_explicit(index, memory_order_relaxed);
}

static void store_peer(dart__am_peers_t *set, int32_t at, int32_t peer, _Atomic int32_t *index)
{
  set->peer[at]  = peer;
  set->index[at] = index;
  atomic_store_explicit(index, at + 1, memory_order_relaxed);
}

void dart__am_peers_add(dart__am_peers_t *set, int32_t peer, _Atomic int32_t *index)
{
  int32_t count;

  if (load_index(index) > 0)
    return;
  dart__am_spin_lock(&set->lock);
  count = dart__am_peers_count(set);
  store_peer(set, count, peer, index);
  atomic_store_explicit(&set->count, count + 1, memory_order_relaxed);
  dart__am_spin_unlock(&set->lock);
}

void dart__am_peers_remove(dart__am_peers_t *set, _Atomic int32_t *index)
{
  int32_t last;

  if (load_index(index) == 0)
    return;
  dart__am_spin_lock(&set->lock);
  last = dart__am_peers_count(set) - 1;
  store_peer(set, load_index(index) - 1, set->peer[last], set->index[last]);
  atomic_store_explicit(index, 0, memory_order_relaxed);
  atomic_store_explicit(&set->count, last, memory_order_release);
  dart__am_spin_unlock(&set->lock);
}

int32_t dart__am_peers_at(dart__am_peers_t *set, int32_t index)
{
  int32_t peer;

  dart__am_spin_lock(&set->lock);
  peer = index < dart__am_peers_count(set) ? set->peer[index] : -1;
  dart__am_spin_unlock(&set->lock);
  return peer;
}
