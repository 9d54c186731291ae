/* Waits for units that are gone: see gone.h. */
#include "far/gone.h"

#include <stdlib.h>

#include "base/log.h"
#include "model/lost.h"
#include "model/world.h"
#include "net.h"

/* One log line per node is enough: the other units wait on until the program is ended. */
static bool is_first_to_report(void)
{
  return atomic_exchange_explicit(&dart__teams[DART_TEAM_ALL]->exchange.shared->reported, 1,
                                  memory_order_relaxed) == 0;
}

/* A wait in a team is abandoned if a member is lost. */
static bool is_broken(dart__team_t *team)
{
  if (!dart__survives() || !dart__team_look(team))
    return false;
  dart__lost_tell();
  return true;
}

static bool check_collective(void *subject)
{
  dart__team_t *team    = subject;
  int32_t       missing = dart__exchange_missing(&team->exchange);

  if (missing < 0 || !is_first_to_report())
    return is_broken(team);
  dart__error(
      "unit %d waits in a collective of team %d for unit %d, which has ended without dart_exit",
      dart__world.me, team->id, dart__team_member(team, missing));
  dart__net_abort(EXIT_FAILURE, false);
}

void dart__gone_watch(dart__team_t *team)
{
  team->wait         = dart__world.wait;
  team->wait.check   = check_collective;
  team->wait.note    = dart__team_note_wait;
  team->wait.subject = team;
}

static bool is_gone(dart_unit_t unit)
{
  return unit >= 0 && dart__exchange_is_gone(&dart__teams[DART_TEAM_ALL]->exchange, unit);
}

/* With many_threads it is not known: another thread of this unit may be the one that is waited for. */
static bool are_others_gone(void)
{
  const dart__shared_t *all = dart__teams[DART_TEAM_ALL]->exchange.shared;

  /* relaxed: the check is repeated */
  return !dart__world.many_threads && dart__world.nunits > 1 &&
         atomic_load_explicit(&all->ngone, memory_order_relaxed) >=
             (uint32_t)dart__world.nunits - 1;
}

static void report_alone(const char *function)
{
  dart__error("%s: unit %d waits, but all others have ended without dart_exit", function,
              dart__world.me);
}

/* A wait for a unit, or for any, is abandoned. */
static bool is_partner_lost(dart_unit_t unit)
{
  bool is_over = unit == DART__GONE_ANY ? dart__lost_is_news(dart__teams[DART_TEAM_ALL])
                                        : unit >= 0 && dart__is_lost(unit);

  if (is_over)
    dart__lost_tell();
  return is_over;
}

bool dart__gone_gives_up(const dart__wait_for_t *what)
{
  dart__team_t *team = dart__team_find((dart_team_t)what->team);

  return team != NULL && is_broken(team);
}

/* Messages that the unit sent before it ended may still be in flight, for they do not travel together with
 * the information that it is gone. */
static bool check_message(void *subject)
{
  dart__gone_watch_t *watch    = subject;
  dart_unit_t         gone     = is_gone(watch->to) ? watch->to : watch->from;
  bool                is_alone = watch->from == DART__GONE_ANY && are_others_gone();
  int64_t             now;

  if (dart__survives())
    return is_partner_lost(watch->to) || is_partner_lost(watch->from);
  if (!is_gone(gone) && !is_alone)
    return false;
  now = dart__now_ns();
  if (watch->since == 0)
    watch->since = now;
  if (now - watch->since < DART__NEWS_US * INT64_C(1000) || !is_first_to_report())
    return false;
  if (is_gone(gone))
    dart__error("%s: unit %d waits for unit %d, which has ended without dart_exit", watch->function,
                dart__world.me, gone);
  else
    report_alone(watch->function);
  dart__net_abort(EXIT_FAILURE, false);
}

dart__wait_policy_t dart__gone_wait(dart__gone_watch_t *watch)
{
  dart__wait_policy_t policy = dart__world.wait;

  policy.check   = check_message;
  policy.subject = watch;
  return policy;
}

void dart__gone_check_all(const char *function)
{
  if (dart__survives() || !are_others_gone() || !is_first_to_report())
    return;
  report_alone(function);
  dart__net_abort(EXIT_FAILURE, false);
}
