/* What ranks put to and accumulate on a rank is done to that rank's memory.
 *
 * Here every rank allocates one int, and two ranks of a node share the memory of the window, so that the
 * second one's int lies 4 bytes after the first one's. MPICH then does as in unaligned_base.c: what a rank of
 * another node does to the second int is done to the first. */
#include "verdict.h"

/* Rank 1 is alone on its node, and changes the int of rank 2. Returns what is wrong on this rank. */
static int check(int me, MPI_Win win, const int *memory, int accumulates)
{
  int mark = 7;

  if (me == 1 && accumulates)
    MPI_Accumulate(&mark, 1, MPI_INT, 2, 0, 1, MPI_INT, MPI_REPLACE, win);
  else if (me == 1)
    MPI_Put(&mark, 1, MPI_INT, 2, 0, 1, MPI_INT, win);
  if (me == 1)
    MPI_Win_flush(2, win);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_sync(win);
  return *memory != (me == 2 ? mark : 0);
}

int main(int argc, char **argv)
{
  int me, n, wrong = 0;

  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &n);
  for (int accumulates = 0; accumulates < 2; accumulates++) {
    MPI_Win win;
    int    *memory;

    MPI_Win_allocate(sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    MPI_Win_lock_all(0, win);
    *memory = 0;
    MPI_Win_sync(win);
    MPI_Barrier(MPI_COMM_WORLD);
    wrong += n > 2 && check(me, win, memory, accumulates);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
  }
  verdict(wrong, 2,
          "words of two ranks' memory are wrong after a put and an accumulate to one of them");
}
