#ifndef DART__MPI_MPI_COMM_H
#define DART__MPI_MPI_COMM_H
/* The job's communicators, and waiting for MPI.
 *
 * They stay from the first dart_init on, for they are slow to make and would be the same again, but for `node`: another
 * dart_init may find other nodes. Each carries one kind of traffic. */
#include <mpi.h>
#include <stdbool.h>

#include "mpi/call.h"
#include "wait/wait.h"

typedef struct {
  MPI_Comm world; /* DART's duplicate of MPI_COMM_WORLD: global id == rank; its messages are those
                        of leaders, by team, and when there are no more teams, the last of the job */
  MPI_Comm
           node; /* the units of this node, by global id; `world` itself if these are all; MPI_COMM_NULL: teams make
                        it where they need it */
  MPI_Comm requests;   /* active messages; MPI_COMM_NULL on a single node */
  MPI_Comm messages;   /* two-sided messages of the program to far units; as above */
  bool     is_divided; /* DART has divided one host into nodes */
} dart__comm_t;

extern dart__comm_t dart__comm;

/** Make `world`, if it is not there yet. Collective over MPI_COMM_WORLD. */
void dart__comm_open(void);

/** Make `requests` and `messages`, if they are not there yet. Collective over the job. */
void dart__comm_open_nodes(void);

/** Wait for a request by the job's wait policy, which makes progress. */
void dart__mpi_wait(MPI_Request *request);

/** The maximum of `value` over the units of a communicator. Collective; makes progress. */
int dart__mpi_most(MPI_Comm comm, int value);

#endif
