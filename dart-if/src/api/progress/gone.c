/* Waits for units that have left: see gone.h. */
#include "api/progress/gone.h"

#include <stdlib.h>

#include "base/log.h"
#include "model/world.h"
#include "port.h"

#define ON_ITS_WAY_NS INT64_C(1000000000) /* a message of a unit that left is here by then */

/* One line of a node is enough: who does not say it waits on, until the program has ended. */
static bool is_first_to_tell(void)
{
  return atomic_exchange_explicit(&dart__teams[DART_TEAM_ALL]->exchange.shared->told, 1,
                                  memory_order_relaxed) == 0;
}

static void check_collective(void *subject)
{
  const dart__team_t *team    = subject;
  int32_t             missing = dart__exchange_missing(&team->exchange, (uint32_t)team->nunits);

  if (missing < 0 || !is_first_to_tell())
    return;
  dart__error(
      "unit %d waits in a collective of team %d for unit %d, which has ended without dart_exit",
      dart__world.me, team->id, team->members[missing]);
  dart__port_fail(EXIT_FAILURE);
}

void dart__gone_watch(dart__team_t *team)
{
  team->wait         = dart__world.wait;
  team->wait.check   = check_collective;
  team->wait.subject = team;
}

static bool has_left(dart_unit_t unit)
{
  return unit >= 0 && dart__exchange_is_gone(&dart__teams[DART_TEAM_ALL]->exchange, unit);
}

/* What it sent before may still be on its way, if that is another way than the news. */
static void check_message(void *subject)
{
  dart__gone_watch_t *watch = subject;
  dart_unit_t         left  = has_left(watch->to) ? watch->to : watch->from;
  int64_t             now;

  if (!has_left(left))
    return;
  now = dart__now_ns();
  if (watch->since == 0)
    watch->since = now;
  if (now - watch->since < ON_ITS_WAY_NS || !is_first_to_tell())
    return;
  dart__error("%s: unit %d waits for unit %d, which has ended without dart_exit", watch->function,
              dart__world.me, left);
  dart__port_fail(EXIT_FAILURE);
}

dart__wait_policy_t dart__gone_wait(dart__gone_watch_t *watch)
{
  dart__wait_policy_t policy = dart__world.wait;

  policy.check   = check_message;
  policy.subject = watch;
  return policy;
}

/* Another thread of this unit may be who is waited for. */
void dart__gone_look(const char *function)
{
  const dart__shared_t *all = dart__teams[DART_TEAM_ALL]->exchange.shared;

  /* relaxed: it is looked at again and again */
  if (dart__world.many_threads || dart__world.nunits == 1 ||
      atomic_load_explicit(&all->ngone, memory_order_relaxed) < (uint32_t)dart__world.nunits - 1 ||
      !is_first_to_tell())
    return;
  dart__error("%s: unit %d waits, but all others have ended without dart_exit", function,
              dart__world.me);
  dart__port_fail(EXIT_FAILURE);
}
