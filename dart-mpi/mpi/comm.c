/* See comm.h. */
#include "mpi/comm.h"

#include <stdbool.h>
#include <stdint.h>

#include "model/world.h"
#include "net.h"

dart__comm_t dart__comm = { .world    = MPI_COMM_NULL,
                            .node     = MPI_COMM_NULL,
                            .requests = MPI_COMM_NULL,
                            .messages = MPI_COMM_NULL };

/* The maximum of each value over the units. */
static void most_of(MPI_Comm comm, int *values, int count)
{
  MPI_Request request;

  DART__MPI(MPI_Iallreduce, MPI_IN_PLACE, values, count, MPI_INT, MPI_MAX, comm, &request);
  dart__mpi_wait(&request);
}

/* MPI_Comm_dup blocks, and in it units that share cores wait for each other's time slices. */
static void begin_copy(MPI_Comm comm, MPI_Comm *copy_out, MPI_Request *request_out)
{
  DART__MPI(MPI_Comm_idup, comm, copy_out, request_out);
}

static void end_copy(MPI_Comm *copy, MPI_Request *request)
{
  dart__mpi_wait(request);
  /* subsets of it inherit this */
  DART__MPI(MPI_Comm_set_errhandler, *copy, MPI_ERRORS_RETURN);
}

void dart__comm_open(void)
{
  MPI_Request request;

  if (dart__comm.world != MPI_COMM_NULL)
    return;
  begin_copy(MPI_COMM_WORLD, &dart__comm.world, &request);
  end_copy(&dart__comm.world, &request);
}

void dart__comm_open_nodes(void)
{
  MPI_Request requests, messages;

  if (dart__comm.requests != MPI_COMM_NULL)
    return;
  begin_copy(dart__comm.world, &dart__comm.requests, &requests);
  begin_copy(dart__comm.world, &dart__comm.messages, &messages);
  end_copy(&dart__comm.requests, &requests);
  end_copy(&dart__comm.messages, &messages);
}

/* MPI_Test makes MPI's progress; between two of these the wait makes DART's. */
static bool is_done(void *request)
{
  int done = 0;

  for (int looks = 0; !done && looks < DART__LOOKS; looks++)
    DART__MPI(MPI_Test, request, &done, MPI_STATUS_IGNORE);
  return done != 0;
}

/* Where units share cores the others need the core to get this far: this one sleeps soon, and longer and longer. */
void dart__mpi_wait(MPI_Request *request)
{
  bool shares = dart__world.pace.per_core > 1;

  dart__wait_until(&(dart__wait_t){ .look         = is_done,
                                    .context      = request,
                                    .limit_ns     = INT64_MAX,
                                    .is_of_memory = shares,
                                    .naps_grow    = shares },
                   &dart__world.wait);
}

int dart__mpi_most(MPI_Comm comm, int value)
{
  most_of(comm, &value, 1);
  return value;
}

void dart__net_agree(int32_t *values, size_t count)
{
  most_of(dart__comm.world, values, (int)count);
}
