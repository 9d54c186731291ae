/* A program without MPI has no such window. */
#include "mpi_halo.h"

void *mpi_halo_open(const bench_job_t *job, size_t nbytes)
{
  (void)job, (void)nbytes;
  return NULL;
}

void mpi_halo_close(void)
{
}

void mpi_halo_put(size_t unit, size_t offset, const void *data, size_t nbytes)
{
  (void)unit, (void)offset, (void)data, (void)nbytes;
}

void mpi_halo_barrier(void)
{
}
