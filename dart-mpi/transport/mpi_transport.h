#ifndef DART__MPI_TRANSPORT_MPI_TRANSPORT_H
#define DART__MPI_TRANSPORT_MPI_TRANSPORT_H
/* The transport over MPI: peers are the ranks of a communicator, channels are tags. */
#include <mpi.h>

#include "transport.h"

/** The transport over `comm`. There is one in a process; it needs no close. */
dart__transport_t *dart__transport_over(MPI_Comm comm);

/** A request of MPI that the program of the transport made itself, to be tested like the transport's. */
dart__transport_request_t dart__transport_request_of(MPI_Request request);

#endif
