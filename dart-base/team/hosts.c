/* See hosts.h. */
#include "team/hosts.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "coll/coll.h"
#include "coll/nodes.h"
#include "coll/step.h"
#include "memory/pool.h"

typedef struct {
  uint64_t shape;   /* its fingerprint */
  uint64_t records; /* fingerprint of all that its units have found */
  char     host[DART_LOCALITY_HOST_MAX_SIZE];
} node_t;

typedef struct {
  uint64_t          print;
  int32_t           first;    /* node of this shape */
  int32_t           count;    /* of units */
  bool              is_mixed; /* not all of them are on the host of the first one */
  dart__hardware_t *units;    /* in the node's order; an empty host name: the first unit's */
} shape_t;

static struct {
  node_t           *nodes;  /* of the job, in the pool; NULL: nothing was gathered */
  dart__hardware_t *own;    /* what this node's units have found, as in shape_t */
  shape_t          *shapes; /* that differ */
  int32_t           nshapes;
} hosts;

/* ---- fingerprints (two shapes have one by chance in 2^64 cases) ---------------------------------- */

/* Which processor a unit of several ran on is chance, and equal hosts differ in some MiB of memory: neither counts. */
static uint64_t shape_of(const dart__hardware_t *units, int32_t count)
{
  uint64_t print = DART__HASH_OF_NOTHING;

  for (const dart__hardware_t *unit = units; unit < units + count; unit++) {
    print = dart__hash(print, &unit->cpus, sizeof unit->cpus);
    print = dart__hash(print, &unit->host_kind, sizeof unit->host_kind);
    print = dart__hash(print, &unit->host_cores, sizeof unit->host_cores);
    print = dart__hash(print, &unit->info.max_shmem_mbps, sizeof unit->info.max_shmem_mbps);
    print = dart__hash(print, unit->info.host, sizeof unit->info.host);
  }
  return print;
}

static shape_t *find_shape(uint64_t print)
{
  for (int32_t s = 0; s < hosts.nshapes; s++)
    if (hosts.shapes[s].print == print)
      return &hosts.shapes[s];
  return NULL;
}

/* ---- gathering ------------------------------------------------------------------------------------ */

/* A block of the pool of the node's leader, where it is mapped here. Agreed; NULL: no memory. */
static void *shared_block(dart__team_t *all, size_t nbytes)
{
  uint64_t offset;

  if (dart__pool_alloc_for_node(all, nbytes, &offset) != DART_OK)
    return NULL;
  return dart__pool_address(dart__team_member(all, all->node_units[0]), offset);
}

/* By the leader, once its node's units have written what they have. */
static void describe_node(const dart__team_t *all, dart__hardware_t *units)
{
  node_t *node = &hosts.nodes[all->node];

  memcpy(node->host, units[0].info.host, sizeof node->host);
  for (int32_t i = 0; i < all->node_nunits; i++)
    if (strcmp(units[i].info.host, node->host) == 0)
      memset(units[i].info.host, 0, sizeof units[i].info.host);
  node->shape = shape_of(units, all->node_nunits);
  node->records =
      dart__hash(DART__HASH_OF_NOTHING, units, (size_t)all->node_nunits * sizeof *units);
}

/* All nodes' records to the leaders, and so to their nodes. */
static void gather_nodes(dart__team_t *all)
{
  dart__hardware_t mine;

  memset(&mine, 0, sizeof mine); /* what lies between its members counts, too */
  dart__hardware_here((uint32_t)all->node_me, (uint32_t)all->node_nunits, &mine);
  hosts.own[all->node_me] = mine;
  if (dart__step_end(all)) {
    describe_node(all, hosts.own);
    for (int32_t k = 0; k <= all->nnodes; k++)
      all->node_bytes[k] = (size_t)k * sizeof *hosts.nodes;
    dart__nodes_allgather(all, hosts.nodes, all->node_bytes);
    dart__step_release(all);
  }
}

/* Which shapes there are, in the order of their first nodes. Local. False: no memory. */
static bool list_shapes(const dart__team_t *all)
{
  shape_t *more;
  int32_t  room = 0;

  for (int32_t k = 0; k < all->nnodes; k++) {
    if (find_shape(hosts.nodes[k].shape) != NULL)
      continue;
    if (hosts.nshapes == room) {
      more = realloc(hosts.shapes, (size_t)(room = 2 * room + 4) * sizeof *more);
      if (more == NULL)
        return false;
      hosts.shapes = more;
    }
    hosts.shapes[hosts.nshapes++] = (shape_t){ .print = hosts.nodes[k].shape,
                                               .first = k,
                                               .count = dart__team_units_on(all, k) };
  }
  return true;
}

/* Whether the units of all nodes have found the same. */
static bool are_equal(const dart__team_t *all)
{
  int32_t k = 0;

  while (k < all->nnodes && hosts.nodes[k].records == hosts.nodes[0].records)
    k++;
  return k == all->nnodes;
}

/* The first node of each shape tells the others what it has. */
static void spread_shapes(dart__team_t *all)
{
  if (!dart__step_end(all))
    return;
  for (int32_t s = 0; s < hosts.nshapes; s++) {
    shape_t *shape  = &hosts.shapes[s];
    size_t   nbytes = (size_t)shape->count * sizeof *shape->units;

    if (shape->first == all->node)
      memcpy(shape->units, hosts.own, nbytes);
    dart__nodes_bcast(all, shape->units, nbytes, shape->first);
  }
  dart__step_release(all);
}

static bool is_mixed(const shape_t *shape)
{
  int32_t i = 0;

  while (i < shape->count && shape->units[i].info.host[0] == '\0')
    i++;
  return i < shape->count;
}

/* Collective and agreed. */
static dart_ret_t gather_shapes(dart__team_t *all)
{
  dart_ret_t        ret    = dart__coll_agree(all, list_shapes(all) ? DART_OK : DART_ERR_NOMEM);
  bool              differ = !are_equal(all);
  dart__hardware_t *units  = hosts.own;
  size_t            count  = 0;

  for (int32_t s = 0; s < hosts.nshapes; s++)
    count += (size_t)hosts.shapes[s].count;
  if (ret == DART_OK && differ)
    units = shared_block(all, count * sizeof *units);
  if (ret != DART_OK || units == NULL)
    return DART_ERR_NOMEM;
  for (int32_t s = 0; s < hosts.nshapes; s++) {
    hosts.shapes[s].units = units;
    units += hosts.shapes[s].count;
  }
  if (differ)
    spread_shapes(all);
  for (int32_t s = 0; s < hosts.nshapes; s++)
    hosts.shapes[s].is_mixed = is_mixed(&hosts.shapes[s]);
  return DART_OK;
}

/* The blocks of the pool stay until it is closed. */
dart_ret_t dart__hosts_gather(dart__team_t *all)
{
  size_t nodes_bytes = (size_t)all->nnodes * sizeof *hosts.nodes;
  size_t units_bytes = (size_t)all->node_nunits * sizeof *hosts.own;
  char  *block       = shared_block(all, nodes_bytes + units_bytes);

  if (block == NULL)
    return DART_ERR_NOMEM;
  hosts.nodes = (node_t *)(void *)block;
  hosts.own   = (dart__hardware_t *)(void *)(block + nodes_bytes);
  gather_nodes(all);
  return gather_shapes(all);
}

void dart__hosts_forget(void)
{
  free(hosts.shapes);
  hosts.shapes  = NULL;
  hosts.nshapes = 0;
  hosts.nodes   = NULL;
  hosts.own     = NULL;
}

bool dart__hosts_are_known(void)
{
  return hosts.nodes != NULL;
}

static const char *host_of(const node_t *node, const dart__hardware_t *unit)
{
  return unit->info.host[0] != '\0' ? unit->info.host : node->host;
}

/* ---- use ------------------------------------------------------------------------------------------ */

static void describe_unit_of(const node_t *node, int32_t index, dart__hardware_t *hardware_out)
{
  const dart__hardware_t *unit = &find_shape(node->shape)->units[index];

  *hardware_out = *unit;
  memcpy(hardware_out->info.host, host_of(node, unit), sizeof hardware_out->info.host);
}

static bool may_share(const node_t *a, const node_t *b)
{
  return strcmp(a->host, b->host) == 0 || find_shape(a->shape)->is_mixed ||
         find_shape(b->shape)->is_mixed;
}

/* Units of other nodes may share the cores. */
dart__hardware_t *dart__hosts_describe_node(const dart__team_t *all, int32_t node)
{
  int32_t           count = 0, n = dart__team_units_on(all, node);
  dart__hardware_t *found;

  for (int32_t k = 0; k < all->nnodes; k++)
    if (may_share(&hosts.nodes[node], &hosts.nodes[k]))
      count += dart__team_units_on(all, k);
  found = calloc((size_t)count, sizeof *found);
  if (found == NULL)
    return NULL;
  for (int32_t i = 0; i < n; i++)
    describe_unit_of(&hosts.nodes[node], i, &found[i]);
  for (int32_t k = 0; k < all->nnodes; k++)
    for (int32_t i = 0; k != node && may_share(&hosts.nodes[node], &hosts.nodes[k]) &&
                        i < dart__team_units_on(all, k);
         i++)
      describe_unit_of(&hosts.nodes[k], i, &found[n++]);
  if (dart__hardware_share_cores(found, count))
    return found;
  free(found);
  return NULL;
}

const dart__hardware_t *dart__hosts_here(void)
{
  return hosts.own;
}

uint32_t dart__hosts_sharing(const dart__team_t *all)
{
  const node_t           *here    = &hosts.nodes[all->node];
  const dart__hardware_t *mine    = &hosts.own[all->node_me];
  uint32_t                sharing = 0;

  for (int32_t k = 0; k < all->nnodes; k++) {
    const shape_t *shape = find_shape(hosts.nodes[k].shape);

    for (int32_t i = 0; i < shape->count; i++)
      sharing += shape->units[i].cpus == mine->cpus &&
                 strcmp(host_of(&hosts.nodes[k], &shape->units[i]), host_of(here, mine)) == 0;
  }
  return sharing;
}
