/* The tool interface may be started again after it has ended (MPI 3.1, 14.3.4).
 *
 * MPICH 4.0 then crashes when it is asked for the number of performance variables. */
#include "verdict.h"

int main(int argc, char **argv)
{
  int provided, nvariables;

  MPI_Init(&argc, &argv);
  wrong_by(SIGSEGV, "MPI_T_pvar_get_num crashes\n");
  for (int i = 0; i < 2; i++) {
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    MPI_T_pvar_get_num(&nvariables);
    MPI_T_finalize();
  }
  verdict(0, 1, "calls crashed");
}
