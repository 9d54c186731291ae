#ifndef DART__TOPOLOGY_HARDWARE_H
#define DART__TOPOLOGY_HARDWARE_H
/* The hardware that a unit runs on, as hwloc describes it: Broquedis et al., *hwloc: a generic
 * framework for managing hardware affinities in HPC applications*, PDP 2010.
 *
 * A description has no pointers, so units exchange it as it is. Nothing in it is limited to what a
 * machine of today has: counts and indices are plain numbers, and there is no set of processors. */
#include <stdbool.h>
#include <stdint.h>

#include <dash/dart/if/dart_locality.h>
#include <hwloc.h>

typedef struct {
  dart_hwinfo_t info;
  int32_t       host_cores; /* of the whole host, whether this unit may use them or not */
  uint32_t      cpus;       /* equal on two units of a host: they may use the same processors */

  /* Two domains of equal kind have equal hardware, on whichever hosts they are. */
  uint32_t host_kind;
  uint32_t kind[DART_LOCALITY_MAX_DOMAIN_SCOPES]; /* of the domains in info.scopes */
} dart__hardware_t;

/** Describe the hardware of a unit on `machine` that may use the processors in `allowed`, and runs on
 *  `cpu` of them now (as the system numbers it; -1: not known, the first one then).
 *
 *  info.scopes lists, from the core outwards, each domain inside the next: CORE, CACHE of every
 *  level, and PACKAGE and NUMA in the order in which they enclose the core on this machine. Where the
 *  two are the same processors, NUMA comes last. Its indices are hwloc's logical ones, cpu_id is
 *  the system's number. */
void dart__hardware_describe(hwloc_topology_t machine, hwloc_const_cpuset_t allowed, int cpu,
                             dart__hardware_t *hardware_out);

/** Make info.num_cores of each of `nunits` units, which is the cores that it may use, its share of them: units of a host
 *  that may use the same ones divide them, and have at least one. False: no memory; nothing changed. */
bool dart__hardware_share_cores(dart__hardware_t *hardware, int32_t nunits);

/** Bytes of a set of this system's processors, whole words with a bit for each: the same in all processes. 0: the system
 *  does not tell. */
size_t dart__processors_bytes(void);

/** The set of the processors that the calling thread may use, all if that is not known; returns the one that it runs on,
 *  or -1. */
int dart__processors_here(unsigned char *set_out, size_t nbytes);

/** Describe the hardware of a unit of this host by the processors that it may use, and the one that it runs on. It is at
 *  `position` of the `count` units of its node.
 *
 *  The first call queries the system, once in the life of the process. If that fails, all is unknown,
 *  and a log line reports it. Where hwloc shows another machine than this one (HWLOC_SYNTHETIC,
 *  HWLOC_XMLFILE), units count as spread evenly over its cores. */
void dart__hardware_of(uint32_t position, uint32_t count, int cpu, const unsigned char *set,
                       size_t nbytes, dart__hardware_t *hardware_out);

/** What the calling thread may use. */
void dart__hardware_here(uint32_t position, uint32_t count, dart__hardware_t *hardware_out);

/** Whether a unit's position matters for its description: hwloc shows another machine. */
bool dart__hardware_goes_by_position(void);

#endif
