/* What becomes of units, as children of the launcher.
 *
 * A unit that dies of a signal or exits with anything but 0 ends the program: it is reported, and the
 * others are ended. */
#include "units.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "children.h"
#include "launch.h"

/* In the child. */
static void become_unit(void *owner, uint32_t unit)
{
  const units_plan_t *plan = owner;
  char                text[16];

  snprintf(text, sizeof text, "%u", unit);
  setenv(DART__JOB_ENV_UNIT, text, 1);
  fcntl(plan->job_fd, F_SETFD, 0); /* survives exec */
  if (plan->bind != NULL)
    bind_unit(plan->bind, unit);
}

/* Say how `unit` ended and end the others, unless all is well. */
static void judge(void *owner, children_t *children, uint32_t unit, pid_t pid, int status)
{
  const units_plan_t *plan = owner;
  /* relaxed: the exit we learnt about came after the store, in the same unit */
  uint32_t aborted = atomic_load_explicit(&plan->job->aborted, memory_order_relaxed);
  int      code    = WIFEXITED(status) ? WEXITSTATUS(status) : 0;

  if (children_are_ending(children))
    return; /* we did this, or it is a consequence */

  if (WIFSIGNALED(status)) {
    launch_say("unit %u (pid %d) was killed by signal %d (%s)", unit, (int)pid, WTERMSIG(status),
               strsignal(WTERMSIG(status)));
    children_end(children, 128 + WTERMSIG(status));
  } else if (aborted != 0) {
    launch_say("unit %u (pid %d) exited with code %d after dart_abort(%u)", unit, (int)pid, code,
               aborted - 1);
    children_end(children, (int)(aborted - 1));
  } else if (code != 0) {
    launch_say("unit %u (pid %d) exited with code %d", unit, (int)pid, code);
    children_end(children, code);
  }
}

int units_run(const units_plan_t *plan)
{
  children_plan_t children = {
    .command      = plan->command,
    .kind         = "unit",
    .count        = plan->nunits,
    .death_signal = SIGKILL,
    .owner        = (void *)plan,
    .prepare      = become_unit,
    .ended        = judge,
    .watched      = -1,
  };

  return children_run(&children);
}
