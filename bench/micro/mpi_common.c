/* Plain MPI in the same processes: two windows, each with as much memory as DART's segment.
 *
 *   static   MPI_Win_allocate: the transport knows the memory of all units from the beginning
 *   dynamic  MPI_Win_create_dynamic, to which memory is attached: what DART's segments lie in
 *
 * Which is faster depends on the transport, so both are measured, and the better one is compared
 * with DART. Both stay in one epoch of passive synchronisation, the cheapest way to use them. */
#include "mpi_common.h"

#include <stdlib.h>
#include <string.h>

MPI_Win mpi_window;

static MPI_Comm  world;
static MPI_Win   windows[NWINDOWS];
static MPI_Aint *address; /* [unit] of the attached memory */
static void     *attached;
static window_t  chosen;

void mpi_start(micro_t *m)
{
  MPI_Aint mine;
  void    *base;

  MPI_Comm_dup(MPI_COMM_WORLD, &world);
  MPI_Win_allocate((MPI_Aint)m->area, 1, MPI_INFO_NULL, world, &base, &windows[WINDOW_STATIC]);
  memset(base, 0, m->area);

  attached = bench_alloc(m->area / LINE, LINE);
  memset(attached, 0, m->area);
  MPI_Win_create_dynamic(MPI_INFO_NULL, world, &windows[WINDOW_DYNAMIC]);
  MPI_Win_attach(windows[WINDOW_DYNAMIC], attached, (MPI_Aint)m->area);
  MPI_Get_address(attached, &mine);
  address = bench_alloc(m->job.nunits, sizeof *address);
  MPI_Allgather(&mine, 1, MPI_AINT, address, 1, MPI_AINT, world);

  for (int i = 0; i < NWINDOWS; i++)
    MPI_Win_lock_all(MPI_MODE_NOCHECK, windows[i]);
  mpi_collective_start();
  MPI_Barrier(world);
}

void mpi_stop(void)
{
  mpi_collective_stop();
  for (int i = 0; i < NWINDOWS; i++)
    MPI_Win_unlock_all(windows[i]);
  MPI_Win_detach(windows[WINDOW_DYNAMIC], attached);
  for (int i = 0; i < NWINDOWS; i++)
    MPI_Win_free(&windows[i]);
  MPI_Comm_free(&world);
  free(address);
  free(attached);
}

void mpi_choose(window_t window)
{
  chosen     = window;
  mpi_window = windows[window];
}

MPI_Aint mpi_start_of(dart_unit_t unit)
{
  return chosen == WINDOW_STATIC ? 0 : address[unit];
}

void mpi_meet(void)
{
  MPI_Barrier(world);
}

const side_t *mpi_side(const case_t *c, window_t window)
{
  static const mpi_side_t *const tables[] = { mpi_onesided_sides, mpi_atomic_sides,
                                              mpi_collective_sides };

  for (size_t t = 0; t < sizeof tables / sizeof tables[0]; t++)
    for (const mpi_side_t *s = tables[t]; s->name != NULL; s++)
      if (strcmp(s->name, c->name) == 0)
        return window == WINDOW_STATIC || s->in_window ? &s->side : NULL;
  return NULL;
}
