#ifndef BENCH_COMMON_WINDOW_H
#define BENCH_COMMON_WINDOW_H
/* A window of plain MPI, to compare with. Programs without MPI have the same functions, and no window. */
#include <stddef.h>

#include "bench.h"

/** A window of `nbytes` on each unit, zeroed, in one passive epoch until it is closed. Collective. Returns this unit's
 *  memory; NULL: this program has no MPI. */
void *bench_window_open(size_t nbytes);
void  bench_window_close(void);

/** MPI_Put to, or MPI_Get from, byte `offset` of `unit`'s memory, complete on return. */
void bench_window_put(size_t unit, size_t offset, const void *data, size_t nbytes);
void bench_window_get(size_t unit, size_t offset, void *data, size_t nbytes);

/** MPI_Barrier, after which this unit sees what others have put. */
void bench_window_barrier(void);

#endif
