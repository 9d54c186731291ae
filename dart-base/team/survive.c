/* Going on without units that are lost: see dart_survive.h and model/lost.h.
 *
 * To shrink a team its members vote on the number of losses that each has seen. Those that have voted, and were not among
 * the losses up to the highest number, are the new team: the same units on all of them. They make it by messages
 * (create_group.c), which fail if one more of them dies, on some of them perhaps and not on others. So they vote once
 * more, on whether all have the team; else they drop it, and begin anew. There are less attempts than members. */
#include <dash/dart/ext/dart_survive.h>

#include <stdlib.h>

#include <dash/dart/ext/dart_profile.h>

#include "base/log.h"
#include "base/profile.h"
#include "model/argument_check.h"
#include "model/lost.h"
#include "model/world.h"
#include "team/create_group.h"
#include "team/team_calls.h"

DART__PROFILED(dart_survives, dart_unit_status, dart_team_lost, dart_lost_handler);
DART__PROFILED(dart_team_shrink, dart_team_agree, dart_lock_was_broken);

/* ---- to know ------------------------------------------------------------------------------------- */

bool dart_survives(void)
{
  return dart__world.initialized && dart__survives();
}

dart_ret_t dart_unit_status(dart_global_unit_t unit, dart_unit_status_t *status)
{
  if (dart__check_team(__func__, DART_TEAM_ALL) == NULL)
    return DART_ERR_INVAL;
  if (unit.id < 0 || unit.id >= dart__world.nunits || status == NULL) {
    dart__error(status == NULL ? "%s: status is NULL, for unit %d" : "%s: there is no unit %d",
                __func__, unit.id);
    return DART_ERR_INVAL;
  }
  *status = dart__unit_status(unit.id);
  dart__lost_tell();
  return DART_OK;
}

dart_ret_t dart_team_lost(dart_team_t teamid, dart_global_unit_t *units, size_t *nunits)
{
  dart__team_t *team  = dart__check_team(__func__, teamid);
  uint32_t      count = dart__lost_count();
  size_t        n     = 0;

  if (team == NULL)
    return DART_ERR_INVAL;
  if (nunits == NULL || (units == NULL && *nunits > 0)) {
    dart__error("%s: %s is NULL", __func__, nunits == NULL ? "nunits" : "units");
    return DART_ERR_INVAL;
  }
  for (uint32_t number = 1; number <= count; number++) {
    dart_unit_t unit = dart__lost_unit(number);

    if (dart__team_unit_of(team, unit) < 0)
      continue;
    if (n < *nunits)
      units[n] = (dart_global_unit_t){ unit };
    n++;
  }
  *nunits = n;
  for (uint32_t number = 1; number <= count && teamid == DART_TEAM_ALL; number++)
    dart__lost_acknowledge(number);
  dart__lost_tell();
  return DART_OK;
}

dart_ret_t dart_lost_handler(dart_lost_handler_t handler, void *context)
{
  if (dart__check_team(__func__, DART_TEAM_ALL) == NULL)
    return DART_ERR_INVAL;
  dart__lost_set_handler(handler, context);
  return DART_OK;
}

bool dart_lock_was_broken(void)
{
  return dart__lost_take_broken();
}

/* ---- to agree ------------------------------------------------------------------------------------ */

static dart__team_t *check_survives(const char *function, dart_team_t teamid, const void *result)
{
  dart__team_t *team = dart__check_team(function, teamid);

  if (team != NULL && result != NULL && dart__survives())
    return team;
  if (team != NULL)
    dart__error("%s: %s", function,
                result == NULL ? "the place for the result is NULL" : "DART_SURVIVE is not 1");
  return NULL;
}

dart_ret_t dart_team_agree(dart_team_t teamid, uint64_t *value)
{
  dart__team_t         *team = check_survives(__func__, teamid, value);
  dart__ballot_values_t values;
  int32_t               nvoters;

  if (team == NULL)
    return DART_ERR_INVAL;
  values  = (dart__ballot_values_t){ .all = *value };
  nvoters = dart__team_vote(team, &values, NULL);
  dart__lost_tell();
  *value = values.all;
  return nvoters == team->nunits ? DART_OK : DART_ERR_UNIT_LOST;
}

/* ---- to go on ------------------------------------------------------------------------------------ */

/* Of those that have voted, the ones that were not lost by the loss `number`. Returns how many there are. */
static size_t drop_lost(dart_unit_t *ids, int32_t nvoters, uint64_t number, size_t *me_out)
{
  size_t n = 0;

  for (int32_t i = 0; i < nvoters; i++) {
    uint32_t lost = dart__lost_number(ids[i]);

    if (lost != 0 && lost <= number)
      continue;
    if (ids[i] == dart__world.me)
      *me_out = n;
    ids[n++] = ids[i];
  }
  return n;
}

/* The program knows of the members that are not among the `n`, whichever unit has seen their loss first. */
static void acknowledge_others(const dart__team_t *team, const dart_unit_t *ids, size_t n)
{
  size_t next = 0;

  for (int32_t i = 0; i < team->nunits; i++)
    if (next < n && dart__team_member(team, i) == ids[next])
      next++;
    else
      dart__lost_acknowledge(dart__lost_number(dart__team_member(team, i)));
}

/* One attempt. DART_PENDING, on all: another unit was lost meanwhile. */
static dart_ret_t shrink_once(const char *function, dart__team_t *team, dart_unit_t *ids,
                              dart_team_t *newteam)
{
  dart__ballot_values_t votes   = { .most = dart__lost_count() };
  int32_t               nvoters = dart__team_vote(team, &votes, ids);
  size_t                me = 0, n = drop_lost(ids, nvoters, votes.most, &me);
  dart_ret_t ret = dart__team_create_of(function, team->id, team->nvotes, ids, n, me, newteam);

  ret = dart__team_vote_made(team, ret, newteam);
  if (ret != DART_OK)
    *newteam = DART_TEAM_NULL;
  acknowledge_others(team, ids, n);
  return ret == DART_ERR_UNIT_LOST ? DART_PENDING : ret;
}

dart_ret_t dart_team_shrink(dart_team_t teamid, dart_team_t *newteam)
{
  dart__team_t         *team = check_survives(__func__, teamid, newteam);
  dart__ballot_values_t can;
  dart_unit_t          *ids;
  dart_ret_t            ret = DART_PENDING;

  if (newteam != NULL)
    *newteam = DART_TEAM_NULL;
  if (team == NULL)
    return DART_ERR_INVAL;
  ids = malloc((size_t)team->nunits * sizeof *ids);
  can = (dart__ballot_values_t){ .all = ids != NULL };
  dart__team_vote(team, &can, NULL);
  if (can.all == 0) {
    dart__error("%s: no memory for a list of %d units on each of team %d", __func__, team->nunits,
                teamid);
    acknowledge_others(team, NULL, 0);
    ret = DART_ERR_NOMEM;
  }
  while (ret == DART_PENDING)
    ret = shrink_once(__func__, team, ids, newteam);
  free(ids);
  dart__lost_tell();
  return ret;
}
