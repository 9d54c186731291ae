/* Whether a launcher lets the others go on when one process is killed by a signal: no MPI promises that.
 *
 * Here the last rank is killed. Each other one says after a second that it is there. */
#include "verdict.h"

int main(int argc, char **argv)
{
  int me, n;

  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &n);
  signal(SIGUSR1, SIG_IGN); /* by which MPICH's launcher tells of a death */
  MPI_Barrier(MPI_COMM_WORLD);
  if (me == n - 1) {
    usleep(100000); /* the others have left the barrier */
    raise(SIGKILL);
  }
  sleep(1);
  printf("others go on when a rank is killed\n");
  fflush(stdout);
  _exit(RIGHT);
}
