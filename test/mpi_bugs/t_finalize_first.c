/* The tool interface may be started and ended before MPI_Init (MPI 3.1, 14.3.4).
 *
 * MPICH 4.0 then crashes in MPI_Init. */
#include "verdict.h"

int main(int argc, char **argv)
{
  int provided;

  wrong_by(SIGSEGV, "MPI_Init crashes after MPI_T_finalize\n");
  wrong_by(SIGABRT, "MPI_Init crashes after MPI_T_finalize\n");
  MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
  MPI_T_finalize();
  MPI_Init(&argc, &argv);
  verdict(0, 1, "starts of MPI crashed");
}
