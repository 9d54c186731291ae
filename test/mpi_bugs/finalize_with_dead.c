/* MPI_Finalize is collective, so without one of the ranks it need not end: no MPI promises that it does.
 *
 * Here the last rank ends without it. */
#include "verdict.h"

enum { LIMIT_S = 3 };

int main(int argc, char **argv)
{
  int me, n;

  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &n);
  MPI_Barrier(MPI_COMM_WORLD);
  if (me == n - 1)
    _exit(RIGHT);
  wrong_by(SIGALRM, "MPI_Finalize hangs when a rank has ended without it\n");
  alarm(LIMIT_S);
  MPI_Finalize();
  if (me == 0)
    printf("MPI_Finalize ends without a rank\n");
  return RIGHT;
}
