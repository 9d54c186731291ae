/* Binding units to cores.
 *
 * Units take cores at equal distances, in the order in which the machine lists them: neighbours
 * stay neighbours, and a program with few units spreads over all caches and memory controllers.
 * A unit may use every hardware thread of its core. Two units never share one: with more units than
 * cores nothing is bound, for the kernel then balances better than a fixed plan. */
#include "bind.h"

#include <errno.h>
#include <hwloc.h>
#include <stdlib.h>
#include <string.h>

#include "launch.h"

struct bind {
  hwloc_topology_t topology; /* restricted to what dartrun may use */
  hwloc_obj_type_t type;     /* what we call a core here */
  uint32_t         ncores;
  uint32_t         nunits;
};

/* Narrow `topology`, which is the machine's, to the processors this process may run on. */
static int restrict_to_allowed(hwloc_topology_t topology)
{
  hwloc_bitmap_t allowed = hwloc_bitmap_alloc();
  int            err     = -1;

  if (allowed != NULL && hwloc_get_cpubind(topology, allowed, HWLOC_CPUBIND_PROCESS) == 0)
    err = hwloc_topology_restrict(topology, allowed, 0);
  hwloc_bitmap_free(allowed);
  return err;
}

bind_t *bind_plan(uint32_t nunits)
{
  bind_t *bind = calloc(1, sizeof *bind);
  int     ncores;

  if (bind == NULL || hwloc_topology_init(&bind->topology) != 0) {
    launch_say("--bind: out of memory; units are not bound");
    goto free_bind;
  }
  if (hwloc_topology_load(bind->topology) != 0 || restrict_to_allowed(bind->topology) != 0) {
    launch_say("--bind: cannot find out about the cores (%s); units are not bound",
               strerror(errno));
    goto destroy_topology;
  }

  bind->type = HWLOC_OBJ_CORE;
  ncores     = hwloc_get_nbobjs_by_type(bind->topology, bind->type);
  if (ncores <= 0) { /* some virtual machines show processors only */
    bind->type = HWLOC_OBJ_PU;
    ncores     = hwloc_get_nbobjs_by_type(bind->topology, bind->type);
  }
  if ((int64_t)nunits > ncores) {
    launch_say("--bind: %u units, but only %d cores; units are not bound", nunits, ncores);
    goto destroy_topology;
  }
  bind->ncores = (uint32_t)ncores;
  bind->nunits = nunits;
  return bind;

destroy_topology:
  hwloc_topology_destroy(bind->topology);
free_bind:
  free(bind);
  return NULL;
}

void bind_unit(const bind_t *bind, uint32_t unit)
{
  unsigned    index = (unsigned)((uint64_t)unit * bind->ncores / bind->nunits);
  hwloc_obj_t core  = hwloc_get_obj_by_type(bind->topology, bind->type, index);

  if (hwloc_set_cpubind(bind->topology, core->cpuset, HWLOC_CPUBIND_PROCESS) != 0)
    launch_say("--bind: cannot bind unit %u to core %u: %s", unit, core->os_index,
               strerror(errno));
}

void bind_free(bind_t *bind)
{
  hwloc_topology_destroy(bind->topology);
  free(bind);
}
