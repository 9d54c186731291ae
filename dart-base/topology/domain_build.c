/* Building the tree of a team: units are sorted by their paths from the root, so that the units of every
 * domain are consecutive. */
#include "topology/domain_build.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"

enum { NODE_STEP, MODULE_STEP, STEPS_MAX = DART_LOCALITY_MAX_DOMAIN_SCOPES };

typedef struct {
  dart_locality_scope_t scope;
  int                   index;
  uint32_t              kind;
} step_t;

/* A unit and its path from the root: NODE, MODULE, ..., CORE. */
typedef struct {
  const dart__domain_unit_t *unit;
  dart_unit_locality_t      *descriptor;
  int                        nsteps;
  step_t                     steps[STEPS_MAX];
} path_t;

static void find_path(path_t *path)
{
  const dart__hardware_t *hardware = path->unit->hardware;
  const dart_hwinfo_t    *info     = &hardware->info;
  int                     from     = info->num_scopes - 1;

  path->steps[NODE_STEP] =
      (step_t){ DART_LOCALITY_SCOPE_NODE, path->unit->node, hardware->host_kind };
  path->steps[MODULE_STEP] = (step_t){ DART_LOCALITY_SCOPE_MODULE, 0, hardware->host_kind };
  path->nsteps             = MODULE_STEP + 1;
  for (int i = 0; i < info->num_scopes; i++)
    if (info->scopes[i].scope == DART_LOCALITY_SCOPE_NUMA)
      from = i;
  for (int i = from; i >= 0 && path->nsteps < STEPS_MAX; i--)
    if (info->scopes[i].scope > path->steps[path->nsteps - 1].scope)
      path->steps[path->nsteps++] =
          (step_t){ info->scopes[i].scope, info->scopes[i].index, hardware->kind[i] };
}

static int compare_steps(const step_t *a, const step_t *b)
{
  if (a->scope != b->scope)
    return a->scope < b->scope ? -1 : 1;
  return (a->index > b->index) - (a->index < b->index);
}

static int by_path(const void *a, const void *b)
{
  const path_t *left = a, *right = b;

  for (int i = 0; i < left->nsteps && i < right->nsteps; i++) {
    int order = compare_steps(&left->steps[i], &right->steps[i]);

    if (order != 0)
      return order;
  }
  return (left->unit->id > right->unit->id) - (left->unit->id < right->unit->id);
}

/* How many units at the start of `paths` are in the same domain at `step`. */
static int32_t run_length(const path_t *paths, int32_t nunits, int step)
{
  int32_t length = 1;

  while (length < nunits && compare_steps(&paths[0].steps[step], &paths[length].steps[step]) == 0)
    length++;
  return length;
}

static bool build_children(dart_domain_locality_t *domain, path_t *paths, int32_t nunits, int step);

/* Build the domain of `paths[0].steps[step]`, whose units are paths[0..nunits), and all below it. */
static bool build_domain(dart_domain_locality_t *domain, path_t *paths, int32_t nunits, int step)
{
  const step_t                 *here   = &paths[0].steps[step];
  const dart_domain_locality_t *parent = domain->parent;

  memcpy(domain->host, paths[0].unit->hardware->info.host, sizeof domain->host);
  domain->scope            = here->scope;
  domain->level            = parent->level + 1;
  domain->global_index     = here->index;
  domain->is_symmetric     = 1;
  domain->team             = parent->team;
  domain->num_nodes        = 1;
  domain->node_id          = paths[0].unit->node;
  domain->shared_mem_bytes = -1;
  if (step + 1 < paths[0].nsteps)
    return build_children(domain, paths, nunits, step + 1);

  domain->unit_ids = calloc((size_t)nunits, sizeof *domain->unit_ids);
  if (domain->unit_ids == NULL)
    return false;
  domain->num_units = nunits;
  for (int32_t u = 0; u < nunits; u++) {
    domain->unit_ids[u] = dart_create_global_unit(paths[u].unit->id);
    if (paths[u].descriptor != NULL)
      memcpy(paths[u].descriptor->domain_tag, domain->domain_tag, sizeof domain->domain_tag);
  }
  return true;
}

/* Add the domain of `paths[0].steps[step]`, with its units paths[0..nunits), to its parent, which has room for it. */
static bool add_child(dart_domain_locality_t *parent, path_t *paths, int32_t nunits, int step)
{
  dart_domain_locality_t *child = dart__domain_new();
  bool                    tagged;

  if (child == NULL)
    return false;
  child->parent         = parent;
  child->relative_index = step == NODE_STEP ? paths[0].unit->node : parent->num_domains;
  parent->children[parent->num_domains++] = child;
  tagged = dart__tag_child(parent->domain_tag, child->relative_index, child->domain_tag);
  dart__assert(tagged);
  (void)tagged;
  return build_domain(child, paths, nunits, step);
}

static bool build_children(dart_domain_locality_t *domain, path_t *paths, int32_t nunits, int step)
{
  size_t nchildren = 0;

  for (int32_t u = 0; u < nunits; u += run_length(paths + u, nunits - u, step))
    nchildren++;
  domain->children = calloc(nchildren, sizeof(dart_domain_locality_t *));
  if (domain->children == NULL)
    return false;

  domain->is_symmetric = 1;
  for (int32_t u = 0, length; u < nunits; u += length) {
    length = run_length(paths + u, nunits - u, step);
    if (paths[u].steps[step].kind != paths[0].steps[step].kind ||
        paths[u].steps[step].scope != paths[0].steps[step].scope)
      domain->is_symmetric = 0;
    if (!add_child(domain, paths + u, length, step))
      return false;
  }
  return dart__domain_collect_units(domain);
}

/* The cores of a module are divided among the domains below by their numbers of units. */
static void share_cores(dart_domain_locality_t *domain, const dart_domain_locality_t *module)
{
  int64_t cores = (int64_t)module->num_cores * domain->num_units / module->num_units;

  if (domain != module)
    domain->num_cores = cores > 0 ? (int)cores : 1;
  for (int i = 0; i < domain->num_domains; i++)
    share_cores(domain->children[i], module);
}

/* ---- the whole tree -------------------------------------------------------------------------- */

/* Its units' paths, sorted; and describe them. NULL: no memory. */
static path_t *sort_paths(dart_team_t team, const dart__domain_unit_t *units, int32_t nunits,
                          dart_unit_locality_t *units_out)
{
  path_t *paths = calloc((size_t)nunits, sizeof *paths);

  for (int32_t u = 0; u < nunits && paths != NULL; u++) {
    paths[u] =
        (path_t){ .unit = &units[u], .descriptor = units_out != NULL ? &units_out[u] : NULL };
    find_path(&paths[u]);
    if (units_out != NULL)
      units_out[u] = (dart_unit_locality_t){ .unit   = dart_create_team_unit(u),
                                             .team   = team,
                                             .hwinfo = units[u].hardware->info };
  }
  if (paths != NULL)
    qsort(paths, (size_t)nunits, sizeof *paths, by_path);
  return paths;
}

dart__domain_tree_t dart__domain_begin(dart_team_t team, int32_t nnodes)
{
  dart_domain_locality_t *root = dart__domain_new();

  if (root == NULL)
    return (dart__domain_tree_t){ .root = NULL };
  root->domain_tag[0]    = '.';
  root->scope            = DART_LOCALITY_SCOPE_GLOBAL;
  root->global_index     = 0;
  root->team             = team;
  root->shared_mem_bytes = 0;
  root->is_symmetric     = 1;
  root->num_cores        = 0;
  root->children         = calloc((size_t)nnodes, sizeof(dart_domain_locality_t *));
  if (root->children != NULL)
    return (dart__domain_tree_t){ .root = root };
  dart__domain_delete(root);
  return (dart__domain_tree_t){ .root = NULL };
}

/* The next node's units are paths[0..nunits). */
static bool add_node(dart__domain_tree_t *tree, path_t *paths, int32_t nunits)
{
  dart_domain_locality_t *root = tree->root, *node, *module;

  if (root->num_domains == 0)
    tree->kind = paths[0].steps[NODE_STEP].kind;
  if (paths[0].steps[NODE_STEP].kind != tree->kind)
    root->is_symmetric = 0;
  if (!add_child(root, paths, nunits, NODE_STEP))
    return false;
  node              = root->children[root->num_domains - 1];
  module            = node->children[0];
  module->num_cores = paths[0].unit->hardware->host_cores;
  node->num_cores   = module->num_cores;
  root->num_cores += node->num_cores;
  share_cores(module, module);
  return true;
}

bool dart__domain_add_node(dart__domain_tree_t *tree, const dart__domain_unit_t *units,
                           int32_t nunits, dart_unit_locality_t *units_out)
{
  path_t *paths    = sort_paths(tree->root->team, units, nunits, units_out);
  bool    is_added = paths != NULL && add_node(tree, paths, nunits);

  free(paths);
  return is_added;
}

dart_ret_t dart__domain_end(dart__domain_tree_t *tree, bool is_whole,
                            dart_domain_locality_t **root_out)
{
  dart_domain_locality_t *root = tree->root;

  if (!is_whole || !dart__domain_collect_units(root)) {
    dart__domain_delete(root);
    return DART_ERR_NOMEM;
  }
  root->num_nodes = root->num_domains;
  root->node_id   = root->num_nodes == 1 ? 0 : -1;
  *root_out       = root;
  return DART_OK;
}

dart_ret_t dart__domain_build(dart_team_t team, const dart__domain_unit_t *units, int32_t nunits,
                              dart_domain_locality_t **root_out, dart_unit_locality_t *units_out)
{
  path_t             *paths    = sort_paths(team, units, nunits, units_out);
  dart__domain_tree_t tree     = dart__domain_begin(team, nunits); /* nodes at most */
  bool                is_whole = paths != NULL && tree.root != NULL;

  for (int32_t u = 0, length; u < nunits && is_whole; u += length) {
    length   = run_length(paths + u, nunits - u, NODE_STEP);
    is_whole = add_node(&tree, paths + u, length);
  }
  free(paths);
  return dart__domain_end(&tree, is_whole, root_out);
}
