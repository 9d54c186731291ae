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
static dart_ret_t wait_for(dart_unit_t unit, dart__lane_t *lane, uint64_t last)
{
  uint32_t   turns = 0;
  dart_ret_t ret   = DART_OK;

  while (lane->answered < last && ret == DART_OK) {
    ret = dart__lane_ask_for(unit, lane, last);
    if (ret == DART_OK)
      dart__lanes_wait_unlocked(&turns);
  }
  return ret;
}

dart_ret_t dart__service_flush(dart_unit_t unit, bool at_target)
{
  dart_ret_t    ret   = DART_OK;
  dart__lane_t *lane;

  if (nothing_outstanding())
    return DART_OK;
  dart__lanes_lock();
  lane = dart__lanes.lane[unit];
  if (lane != NULL)
    ret = wait_for(unit, lane, newest(lane, at_target));
  if (lane != NULL && ret == DART_OK)
    ret = report_refused(unit, lane);
  dart__lanes_unlock();
  return ret;
}

void dart__service_meet(dart_unit_t unit)
{
  dart__lane_t *lane;

  if (dart__service_ask(unit) != DART_OK)
    return;
  dart__lanes_lock();
  lane = dart__lanes.lane[unit];
  wait_for(unit, lane, newest(lane, true));
  dart__lanes_unlock();
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
    if (is_awaited(dart__lanes.lane[*unit_out]) && dart__team_unit_of(team, *unit_out) >= 0)
      return dart__lanes.lane[*unit_out];
  }
  return NULL;
}

/* Ask for what is awaited; then also for the answer to that. */
static dart_ret_t ask_for_awaited(dart_unit_t unit, dart__lane_t *lane)
{
  uint64_t   asked = lane->asked;
  dart_ret_t ret   = dart__lane_ask_for(unit, lane, lane->awaited);

  if (lane->asked > asked)
    lane->awaited_answers = lane->asked;
  return ret;
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
  for (int32_t i = 0; i < dart__lanes.nbusy && ret == DART_OK; i++) {
    unit = dart__lanes.busy[i];
    lane = dart__lanes.lane[unit];
    if (dart__team_unit_of(team, unit) < 0)
      continue;
    if (lane->awaited < newest(lane, at_target)) /* another thread may wait for more */
      lane->awaited = newest(lane, at_target);
    if (at_target)
      lane->awaited_answers = lane->asked;
    ret = ask_for_awaited(unit, lane);
  }
  while (ret == DART_OK && (lane = next_awaited(team, &unit)) != NULL) {
    ret = ask_for_awaited(unit, lane);
    if (ret == DART_OK && is_awaited(lane))
      dart__lanes_wait_unlocked(&turns);
  }
  for (int32_t i = dart__lanes.nbusy; i-- > 0;) { /* downwards: what was reported leaves the list */
    unit = dart__lanes.busy[i];
    if (dart__team_unit_of(team, unit) >= 0)
      ret = ret == DART_OK ? report_refused(unit, dart__lanes.lane[unit]) : ret;
  }
  dart__lanes_unlock();
  return ret;
}
