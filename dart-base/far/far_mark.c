/* Marks: what was started towards a unit until some moment, and waiting for that; and order without completion. */
#include "far/completion.h"
#include "far/engine.h"
#include "far/far_ops.h"
#include "far/far_team.h"
#include "far/order.h"
#include "far/relayed.h"
#include "far/way.h"

/* The newest batch that completion up to the mark waits for. */
static uint64_t batch_of(const dart__mark_t *mark, int32_t peer, bool at_target)
{
  return at_target ? mark->requests : dart__am_local_to(dart__engine.am, peer, mark->requests);
}

/* Of MPI's transfers nothing can be asked for: only a flush waits for them. */
void dart__far_ask_to(dart__team_t *team, int32_t unit, const dart__mark_t *mark, bool at_target)
{
  int32_t peer = dart__team_member(team, unit);

  dart__am_ask_to(dart__engine.am, peer, batch_of(mark, peer, at_target));
}

void dart__far_ask(dart__team_t *team, int32_t unit)
{
  int32_t peer = dart__team_member(team, unit);

  dart__am_ask_to(dart__engine.am, peer, dart__am_newest(dart__engine.am, peer));
}

void dart__far_settle_to(dart__team_t *team, int32_t unit, const dart__mark_t *mark, bool at_target)
{
  int32_t peer = dart__team_member(team, unit);

  dart__am_settle_to(dart__engine.am, peer, batch_of(mark, peer, at_target));
  if (!dart__completion_is_flushed_to(team, unit, at_target, mark->transfers))
    dart__completion_settle(team, unit, at_target);
  if (at_target)
    dart__burst_end(&dart__far_team(team)->unit[unit].burst);
}

/* MPI cannot be asked whether transfers on a window are complete, and a flush of them may need progress of a target that
 * computes for long. A target that has answered a ping sent after them makes progress, and has them behind it. */
bool dart__far_test_to(dart__team_t *team, int32_t unit, dart__mark_t *mark)
{
  int32_t peer = dart__team_member(team, unit);

  dart__am_ask_to(dart__engine.am, peer, mark->requests);
  if (!dart__am_is_settled_to(dart__engine.am, peer, mark->requests))
    return false;
  if (!dart__completion_is_flushed_to(team, unit, true, mark->transfers) &&
      mark->pinged < mark->transfers) {
    dart__am_ping(dart__engine.am, peer);
    mark->requests = dart__am_newest(dart__engine.am, peer);
    mark->pinged   = mark->transfers;
    return false;
  }
  dart__far_settle_to(team, unit, mark, true);
  return true;
}

void dart__far_complete(dart__team_t *team, int32_t unit)
{
  dart__completion_settle(team, unit, true);
}

void dart__far_order(dart__team_t *team, int32_t unit)
{
  dart__completion_settle(team, unit, true);
  dart__relayed_settle(dart__team_member(team, unit));
  dart__order_note(team, unit);
  dart__burst_order(&dart__far_team(team)->unit[unit].burst);
}
