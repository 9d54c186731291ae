/* If DART is asked for a team that does not exist, it writes a line that the program has not caused. So the teams are
 * recorded here. */
#include "member.h"

#include <string.h>

typedef struct {
  int32_t  me;
  uint32_t size; /* 0: not a member */
} team_t;

static team_t teams[DART__CHECK_TEAMS];

void dart__check_team_known(dart_team_t team)
{
  dart_team_unit_t me;
  size_t           size;

  if (team >= DART__CHECK_TEAMS)
    return;
  pdart_team_myid(team, &me);
  pdart_team_size(team, &size);
  teams[team] = (team_t){ .me = me.id, .size = (uint32_t)size };
}

void dart__check_team_gone(dart_team_t team)
{
  if (team < DART__CHECK_TEAMS)
    teams[team].size = 0;
}

void dart__check_teams_forget(void)
{
  memset(teams, 0, sizeof teams);
}

bool dart__check_team(dart_team_t team, int32_t *me_out, size_t *size_out)
{
  *size_out = dart__check_team_size(team);
  if (*size_out == 0)
    return false;
  *me_out = teams[team].me;
  return true;
}

size_t dart__check_team_size(dart_team_t team)
{
  return dart__check.kinds == 0 || team < 0 || team >= DART__CHECK_TEAMS ? 0 : teams[team].size;
}

/* dart_team_lost would say that the program knows. */
bool dart__check_is_broken(dart_team_t team)
{
  dart_global_unit_t unit;
  dart_unit_status_t status = DART_UNIT_RUNNING;
  size_t             size   = pdart_survives() ? dart__check_team_size(team) : 0;

  for (size_t i = 0; i < size && status == DART_UNIT_RUNNING; i++)
    if (pdart_team_unit_l2g(team, DART_TEAM_UNIT_ID((int32_t)i), &unit) != DART_OK ||
        pdart_unit_status(unit, &status) != DART_OK)
      return false;
  return status != DART_UNIT_RUNNING;
}
