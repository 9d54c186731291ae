/* Where there is no MPI to compare with. */
#include "epochs.h"

const steps_t *const mpi_ways = NULL;

void mpi_open(exchange_t *x)
{
  (void)x;
}

void mpi_close(void)
{
}

char *mpi_memory(void)
{
  return NULL;
}
