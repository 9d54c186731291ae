/* Flushes of far memory: of requests, then of transfers by MPI, then of handles that were given up. */
#include "memory/team.h"
#include "model/team.h"
#include "node/timed.h"
#include "progress/engine.h"
#include "rma/completion.h"
#include "rma/handle.h"
#include "rma/order.h"
#include "rma/rma.h"

/* Count a flush of the unit, -1: of all, that begins now; and time it, unless it has nothing to do. */
static dart__timed_t begin(dart__team_t *team, int32_t unit, dart__am_scope_t scope)
{
  int32_t peer = unit < 0 ? -1 : team->members[unit];

  if (!dart__am_is_flushed(dart__engine.am, peer, scope) ||
      !dart__completion_is_flushed(team, unit, scope == DART__AM_REMOTE))
    return dart__timed_begin(DART__COUNT_FLUSH);
  dart__count(DART__COUNT_FLUSH_IDLE);
  return (dart__timed_t){ NULL, 0 };
}

static dart_ret_t flush(dart__team_t *team, int32_t unit, dart__am_scope_t scope)
{
  dart__timed_t timed = begin(team, unit, scope);
  dart_ret_t    ret   = dart__am_flush(dart__engine.am, team->members[unit], scope);

  dart__completion_flush(team, unit, scope == DART__AM_REMOTE);
  dart__burst_end(&dart__team_port(team)->burst[unit]);
  if (scope == DART__AM_REMOTE)
    dart__handles_flushed(team, unit);
  dart__timed_end(DART__COUNT_FLUSH, timed);
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
  dart__timed_t timed;
  dart_ret_t    ret;

  if (team->nnodes == 1)
    return DART_OK;
  timed = begin(team, -1, scope);
  ret   = dart__am_flush_members(dart__engine.am, is_member, team, scope);
  dart__completion_flush_all(team, scope == DART__AM_REMOTE);
  if (scope == DART__AM_REMOTE)
    dart__handles_flushed(team, -1);
  dart__timed_end(DART__COUNT_FLUSH, timed);
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
