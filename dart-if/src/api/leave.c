/* Leaving without dart_exit.
 *
 * A program that returns from main, or calls exit, inside of a cycle has forgotten dart_exit. If all it
 * has done is complete, or can be completed now, no harm is done: it keeps its exit code 0, and unit 0
 * says so in one line. Otherwise, and with any other code, the program ends as if that code was an error.
 *
 * Other units may still use the memory of one that left, and far ones need it to serve them. So the
 * backend keeps it there until they come to their end as well (dart__port_leave). But they must not wait
 * for it: what it will never do is noted in the exchange of each of its teams, and who waits for it there,
 * or for a message, ends the program with a line that names it. Waits look for that after they have
 * slept, so nothing of all this costs anything while nobody has left. */
#include "api/leave.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "api/attend.h"
#include "api/lock.h"
#include "base/log.h"
#include "model/world.h"
#include "port.h"

#define LIMIT_S       10                  /* for completing what is outstanding */
#define ON_ITS_WAY_NS INT64_C(1000000000) /* a message of a unit that left is here by then */

/* ---- the unit that leaves ------------------------------------------------------------------ */

/* What of this unit's doings is incomplete, for people; NULL: nothing. */
static const char *incomplete(void)
{
  if (dart__locks_are_held())
    return ", and holds a lock";
  for (int32_t id = 0; id < DART__MAX_TEAMS; id++)
    if (dart__teams[id] != NULL && dart__exchange_is_busy(&dart__teams[id]->exchange))
      return ", and takes part in a collective";
  return NULL;
}

static void give_up(int signal)
{
  (void)signal;
  dart__error("unit %d has not called dart_exit, and what it has begun is not complete after %d s",
              dart__world.me, LIMIT_S);
  _exit(EXIT_FAILURE); /* a thread may hold whatever it takes to end in a better way */
}

/* Complete what is outstanding towards far units. Who is to serve that may be gone, or a lock be held by
 * the call that was interrupted to end the process: so there is a limit. */
static dart_ret_t complete(void)
{
  struct sigaction action = { .sa_handler = give_up };
  sigset_t         alarm_set;
  dart_ret_t       ret = DART_OK;

  sigemptyset(&alarm_set);
  sigaddset(&alarm_set, SIGALRM);
  sigaction(SIGALRM, &action, NULL);
  pthread_sigmask(SIG_UNBLOCK, &alarm_set, NULL);
  alarm(LIMIT_S);
  for (int32_t id = 0; id < DART__MAX_TEAMS; id++)
    if (dart__teams[id] != NULL && dart__far_flush_all(dart__teams[id]) != DART_OK)
      ret = DART_ERR_OTHER;
  alarm(0);
  return ret;
}

static void fail(int code, const char *why)
{
  dart__error("unit %d ends with exit code %d, but has not called dart_exit%s", dart__world.me,
              code, why);
  dart__port_fail(code != 0 ? code : EXIT_FAILURE);
}

/* The units of this node see it at once; the backend tells the others. */
static void note_gone(void)
{
  for (int32_t id = 0; id < DART__MAX_TEAMS; id++)
    if (dart__teams[id] != NULL)
      dart__exchange_note_gone(&dart__teams[id]->exchange, dart__teams[id]->me,
                               dart__teams[id]->exchange.episode);
}

static void leave(int code)
{
  const char *why;

  code &= 0xff; /* what the process ends with */
  if (dart__world.nunits == 1 && code != 0)
    return;
  why = code == 0 ? incomplete() : "";
  if (why != NULL)
    fail(code, why);
  dart__attend();
  if (dart__world.many_nodes && complete() != DART_OK)
    fail(code, ", and the memory it has used is gone");
  if (dart__world.me == 0)
    dart__warn("the program ends without dart_exit; what unit 0 did is complete");
  note_gone();
  dart__world.initialized = false;
  if (dart__port_leave())
    dart__close();
}

void dart__leave_open(void)
{
  dart__world.leave = leave;
}

/* ---- those that wait for it ---------------------------------------------------------------- */

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

void dart__leave_watch(dart__team_t *team)
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
  dart__leave_watch_t *watch = subject;
  dart_unit_t          left  = has_left(watch->to) ? watch->to : watch->from;
  int64_t              now;

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

dart__wait_policy_t dart__leave_wait(dart__leave_watch_t *watch)
{
  dart__wait_policy_t policy = dart__world.wait;

  policy.check   = check_message;
  policy.subject = watch;
  return policy;
}

/* Another thread of this unit may be who is waited for. */
void dart__leave_look(const char *function)
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
