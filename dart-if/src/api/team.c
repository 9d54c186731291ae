/* Teams: their life, and questions about them.
 *
 * The exchange of a team lies, on each of its nodes, in the pool of the node's first unit, its
 * leader there. Making a team costs two small collectives of the parent: one agrees on the id, one
 * tells where the leaders put their exchange; whatever fails on one unit fails on all. */
#include "api/team.h"

#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "api/check.h"
#include "api/coll.h"
#include "api/locality.h"
#include "api/memory.h"
#include "api/pool.h"
#include "base/assert.h"
#include "base/config.h"
#include "model/group.h"
#include "model/world.h"
#include "port.h"

#define RESULT_BYTES    (64 * DART__KI)
#define RESULT_PER_UNIT 64

static int32_t next_id = 1; /* of the teams to come; at least as large on every unit they have */

static size_t result_bytes(const dart__team_t *team)
{
  size_t least = (size_t)team->nunits * RESULT_PER_UNIT;

  return least > RESULT_BYTES ? least : RESULT_BYTES;
}

static size_t slot_bytes(void)
{
  return (dart__settings.slot + DART__CACHE_LINE - 1) / DART__CACHE_LINE * DART__CACHE_LINE;
}

static dart_unit_t leader_of(const dart__team_t *team)
{
  return team->members[team->node_units[0]];
}

/* The leader's part: memory for the exchange, ready to be opened. */
static dart_ret_t place_exchange(const dart__team_t *team, uint64_t *offset_out)
{
  dart_ret_t ret = dart__pool_alloc(dart__exchange_bytes((uint32_t)team->node_nunits, slot_bytes(),
                                                         result_bytes(team)),
                                    offset_out);

  if (ret == DART_OK)
    dart__exchange_format(dart__pool_address(dart__world.me, *offset_out),
                          (uint32_t)team->node_nunits);
  return ret;
}

static void open_exchange(dart__team_t *team, uint64_t offset)
{
  team->exchange_offset = offset;
  dart__exchange_open(&team->exchange, dart__pool_address(leader_of(team), offset),
                      (uint32_t)team->node_nunits, (uint32_t)team->node_me, slot_bytes(),
                      result_bytes(team));
}

/* Give the exchange back, once no unit of the node looks at it any more. */
static void close_exchange(dart__team_t *team)
{
  _Atomic uint32_t *left  = &team->exchange.shared->left;
  uint32_t          turns = 0;

  if (!dart__team_is_leader(team)) {
    /* release: pairs with the leader's acquire; the last touch of the exchange */
    atomic_fetch_add_explicit(left, 1, memory_order_release);
    return;
  }
  while (atomic_load_explicit(left, memory_order_acquire) != (uint32_t)team->node_nunits - 1)
    dart__wait_turn(&turns, &dart__world.wait);
  dart__pool_free(team->exchange_offset);
}

dart_ret_t dart__team_open_all(void)
{
  dart_unit_t  *members = calloc((size_t)dart__world.nunits, sizeof *members);
  dart__team_t *all;
  uint64_t      offset = 0; /* of the first block of a fresh pool, so nobody has to be told */
  dart_ret_t    ret;

  next_id = 1;
  if (members == NULL)
    return dart__port_agree(DART_ERR_NOMEM);
  for (dart_unit_t u = 0; u < dart__world.nunits; u++)
    members[u] = u;
  all = dart__team_new(members, dart__world.nunits);
  free(members);
  dart__world.pid_of = calloc((size_t)dart__world.nunits, sizeof *dart__world.pid_of);
  ret = dart__port_agree(all == NULL || dart__world.pid_of == NULL ? DART_ERR_NOMEM : DART_OK);
  if (ret != DART_OK)
    goto delete_team;

  ret = dart__port_agree(dart__port_team_open(all));
  if (ret != DART_OK)
    goto delete_team;
  ret = dart__port_agree(dart__pool_open(all));
  if (ret != DART_OK)
    goto close_pool; /* it may be open here, and have failed elsewhere */
  ret = DART_OK;
  if (dart__team_is_leader(all))
    ret = place_exchange(all, &offset);
  dart__assert(offset == 0);
  ret = dart__port_agree(ret);
  if (ret != DART_OK)
    goto close_pool;
  open_exchange(all, offset);
  dart__team_enter(all, DART_TEAM_ALL);
  return dart__coll_allgather(all, &(int32_t){ getpid() }, dart__world.pid_of, sizeof(int32_t));

close_pool:
  dart__pool_close(all);
  dart__port_team_close(all);
delete_team:
  dart__team_delete(all);
  free(dart__world.pid_of);
  dart__error("dart_init: no memory for the first team and its pool, see DART_POOL, DART_SLOT");
  return ret;
}

/* What remains of a team after the last barrier over it. */
static void end_team(dart__team_t *team)
{
  dart__locality_drop(team);
  dart__memory_close(team);
  dart__port_team_close(team);
  close_exchange(team);
  dart__team_leave(team);
  dart__team_delete(team);
}

void dart__team_close_all(void)
{
  dart__team_t *all = dart__teams[DART_TEAM_ALL];

  /* Descending: the same order on all units, for ids never name two teams of one unit. */
  for (int32_t id = next_id - 1; id > DART_TEAM_ALL; id--)
    if (dart__teams[id] != NULL)
      end_team(dart__teams[id]);

  dart__memory_close(all);
  dart__port_agree(DART_OK); /* the exchange of all is in the pool, which goes now */
  dart__pool_close(all);
  dart__port_team_close(all);
  dart__team_leave(all);
  dart__team_delete(all);
  free(dart__world.pid_of);
}

/* A description of the team with these members; NULL without members. */
static dart_ret_t describe(const dart_unit_t *members, size_t count, dart__team_t **team_out)
{
  *team_out = count > 0 ? dart__team_new(members, (int32_t)count) : NULL;
  return *team_out != NULL || count == 0 ? DART_OK : DART_ERR_NOMEM;
}

/* Learn where the leader of the own node put the exchange. */
typedef struct {
  uint64_t offset;
  uint64_t failed;
} placed_t;

static dart_ret_t share_exchange(dart__team_t *parent, dart__team_t *team, dart_ret_t mine)
{
  placed_t  *placed = calloc((size_t)parent->nunits, sizeof *placed);
  placed_t   own    = { 0, 0 };
  dart_ret_t ret    = mine;

  if (placed == NULL)
    ret = DART_ERR_NOMEM;
  else if (ret == DART_OK && team != NULL && dart__team_is_leader(team))
    ret = place_exchange(team, &own.offset);
  own.failed = ret != DART_OK;

  if (placed == NULL) /* take part, to tell the others */
    return dart__coll_agree(parent, ret);
  ret = dart__coll_agree(parent, ret);
  if (ret == DART_OK)
    ret = dart__coll_allgather(parent, &own, placed, sizeof own);
  if (ret == DART_OK && team != NULL)
    open_exchange(team, placed[dart__team_unit_of(parent, leader_of(team))].offset);
  else if (ret != DART_OK && team != NULL && dart__team_is_leader(team) && !own.failed)
    dart__pool_free(own.offset);
  free(placed);
  return ret;
}

static dart_ret_t agree_on_id(dart__team_t *parent, int32_t *id_out)
{
  *id_out = next_id;
  return dart__coll_reduce(parent, id_out, id_out, 1, DART_TYPE_INT, DART_OP_MAX,
                           DART__EVERY_UNIT);
}

/* Common to create and clone: a team made by all units of `parent`. `count` is 0 on units that are
 * no members. */
static dart_ret_t create(const char *function, dart__team_t *parent, const dart_unit_t *members,
                         size_t count, dart_team_t *newteam)
{
  dart__team_t *team;
  dart_ret_t    ret, mine = describe(members, count, &team);
  int32_t       id;

  ret = agree_on_id(parent, &id);
  if (ret == DART_OK && id > INT16_MAX) {
    dart__error("%s: the %d team ids are used up", function, INT16_MAX);
    ret = DART_ERR_OTHER;
  }
  if (ret != DART_OK)
    goto delete_team;
  next_id = id + 1;

  ret = share_exchange(parent, team, mine);
  if (ret != DART_OK)
    goto failed;
  if (team != NULL) {
    dart__team_enter(team, (dart_team_t)id);
    mine = dart__port_team_open(team);
  }
  ret = dart__coll_agree(parent, mine);
  if (ret != DART_OK) {
    if (team != NULL) {
      if (mine == DART_OK)
        dart__port_team_close(team);
      close_exchange(team);
      dart__team_leave(team);
    }
    goto failed;
  }
  if (team != NULL) {
    *newteam = team->id;
    dart__debug("%s: team %d of %d units on %d nodes", function, id, team->nunits, team->nnodes);
  }
  return DART_OK;

failed:
  dart__error("%s: team %d cannot be made on every unit of team %d", function, id, parent->id);
delete_team:
  dart__team_delete(team);
  return ret;
}

dart_ret_t dart_team_create(dart_team_t teamid, const dart_group_t group, dart_team_t *newteam)
{
  dart__team_t *parent = dart__check_team(__func__, teamid);

  if (newteam == NULL) {
    dart__error("%s: newteam is NULL", __func__);
    return DART_ERR_INVAL;
  }
  *newteam = DART_TEAM_NULL;
  if (parent == NULL)
    return DART_ERR_INVAL;
  for (size_t i = 0; group != NULL && i < group->count; i++)
    if (dart__team_unit_of(parent, group->ids[i]) < 0) {
      dart__error("%s: unit %d is no member of team %d", __func__, group->ids[i], teamid);
      return DART_ERR_INVAL;
    }
  if (group == NULL || !dart__group_has(group, dart__world.me))
    return create(__func__, parent, NULL, 0, newteam);
  return create(__func__, parent, group->ids, group->count, newteam);
}

dart_ret_t dart_team_clone(dart_team_t teamid, dart_team_t *newteam)
{
  dart__team_t *team = dart__check_team(__func__, teamid);

  if (newteam == NULL) {
    dart__error("%s: newteam is NULL", __func__);
    return DART_ERR_INVAL;
  }
  *newteam = DART_TEAM_NULL;
  return team == NULL ? DART_ERR_INVAL
                      : create(__func__, team, team->members, (size_t)team->nunits, newteam);
}

dart_ret_t dart_team_destroy(dart_team_t *teamid)
{
  dart__team_t *team;
  dart_ret_t    ret;

  if (teamid == NULL) {
    dart__error("%s: teamid is NULL", __func__);
    return DART_ERR_INVAL;
  }
  if (*teamid == DART_TEAM_NULL)
    return DART_OK;
  if (*teamid == DART_TEAM_ALL) {
    dart__error("%s: the team of all units lives until dart_exit", __func__);
    return DART_ERR_INVAL;
  }
  team = dart__check_team(__func__, *teamid);
  if (team == NULL)
    return DART_ERR_INVAL;
  ret = dart__far_flush_all(team);
  ret = dart__worse(ret, dart__coll_barrier(team));
  end_team(team);
  *teamid = DART_TEAM_NULL;
  return ret;
}

/* ---- questions: all local ---------------------------------------------------------------- */

dart_ret_t dart_team_get_group(dart_team_t teamid, dart_group_t *group)
{
  dart__team_t *team = dart__check_team(__func__, teamid);

  if (group == NULL) {
    dart__error("%s: group is NULL", __func__);
    return DART_ERR_INVAL;
  }
  *group = DART_GROUP_NULL;
  if (team == NULL)
    return DART_ERR_INVAL;
  *group = dart__group_new(team->members, (size_t)team->nunits);
  if (*group == DART_GROUP_NULL) {
    dart__error("%s: no memory for a group of %d units", __func__, team->nunits);
    return DART_ERR_NOMEM;
  }
  return DART_OK;
}

dart_ret_t dart_team_myid(dart_team_t teamid, dart_team_unit_t *myid)
{
  dart__team_t *team = dart__team_find(teamid);

  if (myid == NULL) {
    dart__error("%s: myid is NULL", __func__);
    return DART_ERR_INVAL;
  }
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

  if (size == NULL) {
    dart__error("%s: size is NULL", __func__);
    return DART_ERR_INVAL;
  }
  if (team == NULL)
    return DART_ERR_INVAL;
  *size = (size_t)team->nunits;
  return DART_OK;
}

dart_ret_t dart_myid(dart_global_unit_t *myid)
{
  if (myid == NULL) {
    dart__error("%s: myid is NULL", __func__);
    return DART_ERR_INVAL;
  }
  *myid = dart_create_global_unit(dart_initialized() ? dart__world.me : DART_UNDEFINED_UNIT_ID);
  if (myid->id >= 0)
    return DART_OK;
  dart__error("%s: DART is not initialised", __func__);
  return DART_ERR_OTHER;
}

dart_ret_t dart_size(size_t *size)
{
  if (size == NULL) {
    dart__error("%s: size is NULL", __func__);
    return DART_ERR_INVAL;
  }
  *size = dart_initialized() ? (size_t)dart__world.nunits : 0;
  if (*size > 0)
    return DART_OK;
  dart__error("%s: DART is not initialised", __func__);
  return DART_ERR_OTHER;
}

dart_ret_t dart_team_unit_l2g(dart_team_t teamid, dart_team_unit_t localid,
                              dart_global_unit_t *globalid)
{
  dart__team_t *team = dart__check_team(__func__, teamid);

  if (globalid == NULL) {
    dart__error("%s: globalid is NULL", __func__);
    return DART_ERR_INVAL;
  }
  *globalid = DART_UNDEFINED_GLOBAL_UNIT_ID;
  if (team == NULL)
    return DART_ERR_INVAL;
  if (localid.id < 0 || localid.id >= team->nunits) {
    dart__error("%s: unit %d is not in 0..%d of team %d", __func__, localid.id, team->nunits - 1,
                teamid);
    return DART_ERR_INVAL;
  }
  *globalid = dart_create_global_unit(team->members[localid.id]);
  return DART_OK;
}

dart_ret_t dart_team_unit_g2l(dart_team_t teamid, dart_global_unit_t globalid,
                              dart_team_unit_t *localid)
{
  dart__team_t *team = dart__check_team(__func__, teamid);

  if (localid == NULL) {
    dart__error("%s: localid is NULL", __func__);
    return DART_ERR_INVAL;
  }
  *localid = DART_UNDEFINED_TEAM_UNIT_ID;
  if (team == NULL)
    return DART_ERR_INVAL;
  *localid = dart_create_team_unit(dart__team_unit_of(team, globalid.id));
  return DART_OK;
}
