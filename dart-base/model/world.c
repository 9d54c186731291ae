/* The job, and how its units wait: spin while every unit of the node can have a core. Where units outnumber cores,
 * sleep soon, and on a single node yield the core for a while before, so that others come here without a system
 * call to be woken by. A unit with a core of its own that has far units to serve, or waits for a mutex, yields for
 * longer before it sleeps, for no other unit needs the core. */
#include "model/world.h"

#include <sched.h>

#include "base/config.h"
#include "wait/tuning.h"

dart__world_t dart__world = { .me = -1, .wait = { .pace = &dart__world.pace } };

static uint32_t cores_available(void)
{
  cpu_set_t set;

  if (sched_getaffinity(0, sizeof set, &set) != 0)
    return 1;
  return (uint32_t)CPU_COUNT(&set);
}

void dart__world_set_pace(uint32_t sharing)
{
  dart__wait_pace_t *pace     = &dart__world.pace;
  uint32_t           ncores   = cores_available();
  bool               has_core = sharing <= ncores;

  if (dart__settings.spin >= 0)
    pace->spins = (uint32_t)dart__settings.spin;
  else
    pace->spins = has_core ? DART__SPINS : DART__SPINS_SHARED;
  pace->yields   = has_core ? DART__AWAKE_US : 0;
  pace->yield_us = has_core ? 0 : DART__AWAKE_US;
  pace->nap_us   = dart__settings.nap > 0 ? (uint32_t)dart__settings.nap : DART__NAP_US;
  pace->per_core = (sharing + ncores - 1) / ncores;
}

static int32_t name_of_node(const void *node_of, int32_t unit)
{
  return ((const int32_t *)node_of)[unit];
}

bool dart__world_find_nodes(void)
{
  dart__placement_t *nodes = &dart__world.nodes;

  if (!dart__placement_find(nodes, dart__world.nunits, dart__world.nunits, name_of_node,
                            dart__world.node_of))
    return false;
  dart__world.near_first = nodes->start[dart__world_node(dart__world.me)];
  return true;
}
