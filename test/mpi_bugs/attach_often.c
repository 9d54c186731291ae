/* Memory can be attached to a dynamic window while there are resources for it (MPI 3.1, 11.2.4).
 *
 * Here 200 parts are attached at once. Open MPI 4.1's component osc/rdma has 64 places for them
 * (OMPI_MCA_osc_rdma_max_attach), and then crashes or hangs; osc/ucx has 48. */
#include "verdict.h"

enum { PARTS = 200, NBYTES = 4096 };

int main(int argc, char **argv)
{
  static char memory[PARTS][NBYTES];
  static int  is_attached[PARTS];
  int         refused = 0;
  MPI_Win     win;

  MPI_Init(&argc, &argv);
  wrong_by(SIGALRM, "MPI_Win_attach does not return\n");
  wrong_by(SIGSEGV, "a rank crashed in a call about a window\n");
  alarm(10);
  MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
  for (int i = 0; i < PARTS; i++) {
    is_attached[i] = MPI_Win_attach(win, memory[i], NBYTES) == MPI_SUCCESS;
    refused += !is_attached[i];
  }
  for (int i = 0; i < PARTS; i++)
    if (is_attached[i])
      MPI_Win_detach(win, memory[i]);
  MPI_Win_free(&win);
  verdict(refused, PARTS, "parts of memory could not be attached");
}
