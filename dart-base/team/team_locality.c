/* The locality of teams.
 *
 * The tree of any team is built locally from descriptions of its members' hardware, and so are units' descriptors, those of
 * a node at a time. Where units are on several hosts, every unit describes its own at init, and they are gathered (hosts.h);
 * a unit that is asked describes a node at a time, for as long as it builds its part. On one host the processors that
 * each unit may use, and the one that it runs on, are enough: from them and the machine, which each unit can look at, a
 * unit describes all when it is asked first. Few programs of many units ask, and to load the machine takes longer than
 * the rest of init. Users may write to trees and descriptors, so each team has its own, and the descriptions are never
 * changed. The tree of a large team lies once for a node, and a unit that writes to it has copies of the pages it writes to
 * (topology/domain_image.h). */
#include "team/team_locality.h"

#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <dash/dart/ext/dart_profile.h>
#include <dash/dart/if/dart_team_group.h>

#include "base/config.h"
#include "base/profile.h"
#include "coll/coll.h"
#include "memory/node_table.h"
#include "model/argument_check.h"
#include "model/world.h"
#include "team/group.h"
#include "team/hosts.h"
#include "topology/domain_build.h"

DART__PROFILED(dart_team_locality_init);
DART__PROFILED(dart_team_locality_finalize);
DART__PROFILED(dart_domain_team_locality);
DART__PROFILED(dart_unit_locality);
DART__PROFILED(dart_group_locality_split);

/* The tree and the descriptors are made when they are first asked for. A descriptor stays where it is. */
struct dart__locality {
  dart_domain_locality_t *root;
  dart__domain_image_t    image;   /* that the tree is in; nbytes 0: none */
  dart_unit_locality_t   *nodes[]; /* by node of the team: those of its units, in their order */
};

/* On one host: by global id, until exit; NULL until somebody asks. Then the mutex is held to set it. */
static dart__hardware_t *hardware;
static pthread_mutex_t   describing = PTHREAD_MUTEX_INITIALIZER;

/* On one host: the processors of each unit at init. */
typedef struct {
  long cpu; /* that it ran on; -1: not known; as wide as a word of the set, which it aligns */
  unsigned char set[]; /* that it may use */
} place_t;

static struct {
  char  *first; /* by global id; NULL: on several hosts */
  size_t bytes; /* of a place */
  size_t set_bytes;
} places;

/* Held while localities are looked at or made. */
static pthread_mutex_t building = PTHREAD_MUTEX_INITIALIZER;
static bool all_is_due; /* DART_TEAM_ALL has a locality, and nobody has asked for it yet */

static place_t *place_of(int32_t unit)
{
  return (place_t *)(void *)(places.first + (size_t)unit * places.bytes);
}

/* ---- descriptions ------------------------------------------------------------------------ */

static bool are_same(const place_t *a, const place_t *b)
{
  return a->cpu == b->cpu && memcmp(a->set, b->set, places.set_bytes) == 0;
}

static void describe_unit(const dart__team_t *all, int32_t unit, dart__hardware_t *hardware_out)
{
  const place_t *place = place_of(unit);
  int32_t        node = dart__team_node_of(all, unit), first = dart__team_node_start(all, node);

  dart__hardware_of((uint32_t)(dart__team_rank(all, unit) - first),
                    (uint32_t)dart__team_units_on(all, node), (int)place->cpu, place->set,
                    places.set_bytes, hardware_out);
}

/* Units with the same processors, of which there are few sets, have the same hardware, unless hwloc shows another
 * machine. `different` has room for all units. */
static void describe_units(const dart__team_t *all, int32_t different[], dart__hardware_t found[])
{
  bool    by_position = dart__hardware_goes_by_position();
  int32_t n           = 0;

  for (int32_t u = 0; u < all->nunits; u++) {
    int32_t i = 0;

    while (i < n && !are_same(place_of(u), place_of(different[i])))
      i++;
    if (i < n) {
      found[u] = found[different[i]];
      continue;
    }
    describe_unit(all, u, &found[u]);
    if (!by_position)
      different[n++] = u;
  }
}

/* Of all units, on one host. False: no memory. */
static bool describe_here(const dart__team_t *all, dart__hardware_t found[])
{
  int32_t *different = calloc((size_t)all->nunits, sizeof *different);

  if (different != NULL)
    describe_units(all, different, found);
  free(different);
  return different != NULL;
}

/* The hardware of all units, on one host; it stays until exit. NULL: no memory. */
static dart__hardware_t *describe_all(void)
{
  const dart__team_t *all = dart__teams[DART_TEAM_ALL];
  dart__hardware_t   *found;

  pthread_mutex_lock(&describing);
  if (hardware == NULL) {
    found = calloc((size_t)all->nunits, sizeof *found);
    if (found != NULL && describe_here(all, found) &&
        dart__hardware_share_cores(found, all->nunits))
      hardware = found;
    else
      free(found);
  }
  found = hardware;
  pthread_mutex_unlock(&describing);
  return found;
}

bool dart__locality_places(const dart__team_t *team, dart__tree_place_t places[])
{
  const dart__team_t     *all       = dart__teams[DART_TEAM_ALL];
  bool                    are_known = dart__hosts_are_known();
  const dart__hardware_t *units     = are_known ? dart__hosts_here() : describe_all();

  for (int32_t i = 0; units != NULL && i < team->node_nunits; i++) {
    dart_unit_t unit = dart__team_member(team, team->node_units[i]);

    places[i] = dart__locality_place(&units[are_known ? dart__team_near_index(all, unit) : unit]);
  }
  return units != NULL;
}

/* ---- trees and descriptors: the mutex `building` is held ----------------------------------- */

/* The units of a node of the team, and their hardware. */
typedef struct {
  dart__hardware_t    *hardware;
  dart__domain_unit_t *units; /* NULL: no memory */
  int32_t              count;
} node_units_t;

static node_units_t list_units(const dart__team_t *team, int32_t node)
{
  const dart__team_t *all       = dart__teams[DART_TEAM_ALL];
  int32_t             first     = dart__team_node_start(team, node);
  node_units_t        n         = { .count = dart__team_units_on(team, node) };
  bool                are_known = dart__hosts_are_known();
  int32_t home = dart__team_node_of(all, dart__team_member(team, dart__team_unit_at(team, first)));

  n.hardware = are_known ? dart__hosts_describe_node(all, home) : describe_all();
  if (n.hardware != NULL)
    n.units = calloc((size_t)n.count, sizeof *n.units);
  for (int32_t i = 0; i < n.count && n.units != NULL; i++) {
    dart_unit_t id = dart__team_member(team, dart__team_unit_at(team, first + i));
    int32_t     at = are_known ? dart__team_rank(all, id) - dart__team_node_start(all, home) : id;

    n.units[i] = (dart__domain_unit_t){ .id = id, .node = node, .hardware = &n.hardware[at] };
  }
  return n;
}

static void return_units(const node_units_t *n)
{
  free(n->units);
  if (dart__hosts_are_known())
    free(n->hardware);
}

static dart_ret_t build_tree(dart__team_t *team)
{
  dart__domain_tree_t tree     = dart__domain_begin(team->id, team->nnodes);
  bool                is_whole = tree.root != NULL;

  for (int32_t node = 0; node < team->nnodes && is_whole; node++) {
    node_units_t n = list_units(team, node);

    is_whole = n.units != NULL && dart__domain_add_node(&tree, n.units, n.count, NULL);
    return_units(&n);
  }
  return dart__domain_end(&tree, is_whole, &team->locality->root);
}

/* The tree of a large team is an image, made by the unit of the node that comes first. Where none can be had, each unit has a
 * tree of its own. */
static dart_ret_t make_tree(dart__team_t *team)
{
  struct dart__locality  *l      = team->locality;
  dart__shared_t         *shared = team->exchange.shared;
  dart_domain_locality_t *image  = NULL;
  dart_ret_t              ret    = DART_OK;

  if (!dart__node_table_is_shared(team) || team->node_nunits == 1)
    return build_tree(team);
  dart__mutex_lock(&shared->describing, &dart__wait_briefly);
  if (shared->tree.nbytes > 0)
    image = dart__domain_image_map(&shared->tree, team->id);
  if (image == NULL)
    ret = build_tree(team);
  if (ret == DART_OK && image == NULL) {
    image = dart__domain_image_make(l->root, team->id, &shared->tree);
    if (image != NULL)
      dart__domain_delete(l->root);
  }
  if (image != NULL) {
    l->root  = image;
    l->image = shared->tree;
  }
  dart__mutex_unlock(&shared->describing);
  return ret;
}

/* Make the descriptors of the team's units on a node: what the part of the tree with that node has of them. */
static dart_ret_t describe_members(dart__team_t *team, int32_t node)
{
  int32_t                 first = dart__team_node_start(team, node);
  node_units_t            n     = list_units(team, node);
  dart_unit_locality_t   *found = calloc((size_t)n.count, sizeof *found);
  dart_domain_locality_t *root  = NULL;
  dart_ret_t              ret   = DART_ERR_NOMEM;

  if (n.units != NULL && found != NULL)
    ret = dart__domain_build(team->id, n.units, n.count, &root, found);
  for (int32_t i = 0; i < n.count && ret == DART_OK; i++)
    found[i].unit = dart_create_team_unit(dart__team_unit_at(team, first + i));
  if (ret == DART_OK)
    team->locality->nodes[node] = found;
  else
    free(found);
  dart__domain_delete(root);
  return_units(&n);
  return ret;
}

/* Neither tree nor descriptors yet. */
static dart_ret_t open_locality(dart__team_t *team)
{
  team->locality =
      calloc(1, sizeof *team->locality + (size_t)team->nnodes * sizeof *team->locality->nodes);
  return team->locality != NULL ? DART_OK : DART_ERR_NOMEM;
}

static dart_ret_t open_if_due(dart__team_t *team)
{
  dart_ret_t ret;

  if (team->id != DART_TEAM_ALL || !all_is_due)
    return DART_OK;
  ret        = open_locality(team);
  all_is_due = ret != DART_OK;
  return ret;
}

static dart_ret_t log_nomem(const dart__team_t *team, dart_ret_t ret)
{
  if (ret == DART_ERR_NOMEM)
    dart__error("no memory for the locality of the %d units of team %d", team->nunits, team->id);
  return ret;
}

/* ---- init and exit ------------------------------------------------------------------------- */

/* How many units may use the processors of this one, on one host. */
static uint32_t sharing_here(const dart__team_t *all)
{
  const place_t *mine    = place_of(all->me);
  uint32_t       sharing = 0;

  for (int32_t u = 0; u < all->nunits; u++)
    sharing += memcmp(place_of(u)->set, mine->set, places.set_bytes) == 0;
  return sharing;
}

static bool is_on_one_host(const dart__team_t *all)
{
  return dart__world.one_host || all->nnodes == 1;
}

dart_ret_t dart__locality_prepare(const dart__team_t *all, size_t set_bytes)
{
  if (!is_on_one_host(all))
    return DART_OK;
  places.set_bytes = set_bytes;
  places.bytes     = sizeof(place_t) + set_bytes;
  places.first =
      calloc((size_t)all->nunits + 1, places.bytes); /* the last is what this unit tells */
  return places.first != NULL ? DART_OK : DART_ERR_NOMEM;
}

static void gather_places(dart__team_t *all)
{
  place_t *mine = place_of(all->nunits);

  mine->cpu = dart__processors_here(mine->set, places.set_bytes);
  dart__coll_share(all, mine, places.first, places.bytes);
}

/* The pace of waits goes by the number of units that may use the same processors, which is known only now: a unit that
 * is bound to a core of its own shares it with no other unit. */
dart_ret_t dart__locality_open(void)
{
  dart__team_t *all     = dart__teams[DART_TEAM_ALL];
  bool          is_here = is_on_one_host(all);
  dart_ret_t    ret     = DART_OK;

  if (is_here)
    gather_places(all);
  else
    ret = dart__hosts_gather(all);
  if (ret != DART_OK) {
    dart__locality_close();
    return ret;
  }
  all_is_due = true;
  dart__world_set_pace(is_here ? sharing_here(all) : dart__hosts_sharing(all));
  return DART_OK;
}

void dart__locality_close(void)
{
  if (dart__teams[DART_TEAM_ALL] != NULL)
    dart__locality_drop(dart__teams[DART_TEAM_ALL]);
  dart__hosts_forget();
  free(hardware);
  hardware = NULL;
  free(places.first);
  places.first = NULL;
}

void dart__locality_drop(dart__team_t *team)
{
  pthread_mutex_lock(&building);
  if (team->id == DART_TEAM_ALL)
    all_is_due = false;
  if (team->locality != NULL) {
    dart__domain_delete(team->locality->root);
    if (team->locality->image.nbytes > 0)
      dart__domain_image_drop(team->locality->root, &team->locality->image);
    for (int32_t k = 0; k < team->nnodes; k++)
      free(team->locality->nodes[k]);
    free(team->locality);
    team->locality = NULL;
  }
  pthread_mutex_unlock(&building);
}

bool dart__locality_is_root(const dart_domain_locality_t *domain)
{
  const dart__team_t *team = dart__team_find(domain->team);

  return team != NULL && team->locality != NULL && team->locality->root == domain;
}

/* ---- entry points ------------------------------------------------------------------------ */

dart_ret_t dart_team_locality_init(dart_team_t teamid)
{
  dart__team_t *team = dart__check_team(__func__, teamid);
  dart_ret_t    mine, ret;

  if (team == NULL)
    return DART_ERR_INVAL;
  pthread_mutex_lock(&building);
  mine = open_if_due(team);
  if (mine == DART_OK && team->locality == NULL)
    mine = open_locality(team);
  if (mine == DART_OK && team->locality->root == NULL)
    mine = make_tree(team);
  pthread_mutex_unlock(&building);
  ret = dart__coll_agree(team, log_nomem(team, mine));
  if (ret != DART_OK)
    dart__locality_drop(team);
  return ret;
}

dart_ret_t dart_team_locality_finalize(dart_team_t teamid)
{
  dart__team_t *team = dart__check_team(__func__, teamid);

  if (team == NULL)
    return DART_ERR_INVAL;
  dart__locality_drop(team);
  return DART_OK;
}

/* With its tree, or with the descriptors of a node. DART_ERR_NOTFOUND, DART_ERR_NOMEM: after one log line. */
#define TREE (-1)

static dart_ret_t find_locality(const char *function, dart__team_t *team, int32_t node)
{
  dart_ret_t ret;

  pthread_mutex_lock(&building);
  ret = open_if_due(team);
  if (ret == DART_OK && team->locality == NULL)
    ret = DART_ERR_NOTFOUND;
  if (ret == DART_OK && node == TREE && team->locality->root == NULL)
    ret = make_tree(team);
  if (ret == DART_OK && node != TREE && team->locality->nodes[node] == NULL)
    ret = describe_members(team, node);
  pthread_mutex_unlock(&building);
  if (ret == DART_ERR_NOTFOUND)
    dart__error("%s: team %d has no locality; dart_team_locality_init makes it", function,
                team->id);
  return log_nomem(team, ret);
}

dart_ret_t dart_domain_team_locality(dart_team_t teamid, const char *domain_tag,
                                     dart_domain_locality_t **team_domain_out)
{
  dart__team_t *team = dart__check_team(__func__, teamid);
  dart_ret_t    ret;

  if (team_domain_out != NULL)
    *team_domain_out = NULL;
  if (domain_tag == NULL || team_domain_out == NULL)
    return dart__fail(DART_ERR_INVAL, "%s: %s is NULL", __func__,
                      domain_tag == NULL ? "domain_tag" : "team_domain_out");
  if (team == NULL)
    return DART_ERR_INVAL;
  ret = find_locality(__func__, team, TREE);
  if (ret != DART_OK)
    return ret;
  *team_domain_out = dart__domain_find(team->locality->root, domain_tag);
  if (*team_domain_out != NULL)
    return DART_OK;
  return dart__fail(DART_ERR_NOTFOUND, "%s: no domain '%s' in team %d", __func__, domain_tag,
                    teamid);
}

dart_ret_t dart_unit_locality(dart_team_t teamid, dart_team_unit_t unit, dart_unit_locality_t **loc)
{
  dart__team_t *team = dart__check_team(__func__, teamid);
  int32_t       node;
  dart_ret_t    ret;

  if (loc == NULL)
    return dart__fail(DART_ERR_INVAL, "%s: loc is NULL", __func__);
  *loc = NULL;
  if (team == NULL)
    return DART_ERR_INVAL;
  if (unit.id < 0 || unit.id >= team->nunits)
    return dart__fail(DART_ERR_INVAL, "%s: unit %d is not in 0..%d of team %d", __func__, unit.id,
                      team->nunits - 1, teamid);
  node = dart__team_node_of(team, unit.id);
  ret  = find_locality(__func__, team, node);
  if (ret != DART_OK)
    return ret;
  *loc = &team->locality
              ->nodes[node][dart__team_rank(team, unit.id) - dart__team_node_start(team, node)];
  return DART_OK;
}

/* ---- splitting groups -------------------------------------------------------------------- */

static int by_id(const void *a, const void *b)
{
  const dart_unit_t *left = a, *right = b;

  return (*left > *right) - (*left < *right);
}

/* The members of `g` in `count` domains. */
static dart_group_t members_in(const dart_group_t g, dart_domain_locality_t **domains, size_t count)
{
  dart_unit_t *ids;
  dart_group_t group;
  size_t       nunits = 0, kept = 0;

  for (size_t d = 0; d < count; d++)
    nunits += domains[d]->num_units > 0 ? (size_t)domains[d]->num_units : 0;
  ids = calloc(nunits + 1, sizeof *ids);
  if (ids == NULL)
    return NULL;
  for (size_t d = 0; d < count; d++)
    for (int u = 0; u < domains[d]->num_units; u++)
      if (dart__group_has(g, domains[d]->unit_ids[u].id))
        ids[kept++] = domains[d]->unit_ids[u].id;
  qsort(ids, kept, sizeof *ids, by_id);
  group = dart__group_new(ids, kept);
  free(ids);
  return group;
}

dart_ret_t dart_group_locality_split(const dart_group_t g, dart_domain_locality_t *domain,
                                     dart_locality_scope_t scope, size_t n, size_t *nout,
                                     dart_group_t *gout)
{
  dart_domain_locality_t **found;
  size_t                   count, length;
  int                      nfound;
  dart_ret_t               ret;

  if (nout != NULL)
    *nout = 0;
  if (g == NULL || domain == NULL || nout == NULL || gout == NULL)
    return dart__fail(DART_ERR_INVAL, "%s: %s is NULL", __func__,
                      g == NULL        ? "g"
                      : domain == NULL ? "domain"
                      : nout == NULL   ? "nout"
                                       : "gout");
  if (n == 0)
    return dart__fail(DART_ERR_OTHER, "%s: cannot split into 0 groups", __func__);
  ret = dart__domain_of_scope(__func__, domain, scope, &nfound, &found);
  if (ret != DART_OK)
    return ret;

  count  = (size_t)nfound;
  length = count / n + (count % n > 0);
  for (size_t i = 0; i < n; i++) {
    size_t from = i < count && i * length < count ? i * length : count;
    size_t left = count - from;

    gout[i] = members_in(g, found + from, left < length ? left : length);
    if (gout[i] == NULL) {
      dart__error("%s: no memory for group %zu of %zu", __func__, i, n);
      while (i-- > 0)
        pdart_group_destroy(&gout[i]);
      free(found);
      return DART_ERR_NOMEM;
    }
  }
  *nout = n < count ? n : count;
  free(found);
  return DART_OK;
}
