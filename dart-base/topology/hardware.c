/* Hardware of a unit: the chain of hwloc's objects around one processor, and their attributes.
 *
 * All units of a host must number its cores and caches alike, whatever each of them may use. So the
 * machine is loaded as a whole, and the unit's restrictions are applied to it here. Loading reads a
 * file for every attribute of every processor, in every unit of the node. So devices, distances and
 * other things that are not needed are left out, and each process loads it once. */
#include "topology/hardware.h"

#include <hwloc/glibc-sched.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/log.h"

#if HWLOC_API_VERSION < 0x00020400
#error "DART needs hwloc 2.4 or newer"
#endif

#define SHMEM_MBPS 1235 /* the interface's default */

/* ---- kinds: fingerprints of hardware ----------------------------------------------------- */

static void mix_number(uint64_t *kind, uint64_t number)
{
  *kind = dart__hash(*kind, &number, sizeof number);
}

/* Rounded, because domains with equal memory differ a little in what the system has taken of it. */
static uint64_t rounded_memory(uint64_t nbytes)
{
  uint64_t mib = nbytes >> 20, power = 1;

  while (power < mib)
    power *= 2;
  return power;
}

/* Clock and type of a core, where hwloc distinguishes several kinds of cores. */
static void mix_core(uint64_t *kind, hwloc_topology_t machine, hwloc_obj_t core)
{
  struct hwloc_info_s *infos;
  unsigned             ninfos;
  int                  which = hwloc_cpukinds_get_by_cpuset(machine, core->cpuset, 0);

  mix_number(kind, (uint64_t)hwloc_bitmap_weight(core->cpuset));
  if (which < 0 ||
      hwloc_cpukinds_get_info(machine, (unsigned)which, NULL, NULL, &ninfos, &infos, 0) != 0)
    return;
  for (unsigned i = 0; i < ninfos; i++) {
    *kind = dart__hash_text(dart__hash_text(*kind, infos[i].name), infos[i].value);
  }
}

static uint32_t object_kind(hwloc_topology_t machine, hwloc_const_cpuset_t cpus)
{
  static const hwloc_obj_type_t types[] = {
    HWLOC_OBJ_PACKAGE, HWLOC_OBJ_NUMANODE, HWLOC_OBJ_L5CACHE, HWLOC_OBJ_L4CACHE, HWLOC_OBJ_L3CACHE,
    HWLOC_OBJ_L2CACHE, HWLOC_OBJ_L1CACHE,  HWLOC_OBJ_CORE,    HWLOC_OBJ_PU
  };
  uint64_t kind = DART__HASH_OF_NOTHING;

  for (size_t t = 0; t < sizeof types / sizeof types[0]; t++) {
    hwloc_obj_t object = NULL;

    mix_number(&kind, types[t]);
    while ((object = hwloc_get_next_obj_by_type(machine, types[t], object)) != NULL) {
      if (hwloc_bitmap_iszero(object->cpuset) || !hwloc_bitmap_isincluded(object->cpuset, cpus))
        continue;
      mix_number(&kind, (uint64_t)hwloc_bitmap_weight(object->cpuset));
      if (types[t] == HWLOC_OBJ_NUMANODE)
        mix_number(&kind, rounded_memory(object->attr->numanode.local_memory));
      else if (hwloc_obj_type_is_cache(types[t]))
        mix_number(&kind, object->attr->cache.size);
      else if (types[t] == HWLOC_OBJ_CORE)
        mix_core(&kind, machine, object);
    }
  }
  return dart__hash_fold(kind);
}

static uint32_t processors_of(hwloc_topology_t machine, hwloc_const_cpuset_t allowed)
{
  uint64_t kind = DART__HASH_OF_NOTHING;

  for (hwloc_obj_t u = NULL; (u = hwloc_get_next_obj_by_type(machine, HWLOC_OBJ_PU, u)) != NULL;)
    if (hwloc_bitmap_isset(allowed, u->os_index))
      mix_number(&kind, u->os_index);
  return dart__hash_fold(kind);
}

/* ---- attributes of a machine ------------------------------------------------------------- */

static int known(uint64_t value)
{
  return value == 0 ? -1 : value > INT_MAX ? INT_MAX : (int)value;
}

static int count_of(hwloc_topology_t machine, hwloc_obj_type_t type)
{
  int count = hwloc_get_nbobjs_by_type(machine, type);

  return count > 0 ? count : -1;
}

/* Virtual machines may show processors only: then these are the cores. */
static hwloc_obj_type_t core_type(hwloc_topology_t machine)
{
  return hwloc_get_nbobjs_by_type(machine, HWLOC_OBJ_CORE) > 0 ? HWLOC_OBJ_CORE : HWLOC_OBJ_PU;
}

static void describe_cores(hwloc_topology_t machine, hwloc_const_cpuset_t allowed,
                           dart__hardware_t *hardware)
{
  dart_hwinfo_t   *info = &hardware->info;
  hwloc_obj_type_t type = core_type(machine);
  hwloc_obj_t      core = NULL;

  info->num_cores      = 0;
  hardware->host_cores = 0;
  while ((core = hwloc_get_next_obj_by_type(machine, type, core)) != NULL) {
    int nthreads = hwloc_bitmap_weight(core->cpuset);

    hardware->host_cores++;
    info->num_cores += hwloc_bitmap_intersects(core->cpuset, allowed);
    if (type != HWLOC_OBJ_CORE)
      continue;
    if (info->min_threads < 0 || nthreads < info->min_threads)
      info->min_threads = nthreads;
    if (nthreads > info->max_threads)
      info->max_threads = nthreads;
  }
}

/* hwloc knows a core's base clock and its maximum clock. */
static void describe_clock(hwloc_topology_t machine, hwloc_obj_t core, dart_hwinfo_t *info)
{
  struct hwloc_info_s *infos;
  unsigned             ninfos;
  int                  which = hwloc_cpukinds_get_by_cpuset(machine, core->cpuset, 0);

  if (which < 0 ||
      hwloc_cpukinds_get_info(machine, (unsigned)which, NULL, NULL, &ninfos, &infos, 0) != 0)
    return;
  for (unsigned i = 0; i < ninfos; i++) {
    if (strcmp(infos[i].name, "FrequencyBaseMHz") == 0)
      info->min_cpu_mhz = known(strtoull(infos[i].value, NULL, 10));
    else if (strcmp(infos[i].name, "FrequencyMaxMHz") == 0)
      info->max_cpu_mhz = known(strtoull(infos[i].value, NULL, 10));
  }
  if (info->min_cpu_mhz < 0)
    info->min_cpu_mhz = info->max_cpu_mhz;
}

/* The memory that a processor gets its pages from. Several kinds may be local to it; the
 * system numbers ordinary memory first. */
static hwloc_obj_t numa_of(hwloc_topology_t machine, hwloc_obj_t pu)
{
  hwloc_obj_t node = NULL, best = NULL;

  while ((node = hwloc_get_next_obj_by_type(machine, HWLOC_OBJ_NUMANODE, node)) != NULL)
    if (hwloc_bitmap_isset(node->cpuset, pu->os_index) &&
        (best == NULL || node->os_index < best->os_index))
      best = node;
  return best;
}

/* ---- the chain --------------------------------------------------------------------------- */

typedef struct {
  hwloc_topology_t  machine;
  dart__hardware_t *hardware;
} chain_t;

static void add_scope(chain_t *chain, dart_locality_scope_t scope, hwloc_obj_t object)
{
  dart_hwinfo_t *info = &chain->hardware->info;

  chain->hardware->kind[info->num_scopes] = object_kind(chain->machine, object->cpuset);
  info->scopes[info->num_scopes++] =
      (dart_locality_scope_pos_t){ scope, (int)object->logical_index };
}

static void describe_cache(hwloc_obj_t cache, dart_hwinfo_t *info)
{
  unsigned level = cache->attr->cache.depth;

  if (level < 1 || level > DART_LOCALITY_MAX_CACHE_LEVELS)
    return;
  info->cache_sizes[level - 1]      = known(cache->attr->cache.size);
  info->cache_line_sizes[level - 1] = known(cache->attr->cache.linesize);
  info->cache_ids[level - 1]        = (int)cache->logical_index;
}

/* CORE, at most 5 CACHE, PACKAGE and NUMA: fits info.scopes with room to spare. A core is the
 * innermost of them: caches that its threads have to themselves, as on some virtual machines, are
 * described only. */
static void describe_chain(chain_t *chain, hwloc_obj_t pu, hwloc_obj_t core, hwloc_obj_t numa)
{
  for (hwloc_obj_t object = pu; object != core; object = object->parent)
    if (hwloc_obj_type_is_dcache(object->type))
      describe_cache(object, &chain->hardware->info);
  add_scope(chain, DART_LOCALITY_SCOPE_CORE, core);
  for (hwloc_obj_t object = core->parent; object != NULL; object = object->parent) {
    bool cache = hwloc_obj_type_is_dcache(object->type);

    if (!cache && object->type != HWLOC_OBJ_PACKAGE)
      continue;
    if (numa != NULL && !hwloc_bitmap_isincluded(object->cpuset, numa->cpuset)) {
      add_scope(chain, DART_LOCALITY_SCOPE_NUMA, numa);
      numa = NULL;
    }
    if (cache)
      describe_cache(object, &chain->hardware->info);
    add_scope(chain, cache ? DART_LOCALITY_SCOPE_CACHE : DART_LOCALITY_SCOPE_PACKAGE, object);
  }
  if (numa != NULL)
    add_scope(chain, DART_LOCALITY_SCOPE_NUMA, numa);
}

/* ---- descriptions ------------------------------------------------------------------------ */

static int shmem_mbps(void)
{
  const char *text = getenv("DASH_MAX_SHMEM_MBPS");
  char       *end  = NULL;
  long        mbps = text != NULL ? strtol(text, &end, 10) : 0;

  return mbps > 0 && *end == '\0' ? known((uint64_t)mbps) : SHMEM_MBPS;
}

/* The last character of a host name of 63 characters is cut: domain.h uses that byte. */
static void set_host(dart_hwinfo_t *info, const char *name)
{
  memset(info->host, 0, sizeof info->host);
  memcpy(info->host, name, strnlen(name, sizeof info->host - 2));
}

/* Set all fields to -1 or empty, and padding bytes, too, for descriptions are compared and sent. */
static void set_unknown(dart__hardware_t *hardware)
{
  dart_hwinfo_t *info = &hardware->info;

  memset(hardware, 0, sizeof *hardware);
  memset(info, -1, sizeof *info);
  memset(info->host, 0, sizeof info->host);
  info->max_shmem_mbps = shmem_mbps();
  info->num_scopes     = 0;
}

void dart__hardware_describe(hwloc_topology_t machine, hwloc_const_cpuset_t allowed, int cpu,
                             dart__hardware_t *hardware_out)
{
  hwloc_obj_t    root  = hwloc_get_root_obj(machine);
  const char    *host  = hwloc_obj_get_info_by_name(root, "HostName");
  dart_hwinfo_t *info  = &hardware_out->info;
  chain_t        chain = { machine, hardware_out };
  hwloc_obj_t    pu, core, numa;

  if (!hwloc_bitmap_intersects(allowed, root->cpuset))
    allowed = root->cpuset;
  if (cpu < 0 || !hwloc_bitmap_isset(allowed, (unsigned)cpu) ||
      (pu = hwloc_get_pu_obj_by_os_index(machine, (unsigned)cpu)) == NULL)
    for (pu = NULL; (pu = hwloc_get_next_obj_by_type(machine, HWLOC_OBJ_PU, pu)) != NULL;)
      if (hwloc_bitmap_isset(allowed, pu->os_index))
        break;
  core = core_type(machine) == HWLOC_OBJ_CORE
             ? hwloc_get_ancestor_obj_by_type(machine, HWLOC_OBJ_CORE, pu)
             : pu;
  if (core == NULL) /* a processor without a core, on a machine that has cores */
    core = pu;
  numa = numa_of(machine, pu);

  set_unknown(hardware_out);
  if (host != NULL)
    set_host(info, host);
  describe_cores(machine, allowed, hardware_out);
  describe_clock(machine, core, info);
  describe_chain(&chain, pu, core, numa);
  info->core_id             = (int)core->logical_index;
  info->cpu_id              = (int)pu->os_index;
  info->num_sockets         = count_of(machine, HWLOC_OBJ_PACKAGE);
  info->num_numa            = count_of(machine, HWLOC_OBJ_NUMANODE);
  info->numa_id             = numa != NULL ? (int)numa->logical_index : -1;
  info->system_memory_bytes = known(root->total_memory >> 20);
  info->numa_memory_bytes   = numa != NULL ? known(numa->attr->numanode.local_memory >> 20) : -1;
  hardware_out->host_kind   = object_kind(machine, root->cpuset);
  hardware_out->cpus        = processors_of(machine, allowed);
}

/* ---- this machine ------------------------------------------------------------------------ */

/* Kept until the process ends, for the machine stays the same. NULL: hwloc has failed. */
static hwloc_topology_t load(void)
{
  static hwloc_topology_t machine;
  static bool             tried;
  hwloc_topology_t        fresh;
  unsigned long           flags = HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED;

#if HWLOC_API_VERSION >= 0x00020500
  flags |= HWLOC_TOPOLOGY_FLAG_DONT_CHANGE_BINDING; /* or hwloc binds itself to each in turn */
#endif
#if HWLOC_API_VERSION >= 0x00020800
  flags |= HWLOC_TOPOLOGY_FLAG_NO_DISTANCES | HWLOC_TOPOLOGY_FLAG_NO_MEMATTRS;
#endif

  if (tried)
    return machine;
  tried = true;
  if (hwloc_topology_init(&fresh) != 0)
    goto failed;
  hwloc_topology_set_flags(fresh, flags);
  if (hwloc_topology_load(fresh) != 0) {
    hwloc_topology_destroy(fresh);
    goto failed;
  }
  machine = fresh;
  return machine;

failed:
  dart__warn("hwloc cannot tell what this machine is like; all units count as on one core");
  return NULL;
}

/* Where hwloc shows another machine, the units are spread evenly over it, as dartrun would bind them. */
static int cpu_of_position(hwloc_topology_t machine, uint32_t position, uint32_t count)
{
  hwloc_obj_type_t type   = core_type(machine);
  uint64_t         ncores = (uint64_t)hwloc_get_nbobjs_by_type(machine, type);
  unsigned         index  = (unsigned)(position * ncores / count);

  return hwloc_bitmap_first(hwloc_get_obj_by_type(machine, type, index)->cpuset);
}

bool dart__hardware_goes_by_position(void)
{
  hwloc_topology_t machine = load();

  return machine != NULL && !hwloc_topology_is_thissystem(machine);
}

/* ---- processors ---------------------------------------------------------------------------- */

/* The system call returns the bytes of the kernel's sets, which have room for 8192 processors at most. */
size_t dart__processors_bytes(void)
{
  _Alignas(cpu_set_t) unsigned char set[4096];
  long                              nbytes = syscall(SYS_sched_getaffinity, 0, sizeof set, set);

  return nbytes > 0 ? (size_t)nbytes : 0;
}

int dart__processors_here(unsigned char *set_out, size_t nbytes)
{
  if (sched_getaffinity(0, nbytes, (cpu_set_t *)(void *)set_out) != 0)
    memset(set_out, -1, nbytes);
  return sched_getcpu();
}

/* ---- descriptions of units ------------------------------------------------------------------ */

static void describe_unknown(dart__hardware_t *hardware)
{
  set_unknown(hardware);
  hardware->info.num_cores  = 1;
  hardware->info.num_scopes = 1;
  hardware->info.scopes[0]  = (dart_locality_scope_pos_t){ DART_LOCALITY_SCOPE_CORE, -1 };
  hardware->host_cores      = 1;
}

void dart__hardware_of(uint32_t position, uint32_t count, int cpu, const unsigned char *set,
                       size_t nbytes, dart__hardware_t *hardware_out)
{
  hwloc_topology_t machine = load();
  hwloc_bitmap_t   allowed = hwloc_bitmap_alloc_full();

  if (machine == NULL || allowed == NULL) {
    describe_unknown(hardware_out);
  } else if (dart__hardware_goes_by_position()) {
    dart__hardware_describe(machine, allowed, cpu_of_position(machine, position, count),
                            hardware_out);
  } else {
    hwloc_cpuset_from_glibc_sched_affinity(machine, allowed, (const cpu_set_t *)(const void *)set,
                                           nbytes);
    dart__hardware_describe(machine, allowed, cpu, hardware_out);
  }
  hwloc_bitmap_free(allowed);
  if (hardware_out->info.host[0] == '\0') {
    char name[HOST_NAME_MAX + 1] = "";

    gethostname(name, sizeof name - 1);
    set_host(&hardware_out->info, name);
  }
}

void dart__hardware_here(uint32_t position, uint32_t count, dart__hardware_t *hardware_out)
{
  size_t         nbytes = dart__processors_bytes();
  unsigned char *set    = calloc(1, nbytes + 1);
  int            cpu    = set == NULL ? -1 : dart__processors_here(set, nbytes);

  dart__hardware_of(position, count, cpu, set, set == NULL ? 0 : nbytes, hardware_out);
  free(set);
}

/* ---- shares ------------------------------------------------------------------------------ */

static int by_processors(const void *a, const void *b)
{
  const dart__hardware_t *const *left = a, *const *right = b;

  if ((*left)->cpus != (*right)->cpus)
    return (*left)->cpus < (*right)->cpus ? -1 : 1;
  return strcmp((*left)->info.host, (*right)->info.host);
}

bool dart__hardware_share_cores(dart__hardware_t *hardware, int32_t nunits)
{
  dart__hardware_t **sorted = calloc((size_t)nunits, sizeof *sorted);

  if (sorted == NULL)
    return false;
  for (int32_t u = 0; u < nunits; u++)
    sorted[u] = &hardware[u];
  qsort(sorted, (size_t)nunits, sizeof *sorted, by_processors);
  for (int32_t from = 0, to; from < nunits; from = to) {
    to = from;
    while (to < nunits && by_processors(&sorted[from], &sorted[to]) == 0)
      to++;
    for (int32_t i = from; i < to; i++) {
      int share = sorted[i]->info.num_cores / (int)(to - from);

      sorted[i]->info.num_cores = share > 0 ? share : 1;
    }
  }
  free(sorted);
  return true;
}
