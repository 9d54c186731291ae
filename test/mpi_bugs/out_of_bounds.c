/* A put beyond the window is an error of the origin, MPI_ERR_RMA_RANGE (MPI 3.1, 11.6.2). MPI need
 * not find it; but the target should not pay for it.
 *
 * MPICH does not look, and the target dies. */
#include "verdict.h"

static _Alignas(64) int memory[16];

int main(int argc, char **argv)
{
  int     me, one = 1, refused = 1;
  MPI_Win win;

  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  wrong_by(SIGSEGV, "the target dies of a put that went beyond its window\n");
  MPI_Win_create(memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
  MPI_Win_lock_all(0, win);
  MPI_Barrier(MPI_COMM_WORLD);
  if (me == 0)
    refused = MPI_Put(&one, 1, MPI_INT, 1, (MPI_Aint)1 << 40, 1, MPI_INT, win) != MPI_SUCCESS ||
              MPI_Win_flush(1, win) != MPI_SUCCESS;
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
  verdict(!refused, 1, "puts beyond a window were accepted");
}
