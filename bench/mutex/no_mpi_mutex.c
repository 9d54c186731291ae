/* The mutexes of MPI in a program without MPI: there are none. */
#include "mutex.h"

const mutex_side_t mutex_mpi_sides[] = { { .name = NULL } };
