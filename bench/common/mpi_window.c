/* See window.h: puts and gets of plain MPI with a flush each, on a window of MPI_Win_allocate. */
#include <mpi.h>
#include <string.h>

#include "window.h"

static MPI_Comm world;
static MPI_Win  window;

void *bench_window_open(size_t nbytes)
{
  void *base;

  MPI_Comm_dup(MPI_COMM_WORLD, &world);
  MPI_Win_allocate((MPI_Aint)nbytes, 1, MPI_INFO_NULL, world, &base, &window);
  memset(base, 0, nbytes);
  MPI_Win_lock_all(MPI_MODE_NOCHECK, window);
  return base;
}

void bench_window_close(void)
{
  MPI_Win_unlock_all(window);
  MPI_Win_free(&window);
  MPI_Comm_free(&world);
}

void bench_window_put(size_t unit, size_t offset, const void *data, size_t nbytes)
{
  MPI_Put(data, (int)nbytes, MPI_BYTE, (int)unit, (MPI_Aint)offset, (int)nbytes, MPI_BYTE, window);
  MPI_Win_flush((int)unit, window);
}

void bench_window_get(size_t unit, size_t offset, void *data, size_t nbytes)
{
  MPI_Get(data, (int)nbytes, MPI_BYTE, (int)unit, (MPI_Aint)offset, (int)nbytes, MPI_BYTE, window);
  MPI_Win_flush((int)unit, window);
}

void bench_window_barrier(void)
{
  MPI_Win_sync(window);
  MPI_Barrier(world);
  MPI_Win_sync(window);
}
