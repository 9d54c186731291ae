/* The ends of units, which are children of the launcher.
 *
 * A unit that dies of a signal, or exits with anything but 0, ends the program: the launcher reports it, and ends the
 * others. If it has left dart_exit, and none needs it, the others have a moment first, or with DART_SURVIVE as long as
 * they want: they may have something to print, too. A unit that exits with 0 although others need it ends the program,
 * too. It may be between dart_init and dart_exit; or outside, while others have begun a cycle that it will never join.
 * The job's header has the cycle of each unit (job_file.h), which outlives the unit.
 *
 * With DART_SURVIVE, a unit that dies between the others' dart_init and its own dart_exit does not end the program: the
 * launcher names it, tells the others (model/lost.h), and keeps its code for the end. */
#include "units.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "children.h"
#include "hang_watch.h"
#include "held.h"
#include "launch.h"
#include "model/lost.h"
#include "tag.h"

typedef struct {
  const units_plan_t *plan;
  uint32_t            left;     /* the unit in the earliest cycle of those that ended outside */
  pid_t               left_pid; /* its process; 0: there is none yet */
  hang_t             *hang;     /* NULL: nobody watches */
  tag_t              *tag;      /* NULL: units write for themselves */
  children_t         *children;
} units_t;

/* Node k shows its units the k-th of the machines, in turns. */
static void show_machine(const char *machines, uint32_t node)
{
  const char *next = machines;
  char        file[PATH_MAX];

  for (; node > 0; node--) {
    next += strcspn(next, ":");
    next = *next == '\0' ? machines : next + 1;
  }
  snprintf(file, sizeof file, "%.*s", (int)strcspn(next, ":"), next);
  setenv("HWLOC_XMLFILE", file, 1);
}

/* In the child. */
static void become_unit(void *owner, uint32_t unit)
{
  const units_t      *units = owner;
  const units_plan_t *plan  = units->plan;
  char                text[16];

  snprintf(text, sizeof text, "%u", unit);
  setenv(DART__JOB_ENV_UNIT, text, 1);
  fcntl(plan->job_fd, F_SETFD, 0); /* survives exec */
  if (plan->bind != NULL)
    bind_unit(plan->bind, unit);
  if (plan->machines != NULL)
    show_machine(plan->machines, unit % plan->job->nnodes);
  if (units->tag != NULL)
    tag_become(units->tag, unit);
}

/* How many half cycles of init and exit the unit has begun. */
static uint32_t cycle_of(const units_t *units, uint32_t unit)
{
  /* seq_cst: with the store in note_left, pairs with begin_cycle in boot.c */
  return atomic_load_explicit(&units->plan->job->cycle[unit], memory_order_seq_cst);
}

/* A unit has ended outside a cycle: record it, as it cannot join a further cycle. */
static void note_left(units_t *units, uint32_t unit, pid_t pid)
{
  _Atomic uint32_t *least = &units->plan->job->left;
  uint32_t          cycle = cycle_of(units, unit);

  /* relaxed: only the launcher writes it */
  if (cycle >= atomic_load_explicit(least, memory_order_relaxed))
    return;
  units->left     = unit;
  units->left_pid = pid;
  atomic_store_explicit(least, cycle, memory_order_seq_cst);
}

/* Whether a unit has begun a cycle that units->left cannot join. */
static bool is_missed(const units_t *units)
{
  uint32_t cycle;

  if (units->left_pid == 0)
    return false;
  cycle = cycle_of(units, units->left);
  for (uint32_t unit = 0; unit < units->plan->nunits; unit++)
    if (cycle_of(units, unit) > cycle)
      return true;
  return false;
}

static bool is_lost(const units_t *units, uint32_t unit)
{
  /* relaxed: only the launcher writes it */
  return atomic_load_explicit(&units->plan->job->lost[unit], memory_order_relaxed) != 0;
}

/* Whether this unit has left dart_exit, so that no other needs it before a further dart_init. Another one in the cycle
 * before has passed the last barrier of the same dart_exit, too, or is about to. */
static bool has_left(const units_t *units, uint32_t unit)
{
  uint32_t cycle = cycle_of(units, unit);

  for (uint32_t other = 0; other < units->plan->nunits; other++)
    if (!is_lost(units, other) && cycle_of(units, other) != cycle &&
        cycle_of(units, other) + 1 != cycle)
      return false;
  return cycle > 0 && cycle % 2 == 0;
}

/* True: it is, and all others are ended. */
static bool end_if_missed(const units_t *units, children_t *children)
{
  if (!is_missed(units))
    return false;
  launch_say(LAUNCH_MISSED, units->left, (int)units->left_pid);
  children_end(children, LAUNCH_EXIT_FAILURE);
  return true;
}

/* A unit has ended with this code, or by a signal. With DART_SURVIVE the others may take their time if it has left. */
static void end_others(units_t *units, children_t *children, uint32_t unit, pid_t pid, int code)
{
  if (!has_left(units, unit)) {
    children_end(children, code);
  } else if (dart__job_survives(units->plan->job)) {
    note_left(units, unit, pid);
    children_note_code(children, code);
    end_if_missed(units, children);
  } else {
    children_let_end(children, code);
  }
}

/* ---- units that the others outlive ------------------------------------------------------------- */

/* Whether the others go on without this unit, which has ended. */
static bool is_survived(const units_t *units, uint32_t unit)
{
  const dart__job_t *job = units->plan->job;

  /* relaxed, both: stores of units that have ended, or that have told this one by a barrier */
  return dart__job_survives(job) && cycle_of(units, unit) % 2 == 1 &&
         atomic_load_explicit((_Atomic uint32_t *)&job->surviving, memory_order_relaxed) != 0 &&
         atomic_load_explicit((_Atomic uint32_t *)&job->aborted, memory_order_relaxed) == 0;
}

/* Tell the others that the unit has ended, if they go on without it; once. It writes nothing, for nobody may read. False:
 * they do not. */
static bool tell_lost(const units_t *units, const children_t *children, uint32_t unit, int status)
{
  dart__job_t *job    = units->plan->job;
  uint32_t     number = atomic_load_explicit(&job->nlost, memory_order_relaxed) + 1;
  bool         ended  = WIFEXITED(status) && WEXITSTATUS(status) == 0;

  if (is_lost(units, unit))
    return true;
  if (children_are_ending(children) || children_signal(children) != 0 ||
      !is_survived(units, unit) || is_missed(units))
    return false;
  /* release, both: pair with the acquires in model/lost.c */
  atomic_store_explicit(&job->lost[unit], 2 * number | (ended ? DART__LOST_ENDED : 0),
                        memory_order_release);
  atomic_store_explicit(&job->nlost, number, memory_order_release);
  return true;
}

/* While this process waits for room in its output. */
static void look_for_losses(void *owner)
{
  const units_t *units = owner;
  int            status;

  for (uint32_t unit = 0; unit < units->plan->nunits; unit++)
    if (children_has_ended(units->children, unit, &status))
      tell_lost(units, units->children, unit, status);
}

/* Say how a unit ended that is lost. */
static void say_lost(children_t *children, uint32_t unit, pid_t pid, int status, const char *held)
{
  int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);

  if (WIFSIGNALED(status))
    launch_say("unit %u (pid %d) is lost, killed by signal %d (%s)%s; the others go on", unit,
               (int)pid, WTERMSIG(status), strsignal(WTERMSIG(status)), held);
  else
    launch_say("unit %u (pid %d) is lost, ended with code %d without dart_exit%s; the others go on",
               unit, (int)pid, code, held);
  children_note_code(children, code);
}

/* Unless `unit` ended well, report how it ended, and end the others. */
static void judge(void *owner, children_t *children, uint32_t unit, pid_t pid, int status)
{
  units_t *units = owner;
  /* relaxed: the unit's exit came after its store */
  uint32_t    aborted = atomic_load_explicit(&units->plan->job->aborted, memory_order_relaxed);
  int         code    = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
  bool        is_told = tell_lost(units, children, unit, status);
  const char *held =
      launch_held(units->plan->job_fd, dart__job_record(unit) + offsetof(dart__record_t, holds));

  tag_ended(units->tag, unit);
  if (children_are_ending(children))
    return; /* ended by the launcher, or a consequence */

  if (is_told) {
    say_lost(children, unit, pid, status, held);
    return;
  }
  if (status == 0 && cycle_of(units, unit) % 2 == 0)
    note_left(units, unit, pid);

  if (WIFSIGNALED(status)) {
    launch_say(LAUNCH_KILLED "%s", unit, (int)pid, WTERMSIG(status), strsignal(WTERMSIG(status)),
               held);
    end_others(units, children, unit, pid, 128 + WTERMSIG(status));
  } else if (aborted != 0) {
    launch_say(LAUNCH_EXITED " after dart_abort(%u)", unit, (int)pid, code, aborted - 1);
    children_end(children, (int)(aborted - 1));
  } else if (end_if_missed(
                 units, children)) { /* before the codes: the unit that detects it exits with 1 */
    return;
  } else if (code != 0) {
    launch_say(LAUNCH_EXITED "%s", unit, (int)pid, code, held);
    end_others(units, children, unit, pid, code);
  } else if (cycle_of(units, unit) % 2 == 1) {
    launch_say(LAUNCH_LEFT "%s", unit, (int)pid, held);
    children_end(children, LAUNCH_EXIT_FAILURE);
  }
}

/* ---- what units wait for ---------------------------------------------------------------------- */

static hang_place_t record_of(void *owner, uint32_t unit)
{
  const units_t *units = owner;

  return (hang_place_t){ units->plan->job_fd, dart__job_record(unit), is_lost(units, unit) };
}

static void begin(void *owner, children_t *children)
{
  units_t *units = owner;

  units->children = children;
  launch_look_while_full(look_for_losses, units);
  units->hang = hang_open(children, units->plan->nunits, record_of, units);
  if (units->plan->is_tagged)
    units->tag = tag_open(children, units->plan->nunits);
}

static void asked(void *owner)
{
  hang_asked(((const units_t *)owner)->hang);
}

static void stopped(void *owner)
{
  hang_stopped(((const units_t *)owner)->hang);
}

static bool are_kept(void *owner)
{
  return dart__job_survives(((const units_t *)owner)->plan->job);
}

static void readable(void *owner, children_t *children, int fd)
{
  const units_t *units = owner;

  (void)children;
  if (!tag_readable(units->tag, fd))
    hang_readable(units->hang, fd);
}

/* A unit may be the child of a shell that the launcher has ended, and may wait for ever for a unit that has ended. Its
 * process number is in its record. The process group shows that the number does not belong to another process by now,
 * as children stay in the group. */
static void end_programs(const units_plan_t *plan)
{
  for (uint32_t unit = 0; unit < plan->nunits; unit++) {
    off_t   at = (off_t)(dart__job_record(unit) + offsetof(dart__record_t, waits.pid));
    int32_t pid;

    if (pread(plan->job_fd, &pid, sizeof pid, at) == sizeof pid && pid > 0 &&
        getpgid(pid) == getpgrp())
      kill(pid, SIGKILL);
  }
}

int units_run(const units_plan_t *plan)
{
  units_t         units    = { .plan = plan };
  children_plan_t children = {
    .command      = plan->command,
    .kind         = "unit",
    .count        = plan->nunits,
    .death_signal = SIGKILL,
    .owner        = &units,
    .begin        = begin,
    .prepare      = become_unit,
    .ended        = judge,
    .are_kept     = are_kept,
    .asked        = asked,
    .stopped      = stopped,
    .readable     = readable,
  };
  int code = children_run(&children);

  launch_look_while_full(NULL, NULL);
  if (code != 0)
    end_programs(plan);
  hang_close(units.hang);
  tag_close(units.tag);
  return code;
}
