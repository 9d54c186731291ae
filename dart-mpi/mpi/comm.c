/* See comm.h. */
#include "mpi/comm.h"

#include "model/world.h"

#define LOOKS 8 /* tests of a request for each turn of DART's own progress */

dart__comm_t dart__comm = { .world    = MPI_COMM_NULL,
                            .node     = MPI_COMM_NULL,
                            .requests = MPI_COMM_NULL,
                            .messages = MPI_COMM_NULL };

void dart__comm_open(void)
{
  int me;

  if (dart__comm.world != MPI_COMM_NULL)
    return;
  DART__MPI(MPI_Comm_dup, MPI_COMM_WORLD, &dart__comm.world);
  /* duplicates and subsets of it inherit this */
  DART__MPI(MPI_Comm_set_errhandler, dart__comm.world, MPI_ERRORS_RETURN);
  DART__MPI(MPI_Comm_rank, dart__comm.world, &me);
  DART__MPI(MPI_Comm_split_type, dart__comm.world, MPI_COMM_TYPE_SHARED, me, MPI_INFO_NULL,
            &dart__comm.node);
}

void dart__comm_dup(MPI_Comm *comm)
{
  if (*comm == MPI_COMM_NULL)
    DART__MPI(MPI_Comm_dup, dart__comm.world, comm);
}

void dart__mpi_wait_by(const dart__wait_policy_t *policy, MPI_Request *request)
{
  uint32_t turns = 0;
  int      done;

  for (uint32_t looks = 1;; looks++) {
    DART__MPI(MPI_Test, request, &done, MPI_STATUS_IGNORE);
    if (done)
      return;
    if (looks % LOOKS == 0) /* MPI_Test makes MPI's progress, and this call makes DART's */
      dart__wait_turn(&turns, policy);
  }
}

void dart__mpi_wait(MPI_Request *request)
{
  dart__mpi_wait_by(&dart__world.wait, request);
}

int dart__mpi_most(MPI_Comm comm, int value)
{
  MPI_Request request;

  DART__MPI(MPI_Iallreduce, MPI_IN_PLACE, &value, 1, MPI_INT, MPI_MAX, comm, &request);
  dart__mpi_wait(&request);
  return value;
}
