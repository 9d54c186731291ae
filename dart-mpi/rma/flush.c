/* Flushes of far memory: of requests, then of transfers by MPI, then of handles that were given up. */
#include "memory/team.h"
#include "model/team.h"
#include "progress/engine.h"
#include "rma/completion.h"
#include "rma/handle.h"
#include "rma/order.h"
#include "rma/rma.h"

static dart_ret_t flush(dart__team_t *team, int32_t unit, dart__am_scope_t scope)
{
  dart_ret_t ret = dart__am_flush(dart__engine.am, team->members[unit], scope);

  dart__completion_flush(team, unit, scope == DART__AM_REMOTE);
  dart__burst_end(&dart__team_port(team)->burst[unit]);
  if (scope == DART__AM_REMOTE)
    dart__handles_flushed(team, unit);
  return ret;
}

void dart__far_settle(dart__team_t *team, int32_t unit)
{
  if (team->nnodes == 1)
    return;
  dart__am_settle(dart__engine.am, team->members[unit]);
  dart__completion_flush(team, unit, true);
}

void dart__far_order(dart__team_t *team, int32_t unit)
{
  dart__completion_flush(team, unit, true);
  dart__order_note(team, unit);
}

static bool is_member(const void *team, int32_t unit)
{
  return dart__team_unit_of(team, unit) >= 0;
}

static dart_ret_t flush_all(dart__team_t *team, dart__am_scope_t scope)
{
  dart_ret_t ret;

  if (team->nnodes == 1)
    return DART_OK;
  ret = dart__am_flush_members(dart__engine.am, is_member, team, scope);
  dart__completion_flush_all(team, scope == DART__AM_REMOTE);
  if (scope == DART__AM_REMOTE)
    dart__handles_flushed(team, -1);
  return ret;
}

dart_ret_t dart__far_flush(dart__team_t *team, int32_t unit)
{
  return flush(team, unit, DART__AM_REMOTE);
}

dart_ret_t dart__far_flush_local(dart__team_t *team, int32_t unit)
{
  return flush(team, unit, DART__AM_LOCAL);
}

dart_ret_t dart__far_flush_all(dart__team_t *team)
{
  return flush_all(team, DART__AM_REMOTE);
}

dart_ret_t dart__far_flush_local_all(dart__team_t *team)
{
  return flush_all(team, DART__AM_LOCAL);
}
