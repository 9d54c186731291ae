/* What all units do together by plain MPI: collectives, locks, windows and communicators. A lock is
 * the exclusive lock of a window of its own, with an operation inside: an epoch without any may cost
 * nothing, and exclude nobody. */
#include "mpi_common.h"

enum { BLOCK = 4096 };

static MPI_Comm  world;
static MPI_Win   lock_window;
static uint64_t *lock_word;

void mpi_collective_start(void)
{
  MPI_Comm_dup(MPI_COMM_WORLD, &world);
  MPI_Win_allocate(sizeof *lock_word, 1, MPI_INFO_NULL, world, (void *)&lock_word, &lock_window);
  *lock_word = 0;
}

void mpi_collective_stop(void)
{
  MPI_Win_free(&lock_window);
  MPI_Comm_free(&world);
}

#define LOOP(name, call)                   \
  static void name(micro_t *m, size_t n)   \
  {                                        \
    int count = (int)m->nwords;            \
                                           \
    (void)count;                           \
    for (size_t i = 0; i < n; i++) {       \
      int root = (int)(i % m->job.nunits); \
                                           \
      (void)root;                          \
      call;                                \
    }                                      \
  }

LOOP(barrier, MPI_Barrier(world))
LOOP(bcast, MPI_Bcast(m->send, count, MPI_LONG, root, world))
LOOP(reduce, MPI_Reduce(m->send, m->recv, count, MPI_DOUBLE, MPI_SUM, root, world))
LOOP(allreduce, MPI_Allreduce(m->send, m->recv, count, MPI_DOUBLE, MPI_SUM, world))
LOOP(gather, MPI_Gather(m->send, count, MPI_LONG, m->recv, count, MPI_LONG, root, world))
LOOP(scatter, MPI_Scatter(m->send, count, MPI_LONG, m->recv, count, MPI_LONG, root, world))
LOOP(allgather, MPI_Allgather(m->send, count, MPI_LONG, m->recv, count, MPI_LONG, world))
LOOP(alltoall, MPI_Alltoall(m->send, count, MPI_LONG, m->recv, count, MPI_LONG, world))

/* Get, add, put, as whoever holds a lock may do. */
static void lock(micro_t *m, size_t n)
{
  (void)m;
  for (size_t i = 0; i < n; i++) {
    uint64_t count;

    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, lock_window);
    MPI_Get(&count, 1, MPI_UINT64_T, 0, 0, 1, MPI_UINT64_T, lock_window);
    MPI_Win_flush(0, lock_window);
    count++;
    MPI_Put(&count, 1, MPI_UINT64_T, 0, 0, 1, MPI_UINT64_T, lock_window);
    MPI_Win_unlock(0, lock_window);
  }
}

static void alloc(micro_t *m, size_t n)
{
  (void)m;
  for (size_t i = 0; i < n; i++) {
    void   *base;
    MPI_Win window;

    MPI_Win_allocate(BLOCK, 1, MPI_INFO_NULL, world, &base, &window);
    MPI_Win_free(&window);
  }
}

static void team(micro_t *m, size_t n)
{
  (void)m;
  for (size_t i = 0; i < n; i++) {
    MPI_Comm made;

    MPI_Comm_dup(world, &made);
    MPI_Comm_free(&made);
  }
}

static void team_group(micro_t *m, size_t n)
{
  MPI_Group all;

  (void)m;
  MPI_Comm_group(world, &all);
  for (size_t i = 0; i < n; i++) {
    MPI_Comm made;

    MPI_Comm_create_group(world, all, 0, &made);
    MPI_Comm_free(&made);
  }
  MPI_Group_free(&all);
}

const mpi_side_t mpi_collective_sides[] = {
  { "barrier", { .loop = barrier, .by = BY_ALL }, false },
  { "bcast", { .loop = bcast, .by = BY_ALL }, false },
  { "reduce", { .loop = reduce, .by = BY_ALL }, false },
  { "allreduce", { .loop = allreduce, .by = BY_ALL }, false },
  { "gather", { .loop = gather, .by = BY_ALL }, false },
  { "scatter", { .loop = scatter, .by = BY_ALL }, false },
  { "allgather", { .loop = allgather, .by = BY_ALL }, false },
  { "alltoall", { .loop = alltoall, .by = BY_ALL }, false },
  { "lock", { .loop = lock }, false },
  { "lock.contended", { .loop = lock, .by = BY_ALL }, false },
  { "alloc", { .loop = alloc, .by = BY_ALL }, false },
  { "team", { .loop = team, .by = BY_ALL }, false },
  { "team_group", { .loop = team_group, .by = BY_ALL }, false },
  { 0 },
};
