#ifndef DART__MPI_MPI_MESSAGES_H
#define DART__MPI_MPI_MESSAGES_H
/* Messages of net.h over MPI: peers are the ranks of communicators, a channel is a communicator and a tag. */
#include "mpi/call.h"
#include "net.h"

/** Find out the largest tag of this MPI. Local. */
int dart__mpi_largest_tag(void);

/* A request of MPI as one of the network's, and back. */
static inline dart__net_request_t dart__mpi_wrap(MPI_Request mpi_request)
{
  dart__net_request_t request = { 0 };

  _Static_assert(sizeof mpi_request <= sizeof request.id,
                 "a request of MPI is a number of 64 bits");
  __builtin_memcpy(&request.id, &mpi_request, sizeof mpi_request);
  return request;
}

#endif
