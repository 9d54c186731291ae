/* A process that is gone does not answer, so MPI_Win_flush of its portion should fail: no MPI promises that.
 *
 * Here the last rank ends without MPI_Finalize, and the first one puts to its window, in which it has put before. */
#include "verdict.h"

enum { LEFT_S = 1, LIMIT_S = 3 };

int main(int argc, char **argv)
{
  static long memory;
  long        value = 1;
  int         me, n;
  MPI_Win     win;

  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &n);
  MPI_Win_create(&memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
  MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
  MPI_Put(&value, 1, MPI_LONG, n - 1, 0, 1, MPI_LONG, win);
  MPI_Win_flush(n - 1, win);
  MPI_Barrier(MPI_COMM_WORLD);
  if (me == n - 1)
    _exit(RIGHT);
  sleep(LEFT_S);
  wrong_by(SIGALRM, "MPI_Win_flush of a rank that has ended hangs\n");
  alarm(LIMIT_S);
  MPI_Put(&value, 1, MPI_LONG, n - 1, 0, 1, MPI_LONG, win);
  printf("MPI_Win_flush of a rank that has ended returns %d\n", MPI_Win_flush(n - 1, win));
  fflush(stdout);
  _exit(RIGHT);
}
