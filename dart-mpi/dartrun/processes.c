/* The children of Hydra, MPICH's mpiexec, are a proxy for each host. The children of this host's proxy are the units,
 * which have their ranks in their environment. If mpiexec has any other child, such as the ssh to another host, some
 * units are not visible here. */
#include "processes.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PROXY "hydra_pmi_proxy"
#define RANK  "PMI_RANK="

static FILE *open_of(pid_t pid, const char *file)
{
  char path[64];

  snprintf(path, sizeof path, file, (int)pid, (int)pid);
  return fopen(path, "re");
}

/* The unit of a process; -1: it is not a unit. */
static long unit_of(pid_t pid)
{
  FILE  *file = open_of(pid, "/proc/%d/environ");
  char  *text = NULL;
  size_t size = 0;
  long   unit = -1;

  while (file != NULL && unit < 0 && getdelim(&text, &size, '\0', file) > 0)
    if (strncmp(text, RANK, strlen(RANK)) == 0)
      unit = strtol(text + strlen(RANK), NULL, 10);
  free(text);
  if (file != NULL)
    fclose(file);
  return unit;
}

/* "": the process is gone. */
static void take_name(pid_t pid, char name[PROCESSES_NAME])
{
  FILE *file = open_of(pid, "/proc/%d/comm");

  if (file == NULL || fgets(name, PROCESSES_NAME, file) == NULL)
    name[0] = '\0';
  name[strcspn(name, "\n")] = '\0';
  if (file != NULL)
    fclose(file);
}

static bool is_proxy(pid_t pid)
{
  char name[PROCESSES_NAME];

  take_name(pid, name);
  return strncmp(name, PROXY, strlen(PROXY)) == 0;
}

/* What is to be done with the units of this machine. */
typedef struct {
  bool    *there; /* of `nunits`, to be set; or NULL */
  uint32_t nunits;
  int      signal; /* to be sent to them; 0: none */
  uint32_t nsent;
  char    *failed; /* room for the name of a child of mpiexec that has failed ... */
  int      status; /* ... and how that has ended; 0: none was found */
} task_t;

/* Call `visit` for the children of a process until it returns false. False: it did, or the children cannot be
 * listed. */
static bool each_child(pid_t pid, bool (*visit)(pid_t, task_t *), task_t *task)
{
  FILE *file = open_of(pid, "/proc/%d/task/%d/children");
  int   child;
  bool  good = file != NULL;

  while (good && fscanf(file, "%d", &child) == 1)
    good = visit(child, task);
  if (file != NULL)
    fclose(file);
  return good;
}

static bool visit_unit(pid_t pid, task_t *task)
{
  long unit = unit_of(pid);

  if (unit < 0)
    return true; /* perhaps a unit that has just ended, without an environment */
  if (task->there != NULL && unit < (long)task->nunits)
    task->there[unit] = true;
  if (task->signal != 0 && kill(pid, task->signal) == 0)
    task->nsent++;
  return true;
}

static bool visit_proxy(pid_t pid, task_t *task)
{
  return is_proxy(pid) ? each_child(pid, visit_unit, task) : task->signal != 0;
}

bool processes_find(pid_t mpiexec, bool *there, uint32_t nunits)
{
  memset(there, 0, nunits * sizeof *there);
  return each_child(mpiexec, visit_proxy, &(task_t){ .there = there, .nunits = nunits });
}

bool processes_send(pid_t mpiexec, int signal)
{
  task_t task = { .signal = signal };

  each_child(mpiexec, visit_proxy, &task);
  return task.nsent > 0;
}

/* The state in /proc/PID/stat, and the status that a wait for it will return, which is the last field. 0: there is no
 * such process any more. */
static char state_of(pid_t pid, int *status_out)
{
  FILE       *file = open_of(pid, "/proc/%d/stat");
  char        line[1024];
  const char *name_end, *last;
  char        state = 0;

  if (file == NULL)
    return 0;
  if (fgets(line, sizeof line, file) != NULL && (name_end = strrchr(line, ')')) != NULL &&
      (last = strrchr(line, ' ')) != NULL && name_end[1] == ' ') {
    state       = name_end[2];
    *status_out = atoi(last + 1);
  }
  fclose(file);
  return state;
}

static bool visit_failed(pid_t pid, task_t *task)
{
  int status = 0;

  if (state_of(pid, &status) != 'Z' || status == 0)
    return true;
  task->status = status;
  take_name(pid, task->failed);
  return false;
}

int processes_failed(pid_t mpiexec, char name[PROCESSES_NAME])
{
  task_t task = { .failed = name };

  each_child(mpiexec, visit_failed, &task);
  return task.status;
}

int processes_orphan(pid_t *pid_out)
{
  struct timespec ms     = { 0, 1000000 };
  int             status = 0, tries = 0;

  while ((*pid_out = waitpid(-1, &status, WNOHANG)) >= 0 && tries++ < 1000) {
    if (*pid_out > 0 && WIFSIGNALED(status) && WTERMSIG(status) != SIGKILL)
      break;
    status = 0;
    if (*pid_out == 0)
      nanosleep(&ms, NULL);
  }
  each_child(getpid(), visit_unit, &(task_t){ .signal = SIGKILL });
  return *pid_out > 0 ? status : 0;
}

/* What the kernel keeps of a process that its parent has waited for (linux/pidfd.h, since Linux 6.15). */
typedef struct {
  uint64_t mask; /* in: what is wanted; out: what is there */
  uint64_t others[6];
  uint32_t other;
  int32_t  status;
} pidfd_info_t;

_Static_assert(sizeof(pidfd_info_t) == 64, "PIDFD_INFO_SIZE_VER0");

#define PIDFD_GET_INFO  _IOWR(0xff, 11, pidfd_info_t)
#define PIDFD_INFO_EXIT UINT64_C(8)

#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77
#endif

/* A pidfd of the process that has made the connection, which may be gone. -1: the kernel has none. */
static int pidfd_of(int connection)
{
  int       fd     = -1;
  socklen_t length = sizeof fd;

  return getsockopt(connection, SOL_SOCKET, SO_PEERPIDFD, &fd, &length) == 0 ? fd : -1;
}

static bool has_exit_status(int pidfd, int *status_out)
{
  pidfd_info_t info = { .mask = PIDFD_INFO_EXIT };

  if (pidfd < 0 || ioctl(pidfd, PIDFD_GET_INFO, &info) != 0 || (info.mask & PIDFD_INFO_EXIT) == 0)
    return false;
  *status_out = info.status;
  return true;
}

int processes_status(pid_t pid, int connection)
{
  struct timespec ms     = { 0, 1000000 };
  int             status = 0, pidfd = pidfd_of(connection);

  for (int tries = 0; tries < 50; tries++) {
    char state = state_of(pid, &status); /* of one that runs the status is 0 */

    if (state == 'Z' || has_exit_status(pidfd, &status) || state == 0)
      break;
    nanosleep(&ms, NULL);
  }
  if (pidfd >= 0)
    close(pidfd);
  return status;
}
