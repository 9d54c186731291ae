/* Starting units, watching them, and ending them together.
 *
 * Units are children of the launcher and stay in its process group, so the terminal treats them and
 * the launcher as one job: ^C, ^Z and hang-up reach every unit from the kernel. The launcher passes
 * on only what was sent to itself (kill, batch systems), and tells the two apart by the origin the
 * kernel notes with each signal. A signal that somebody sends to the whole group, as timeout(1)
 * does, looks like one sent to the launcher: units then get it twice.
 *
 * The launcher has its signals blocked and takes them one at a time where it waits, so all of this
 * is plain sequential code. Should it be killed itself, the kernel kills the units for it.
 *
 * A unit that dies of a signal or exits with anything but 0 ends the program: it is reported, the
 * others get SIGTERM and, if they are still there after GRACE_SECONDS, SIGKILL. */
#include "units.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "launch.h"

#define GRACE_SECONDS 2

static const int forwarded[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2 };

typedef struct {
  const units_plan_t *plan;
  pid_t              *pid; /* of each unit; 0: not started, or gone */
  uint32_t            nrunning;

  bool            ending; /* the others were asked to end */
  int             code;   /* exit code of the launcher */
  struct timespec last;   /* while ending: when they are killed */

  sigset_t         awaited;   /* what wait_for_signal takes: SIGCHLD and `forwarded` */
  sigset_t         old_mask;  /* the mask and handling we were started with, which units get */
  struct sigaction old_child;
} units_t;

/* What a unit that cannot become the program leaves in the report pipe. */
typedef struct {
  uint32_t unit;
  int      error;
} failure_t;

/* ---------------------------------------------------------------- signals */

static void take_signals(units_t *units)
{
  struct sigaction standard = { .sa_handler = SIG_DFL };
  sigset_t         blocked;

  sigemptyset(&units->awaited);
  sigaddset(&units->awaited, SIGCHLD);
  for (size_t i = 0; i < sizeof forwarded / sizeof forwarded[0]; i++)
    sigaddset(&units->awaited, forwarded[i]);

  blocked = units->awaited;
  sigaddset(&blocked, SIGPIPE); /* nobody reads what we say: no reason to end the program */
  sigprocmask(SIG_BLOCK, &blocked, &units->old_mask);
  /* started with SIGCHLD ignored, we would not learn how a unit ended */
  sigaction(SIGCHLD, &standard, &units->old_child);
}

static void give_signals_back(const units_t *units)
{
  sigaction(SIGCHLD, &units->old_child, NULL);
  sigprocmask(SIG_SETMASK, &units->old_mask, NULL);
}

static void send_all(const units_t *units, int signal)
{
  for (uint32_t unit = 0; unit < units->plan->nunits; unit++)
    if (units->pid[unit] != 0)
      kill(units->pid[unit], signal);
}

/* ---------------------------------------------------------------- starting */

/* In the child: turn into the program as `unit`. Does not return. */
static void become_unit(const units_t *units, uint32_t unit, pid_t launcher, int report)
{
  const units_plan_t *plan    = units->plan;
  failure_t           failure = { .unit = unit };
  char                text[16];

  /* The launcher may have died before we asked to be told: then nobody will tell us. */
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != launcher)
    _exit(LAUNCH_EXIT_FAILURE);

  snprintf(text, sizeof text, "%u", unit);
  setenv(DART__JOB_ENV_UNIT, text, 1);
  fcntl(plan->job_fd, F_SETFD, 0); /* survives exec */
  if (plan->bind != NULL)
    bind_unit(plan->bind, unit);
  give_signals_back(units);

  execvp(plan->command[0], plan->command);

  failure.error = errno;
  if (write(report, &failure, sizeof failure) != sizeof failure)
    _exit(LAUNCH_EXIT_FAILURE);
  _exit(LAUNCH_EXIT_NOEXEC);
}

static void end_units(units_t *units, int code)
{
  if (units->ending)
    return;
  units->ending = true;
  units->code   = code;
  clock_gettime(CLOCK_MONOTONIC, &units->last);
  units->last.tv_sec += GRACE_SECONDS;
  send_all(units, SIGTERM);
}

/* Our standard input is for unit 0. The others, and we ourselves, read nothing; if we kept it open,
 * its writer would not notice that unit 0 closed it. */
static void let_go_of_stdin(void)
{
  int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

  if (fd < 0 || dup2(fd, STDIN_FILENO) < 0)
    launch_say("/dev/null: %s; all units read the standard input", strerror(errno));
  if (fd >= 0)
    close(fd);
}

/* Start all units, and return when each of them is the program or has failed to become it. */
static void start(units_t *units)
{
  const units_plan_t *plan     = units->plan;
  pid_t               launcher = getpid();
  failure_t           failure;
  int                 report[2]; /* ends when every unit has passed exec, which closes it */

  if (pipe2(report, O_CLOEXEC) != 0) {
    launch_say("cannot make a pipe: %s", strerror(errno));
    end_units(units, LAUNCH_EXIT_FAILURE);
    return;
  }
  for (uint32_t unit = 0; unit < plan->nunits; unit++) {
    pid_t pid = fork();

    if (pid == 0)
      become_unit(units, unit, launcher, report[1]);
    if (pid < 0) {
      launch_say("cannot start unit %u of %u: %s", unit, plan->nunits, strerror(errno));
      end_units(units, LAUNCH_EXIT_FAILURE);
      break;
    }
    units->pid[unit] = pid;
    units->nrunning++;
    if (unit == 0)
      let_go_of_stdin();
  }
  close(report[1]);

  /* one line is enough: what stops one unit stops them all */
  if (read(report[0], &failure, sizeof failure) == sizeof failure) {
    launch_say("cannot start %s: %s", plan->command[0], strerror(failure.error));
    end_units(units, LAUNCH_EXIT_NOEXEC);
  }
  close(report[0]);
}

/* ---------------------------------------------------------------- watching */

/* Say how `unit` ended and end the others, unless all is well. */
static void judge(units_t *units, uint32_t unit, pid_t pid, int status)
{
  /* relaxed: the exit we learnt about came after the store, in the same unit */
  uint32_t aborted = atomic_load_explicit(&units->plan->job->aborted, memory_order_relaxed);

  if (units->ending)
    return; /* we did this, or it is a consequence */

  if (WIFSIGNALED(status)) {
    launch_say("unit %u (pid %d) was killed by signal %d (%s)", unit, (int)pid, WTERMSIG(status),
               strsignal(WTERMSIG(status)));
    end_units(units, 128 + WTERMSIG(status));
  } else if (aborted != 0) {
    launch_say("unit %u (pid %d) exited with code %d after dart_abort(%u)", unit, (int)pid,
               WEXITSTATUS(status), aborted - 1);
    end_units(units, (int)(aborted - 1));
  } else if (WEXITSTATUS(status) != 0) {
    launch_say("unit %u (pid %d) exited with code %d", unit, (int)pid, WEXITSTATUS(status));
    end_units(units, WEXITSTATUS(status));
  }
}

/* Take note of every unit that is gone. Children that are no units, such as a shell had before it
 * became this launcher, are none of our business. */
static void collect(units_t *units)
{
  pid_t pid;
  int   status;

  while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
    for (uint32_t unit = 0; unit < units->plan->nunits; unit++)
      if (units->pid[unit] == pid) {
        units->pid[unit] = 0;
        units->nrunning--;
        judge(units, unit, pid, status);
        break;
      }
}

/* Sleep until a signal comes, and return it; 0 when the time of units that should end is up. */
static int wait_for_signal(const units_t *units, siginfo_t *info_out)
{
  struct timespec now, left;
  int             signal;

  do {
    if (!units->ending) {
      signal = sigwaitinfo(&units->awaited, info_out);
      continue;
    }
    clock_gettime(CLOCK_MONOTONIC, &now);
    left.tv_sec  = units->last.tv_sec - now.tv_sec;
    left.tv_nsec = units->last.tv_nsec - now.tv_nsec;
    if (left.tv_nsec < 0) {
      left.tv_sec--;
      left.tv_nsec += 1000000000;
    }
    if (left.tv_sec < 0)
      return 0;
    signal = sigtimedwait(&units->awaited, info_out, &left);
  } while (signal < 0);
  return signal;
}

static void watch(units_t *units)
{
  siginfo_t info;

  while (units->nrunning > 0) {
    int signal = wait_for_signal(units, &info);

    if (signal == 0) {
      send_all(units, SIGKILL);
      units->last.tv_sec += 3600; /* nothing is left to do but to wait for them */
    } else if (signal == SIGCHLD) {
      collect(units);
    } else if (info.si_code != SI_KERNEL) {
      send_all(units, signal);
    }
  }
}

int units_run(const units_plan_t *plan)
{
  units_t units = { .plan = plan };

  units.pid = calloc(plan->nunits, sizeof units.pid[0]);
  if (units.pid == NULL) {
    launch_say("out of memory for %u units", plan->nunits);
    return LAUNCH_EXIT_FAILURE;
  }
  take_signals(&units);
  start(&units);
  watch(&units);
  free(units.pid);
  return units.code;
}
