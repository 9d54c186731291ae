/* Teams: creation, destruction, and queries.
 *
 * The exchange of a team lies, on each of its nodes, in the pool of the node's leader: its first unit in the
 * team. Creating a team costs an agreement of the parent, on the id, and that all have allocated what they need. Then each leader
 * tells its node where the exchange is. Where the backend has to open the team, or units may be lost, they agree once more.
 * If one of these fails on one unit it fails on all. */
#include "team/team_calls.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/config.h"
#include "base/profile.h"
#include "coll/coll.h"
#include "far/far_ops.h"
#include "far/handlers.h"
#include "far/progress.h"
#include "memory/memory.h"
#include "memory/pool.h"
#include "model/argument_check.h"
#include "model/lost.h"
#include "model/tell.h"
#include "model/world.h"
#include "net.h"
#include "team/group.h"
#include "team/make.h"
#include "team/team_locality.h"
#include "topology/hardware.h"

DART__PROFILED(dart_team_create, dart_team_clone, dart_team_destroy, dart_team_get_group);
DART__PROFILED(dart_team_myid, dart_team_size, dart_myid, dart_size);
DART__PROFILED(dart_team_unit_l2g, dart_team_unit_g2l);

/* The nodes of all units, by rule if there is one, instead of what the network says of each unit. */
static bool place_units(void)
{
  bool are_found = dart__world_find_nodes();

  free(dart__world.node_of);
  dart__world.node_of = NULL;
  return are_found;
}

/* Allocate all that this unit needs for the first team and the pool; both are not open. NULL: no memory. */
static dart__team_t *prepare_all(void)
{
  dart__members_t members = { .count = dart__world.nunits, .stride = 1 };
  dart__team_t   *all     = place_units() ? dart__team_describe(&members) : NULL;

  if (all != NULL)
    dart__world.near_pid = calloc((size_t)all->node_nunits, sizeof *dart__world.near_pid);
  if (all != NULL && dart__world.near_pid != NULL && dart__pool_prepare(all) == DART_OK)
    return all;
  dart__team_discard(all);
  return NULL;
}

/* What prepare_all has made, once the team is gone. */
static void forget_nodes(void)
{
  free(dart__world.near_pid);
  dart__world.near_pid = NULL;
  dart__placement_clear(&dart__world.nodes);
}

/* The worst of all units' results, DART_ERR_INVAL if their settings differ; and the bytes of a set of processors, which
 * one that could not ask its system learns from the others. */
static dart_ret_t agree_on_start(dart_ret_t mine, size_t *set_bytes_out)
{
  int32_t common  = dart__settings_common();
  int32_t most[4] = { (int32_t)mine, common, -common, (int32_t)dart__processors_bytes() };

  dart__net_agree(most, 4);
  *set_bytes_out = (size_t)most[3];
  if (most[0] != DART_OK || most[1] == -most[2])
    return (dart_ret_t)most[0];
  dart__settings_differ();
  return DART_ERR_INVAL;
}

/* In the second block of the pool, so all units of the node know it. */
static dart_ret_t alloc_exchange(const dart__team_t *all)
{
  uint64_t   offset;
  dart_ret_t ret = dart__team_exchange_alloc(all, &offset);

  dart__assert(ret != DART_OK || offset == dart__pool_first());
  return ret;
}

dart_ret_t dart__team_open_all(dart_ret_t before, dart__team_t **all_out)
{
  dart__team_t *all = *all_out = prepare_all();
  size_t        set_bytes;
  dart_ret_t    ret =
      agree_on_start(before == DART_OK && all == NULL ? DART_ERR_NOMEM : before, &set_bytes);

  dart__team_ids_reset();
  if (ret == DART_OK)
    ret = dart__net_team_open(all);
  if (ret == DART_OK)
    ret = dart__pool_open();
  if (ret == DART_OK && dart__team_is_leader(all))
    ret = alloc_exchange(all);
  if (ret == DART_OK)
    ret = dart__locality_prepare(all, set_bytes);
  return ret;
}

/* Where no rule gives the nodes of units, their tables lie once for a node; if its pool has no room, in each unit. */
static void share_nodes(dart__team_t *all)
{
  dart__placement_t *nodes  = &dart__world.nodes;
  size_t             nbytes = dart__placement_elements(nodes) * sizeof(int32_t);
  uint64_t           offset = 0;

  if (nodes->kind != DART__PLACED_ANYHOW)
    return;
  if (dart__team_is_leader(all) && dart__pool_alloc(nbytes, &offset) == DART_OK)
    dart__placement_copy(nodes, (int32_t *)(void *)dart__pool_address(dart__world.me, offset));
  dart__coll_hear_on_node(all, &offset, &offset, sizeof offset, 0);
  if (offset == 0)
    return;
  dart__placement_share(nodes,
                        (int32_t *)(void *)dart__pool_address(dart__team_leader(all), offset));
  all->nodes = *nodes;
}

dart_ret_t dart__team_enter_all(dart__team_t *all, dart_ret_t mine)
{
  /* once for all that may have failed: units that share cores take long to agree by MPI */
  dart_ret_t ret = dart__net_agree_on_result(mine);

  if (ret != DART_OK) {
    if (ret == DART_ERR_NOMEM && dart__tells_first(DART__TELL_INIT))
      dart__error("dart_init: no memory for the first team and its pool, "
                  "see DART_POOL");
    dart__net_agree_on_result(DART_OK); /* nobody ends the program before it is said */
    dart__locality_close();
    dart__pool_close();
    dart__team_discard(all);
    forget_nodes();
    return ret;
  }
  dart__team_exchange_open(all, dart__pool_first());
  dart__team_enter(all, DART_TEAM_ALL);
  dart__coll_share_on_node(all, &(int32_t){ getpid() }, dart__world.near_pid, sizeof(int32_t));
  share_nodes(all);
  return DART_OK;
}

/* Destroy a team after the last barrier over it. */
static void destroy_team(dart__team_t *team)
{
  dart__locality_drop(team);
  dart__memory_close(team);
  dart__net_team_close(team);
  dart__team_exchange_close(team);
  dart__team_leave(team);
  dart__team_discard(team);
}

void dart__team_close_all(void)
{
  dart__team_t *all = dart__teams[DART_TEAM_ALL];

  /* In descending order of ids: the same order on all units, for a unit never has two teams with one id. */
  for (int32_t id = dart__team_next_id() - 1; id > DART_TEAM_ALL; id--)
    if (dart__teams[id] != NULL)
      destroy_team(dart__teams[id]);

  dart__memory_close(all);
  dart__net_agree_on_result(DART_OK); /* a barrier without the exchange, which is in the pool */
  dart__pool_close();
  dart__net_team_close(all);
  dart__team_leave(all);
  dart__team_discard(all);
  dart__team_free_spare();
  forget_nodes();
}

/* Hear from the leader where its exchange is, and open it. */
static void share_exchange(dart__team_t *parent, dart__team_t *team, uint64_t offset)
{
  int32_t leader = team != NULL ? dart__team_unit_of(parent, dart__team_leader(team)) : parent->me;

  dart__coll_hear_on_node(parent, &offset, &offset, sizeof offset,
                          dart__team_near_index(parent, leader));
  if (team != NULL && !dart__team_is_broken(parent))
    dart__team_exchange_open(team, offset);
}

/* The new team's id, and the worst of all units' results. */
static dart_ret_t agree_on_id(dart__team_t *parent, dart_ret_t mine, int32_t *id_out)
{
  unsigned long most[2] = { (unsigned long)dart__team_next_id(), mine };

  dart__coll_most(parent, most, 2);
  *id_out = (int32_t)most[0];
  if (dart__team_is_broken(parent))
    return DART_ERR_UNIT_LOST;
  if (*id_out > INT16_MAX)
    return DART_ERR_OTHER;
  dart__team_take_id(*id_out);
  return (dart_ret_t)most[1];
}

/* Open the team on its members. Collective over the parent, and agreed. A unit may return before others come here: what it
 * sends them by the new team waits for them, and its memory and objects are made by all. */
static dart_ret_t open_team(dart__team_t *parent, const dart__team_plan_t *plan, int32_t id)
{
  dart__team_t *team = plan->team;
  dart_ret_t    ret  = DART_OK;

  share_exchange(parent, team, plan->exchange);
  if (dart__team_is_broken(parent))
    return DART_ERR_UNIT_LOST;
  if (team != NULL) {
    dart__team_enter(team, (dart_team_t)id);
    ret = dart__net_team_open(team);
  }
  if (dart__team_agrees_twice())
    ret = dart__coll_agree(parent, ret);
  if (ret != DART_OK && team != NULL)
    dart__team_leave(team);
  return ret;
}

/* Collective over the parent; `members` is NULL on units that are none. */
static dart_ret_t create_here(const char *function, dart__team_t *parent,
                              const dart__members_t *members, dart_team_t *newteam)
{
  dart__team_plan_t plan;
  int32_t           id;
  dart_ret_t        ret = agree_on_id(parent, dart__team_plan(members, &plan), &id);

  if (ret == DART_OK)
    ret = open_team(parent, &plan, id);
  if (ret != DART_OK) {
    if (ret != DART_ERR_UNIT_LOST && id > INT16_MAX)
      dart__error("%s: the %d team ids are used up", function, INT16_MAX);
    else if (ret != DART_ERR_UNIT_LOST && !dart__was_told(dart__team_call_number(parent)))
      dart__error("%s: team %d cannot be made on every unit of team %d", function, id, parent->id);
    if (ret == DART_ERR_UNIT_LOST)
      plan.exchange = 0; /* others may have opened it: it stays */
    dart__team_plan_discard(&plan);
    return ret;
  }
  if (plan.team != NULL) {
    dart__team_exchange_group(plan.team);
    *newteam = plan.team->id;
    dart__debug("%s: team %d of %d units on %d nodes", function, id, plan.team->nunits,
                plan.team->nnodes);
  }
  return DART_OK;
}

dart_ret_t dart__team_vote_made(dart__team_t *parent, dart_ret_t ret, dart_team_t *newteam)
{
  dart__ballot_values_t votes = { .most = ret };

  dart__team_vote(parent, &votes, NULL);
  if (votes.most != DART_OK && ret == DART_OK && *newteam != DART_TEAM_NULL) {
    dart__team_break(dart__teams[*newteam]); /* others do not have it */
    destroy_team(dart__teams[*newteam]);
    *newteam = DART_TEAM_NULL;
  }
  return (dart_ret_t)votes.most;
}

/* Common to create and clone. */
static dart_ret_t create(const char *function, dart__team_t *parent, const dart__members_t *members,
                         dart_team_t *newteam)
{
  dart_ret_t ret, worst = DART_OK;

  dart__team_begin_call(parent, function);
  ret = create_here(function, parent, members, newteam);
  if (dart__survives()) /* the last agreement may have failed on some units only */
    worst = dart__team_vote_made(parent, ret, newteam);
  return ret != DART_OK ? ret : worst;
}

/* A unit of the group, whose ids ascend, that is no member; -1: there is none. Members without a gap have all between two. */
static dart_unit_t find_stranger(const dart__team_t *parent, const dart_group_t group)
{
  bool   has_gaps = parent->members.ids != NULL || parent->members.stride > 1;
  size_t step     = has_gaps || group->count < 2 ? 1 : group->count - 1;

  for (size_t i = 0; i < group->count; i += step)
    if (dart__team_unit_of(parent, group->ids[i]) < 0)
      return group->ids[i];
  return -1;
}

dart_ret_t dart_team_create(dart_team_t teamid, const dart_group_t group, dart_team_t *newteam)
{
  dart__team_t   *parent = dart__check_team(__func__, teamid);
  dart__members_t members;
  dart_unit_t     stranger;

  if (newteam == NULL)
    return dart__fail(DART_ERR_INVAL, "%s: newteam is NULL", __func__);
  *newteam = DART_TEAM_NULL;
  if (parent == NULL)
    return DART_ERR_INVAL;
  stranger = group == NULL ? -1 : find_stranger(parent, group);
  if (stranger >= 0)
    return dart__fail(DART_ERR_INVAL, "%s: unit %d is no member of team %d", __func__, stranger,
                      teamid);
  if (group == NULL || !dart__group_has(group, dart__world.me))
    return create(__func__, parent, NULL, newteam);
  members = dart__members_of(group->ids, (int32_t)group->count);
  return create(__func__, parent, &members, newteam);
}

dart_ret_t dart_team_clone(dart_team_t teamid, dart_team_t *newteam)
{
  dart__team_t *team = dart__check_team(__func__, teamid);

  if (newteam == NULL)
    return dart__fail(DART_ERR_INVAL, "%s: newteam is NULL", __func__);
  *newteam = DART_TEAM_NULL;
  return team == NULL ? DART_ERR_INVAL : create(__func__, team, &team->members, newteam);
}

/* All units of the team have come, or are lost. Where a unit may be lost that has entered a barrier, and then some have
 * passed it, a vote is the same for all. */
static void wait_for_members(dart__team_t *team)
{
  dart__team_forget_call(team);
  if (dart__survives())
    dart__team_vote(team, &(dart__ballot_values_t){ 0 }, NULL);
  else
    dart__coll_barrier(team);
}

dart_ret_t dart_team_destroy(dart_team_t *teamid)
{
  dart__team_t *team;

  if (teamid == NULL)
    return dart__fail(DART_ERR_INVAL, "%s: teamid is NULL", __func__);
  if (*teamid == DART_TEAM_NULL)
    return DART_OK;
  if (*teamid == DART_TEAM_ALL)
    return dart__fail(DART_ERR_INVAL, "%s: the team of all units lives until dart_exit", __func__);
  team = dart__check_team(__func__, *teamid);
  if (team == NULL)
    return DART_ERR_INVAL;
  dart__progress_settle(0); /* unlocks of its segments that did not wait */
  dart__release_cached();
  if (team->nnodes > 1)
    dart__far_flush_all(team); /* refused operations were logged */
  dart__team_begin_call(team, __func__);
  wait_for_members(team);
  destroy_team(team);
  *teamid = DART_TEAM_NULL;
  return DART_OK;
}

/* ---- queries: all local ------------------------------------------------------------------ */

dart_ret_t dart_team_get_group(dart_team_t teamid, dart_group_t *group)
{
  dart__team_t *team = dart__check_team(__func__, teamid);

  if (group == NULL)
    return dart__fail(DART_ERR_INVAL, "%s: group is NULL", __func__);
  *group = DART_GROUP_NULL;
  if (team == NULL)
    return DART_ERR_INVAL;
  *group = dart__group_of(&team->members);
  if (*group == DART_GROUP_NULL)
    return dart__fail(DART_ERR_NOMEM, "%s: no memory for a group of %d units", __func__,
                      team->nunits);
  return DART_OK;
}

dart_ret_t dart_team_myid(dart_team_t teamid, dart_team_unit_t *myid)
{
  dart__team_t *team = dart__team_find(teamid);

  if (myid == NULL)
    return dart__fail(DART_ERR_INVAL, "%s: myid is NULL", __func__);
  if (team == NULL) {
    *myid = DART_UNDEFINED_TEAM_UNIT_ID;
    dart__check_team(__func__, teamid);
    return DART_ERR_INVAL;
  }
  *myid = dart_create_team_unit(team->me);
  return DART_OK;
}

dart_ret_t dart_team_size(dart_team_t teamid, size_t *size)
{
  dart__team_t *team = dart__check_team(__func__, teamid);

  if (size == NULL)
    return dart__fail(DART_ERR_INVAL, "%s: size is NULL", __func__);
  if (team == NULL)
    return DART_ERR_INVAL;
  *size = (size_t)team->nunits;
  return DART_OK;
}

dart_ret_t dart_myid(dart_global_unit_t *myid)
{
  if (myid == NULL)
    return dart__fail(DART_ERR_INVAL, "%s: myid is NULL", __func__);
  *myid =
      dart_create_global_unit(dart__world.initialized ? dart__world.me : DART_UNDEFINED_UNIT_ID);
  if (myid->id >= 0)
    return DART_OK;
  return dart__fail(DART_ERR_OTHER, "%s: DART is not initialised", __func__);
}

dart_ret_t dart_size(size_t *size)
{
  if (size == NULL)
    return dart__fail(DART_ERR_INVAL, "%s: size is NULL", __func__);
  *size = dart__world.initialized ? (size_t)dart__world.nunits : 0;
  if (*size > 0)
    return DART_OK;
  return dart__fail(DART_ERR_OTHER, "%s: DART is not initialised", __func__);
}

dart_ret_t dart_team_unit_l2g(dart_team_t teamid, dart_team_unit_t localid,
                              dart_global_unit_t *globalid)
{
  dart__team_t *team = dart__check_team(__func__, teamid);

  if (globalid == NULL)
    return dart__fail(DART_ERR_INVAL, "%s: globalid is NULL", __func__);
  *globalid = DART_UNDEFINED_GLOBAL_UNIT_ID;
  if (team == NULL)
    return DART_ERR_INVAL;
  if (localid.id < 0 || localid.id >= team->nunits)
    return dart__fail(DART_ERR_INVAL, "%s: unit %d is not in 0..%d of team %d", __func__,
                      localid.id, team->nunits - 1, teamid);
  *globalid = dart_create_global_unit(dart__team_member(team, localid.id));
  return DART_OK;
}

dart_ret_t dart_team_unit_g2l(dart_team_t teamid, dart_global_unit_t globalid,
                              dart_team_unit_t *localid)
{
  dart__team_t *team = dart__check_team(__func__, teamid);

  if (localid == NULL)
    return dart__fail(DART_ERR_INVAL, "%s: localid is NULL", __func__);
  *localid = DART_UNDEFINED_TEAM_UNIT_ID;
  if (team == NULL)
    return DART_ERR_INVAL;
  *localid = dart_create_team_unit(dart__team_unit_of(team, globalid.id));
  return DART_OK;
}
