#ifndef BENCH_MICRO_MPI_COMMON_H
#define BENCH_MICRO_MPI_COMMON_H
/* What the files on plain MPI share: the windows, and who contributes which sides. MPI is the one
 * DART has started; an error in it ends the job. */
#include <mpi.h>

#include "micro.h"

/* The side of a case of this name. */
typedef struct {
  const char *name;
  side_t      side;
  bool        in_window; /* to be measured on each kind of window */
} mpi_side_t;

/* Each ends with one that has no name. */
extern const mpi_side_t mpi_onesided_sides[], mpi_atomic_sides[], mpi_collective_sides[];

/* The window that mpi_choose() has chosen, in one passive epoch for all its life. */
extern MPI_Win mpi_window;

/** Where the window's memory of `unit` begins, as a displacement. */
MPI_Aint mpi_start_of(dart_unit_t unit);

/** For mpi_start and mpi_stop: what the collective sides need. Collective over all units. */
void mpi_collective_start(void);
void mpi_collective_stop(void);

#endif
