#ifndef DART__MODEL_HARDWARE_H
#define DART__MODEL_HARDWARE_H
/* The hardware a unit finds itself on, as hwloc knows it: Broquedis et al., *hwloc: a generic
 * framework for managing hardware affinities in HPC applications*, PDP 2010.
 *
 * A description has no pointers, so units exchange it as it is. Nothing in it is limited to what a
 * machine of today has: counts and indices are plain numbers, and there is no set of processors. */
#include <stdint.h>

#include <dash/dart/if/dart_locality.h>
#include <hwloc.h>

typedef struct {
  dart_hwinfo_t info;
  int32_t       host_cores; /* of the whole host, whoever may use them */
  uint32_t      cpus;       /* equal on two units of a host: they may use the same processors */

  /* Two domains of equal kind have equal hardware, on whichever hosts they are. */
  uint32_t host_kind;
  uint32_t kind[DART_LOCALITY_MAX_DOMAIN_SCOPES]; /* of the domains in info.scopes */
} dart__hardware_t;

/** Describe what a unit has of `machine` if it may use the processors in `allowed`, and runs on
 *  `cpu` of them now (as the system numbers it; -1: not known, the first one then).
 *
 *  info.scopes lists, from the core outwards, each domain inside the next: CORE, CACHE of every
 *  level, and PACKAGE and NUMA in the order in which they lie around it on this machine. Where the
 *  two are the same processors, NUMA comes last. Its indices are hwloc's logical ones, cpu_id is
 *  the system's number. */
void dart__hardware_describe(hwloc_topology_t machine, hwloc_const_cpuset_t allowed, int cpu,
                             dart__hardware_t *hardware_out);

/** Describe what this process has, as number `position` of the `count` units of its node.
 *
 *  The first call asks the system, once in the life of the process. If that fails, all is unknown,
 *  and a log line says so. Where hwloc shows another machine than this one (HWLOC_SYNTHETIC,
 *  HWLOC_XMLFILE), units count as spread evenly over its cores. */
void dart__hardware_here(uint32_t position, uint32_t count, dart__hardware_t *hardware_out);

#endif
