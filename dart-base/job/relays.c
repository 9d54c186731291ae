/* See relays.h. */
#include "job/relays.h"

#include "base/log.h"
#include "far/relayed.h"
#include "memory/pool.h"
#include "model/world.h"

static uint64_t offset; /* of their memory; 0: there are none */

void dart__relays_open(dart__team_t *all)
{
  if (!dart__world.many_nodes || !dart__relayed_is_wanted())
    return;
  if (dart__pool_alloc_for_node(all, dart__relayed_bytes(), &offset) == DART_OK)
    dart__relayed_open(dart__pool_address(dart__team_member(all, all->node_units[0]), offset),
                       dart__team_is_leader(all));
  else if (all->me == 0)
    dart__warn("dart_init: no memory for relays of %zu bytes: far updates go from each unit to "
               "each unit",
               dart__relayed_bytes());
}

void dart__relays_close(dart__team_t *all)
{
  if (offset == 0)
    return;
  dart__relayed_close();
  if (dart__team_is_leader(all))
    dart__pool_free(offset);
  offset = 0;
}
