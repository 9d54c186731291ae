/* Answers: flushes wait for them. See lanes.h. */
#include "base/log.h"
#include "lanes.h"

static bool nothing_outstanding(void)
{
  /* acquire: pairs with the release by a thread that took our answers, so results are visible */
  return atomic_load_explicit(&dart__lanes.any_busy, memory_order_acquire) == 0;
}

/* The newest batch that has to be answered for what was asked until now. */
static uint64_t newest(const dart__lane_t *lane, bool at_target)
{
  return at_target ? lane->sent + (lane->open != NULL) : lane->fetching;
}

static dart_ret_t report_refused(dart_unit_t unit, dart__lane_t *lane)
{
  uint64_t refused = lane->refused - lane->reported;

  if (refused == 0)
    return DART_OK;
  lane->reported = lane->refused;
  dart__lane_unlist_if_idle(unit, lane);
  dart__error("unit %d refused %llu requests: the memory is gone", unit,
              (unsigned long long)refused);
  return DART_ERR_INVAL;
}

/* Wait for what was asked for until now; other threads may go on asking. The lock is held. */
static void wait_for(dart_unit_t unit, dart__lane_t *lane, uint64_t last)
{
  uint32_t turns = 0;

  while (lane->answered < last) {
    dart__lane_ask_for(unit, lane, last);
    dart__lanes_wait_unlocked(&turns);
  }
}

dart_ret_t dart__service_flush(dart_unit_t unit, bool at_target)
{
  dart__lane_t *lane = &dart__lanes.lane[unit];
  dart_ret_t    ret;

  if (nothing_outstanding())
    return DART_OK;
  dart__lanes_lock();
  wait_for(unit, lane, newest(lane, at_target));
  ret = report_refused(unit, lane);
  dart__lanes_unlock();
  return ret;
}

void dart__service_settle(dart_unit_t unit)
{
  dart__lane_t *lane = &dart__lanes.lane[unit];

  if (nothing_outstanding())
    return;
  dart__lanes_lock();
  wait_for(unit, lane, newest(lane, true));
  dart__lanes_unlock();
}

void dart__service_meet(dart_unit_t unit)
{
  dart__service_ask(unit);
  dart__service_settle(unit);
}

static bool is_awaited(const dart__lane_t *lane)
{
  return lane->answered < lane->awaited || lane->heard < lane->awaited_answers;
}

/* The next busy lane of the team that something is awaited from; NULL: none. */
static dart__lane_t *next_awaited(const dart__team_t *team, dart_unit_t *unit_out)
{
  for (int32_t i = 0; i < dart__lanes.nbusy; i++) {
    *unit_out = dart__lanes.busy[i];
    if (is_awaited(&dart__lanes.lane[*unit_out]) && dart__team_unit_of(team, *unit_out) >= 0)
      return &dart__lanes.lane[*unit_out];
  }
  return NULL;
}

/* Ask for what is awaited; then also for the answer to that. */
static void ask_for_awaited(dart_unit_t unit, dart__lane_t *lane)
{
  uint64_t asked = lane->asked;

  dart__lane_ask_for(unit, lane, lane->awaited);
  if (lane->asked > asked)
    lane->awaited_answers = lane->asked;
}

/* Note what a flush of the team awaits of a lane, and ask for it. */
static void await(dart_unit_t unit, dart__lane_t *lane, bool at_target)
{
  if (lane->awaited < newest(lane, at_target)) /* another thread may wait for more */
    lane->awaited = newest(lane, at_target);
  if (at_target)
    lane->awaited_answers = lane->asked;
  ask_for_awaited(unit, lane);
}

dart_ret_t dart__service_flush_team(const dart__team_t *team, bool at_target)
{
  uint32_t      turns = 0;
  dart_ret_t    ret   = DART_OK;
  dart__lane_t *lane;
  dart_unit_t   unit;

  if (nothing_outstanding())
    return DART_OK;
  dart__lanes_lock();
  for (int32_t i = 0; i < dart__lanes.nbusy; i++) {
    unit = dart__lanes.busy[i];
    if (dart__team_unit_of(team, unit) >= 0)
      await(unit, &dart__lanes.lane[unit], at_target);
  }
  while ((lane = next_awaited(team, &unit)) != NULL) {
    ask_for_awaited(unit, lane);
    if (is_awaited(lane))
      dart__lanes_wait_unlocked(&turns);
  }
  for (int32_t i = dart__lanes.nbusy; i-- > 0;) { /* downwards: what was reported leaves the list */
    unit = dart__lanes.busy[i];
    if (dart__team_unit_of(team, unit) >= 0 &&
        report_refused(unit, &dart__lanes.lane[unit]) != DART_OK)
      ret = DART_ERR_INVAL;
  }
  dart__lanes_unlock();
  return ret;
}
