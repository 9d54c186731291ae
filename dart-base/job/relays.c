/* See job.h. */
#include "job/job.h"

#include <stdatomic.h>
#include <string.h>

#include "base/log.h"
#include "far/am/node_relay.h"
#include "far/relayed.h"
#include "memory/pool.h"
#include "model/world.h"

/* Node → where its relay is: the unit that has it, by its index on this node plus one, above an offset in its pool; 0: it
 * was not made yet. NULL: there are no relays. */
static _Atomic uint64_t *table;

#define OFFSET_BITS 48

static dart__am_relay_t *relay_at(uint64_t entry)
{
  const dart__team_t *all  = dart__teams[DART_TEAM_ALL];
  int32_t             unit = all->node_units[(entry >> OFFSET_BITS) - 1];

  return (void *)dart__pool_address(dart__team_member(all, unit),
                                    entry & (((uint64_t)1 << OFFSET_BITS) - 1));
}

/* NULL: no memory. */
static dart__am_relay_t *make_relay(int32_t node, size_t nbytes)
{
  uint64_t offset, entry = 0, mine;

  if (dart__pool_alloc(nbytes, &offset) != DART_OK)
    return NULL;
  mine = (uint64_t)(dart__teams[DART_TEAM_ALL]->node_me + 1) << OFFSET_BITS | offset;
  dart__am_relay_init(relay_at(mine), node);
  /* acq_rel: releases the empty relay to the acquire in find_relay, and acquires that of another unit */
  if (atomic_compare_exchange_strong_explicit(&table[node], &entry, mine, memory_order_acq_rel,
                                              memory_order_acquire))
    return relay_at(mine);
  dart__pool_free(offset); /* another unit was faster */
  return relay_at(entry);
}

static dart__am_relay_t *find_relay(int32_t node, size_t nbytes)
{
  /* acquire: pairs with the release in make_relay */
  uint64_t entry = atomic_load_explicit(&table[node], memory_order_acquire);

  return entry != 0 ? relay_at(entry) : make_relay(node, nbytes);
}

void dart__relays_open(dart__team_t *all)
{
  size_t   nbytes = (size_t)all->nnodes * sizeof *table;
  uint64_t offset;

  if (!dart__world.many_nodes || !dart__relayed_is_wanted())
    return;
  if (dart__pool_alloc_for_node(all, nbytes, &offset) != DART_OK) {
    if (all->me == 0)
      dart__warn("dart_init: no memory for a table of %zu bytes: updates go from each unit to each "
                 "unit, not from node to node",
                 nbytes);
    return;
  }
  table = (void *)dart__pool_address(dart__team_member(all, all->node_units[0]), offset);
  if (dart__team_is_leader(all))
    memset(table, 0, nbytes);
  dart__relayed_open(find_relay);
}

void dart__relays_close(void)
{
  if (table != NULL)
    dart__relayed_close();
  table = NULL;
}
