/* Communicators without a common rank may make windows at the same time (MPI 3.1, 11.2: the calls are collective over
 * their own communicator).
 *
 * Here the even and the odd ranks of one host do so. The component osc/rdma of Open MPI 4.1 makes a file in /dev/shm for
 * the ranks of a host, and names it after the host, the job and the number of the communicator. That number is unique
 * only among the communicators of one rank. So both groups use the same file: one does not find it, because the other
 * has removed it, or its ranks share state with the ranks of the other group. Its version 5 adds the number of a
 * process to the name. */
#include "verdict.h"

enum { ROUNDS = 300 };

static void does_not_end(int number)
{
  static const char text[] = "windows were being made for 20 s, and nothing happened\n";

  (void)number;
  if (write(STDOUT_FILENO, text, sizeof text - 1) > 0)
    _exit(WRONG);
}

int main(int argc, char **argv)
{
  int      me, n, wrong = 0, tried = 0;
  MPI_Comm group;

  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &n);
  if (n < 4)
    return NOT_HERE;
  wrong_by(SIGSEGV, "a rank crashed in a call about a window\n");
  wrong_by(SIGBUS, "a rank crashed in a call about a window\n");
  signal(SIGALRM, does_not_end);
  alarm(20);
  MPI_Comm_split(MPI_COMM_WORLD, me % 2, me, &group);
  MPI_Comm_set_errhandler(group, MPI_ERRORS_RETURN);
  for (int round = 0; round < ROUNDS && wrong == 0; round++) {
    int     failed, any;
    MPI_Win win;

    failed = MPI_Win_create_dynamic(MPI_INFO_NULL, group, &win) != MPI_SUCCESS;
    MPI_Allreduce(&failed, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    wrong += failed;
    tried++;
    if (!any)
      MPI_Win_free(&win);
    else
      break;
  }
  verdict(wrong, tried, "windows of groups without a common rank could not be made");
}
