#ifndef BENCH_EPOCHS_TYPES_H
#define BENCH_EPOCHS_TYPES_H
/* What the files of this program share: types.c has the table and DART's side, mpi_types.c plain MPI's. */
#include "../common/bench.h"

enum { VECTOR_BLOCKS = 256, STRUCT_BLOCKS = 128, LEAST_BYTES = 1024 };

#define MOST_TYPES 32

typedef enum { ROW, VECTOR, STRUCT, NLAYOUTS } layout_t;
typedef enum { FENCE, PSCW, LOCK, NWAYS } way_t;

/* A step: `nops` puts of `nbytes` bytes, a multiple of LEAST_BYTES, to the unit to the right, laid out alike on both sides, in one epoch. */
typedef struct {
  bench_job_t job;
  int32_t     left, right;
  uint64_t    nops, nbytes;
  size_t      ntypes;      /* of each layout, by which puts go in turn */
  size_t      nputs;       /* so far */
  size_t      room;        /* bytes from the data of one put to those of the next */
  char       *recv, *send; /* nops * room each */
  layout_t    layout;
} exchange_t;

static inline size_t blocks_of(layout_t layout)
{
  return layout == ROW ? 1 : layout == VECTOR ? VECTOR_BLOCKS : STRUCT_BLOCKS;
}

/** Bytes of a block: the layouts have as many blocks at each size, so their descriptions are as long. */
static inline size_t block_of(const exchange_t *x, layout_t layout)
{
  return x->nbytes / blocks_of(layout);
}

/** From block to block of the vector that has this number, in blocks. */
static inline size_t stride_of(size_t number)
{
  return 2 + number;
}

/** Where block `i` of the type that has this number begins, in blocks. A struct's blocks are at no constant distance; types
 *  differ in where the last one is. */
static inline size_t start_of(layout_t layout, size_t number, size_t i)
{
  if (layout != STRUCT)
    return stride_of(number) * i;
  return 2 * i + i % 3 / 2 + (i == STRUCT_BLOCKS - 1 ? number : 0);
}

static inline size_t room_of(const exchange_t *x)
{
  return (stride_of(x->ntypes - 1) + 1) * x->nbytes;
}

/** The number of the next put's type. */
static inline size_t next_type(exchange_t *x)
{
  return x->nputs++ % x->ntypes;
}

/** Do `steps` steps. */
typedef void (*steps_t)(exchange_t *x, size_t steps);

/* Plain MPI; NULL in a program without it (no_mpi_types.c). */
extern const steps_t *const mpi_ways;
void                        mpi_open(exchange_t *x); /* sets recv and send of MPI's side */
void                        mpi_close(void);

#endif
