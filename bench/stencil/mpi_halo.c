/* MPI_Put and a flush for each row, and MPI's barrier: what DART's puts and barrier do, by plain MPI. */
#include <mpi.h>
#include <string.h>

#include "mpi_halo.h"

static MPI_Comm world;
static MPI_Win  window;

void *mpi_halo_open(const bench_job_t *job, size_t nbytes)
{
  void *base;

  (void)job;
  MPI_Comm_dup(MPI_COMM_WORLD, &world);
  MPI_Win_allocate((MPI_Aint)nbytes, 1, MPI_INFO_NULL, world, &base, &window);
  memset(base, 0, nbytes);
  MPI_Win_lock_all(MPI_MODE_NOCHECK, window);
  return base;
}

void mpi_halo_close(void)
{
  MPI_Win_unlock_all(window);
  MPI_Win_free(&window);
  MPI_Comm_free(&world);
}

void mpi_halo_put(size_t unit, size_t offset, const void *data, size_t nbytes)
{
  MPI_Put(data, (int)nbytes, MPI_BYTE, (int)unit, (MPI_Aint)offset, (int)nbytes, MPI_BYTE, window);
  MPI_Win_flush((int)unit, window);
}

void mpi_halo_barrier(void)
{
  MPI_Win_sync(window);
  MPI_Barrier(world);
  MPI_Win_sync(window);
}
