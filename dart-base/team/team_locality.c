/* The locality of teams.
 *
 * At init every unit describes its hardware, and all descriptions are gathered on all units. So the tree
 * of any team is built locally from its members' descriptions; that of all units when it is asked for first, for few
 * programs of many units ask. Users may write to trees and descriptors, so each team has its own, and the descriptions
 * are never changed. */
#include "team/team_locality.h"

#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <dash/dart/ext/dart_profile.h>
#include <dash/dart/if/dart_team_group.h>

#include "base/config.h"
#include "base/profile.h"
#include "coll/coll.h"
#include "model/argument_check.h"
#include "model/world.h"
#include "team/group.h"
#include "topology/domain_build.h"

DART__PROFILED(dart_team_locality_init);
DART__PROFILED(dart_team_locality_finalize);
DART__PROFILED(dart_domain_team_locality);
DART__PROFILED(dart_unit_locality);
DART__PROFILED(dart_group_locality_split);

struct dart__locality {
  dart_domain_locality_t *root;
  dart_unit_locality_t    units[]; /* by team id */
};

static dart__hardware_t *hardware; /* by global id; from init to exit */

/* DART_TEAM_ALL has a locality that is not built yet. */
static _Atomic bool    all_is_due;
static pthread_mutex_t building = PTHREAD_MUTEX_INITIALIZER;

static dart_ret_t build(dart__team_t *team)
{
  size_t                 count    = (size_t)team->nunits;
  struct dart__locality *locality = calloc(1, sizeof *locality + count * sizeof *locality->units);
  dart__domain_unit_t   *units    = calloc(count, sizeof *units);
  dart_ret_t             ret      = DART_ERR_NOMEM;

  if (locality == NULL || units == NULL)
    goto free_all;
  for (int32_t u = 0; u < team->nunits; u++)
    units[u] = (dart__domain_unit_t){ .id       = team->members[u],
                                      .node     = team->node_of[u],
                                      .hardware = &hardware[team->members[u]] };
  ret = dart__domain_build(team->id, units, team->nunits, &locality->root, locality->units);
  if (ret != DART_OK)
    goto free_all;
  team->locality = locality;
  free(units);
  return DART_OK;

free_all:
  dart__error("no memory for the locality of the %d units of team %d", team->nunits, team->id);
  free(locality);
  free(units);
  return ret;
}

static dart_ret_t build_if_due(dart__team_t *team)
{
  dart_ret_t ret = DART_OK;

  if (team->id != DART_TEAM_ALL ||
      !all_is_due) /* acquire: what another thread has built is there */
    return DART_OK;
  pthread_mutex_lock(&building);
  if (all_is_due)
    ret = build(team);
  all_is_due = ret != DART_OK;
  pthread_mutex_unlock(&building);
  return ret;
}

/* Set the pace of waits by the number of units that may use the same processors, which is known only now: a
 * unit that is bound to a core of its own shares it with no other unit. */
static void set_pace(const dart__team_t *all)
{
  const dart__hardware_t *mine    = &hardware[all->me];
  uint32_t                sharing = 0;

  /* compare hosts, not nodes: a machine may be divided into several nodes, which share its processors */
  for (int32_t u = 0; u < all->nunits; u++)
    sharing +=
        strcmp(hardware[u].info.host, mine->info.host) == 0 && hardware[u].cpus == mine->cpus;
  dart__world_set_pace(sharing);
}

dart_ret_t dart__locality_open(void)
{
  dart__team_t    *all = dart__teams[DART_TEAM_ALL];
  dart__hardware_t mine;
  dart_ret_t       ret;

  dart__hardware_here((uint32_t)all->node_me, (uint32_t)all->node_nunits, &mine);
  hardware = calloc((size_t)all->nunits, sizeof *hardware);
  ret      = dart__coll_agree(all, hardware != NULL ? DART_OK : DART_ERR_NOMEM);
  if (ret == DART_OK) {
    dart__coll_share(all, &mine, hardware, sizeof mine);
    ret = dart__hardware_share_cores(hardware, all->nunits) ? DART_OK : DART_ERR_NOMEM;
    ret = dart__coll_agree(all, ret);
  }
  if (ret != DART_OK) {
    dart__locality_close();
    return ret;
  }
  all_is_due = true;
  set_pace(all);
  return DART_OK;
}

void dart__locality_close(void)
{
  dart__locality_drop(dart__teams[DART_TEAM_ALL]);
  free(hardware);
  hardware = NULL;
}

void dart__locality_drop(dart__team_t *team)
{
  if (team->id == DART_TEAM_ALL)
    all_is_due = false;
  if (team->locality == NULL)
    return;
  dart__domain_delete(team->locality->root);
  free(team->locality);
  team->locality = NULL;
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
  mine = build_if_due(team);
  if (mine == DART_OK && team->locality == NULL)
    mine = build(team);
  ret = dart__coll_agree(team, mine);
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

/* DART_ERR_NOTFOUND, DART_ERR_NOMEM: there is none, after one log line. */
static dart_ret_t find_locality(const char *function, dart__team_t *team)
{
  dart_ret_t ret = build_if_due(team);

  if (ret != DART_OK || team->locality != NULL)
    return ret;
  dart__error("%s: team %d has no locality; dart_team_locality_init makes it", function, team->id);
  return DART_ERR_NOTFOUND;
}

dart_ret_t dart_domain_team_locality(dart_team_t teamid, const char *domain_tag,
                                     dart_domain_locality_t **team_domain_out)
{
  dart__team_t *team = dart__check_team(__func__, teamid);
  dart_ret_t    ret;

  if (team_domain_out != NULL)
    *team_domain_out = NULL;
  if (domain_tag == NULL || team_domain_out == NULL) {
    dart__error("%s: %s is NULL", __func__, domain_tag == NULL ? "domain_tag" : "team_domain_out");
    return DART_ERR_INVAL;
  }
  if (team == NULL)
    return DART_ERR_INVAL;
  ret = find_locality(__func__, team);
  if (ret != DART_OK)
    return ret;
  *team_domain_out = dart__domain_find(team->locality->root, domain_tag);
  if (*team_domain_out != NULL)
    return DART_OK;
  dart__error("%s: no domain '%s' in team %d", __func__, domain_tag, teamid);
  return DART_ERR_NOTFOUND;
}

dart_ret_t dart_unit_locality(dart_team_t teamid, dart_team_unit_t unit, dart_unit_locality_t **loc)
{
  dart__team_t *team = dart__check_team(__func__, teamid);
  dart_ret_t    ret;

  if (loc == NULL) {
    dart__error("%s: loc is NULL", __func__);
    return DART_ERR_INVAL;
  }
  *loc = NULL;
  if (team == NULL)
    return DART_ERR_INVAL;
  if (unit.id < 0 || unit.id >= team->nunits) {
    dart__error("%s: unit %d is not in 0..%d of team %d", __func__, unit.id, team->nunits - 1,
                teamid);
    return DART_ERR_INVAL;
  }
  ret = find_locality(__func__, team);
  if (ret != DART_OK)
    return ret;
  *loc = &team->locality->units[unit.id];
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
  if (g == NULL || domain == NULL || nout == NULL || gout == NULL) {
    dart__error("%s: %s is NULL", __func__,
                g == NULL        ? "g"
                : domain == NULL ? "domain"
                : nout == NULL   ? "nout"
                                 : "gout");
    return DART_ERR_INVAL;
  }
  if (n == 0) {
    dart__error("%s: cannot split into 0 groups", __func__);
    return DART_ERR_OTHER;
  }
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
