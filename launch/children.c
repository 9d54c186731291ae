/* Starts processes, watches them, and ends them together.
 *
 * Children stay in the launcher's process group, so the terminal treats them and the launcher as one shell job: ^C, ^Z
 * and hang-up reach each of them from the kernel. The launcher forwards only signals that were sent to itself (kill,
 * batch systems), which have another origin in the kernel's signal information. A signal to the whole group, as by
 * timeout(1), looks like one to the launcher: children then get it twice.
 *
 * The launcher blocks its signals and reads them one at a time from a descriptor, like every other event. So all of
 * this is plain sequential code. If the launcher itself is killed, the kernel sends the children a signal. */
#include "children.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "launch.h"

#define SECOND INT64_C(1000000000) /* in nanoseconds */
#define GRACE  (2 * SECOND)        /* from the request to end until children are killed */
#define SOON   (2 * SECOND)        /* for children to end before they are asked to */

static const int forwarded[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2 };

#define ENDINGS 4 /* the first of these signals ask the program to end */

struct children {
  const children_plan_t *plan;
  pid_t                 *pid; /* of each child; 0: not started, or ended */
  uint32_t               nrunning;

  bool    ending; /* the exit code is known, and children must end */
  bool    asked;  /* the children were asked to end */
  int     signal; /* the first of the first ENDINGS signals that has arrived; 0: none */
  int     code;   /* exit code of the launcher */
  int64_t last;   /* while ending: when children are killed, or asked if they were not */

  int              epoll;    /* for all events: `signals` and watched descriptors */
  int              signals;  /* SIGCHLD and `forwarded` are read from it */
  sigset_t         old_mask; /* the launcher's own at its start; children get them */
  struct sigaction old_child;
};

/* ---------------------------------------------------------------- signals */

static bool take_signals(children_t *children)
{
  struct sigaction standard = { .sa_handler = SIG_DFL };
  sigset_t         awaited, blocked;

  sigemptyset(&awaited);
  sigaddset(&awaited, SIGCHLD);
  for (size_t i = 0; i < sizeof forwarded / sizeof forwarded[0]; i++)
    sigaddset(&awaited, forwarded[i]);

  blocked = awaited;
  sigaddset(&blocked, SIGPIPE); /* a closed stderr must not end the program */
  sigprocmask(SIG_BLOCK, &blocked, &children->old_mask);
  /* while SIGCHLD is ignored, the kernel keeps no status of children */
  sigaction(SIGCHLD, &standard, &children->old_child);

  children->epoll   = epoll_create1(EPOLL_CLOEXEC);
  children->signals = signalfd(-1, &awaited, SFD_CLOEXEC | SFD_NONBLOCK);
  return children->epoll >= 0 && children->signals >= 0 &&
         children_watch(children, children->signals);
}

static void give_signals_back(const children_t *children)
{
  sigaction(SIGCHLD, &children->old_child, NULL);
  sigprocmask(SIG_SETMASK, &children->old_mask, NULL);
}

static void send_all(const children_t *children, int signal)
{
  for (uint32_t child = 0; child < children->plan->count; child++)
    if (children->pid[child] != 0)
      kill(children->pid[child], signal);
}

/* ---------------------------------------------------------------- starting */

/* In the child: execute the program. Does not return. */
static void become_program(const children_t *children, uint32_t child, pid_t launcher, int report)
{
  const children_plan_t *plan = children->plan;
  int                    error;

  /* The launcher may have died before this call: then the signal never arrives. */
  prctl(PR_SET_PDEATHSIG, plan->death_signal);
  if (getppid() != launcher)
    _exit(LAUNCH_EXIT_FAILURE);

  if (plan->prepare != NULL)
    plan->prepare(plan->owner, child);
  give_signals_back(children);
  execvp(plan->command[0], plan->command);

  error = errno;
  if (write(report, &error, sizeof error) != sizeof error)
    _exit(LAUNCH_EXIT_FAILURE);
  _exit(LAUNCH_EXIT_NOEXEC);
}

/* The standard input is for child 0. The other children and the launcher read nothing. If they kept it open, its writer
 * would not notice that child 0 has closed it. (The freed descriptor is the lowest, so open returns it; there may be no
 * other one.) */
static void drop_stdin(void)
{
  close(STDIN_FILENO);
  if (open("/dev/null", O_RDONLY) < 0)
    launch_say("/dev/null: %s; only unit 0 has a standard input", strerror(errno));
}

/* Start all children, and return when each of them has executed the program or failed to. */
static void start_children(children_t *children)
{
  const children_plan_t *plan     = children->plan;
  pid_t                  launcher = getpid();
  int                    error;
  int                    report[2]; /* ends when every child has passed exec, which closes it */

  if (pipe2(report, O_CLOEXEC) != 0) {
    launch_say("cannot start %s: %s", plan->command[0], launch_reason(errno));
    children_end(children, LAUNCH_EXIT_FAILURE);
    return;
  }
  for (uint32_t child = 0; child < plan->count; child++) {
    pid_t pid = fork();

    if (pid == 0)
      become_program(children, child, launcher, report[1]);
    if (pid < 0) {
      launch_say("cannot start %s %u of %u: %s", plan->kind, child, plan->count, strerror(errno));
      children_end(children, LAUNCH_EXIT_FAILURE);
      break;
    }
    children->pid[child] = pid;
    children->nrunning++;
    if (child == 0)
      drop_stdin();
  }
  close(report[1]);

  /* one line is enough: all children fail for the same reason */
  if (read(report[0], &error, sizeof error) == sizeof error) {
    launch_say("cannot start %s: %s", plan->command[0], strerror(error));
    children_end(children, LAUNCH_EXIT_NOEXEC);
  }
  close(report[0]);
}

/* ---------------------------------------------------------------- watching */

bool children_watch(children_t *children, int fd)
{
  struct epoll_event event = { .events = EPOLLIN, .data.fd = fd };

  return epoll_ctl(children->epoll, EPOLL_CTL_ADD, fd, &event) == 0;
}

/* A child has ended; `status` is waitpid's. */
static void tell_end(children_t *children, uint32_t child, int status)
{
  const children_plan_t *plan = children->plan;
  pid_t                  pid  = children->pid[child];

  children->pid[child] = 0;
  children->nrunning--;
  plan->ended(plan->owner, children, child, pid, status);
}

static int status_of(const siginfo_t *end)
{
  if (end->si_code == CLD_EXITED)
    return (end->si_status & 0xff) << 8;
  return end->si_status | (end->si_code == CLD_DUMPED ? 0x80 : 0);
}

bool children_has_ended(const children_t *children, uint32_t child, int *status_out)
{
  siginfo_t end = { .si_pid = 0 };

  if (children->pid[child] == 0 ||
      waitid(P_PID, (id_t)children->pid[child], &end, WEXITED | WNOHANG | WNOWAIT) != 0 ||
      end.si_pid == 0)
    return false;
  *status_out = status_of(&end);
  return true;
}

/* The process of a child that has ended stays a zombie until the last one has. To release it, the kernel waits for those that
 * look at its files in /proc, as ps does, and has been seen to wait for seconds on a loaded machine. */
static void find_ends(children_t *children)
{
  int status;

  for (uint32_t child = 0; child < children->plan->count; child++)
    if (children_has_ended(children, child, &status))
      tell_end(children, child, status);
}

/* Ignore children that a shell had before it executed this launcher. */
static void reap_children(children_t *children)
{
  pid_t pid;
  int   status;

  while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
    for (uint32_t child = 0; child < children->plan->count; child++)
      if (children->pid[child] == pid) {
        tell_end(children, child, status);
        break;
      }
}

/* Handle the end of every child that has ended. */
static void take_ends(children_t *children)
{
  if (children->plan->are_kept != NULL && children->plan->are_kept(children->plan->owner))
    find_ends(children);
  else
    reap_children(children);
}

static void forward(const children_t *children, int signal)
{
  const children_plan_t *plan = children->plan;

  if (plan->forward == NULL || !plan->forward(plan->owner, children, signal))
    send_all(children, signal);
}

static void take_signal(children_t *children)
{
  struct signalfd_siginfo info;

  if (read(children->signals, &info, sizeof info) != sizeof info)
    return;
  if (info.ssi_signo == SIGCHLD) {
    take_ends(children);
    return;
  }
  for (size_t i = 0; i < ENDINGS; i++)
    if (info.ssi_signo == (uint32_t)forwarded[i] && children->signal == 0) {
      children->signal = forwarded[i];
      if (children->plan->stopped != NULL)
        children->plan->stopped(children->plan->owner);
    }
  if (info.ssi_code != SI_KERNEL)
    forward(children, (int)info.ssi_signo);
  if (info.ssi_signo == SIGUSR1 && children->plan->asked != NULL)
    children->plan->asked(children->plan->owner);
}

/* Milliseconds until ending children are asked, or killed. -1: they do not end; 0: now. */
static int time_left(const children_t *children)
{
  int64_t ms;

  if (!children->ending)
    return -1;
  ms = (children->last - dart__now_ns() + 999999) / 1000000;
  return ms < 0 ? 0 : (int)ms;
}

static void ask_to_end(children_t *children)
{
  children->asked = true;
  children->last += GRACE;
  send_all(children, SIGTERM);
}

/* Handle one event at a time: the kernel lists them in the order in which they occurred, and the first may be the cause
 * of all others. */
static void watch_children(children_t *children)
{
  const children_plan_t *plan = children->plan;
  struct epoll_event     event;

  while (children->nrunning > 0) {
    int count = epoll_wait(children->epoll, &event, 1, time_left(children));

    if (count == 0 && !children->asked) {
      ask_to_end(children);
    } else if (count == 0) {
      send_all(children, SIGKILL);
      children->last += 3600 * SECOND; /* killed children only have to be waited for */
    } else if (count == 1 && event.data.fd == children->signals) {
      take_signal(children);
    } else if (count == 1) {
      plan->readable(plan->owner, children, event.data.fd);
    }
  }
}

/* ---------------------------------------------------------------- the whole */

void children_end(children_t *children, int code)
{
  if (children->ending)
    return;
  children->ending = true;
  children->code   = code;
  children->last   = dart__now_ns();
  ask_to_end(children);
}

void children_let_end(children_t *children, int code)
{
  if (children->ending)
    return;
  children->ending = true;
  children->code   = code;
  children->last   = dart__now_ns() + SOON;
}

void children_note_code(children_t *children, int code)
{
  if (!children->ending && children->code == 0)
    children->code = code;
}

bool children_are_ending(const children_t *children)
{
  return children->ending;
}

pid_t children_pid(const children_t *children, uint32_t child)
{
  return children->pid[child];
}

int children_signal(const children_t *children)
{
  return children->signal;
}

int children_run(const children_plan_t *plan)
{
  children_t children = { .plan = plan };

  children.pid = calloc(plan->count, sizeof children.pid[0]);
  if (children.pid == NULL || !take_signals(&children)) {
    launch_say("cannot watch %u %ss: %s", plan->count, plan->kind, launch_reason(errno));
    free(children.pid);
    return LAUNCH_EXIT_FAILURE;
  }
  if (plan->begin != NULL)
    plan->begin(plan->owner, &children);
  start_children(&children);
  if (plan->started != NULL)
    plan->started(plan->owner);
  watch_children(&children);
  reap_children(&children); /* those that were kept: their times are the launcher's, too */
  free(children.pid);
  close(children.signals);
  close(children.epoll);
  return children.code;
}
