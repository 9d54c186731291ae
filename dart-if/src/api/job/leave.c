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
 * slept (progress/gone.h), so nothing of all this costs anything while nobody has left. */
#include "api/job/leave.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "api/job/close.h"
#include "api/progress/progress.h"
#include "api/sync/lock.h"
#include "base/log.h"
#include "model/world.h"
#include "port.h"

#define LIMIT_S 10 /* for completing what is outstanding */

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
    if (dart__teams[id] != NULL && dart__teams[id]->nnodes > 1 &&
        dart__far->flush_all(dart__teams[id]) != DART_OK)
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
  dart__progress();
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
