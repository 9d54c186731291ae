#ifndef DART__MPI_COMM_H
#define DART__MPI_COMM_H
/* The job's communicators, and waiting for MPI.
 *
 * They stay from the first dart_init on, for they are slow to make and would be the same again. What
 * travels on each is apart from all else. */
#include <mpi.h>

#include "mpi/call.h"
#include "node/wait.h"

typedef struct {
  MPI_Comm world;    /* DART's duplicate of MPI_COMM_WORLD: global id == rank */
  MPI_Comm node;     /* the units of this node, by global id */
  MPI_Comm requests; /* active messages; MPI_COMM_NULL: no job of several nodes yet, as below */
  MPI_Comm messages; /* messages of the program to far units */
} dart__comm_t;

extern dart__comm_t dart__comm;

/** Make `world` and `node`, if they are not there yet. Collective over MPI_COMM_WORLD. */
void dart__comm_open(void);

/** A duplicate of `world` to `*comm`, if it is not there yet. Collective over the job. */
void dart__comm_dup(MPI_Comm *comm);

/** Wait for a request: progress is made, and the core given away, meanwhile; in the job's way, or another. */
void dart__mpi_wait(MPI_Request *request);
void dart__mpi_wait_by(const dart__wait_policy_t *policy, MPI_Request *request);

/** The largest of all values that units of a communicator bring. Collective; progress is made. */
int dart__mpi_most(MPI_Comm comm, int value);

#endif
