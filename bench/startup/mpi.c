/* The same by plain MPI. */
#include <mpi.h>

#include "help.h"

int main(int argc, char **argv)
{
  int code;

  if (startup_is_helped(argc, argv, "A job that calls MPI_Init and MPI_Finalize, and nothing else.",
                        &code))
    return code;
  return MPI_Init(&argc, &argv) != MPI_SUCCESS || MPI_Finalize() != MPI_SUCCESS;
}
