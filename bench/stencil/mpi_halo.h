#ifndef BENCH_STENCIL_MPI_HALO_H
#define BENCH_STENCIL_MPI_HALO_H
/* Halo rows in a window of plain MPI, to compare with. */
#include <stddef.h>

#include "../common/bench.h"

/** A window of `nbytes` on each unit, in one passive epoch. Collective. Returns this unit's memory; NULL: this program has
 *  no MPI. */
void *mpi_halo_open(const bench_job_t *job, size_t nbytes);
void  mpi_halo_close(void);

/** Put to `unit`'s window, complete on return. */
void mpi_halo_put(size_t unit, size_t offset, const void *data, size_t nbytes);

/** A barrier, after which this unit sees what others have put. */
void mpi_halo_barrier(void);

#endif
