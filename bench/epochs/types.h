#ifndef BENCH_EPOCHS_TYPES_H
#define BENCH_EPOCHS_TYPES_H
/* What the files of this program share: types.c has the table and DART's side, mpi_types.c plain MPI's. */
#include "../common/bench.h"

enum { BYTES = 1024, VECTOR_BLOCK = 4, STRUCT_BLOCK = 8 };

typedef enum { ROW, VECTOR, STRUCT, NLAYOUTS } layout_t;
typedef enum { FENCE, PSCW, LOCK, NWAYS } way_t;

/* A step: `nops` puts of BYTES bytes to the unit to the right, laid out alike on both sides, in one epoch. */
typedef struct {
  bench_job_t job;
  int32_t     left, right;
  uint64_t    nops;
  size_t      room;        /* bytes from the data of one put to those of the next */
  char       *recv, *send; /* nops * room each */
  layout_t    layout;
} exchange_t;

/** Where block `i` of a layout begins, in bytes. A struct's blocks are at no constant distance. */
static inline size_t start_of(layout_t layout, size_t i)
{
  if (layout == ROW)
    return 0;
  return layout == VECTOR ? 2 * i * VECTOR_BLOCK : (2 * i + i % 3 / 2) * STRUCT_BLOCK;
}

static inline size_t block_of(layout_t layout)
{
  return layout == ROW ? BYTES : layout == VECTOR ? VECTOR_BLOCK : STRUCT_BLOCK;
}

/** Do `steps` steps. */
typedef void (*steps_t)(exchange_t *x, size_t steps);

/* Plain MPI; NULL in a program without it (no_mpi_types.c). */
extern const steps_t *const mpi_ways;
void                        mpi_open(exchange_t *x); /* sets recv and send of MPI's side */
void                        mpi_close(void);

#endif
