/* Making a shared window takes time, but not in proportion to its size: nothing is written.
 *
 * MPICH looks for address space that is free on all ranks by asking the kernel about every page.
 * It can be told not to, by MPIR_CVAR_SHM_SYMHEAP_RETRY=0. */
#include "verdict.h"

static double time_of(MPI_Aint nbytes)
{
  double  start = MPI_Wtime();
  void   *memory;
  MPI_Win win;

  MPI_Win_allocate_shared(nbytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  MPI_Win_free(&win);
  return MPI_Wtime() - start;
}

int main(int argc, char **argv)
{
  double small = 1e9, large = 1e9;
  int    me;

  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  for (int i = 0; i < 3; i++) { /* the best of three */
    double a = time_of(1 << 20), b = time_of(128 << 20);

    small = a < small ? a : small;
    large = b < large ? b : large;
  }
  if (me == 0)
    printf("1 MiB: %.2f ms, 128 MiB: %.2f ms\n", small * 1e3, large * 1e3);
  verdict(me == 0 && large > 10 * small + 1e-3, me == 0, "shared windows took time for each page");
}
