#ifndef BENCH_EPOCHS_TYPES_H
#define BENCH_EPOCHS_TYPES_H
/* What the files of this program share: types.c has the table and DART's side, mpi_types.c plain MPI's. */
#include "../common/bench.h"

enum { BYTES = 1024, VECTOR_BLOCK = 4, STRUCT_BLOCK = 8 };

#define MOST_TYPES 32

typedef enum { ROW, VECTOR, STRUCT, NLAYOUTS } layout_t;
typedef enum { FENCE, PSCW, LOCK, NWAYS } way_t;

/* A step: `nops` puts of BYTES bytes to the unit to the right, laid out alike on both sides, in one epoch. */
typedef struct {
  bench_job_t job;
  int32_t     left, right;
  uint64_t    nops;
  size_t      ntypes;      /* of each layout, by which puts go in turn */
  size_t      nputs;       /* so far */
  size_t      room;        /* bytes from the data of one put to those of the next */
  char       *recv, *send; /* nops * room each */
  layout_t    layout;
} exchange_t;

/** From block to block of the vector that has this number, in blocks. */
static inline size_t stride_of(size_t number)
{
  return 2 + number;
}

/** Where block `i` of the type that has this number begins, in bytes. A struct's blocks are at no constant distance; types
 *  differ in where the last one is. */
static inline size_t start_of(layout_t layout, size_t number, size_t i)
{
  if (layout == ROW)
    return 0;
  if (layout == VECTOR)
    return stride_of(number) * i * VECTOR_BLOCK;
  return (2 * i + i % 3 / 2 + (i == BYTES / STRUCT_BLOCK - 1 ? number : 0)) * STRUCT_BLOCK;
}

static inline size_t room_of(size_t ntypes)
{
  return (stride_of(ntypes - 1) + 1) * BYTES;
}

/** The number of the next put's type. */
static inline size_t next_type(exchange_t *x)
{
  return x->nputs++ % x->ntypes;
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
