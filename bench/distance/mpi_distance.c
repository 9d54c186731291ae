/* Puts and gets of plain MPI, on a window of MPI_Win_allocate in one passive epoch. */
#include <mpi.h>
#include <string.h>

#include "distance.h"

static MPI_Comm world;
static MPI_Win  window;

bool mpi_open(const bench_job_t *job, size_t nbytes)
{
  void *base;

  (void)job;
  MPI_Comm_dup(MPI_COMM_WORLD, &world);
  MPI_Win_allocate((MPI_Aint)nbytes, 1, MPI_INFO_NULL, world, &base, &window);
  memset(base, 0, nbytes);
  MPI_Win_lock_all(MPI_MODE_NOCHECK, window);
  return true;
}

void mpi_close(void)
{
  MPI_Win_unlock_all(window);
  MPI_Win_free(&window);
  MPI_Comm_free(&world);
}

void mpi_puts(int target, const void *data, size_t nbytes, size_t n)
{
  for (size_t i = 0; i < n; i++) {
    MPI_Put(data, (int)nbytes, MPI_BYTE, target, 0, (int)nbytes, MPI_BYTE, window);
    MPI_Win_flush(target, window);
  }
}

void mpi_gets(int target, void *data, size_t nbytes, size_t n)
{
  for (size_t i = 0; i < n; i++) {
    MPI_Get(data, (int)nbytes, MPI_BYTE, target, 0, (int)nbytes, MPI_BYTE, window);
    MPI_Win_flush(target, window);
  }
}

void mpi_meet(void)
{
  MPI_Barrier(world);
}
