/* The tool interface may be started and ended before MPI_Init (MPI 3.1, 14.3.4).
 *
 * MPICH 4.0 then crashes in MPI_Init. */
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "verdict.h"

static void die(int signal)
{
  static const char text[] = "MPI_Init crashes after MPI_T_finalize\n";

  (void)signal;
  if (write(STDOUT_FILENO, text, strlen(text)) > 0)
    _exit(WRONG);
}

int main(int argc, char **argv)
{
  int provided;

  signal(SIGSEGV, die);
  signal(SIGABRT, die);
  MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
  MPI_T_finalize();
  MPI_Init(&argc, &argv);
  verdict(0, 1, "starts of MPI crashed");
}
