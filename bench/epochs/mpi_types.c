/* The same by plain MPI, on a window of its own. */
#include <mpi.h>

#include "types.h"

static struct {
  MPI_Win      win;
  MPI_Group    group[2]; /* left, right */
  MPI_Datatype type[MOST_TYPES][NLAYOUTS];
  size_t       ntypes;
} m;

static void put_all(exchange_t *x)
{
  for (size_t i = 0; i < x->nops; i++) {
    MPI_Datatype type = m.type[next_type(x)][x->layout];

    MPI_Put(x->send + i * x->room, 1, type, x->right, (MPI_Aint)(i * x->room), 1, type, m.win);
  }
}

static void fences(exchange_t *x, size_t steps)
{
  MPI_Win_fence(MPI_MODE_NOPRECEDE, m.win);
  for (size_t step = 0; step < steps; step++) {
    put_all(x);
    MPI_Win_fence(step + 1 < steps ? 0 : MPI_MODE_NOSUCCEED, m.win);
  }
}

static void dedicated(exchange_t *x, size_t steps)
{
  for (size_t step = 0; step < steps; step++) {
    MPI_Win_post(m.group[0], 0, m.win);
    MPI_Win_start(m.group[1], 0, m.win);
    put_all(x);
    MPI_Win_complete(m.win);
    MPI_Win_wait(m.win);
  }
}

static void locks(exchange_t *x, size_t steps)
{
  for (size_t step = 0; step < steps; step++) {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, x->right, 0, m.win);
    put_all(x);
    MPI_Win_unlock(x->right, m.win);
  }
  MPI_Barrier(
      MPI_COMM_WORLD); /* others need this unit in MPI to unlock, and DART's barrier may be without it */
}

static const steps_t ways[NWAYS] = { fences, dedicated, locks };
const steps_t *const mpi_ways    = ways;

static MPI_Group group_of(int unit)
{
  MPI_Group world, group;

  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_incl(world, 1, &unit, &group);
  MPI_Group_free(&world);
  return group;
}

static void make_types(const exchange_t *x, MPI_Datatype type[NLAYOUTS], size_t number)
{
  int      lengths[STRUCT_BLOCKS];
  MPI_Aint starts[STRUCT_BLOCKS];
  int      nints = (int)(block_of(x, VECTOR) / sizeof(int));

  MPI_Type_contiguous((int)x->nbytes, MPI_BYTE, &type[ROW]);
  MPI_Type_vector(VECTOR_BLOCKS, nints, (int)stride_of(number) * nints, MPI_INT, &type[VECTOR]);
  for (int i = 0; i < STRUCT_BLOCKS; i++) {
    lengths[i] = (int)(block_of(x, STRUCT) / sizeof(double));
    starts[i]  = (MPI_Aint)(start_of(STRUCT, number, (size_t)i) * block_of(x, STRUCT));
  }
  MPI_Type_create_hindexed(STRUCT_BLOCKS, lengths, starts, MPI_DOUBLE, &type[STRUCT]);
  for (int i = 0; i < NLAYOUTS; i++)
    MPI_Type_commit(&type[i]);
}

void mpi_open(exchange_t *x)
{
  size_t nbytes = x->nops * x->room;

  m.ntypes = x->ntypes;
  for (size_t number = 0; number < m.ntypes; number++)
    make_types(x, m.type[number], number);
  m.group[0] = group_of(x->left);
  m.group[1] = group_of(x->right);
  MPI_Win_allocate((MPI_Aint)nbytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &x->recv, &m.win);
  x->send = bench_alloc(nbytes, 1);
}

void mpi_close(void)
{
  MPI_Win_free(&m.win);
  for (int i = 0; i < 2; i++)
    MPI_Group_free(&m.group[i]);
  for (size_t number = 0; number < m.ntypes; number++)
    for (int i = 0; i < NLAYOUTS; i++)
      MPI_Type_free(&m.type[number][i]);
}
