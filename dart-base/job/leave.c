/* Ending without dart_exit.
 *
 * A program that returns from main, or calls exit, between init and exit has forgotten dart_exit. If all
 * its operations are complete, or can be completed now, no harm is done: it keeps its exit code 0, and unit 0
 * logs a warning. Otherwise, and with any other exit code, the job ends as after an error.
 *
 * Other units may still access the memory of a unit that is gone, and far ones need its progress for that. So the
 * process stays until the other units have ended as well (job/network.c). But no unit may wait for a unit that is gone.
 * So it is recorded in the exchange of each of its teams. A unit that waits for it in a collective, or for its message,
 * ends the program with a log line that names it. Waits check that after they have slept (far/gone.h), so it costs
 * nothing as long as no unit is gone. */
#include "job/job.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/log.h"
#include "far/agent.h"
#include "far/far_ops.h"
#include "far/handlers.h"
#include "far/progress.h"
#include "model/holds.h"
#include "model/lost.h"
#include "model/world.h"
#include "net.h"

#define LIMIT_S 10 /* for completing what is outstanding */

/* The locks that this unit holds, as text for the log line; "": none. */
static const char *held(void)
{
  static char text[160];
  char        locks[128];

  dart__holds_own(locks, sizeof locks);
  if (*locks != '\0')
    snprintf(text, sizeof text, ", and holds %s", locks);
  return text;
}

/* What this unit has begun and not completed, as text; NULL: nothing. */
static const char *incomplete(void)
{
  if (*held() != '\0')
    return held();
  for (int32_t id = 0; id < dart__teams_end; id++)
    if (dart__teams[id] != NULL && dart__exchange_is_busy(&dart__teams[id]->exchange))
      return ", and takes part in a collective";
  return NULL;
}

static void end_at_limit(int signal)
{
  (void)signal;
  dart__error("unit %d has not called dart_exit, and what it has begun is not complete after %d s",
              dart__world.me, LIMIT_S);
  _exit(EXIT_FAILURE); /* exit() could block: the interrupted code or a thread may hold locks */
}

/* A time limit: targets may be gone, a file may be one that nobody reads, or the call that was interrupted to end the
 * process may hold a lock. */
void dart__leave_limit(void (*act)(int))
{
  struct sigaction action = { .sa_handler = act };
  sigset_t         alarm_set;

  sigemptyset(&alarm_set);
  sigaddset(&alarm_set, SIGALRM);
  sigaction(SIGALRM, &action, NULL);
  pthread_sigmask(SIG_UNBLOCK, &alarm_set, NULL);
  alarm(LIMIT_S);
}

/* Complete outstanding operations on far units. */
static dart_ret_t complete_far_operations(void)
{
  dart_ret_t ret = DART_OK;

  dart__progress();
  for (int32_t id = 0; id < dart__teams_end; id++)
    if (dart__teams[id] != NULL && dart__teams[id]->nnodes > 1 &&
        dart__far_flush_all(dart__teams[id]) != DART_OK)
      ret = DART_ERR_OTHER;
  return ret;
}

static void fail(int code, const char *why)
{
  dart__error("unit %d ends with exit code %d, but has not called dart_exit%s", dart__world.me,
              code, why);
  dart__log_sum_up();
  dart__net_abort(code != 0 ? code : EXIT_FAILURE, false);
}

/* Record this unit as gone for the units of its node; the backend informs the other nodes. */
static void note_gone(void)
{
  for (int32_t id = 0; id < dart__teams_end; id++)
    if (dart__teams[id] != NULL)
      dart__exchange_note_gone(&dart__teams[id]->exchange, dart__teams[id]->me,
                               dart__teams[id]->exchange.episode);
}

void dart__leave(int code, bool is_alone)
{
  const char *why;

  if (is_alone)
    dart__agent_close();
  if (dart__survives_now())
    return;     /* it counts as lost: the launcher tells the others */
  code &= 0xff; /* the exit status of the process */
  dart__leave_limit(end_at_limit);
  dart__release_cached(); /* the program does not hold what was kept for its next call */
  why = code == 0 ? incomplete() : held();
  if (why == NULL && complete_far_operations() != DART_OK)
    why = ", and the memory it has used is gone";
  dart__report_left(); /* with what was completed here */
  alarm(0);
  if (dart__world.nunits == 1 && code != 0)
    return;
  if (why != NULL)
    fail(code, why);
  if (dart__world.me == 0)
    dart__warn("the program ends without dart_exit; what unit 0 did is complete");
  note_gone();
  dart__world.initialized = false;
  if (dart__network_end())
    dart__close();
}
