/* Binds units to objects of the machine, in hwloc's terms.
 *
 * Units get cores at equal distances, in the order in which the machine lists them: neighbours stay neighbours, and a
 * program with few units spreads over all caches and memory controllers. A unit may use every hardware thread of its
 * core. Equal numbers of units share each NUMA domain or package. Units never share a core: with more units than cores
 * no unit is bound, as the kernel then balances better than a fixed plan.
 *
 * By default, units are bound if there are exactly as many as cores. A unit could then move only to a core that another
 * unit needs as well, so binding loses nothing, and caches and memory stay close. With fewer units, other programs may
 * be bound to the same cores while further cores are idle. */
#include "bind.h"

#include <errno.h>
#include <hwloc.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "launch.h"

struct bind {
  hwloc_topology_t topology; /* restricted to what dartrun may use */
  hwloc_obj_type_t type;     /* of the objects to which units are bound */
  uint32_t         nobjects;
  uint32_t         nunits;
};

/* Restrict `topology`, that of the machine, to the processors on which this process may run. */
static int restrict_to_allowed(hwloc_topology_t topology)
{
  hwloc_bitmap_t allowed = hwloc_bitmap_alloc();
  int            err     = -1;

  if (allowed != NULL && hwloc_get_cpubind(topology, allowed, HWLOC_CPUBIND_PROCESS) == 0)
    err = hwloc_topology_restrict(topology, allowed, HWLOC_RESTRICT_FLAG_REMOVE_CPULESS);
  hwloc_bitmap_free(allowed);
  return err;
}

static hwloc_obj_type_t type_of(launch_bind_t what, hwloc_topology_t topology)
{
  switch (what) {
  case LAUNCH_BIND_CPU: return HWLOC_OBJ_PU;
  case LAUNCH_BIND_NUMA: return HWLOC_OBJ_NUMANODE;
  case LAUNCH_BIND_PACKAGE: return HWLOC_OBJ_PACKAGE;
  default: /* some virtual machines show only processors */
    return hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_CORE) > 0 ? HWLOC_OBJ_CORE : HWLOC_OBJ_PU;
  }
}

/* Whether `nunits` can be bound to `nobjects` objects. If not, print a line, unless the user has asked for nothing. */
static bool is_possible(launch_bind_t what, uint32_t nunits, int nobjects)
{
  bool own = what == LAUNCH_BIND_CPU || what == LAUNCH_BIND_CORE;

  if (what == LAUNCH_BIND_AUTO)
    return (int64_t)nunits == nobjects;
  if (nobjects <= 0)
    launch_say("--bind: this machine shows no %s; units are not bound",
               what == LAUNCH_BIND_NUMA ? "NUMA domains" : "packages");
  else if (own && (int64_t)nunits > nobjects)
    launch_say("--bind: %u units, but only %d %s; units are not bound", nunits, nobjects,
               what == LAUNCH_BIND_CPU ? "cpus" : "cores");
  else
    return true;
  return false;
}

bind_t *bind_plan(launch_bind_t what, uint32_t nunits)
{
  bind_t *bind;
  int     nobjects;

  if (what == LAUNCH_BIND_NONE || (what == LAUNCH_BIND_AUTO && nunits == 1))
    return NULL;
  bind = calloc(1, sizeof *bind);
  if (bind == NULL || hwloc_topology_init(&bind->topology) != 0) {
    launch_say("--bind: out of memory; units are not bound");
    goto free_bind;
  }
  if (hwloc_topology_load(bind->topology) != 0 || restrict_to_allowed(bind->topology) != 0) {
    if (what != LAUNCH_BIND_AUTO)
      launch_say("--bind: cannot query the cores (%s); units are not bound", strerror(errno));
    goto destroy_topology;
  }

  bind->type = type_of(what, bind->topology);
  nobjects   = hwloc_get_nbobjs_by_type(bind->topology, bind->type);
  if (!is_possible(what, nunits, nobjects))
    goto destroy_topology;
  bind->nobjects = (uint32_t)nobjects;
  bind->nunits   = nunits;
  return bind;

destroy_topology:
  hwloc_topology_destroy(bind->topology);
free_bind:
  free(bind);
  return NULL;
}

void bind_unit(const bind_t *bind, uint32_t unit)
{
  unsigned    index  = (unsigned)((uint64_t)unit * bind->nobjects / bind->nunits);
  hwloc_obj_t object = hwloc_get_obj_by_type(bind->topology, bind->type, index);

  if (hwloc_set_cpubind(bind->topology, object->cpuset, HWLOC_CPUBIND_PROCESS) != 0)
    launch_say("--bind: cannot bind unit %u to %s %u: %s", unit,
               hwloc_obj_type_string(object->type), object->os_index, strerror(errno));
}

void bind_free(bind_t *bind)
{
  hwloc_topology_destroy(bind->topology);
  free(bind);
}
