/* The variants of MPI in a program without MPI: there are none. */
#include "table.h"

const variant_t mpi_variants[] = { { 0 } };
