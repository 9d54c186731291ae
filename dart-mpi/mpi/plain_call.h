#ifndef DART__MPI_MPI_PLAIN_CALL_H
#define DART__MPI_MPI_PLAIN_CALL_H
/* A call of MPI whose failure the caller handles: MPI's code. (Tests put something else in its place: test/inject.) */
#include <mpi.h>

#ifndef DART__MPI_CALL
#define DART__MPI_CALL(function, ...) function(__VA_ARGS__)
#endif

#endif
