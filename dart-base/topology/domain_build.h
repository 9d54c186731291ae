#ifndef DART__TOPOLOGY_DOMAIN_BUILD_H
#define DART__TOPOLOGY_DOMAIN_BUILD_H
/* The tree of a team, from descriptions of the hardware of all its units.
 *
 *   GLOBAL - NODE per node of the team - MODULE, one each - NUMA - PACKAGE - CACHE - CORE
 *
 * Scopes grow with depth. So below MODULE the tree starts with NUMA where hwloc knows of it, and
 * packages follow where they lie inside a NUMA domain: packages around several NUMA domains are in the
 * descriptors only. Of the caches the tree has the outermost level. Nodes may differ, for each unit has its
 * own path from the root. Only domains with units are in the tree.
 *
 * No tag can get too long: along a tag, the numbers of siblings multiply to at most the number of
 * units, so 6 numbers and their dots have at most 6 + 6 + 9 characters. */
#include <stdint.h>

#include "topology/domain.h"
#include "topology/hardware.h"

typedef struct {
  dart_unit_t             id;   /* global id, ascending with the team id */
  int32_t                 node; /* of the team, from 0 up */
  const dart__hardware_t *hardware;
} dart__domain_unit_t;

/** A tree that is being built, node by node: descriptions of many nodes need not be there at a time. */
typedef struct {
  dart_domain_locality_t *root; /* NULL: no memory */
  uint32_t                kind; /* of the first node's host */
} dart__domain_tree_t;

/** Begin the tree of a team, a top, with room for so many nodes. */
dart__domain_tree_t dart__domain_begin(dart_team_t team, int32_t nnodes);

/** Add the units of one node; nodes ascend. `units_out` as below. False: no memory. */
bool dart__domain_add_node(dart__domain_tree_t *tree, const dart__domain_unit_t *units,
                           int32_t nunits, dart_unit_locality_t *units_out);

/** End it. DART_ERR_NOMEM: it is not whole, or there is no memory; then it is deleted. */
dart_ret_t dart__domain_end(dart__domain_tree_t *tree, bool is_whole,
                            dart_domain_locality_t **root_out);

/** Build the tree of `team`, a top, or the part of it that has these nodes, and describe the `nunits` units in
 *  `units_out`, unless NULL, numbered in the order of `units`. DART_ERR_NOMEM: nothing was made. */
dart_ret_t dart__domain_build(dart_team_t team, const dart__domain_unit_t *units, int32_t nunits,
                              dart_domain_locality_t **root_out, dart_unit_locality_t *units_out);

#endif
