/* Groups and teams: groups are objects that the program must destroy; for teams, the calls that create and destroy them
 * are compared. */
#include <stdlib.h>

#include "board.h"
#include "bytes.h"
#include "compare.h"
#include "creation.h"
#include "object.h"
#include "open_epochs.h"
#include "pending.h"
#include "segment.h"
#include "stuck.h"
#include "underway.h"

/* ---- groups -------------------------------------------------------------------------------------- */

static dart_ret_t made(dart_ret_t ret, dart_group_t *group, dart__at_t at)
{
  dart__check_made(ret, DART__CHECK_GROUP, ret == DART_OK ? (uintptr_t)*group : 0, DART_TEAM_NULL,
                   at);
  return ret;
}

static bool may_use(const void *group, dart__at_t at)
{
  return dart__check_may_use(DART__CHECK_GROUP, (uintptr_t)group, at);
}

static dart_ret_t made_several(dart_ret_t ret, dart_group_t *groups, size_t n, dart__at_t at)
{
  for (size_t i = 0; ret == DART_OK && i < n; i++)
    made(ret, &groups[i], at);
  return ret;
}

dart_ret_t dart_group_create(dart_group_t *group)
{
  return made(pdart_group_create(group), group, DART__AT(dart_group_create));
}

dart_ret_t dart_group_destroy(dart_group_t *group)
{
  dart__at_t at  = DART__AT(dart_group_destroy);
  uintptr_t  key = group != NULL ? (uintptr_t)*group : 0;
  dart_ret_t ret;

  if (!dart__check_may_use(DART__CHECK_GROUP, key, at))
    return DART_ERR_INVAL;
  ret = pdart_group_destroy(group);
  dart__check_ended(ret, DART__CHECK_GROUP, key, at);
  return ret;
}

dart_ret_t dart_group_clone(const dart_group_t gin, dart_group_t *gout)
{
  dart__at_t at = DART__AT(dart_group_clone);

  return may_use(gin, at) ? made(pdart_group_clone(gin, gout), gout, at) : DART_ERR_INVAL;
}

dart_ret_t dart_group_union(const dart_group_t g1, const dart_group_t g2, dart_group_t *gout)
{
  dart__at_t at = DART__AT(dart_group_union);

  return may_use(g1, at) && may_use(g2, at) ? made(pdart_group_union(g1, g2, gout), gout, at)
                                            : DART_ERR_INVAL;
}

dart_ret_t dart_group_intersect(const dart_group_t g1, const dart_group_t g2, dart_group_t *gout)
{
  dart__at_t at = DART__AT(dart_group_intersect);

  return may_use(g1, at) && may_use(g2, at) ? made(pdart_group_intersect(g1, g2, gout), gout, at)
                                            : DART_ERR_INVAL;
}

dart_ret_t dart_group_addmember(dart_group_t g, dart_global_unit_t unitid)
{
  return may_use(g, DART__AT(dart_group_addmember)) ? pdart_group_addmember(g, unitid)
                                                    : DART_ERR_INVAL;
}

dart_ret_t dart_group_split(const dart_group_t g, size_t n, size_t *nout, dart_group_t *gout)
{
  dart__at_t at = DART__AT(dart_group_split);

  return may_use(g, at) ? made_several(pdart_group_split(g, n, nout, gout), gout, n, at)
                        : DART_ERR_INVAL;
}

dart_ret_t dart_group_locality_split(const dart_group_t g, dart_domain_locality_t *domain,
                                     dart_locality_scope_t scope, size_t n, size_t *nout,
                                     dart_group_t *gout)
{
  dart__at_t at = DART__AT(dart_group_locality_split);

  return may_use(g, at) ? made_several(pdart_group_locality_split(g, domain, scope, n, nout, gout),
                                       gout, n, at)
                        : DART_ERR_INVAL;
}

dart_ret_t dart_team_get_group(dart_team_t teamid, dart_group_t *group)
{
  return made(pdart_team_get_group(teamid, group), group, DART__AT(dart_team_get_group));
}

/* ---- teams --------------------------------------------------------------------------------------- */

/* A hash of the group's members, the same in all units; 0 if there is no group. */
static uint64_t hash_of_group(const dart_group_t group)
{
  dart_global_unit_t *members;
  size_t              size;
  uint64_t            hash;

  if (group == NULL || pdart_group_size(group, &size) != DART_OK)
    return 0;
  members = dart__check_room(NULL, size * sizeof *members);
  pdart_group_getmembers(group, members);
  hash = dart__check_hash(0, members, size * sizeof *members);
  free(members);
  return hash;
}

/* The members of a team create and destroy it together, so only the first of them records it. */
static dart_ret_t known(dart_ret_t ret, const dart_team_t *team, dart__at_t at)
{
  int32_t me;
  size_t  size;

  if (ret != DART_OK || dart__check.kinds == 0 || *team == DART_TEAM_NULL)
    return ret;
  dart__check_team_known(*team);
  if (dart__check_team(*team, &me, &size) && me == 0)
    dart__check_made(ret, DART__CHECK_TEAM, (uintptr_t)*team, DART_TEAM_NULL, at);
  if (*team >= DART__CHECK_TEAMS)
    dart__check_lose_order("there are too many teams");
  return ret;
}

dart_ret_t dart_team_create(dart_team_t teamid, const dart_group_t group, dart_team_t *newteam)
{
  dart__at_t at = DART__AT(dart_team_create);

  if (!may_use(group, at))
    return DART_ERR_INVAL;
  if (newteam != NULL)
    dart__check_enter(teamid, (dart__check_record_t){ .other = hash_of_group(group) }, at);
  return known(pdart_team_create(teamid, group, newteam), newteam, at);
}

dart_ret_t dart_team_clone(dart_team_t team, dart_team_t *newteam)
{
  dart__at_t at = DART__AT(dart_team_clone);

  if (newteam != NULL)
    dart__check_enter(team, (dart__check_record_t){ .root = 0 }, at);
  return known(pdart_team_clone(team, newteam), newteam, at);
}

/* Before the team exists there is no team whose members could compare the call. */
dart_ret_t dart_team_create_group(dart_team_t parent, const dart_group_t group, int tag,
                                  dart_team_t *newteam)
{
  dart__at_t at = DART__AT(dart_team_create_group);
  dart_ret_t ret;

  if (!may_use(group, at))
    return DART_ERR_INVAL;
  dart__check_creation_enter(parent, group, tag, at);
  ret = known(pdart_team_create_group(parent, group, tag, newteam), newteam, at);
  dart__check_creation_leave();
  if (ret == DART_OK && dart__check_for(DART__CHECK_RACES) && dart__check_team_size(*newteam) > 1)
    dart__check_race_collective(*newteam, at.id, 0);
  return ret;
}

/* Members that are lost take no part, so calls are not compared. */
dart_ret_t dart_team_shrink(dart_team_t team, dart_team_t *newteam)
{
  return known(pdart_team_shrink(team, newteam), newteam, DART__AT(dart_team_shrink));
}

dart_ret_t dart_team_destroy(dart_team_t *teamid)
{
  dart__at_t  at   = DART__AT(dart_team_destroy);
  dart_team_t team = teamid != NULL ? *teamid : DART_TEAM_NULL;
  dart_ret_t  ret;
  bool        is_broken;

  if (team > 0) {
    dart__check_race_team(team);
    dart__check_enter(team, (dart__check_record_t){ .root = 0 }, at);
    dart__check_pending_team(team, at);
    dart__check_segments_open(team);
  }
  is_broken = team > 0 && pdart_survives() && dart__check_is_broken(team);
  ret       = pdart_team_destroy(teamid);
  if (ret == DART_OK && is_broken)
    dart__check_forget_of_team(team);
  if (ret == DART_OK && team > 0) {
    dart__check_ended(ret, DART__CHECK_TEAM, (uintptr_t)team, at);
    dart__check_segments_team(team);
    dart__check_forget_of(DART__CHECK_REGISTERED, team);
    dart__check_open_epochs_end(team, NULL);
    dart__check_stuck_end(team, NULL);
    dart__check_team_gone(team);
  }
  return ret;
}
