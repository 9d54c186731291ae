/* A program without MPI: there is nothing to measure by it. */
#include "distance.h"

bool mpi_open(const bench_job_t *job, size_t nbytes)
{
  (void)job, (void)nbytes;
  return false;
}

void mpi_close(void)
{
}

void mpi_puts(int target, const void *data, size_t nbytes, size_t n)
{
  (void)target, (void)data, (void)nbytes, (void)n;
}

void mpi_gets(int target, void *data, size_t nbytes, size_t n)
{
  (void)target, (void)data, (void)nbytes, (void)n;
}

void mpi_meet(void)
{
}
