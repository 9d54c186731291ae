/* The memory that MPI_Win_allocate gives is what others put to.
 *
 * Here it is very small. MPICH gives memory that is aligned to 8 bytes only, and then does as in
 * unaligned_base.c. */
#include "verdict.h"

int main(int argc, char **argv)
{
  int me, n, wrong = 0, tried = 0;
  int mark = 7;

  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &n);
  for (int nbytes = 4; nbytes <= 64; nbytes += 4) {
    MPI_Win win;
    int    *memory;

    MPI_Win_allocate(nbytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    *memory = 0;
    MPI_Win_lock_all(0, win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Put(&mark, 1, MPI_INT, (me + 1) % n, 0, 1, MPI_INT, win);
    MPI_Win_unlock_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
    tried++;
    wrong += *memory != 7;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_free(&win);
  }
  verdict(wrong, tried, "puts to small allocated windows went elsewhere");
}
