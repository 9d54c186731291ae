/* The exchange by plain MPI, on a window of its own. */
#include <mpi.h>
#include <stdlib.h>

#include "epochs.h"

static struct {
  MPI_Win      win;
  char        *memory;
  void        *own;      /* if it is the program's */
  MPI_Group    group[2]; /* targets, origins */
  MPI_Request *requests;
  MPI_Status  *statuses;
} m;

static char *block(const exchange_t *x, size_t k)
{
  return m.memory + k * x->most;
}

static void transfer(exchange_t *x, int32_t k)
{
  size_t n = (size_t)x->n, i = (size_t)k;
  int    nbytes = (int)x->nbytes;

  if (nbytes == 0)
    return;
  if (x->gets)
    MPI_Get(block(x, i), nbytes, MPI_BYTE, x->origins[k].id, (MPI_Aint)((n + i) * x->most), nbytes,
            MPI_BYTE, m.win);
  else
    MPI_Put(block(x, n + i), nbytes, MPI_BYTE, x->targets[k].id, (MPI_Aint)(i * x->most), nbytes,
            MPI_BYTE, m.win);
}

static void messages(exchange_t *x, size_t steps)
{
  for (size_t step = 0; step < steps; step++) {
    for (int32_t k = 0; k < x->n; k++)
      MPI_Irecv(block(x, (size_t)k), (int)x->nbytes, MPI_BYTE, x->origins[k].id, k, MPI_COMM_WORLD,
                &m.requests[k]);
    for (int32_t k = 0; k < x->n; k++)
      MPI_Isend(block(x, (size_t)(x->n + k)), (int)x->nbytes, MPI_BYTE, x->targets[k].id, k,
                MPI_COMM_WORLD, &m.requests[x->n + k]);
    MPI_Waitall(2 * x->n, m.requests, m.statuses);
  }
}

static void fences(exchange_t *x, size_t steps)
{
  MPI_Win_fence(MPI_MODE_NOPRECEDE, m.win);
  for (size_t step = 0; step < steps; step++) {
    for (int32_t k = 0; k < x->n; k++)
      transfer(x, k);
    MPI_Win_fence(step + 1 < steps ? 0 : MPI_MODE_NOSUCCEED, m.win);
  }
}

static void dedicated(exchange_t *x, size_t steps)
{
  int to = x->gets ? 1 : 0;

  for (size_t step = 0; step < steps; step++) {
    MPI_Win_post(m.group[!to], 0, m.win);
    MPI_Win_start(m.group[to], 0, m.win);
    for (int32_t k = 0; k < x->n; k++)
      transfer(x, k);
    MPI_Win_complete(m.win);
    MPI_Win_wait(m.win);
  }
}

static void locks(exchange_t *x, size_t steps)
{
  for (size_t step = 0; step < steps; step++) {
    for (int32_t k = 0; k < x->n; k++) {
      int unit = x->gets ? x->origins[k].id : x->targets[k].id;

      MPI_Win_lock(x->gets ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, unit, 0, m.win);
      transfer(x, k);
      MPI_Win_unlock(unit, m.win);
    }
    if (x->nbytes > 0)
      MPI_Barrier(MPI_COMM_WORLD);
  }
  if (x->nbytes == 0) /* units that still ask for a lock need the others in MPI */
    MPI_Barrier(MPI_COMM_WORLD);
}

static void flushes(exchange_t *x, size_t steps)
{
  MPI_Win_lock_all(MPI_MODE_NOCHECK, m.win);
  for (size_t step = 0; step < steps; step++) {
    for (int32_t k = 0; k < x->n; k++)
      transfer(x, k);
    MPI_Win_flush_all(m.win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_sync(m.win); /* what came is to be used */
  }
  MPI_Win_unlock_all(m.win);
}

static const steps_t ways_by_mpi[NKINDS] = { messages, fences, dedicated, locks, flushes, NULL };
const steps_t *const mpi_ways            = ways_by_mpi;

static MPI_Group group_of(const dart_team_unit_t *units, size_t n)
{
  int      *ranks = bench_alloc(n + 1, sizeof *ranks);
  MPI_Group world, group;

  for (size_t i = 0; i < n; i++)
    ranks[i] = units[i].id;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_incl(world, (int)n, ranks, &group);
  MPI_Group_free(&world);
  free(ranks);
  return group;
}

/* Memory that MPI allocates, and may share within the node; or the program's own. */
static void open_window(size_t nbytes, bool is_own)
{
  if (is_own) {
    m.memory = m.own = bench_alloc(nbytes, 1);
    MPI_Win_create(m.memory, (MPI_Aint)nbytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &m.win);
  } else {
    MPI_Win_allocate((MPI_Aint)nbytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &m.memory, &m.win);
  }
}

void mpi_open(exchange_t *x)
{
  m.requests = bench_alloc(2 * (size_t)x->n, sizeof(MPI_Request));
  m.statuses = bench_alloc(2 * (size_t)x->n, sizeof(MPI_Status));
  for (int i = 0; i < 2; i++)
    m.group[i] = group_of(x->unique[i], x->nnames[i]);
  open_window(2 * (size_t)x->n * x->most, x->is_registered);
}

void mpi_close(void)
{
  MPI_Win_free(&m.win);
  for (int i = 0; i < 2; i++)
    MPI_Group_free(&m.group[i]);
  free(m.own);
  m.own = NULL;
  free(m.requests);
  free(m.statuses);
}

char *mpi_memory(void)
{
  return m.memory;
}
