/* Atomics by plain MPI, as micro_atomics.c has them by DART. */
#include "mpi_common.h"

static void fetch(micro_t *m, size_t n, const void *value, MPI_Datatype type, MPI_Op op)
{
  for (size_t i = 0; i < n; i++) {
    MPI_Fetch_and_op(value, m->recv, type, m->target, mpi_start_of(m->target), op, mpi_window);
    MPI_Win_flush(m->target, mpi_window);
  }
}

static void accumulate(micro_t *m, size_t n, const void *value, MPI_Datatype type, MPI_Op op)
{
  for (size_t i = 0; i < n; i++) {
    for (size_t k = 0; k < BATCH; k++)
      MPI_Accumulate(value, 1, type, m->target, mpi_start_of(m->target), 1, type, op, mpi_window);
    MPI_Win_flush(m->target, mpi_window);
  }
}

#define LOOP(how, name, c_type, type, op, operand) \
  static void how##_##name(micro_t *m, size_t n)   \
  {                                                \
    c_type value = operand;                        \
                                                   \
    how(m, n, &value, type, op);                   \
  }

LOOP(fetch, sum_long, long, MPI_LONG, MPI_SUM, 1)
LOOP(fetch, sum_double, double, MPI_DOUBLE, MPI_SUM, 1)
LOOP(fetch, prod_long, long, MPI_LONG, MPI_PROD, 3)
LOOP(fetch, min_long, long, MPI_LONG, MPI_MIN, -1)
LOOP(fetch, bxor_long, long, MPI_LONG, MPI_BXOR, 0x5555)
LOOP(fetch, lxor_long, long, MPI_LONG, MPI_LXOR, 1)
LOOP(fetch, replace_long, long, MPI_LONG, MPI_REPLACE, 7)
LOOP(fetch, no_op_long, long, MPI_LONG, MPI_NO_OP, 0)

LOOP(accumulate, sum_long, long, MPI_LONG, MPI_SUM, 1)
LOOP(accumulate, sum_double, double, MPI_DOUBLE, MPI_SUM, 1)
LOOP(accumulate, prod_long, long, MPI_LONG, MPI_PROD, 3)
LOOP(accumulate, min_long, long, MPI_LONG, MPI_MIN, -1)
LOOP(accumulate, bxor_long, long, MPI_LONG, MPI_BXOR, 0x5555)
LOOP(accumulate, lxor_long, long, MPI_LONG, MPI_LXOR, 1)
LOOP(accumulate, replace_long, long, MPI_LONG, MPI_REPLACE, 7)

static void swap(micro_t *m, size_t n)
{
  long *before = (long *)m->recv;

  for (size_t i = 0; i < n; i++) {
    long expected = *before, value = expected + 1;

    MPI_Compare_and_swap(&value, &expected, before, MPI_LONG, m->target, mpi_start_of(m->target),
                         mpi_window);
    MPI_Win_flush(m->target, mpi_window);
    *before += *before == expected;
  }
}

static void accumulate_many(micro_t *m, size_t n)
{
  for (size_t i = 0; i < n; i++) {
    MPI_Accumulate(m->send, (int)m->nwords, MPI_LONG, m->target, mpi_start_of(m->target),
                   (int)m->nwords, MPI_LONG, MPI_SUM, mpi_window);
    MPI_Win_flush(m->target, mpi_window);
  }
}

static void accumulate_random(micro_t *m, size_t n)
{
  uint64_t *value  = (uint64_t *)m->send;
  uint64_t  number = 1, nwords = m->area / sizeof(uint64_t);

  for (size_t i = 0; i < n; i++) {
    uint64_t *mine = &value[i % LOOKAHEAD];

    *mine = number = micro_random(number);
    MPI_Accumulate(mine, 1, MPI_UINT64_T, m->target,
                   mpi_start_of(m->target) + (MPI_Aint)((number >> 32) % nwords * sizeof *mine), 1,
                   MPI_UINT64_T, MPI_BXOR, mpi_window);
    if ((i + 1) % LOOKAHEAD == 0)
      MPI_Win_flush(m->target, mpi_window);
  }
  MPI_Win_flush(m->target, mpi_window);
}

/* All units, on the first word of unit 0. */
static void fetch_contended(micro_t *m, size_t n)
{
  long value = 1;

  for (size_t i = 0; i < n; i++) {
    MPI_Fetch_and_op(&value, m->recv, MPI_LONG, 0, mpi_start_of(0), MPI_SUM, mpi_window);
    MPI_Win_flush(0, mpi_window);
  }
}

const mpi_side_t mpi_atomic_sides[] = {
  { "fetch_and_op.sum_long", { .loop = fetch_sum_long }, true },
  { "fetch_and_op.sum_double", { .loop = fetch_sum_double }, true },
  { "fetch_and_op.prod_long", { .loop = fetch_prod_long }, true },
  { "fetch_and_op.min_long", { .loop = fetch_min_long }, true },
  { "fetch_and_op.bxor_long", { .loop = fetch_bxor_long }, true },
  { "fetch_and_op.lxor_long", { .loop = fetch_lxor_long }, true },
  { "fetch_and_op.replace_long", { .loop = fetch_replace_long }, true },
  { "fetch_and_op.no_op_long", { .loop = fetch_no_op_long }, true },
  { "fetch_and_op.bare", { .loop = fetch_sum_long }, true },
  { "fetch_and_op.contended", { .loop = fetch_contended, .by = BY_ALL }, true },
  { "compare_and_swap", { .loop = swap }, true },
  { "compare_and_swap.bare", { .loop = swap }, true },
  { "accumulate.sum_long", { .loop = accumulate_sum_long }, true },
  { "accumulate.sum_double", { .loop = accumulate_sum_double }, true },
  { "accumulate.prod_long", { .loop = accumulate_prod_long }, true },
  { "accumulate.min_long", { .loop = accumulate_min_long }, true },
  { "accumulate.bxor_long", { .loop = accumulate_bxor_long }, true },
  { "accumulate.lxor_long", { .loop = accumulate_lxor_long }, true },
  { "accumulate.replace_long", { .loop = accumulate_replace_long }, true },
  { "accumulate", { .loop = accumulate_many }, true },
  { "accumulate.random", { .loop = accumulate_random }, true },
  { 0 },
};
