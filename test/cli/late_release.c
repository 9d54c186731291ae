/* A kernel that is slow to release a process that has ended, for launchers: the first call of waitpid that finds one takes
 * two seconds. */
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define LATE_US 2000000

pid_t waitpid(pid_t pid, int *status, int options)
{
  static bool is_over;
  siginfo_t   end = { .si_pid = 0 };

  if (!is_over && waitid(P_ALL, 0, &end, WEXITED | WNOHANG | WNOWAIT) == 0 && end.si_pid != 0) {
    is_over = true;
    usleep(LATE_US);
  }
  return wait4(pid, status, options, NULL);
}
