#ifndef BENCH_DISTANCE_DISTANCE_H
#define BENCH_DISTANCE_DISTANCE_H
/* What the program and its part in plain MPI share. */
#include <stdbool.h>
#include <stddef.h>

#include "../common/bench.h"

/** Make a window of `nbytes` on each unit. Collective. False: this program has no MPI. */
bool mpi_open(const bench_job_t *job, size_t nbytes);
void mpi_close(void);

/** Called by unit 0: `n` times one MPI_Put or MPI_Get and its flush. */
void mpi_puts(int target, const void *data, size_t nbytes, size_t n);
void mpi_gets(int target, void *data, size_t nbytes, size_t n);

/** Wait inside MPI for all units, so that it makes progress. Collective. */
void mpi_meet(void);

#endif
