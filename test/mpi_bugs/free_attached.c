/* MPI_Win_free detaches what is attached to a dynamic window (MPI 3.1, 11.2.4).
 *
 * Here the memory is attached, and freed after the window. Open MPI 4.1's component osc/ucx crashes in MPI_Win_free if
 * other memory was detached before. */
#include "verdict.h"

enum { PARTS = 8, NBYTES = 1 << 16 };

int main(int argc, char **argv)
{
  static char *part[PARTS];
  MPI_Win      win;

  MPI_Init(&argc, &argv);
  wrong_by(SIGSEGV, "MPI_Win_free crashed\n");
  MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  for (int i = 0; i < PARTS; i++) {
    part[i] = malloc(NBYTES);
    MPI_Win_attach(win, part[i], NBYTES);
  }
  for (int i = 0; i < PARTS; i += 2)
    MPI_Win_detach(win, part[i]);
  MPI_Win_free(&win);
  verdict(0, 1, "windows could not be freed");
}
