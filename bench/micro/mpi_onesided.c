/* Put and get by plain MPI, as onesided.c, strided.c, busy.c and micro_halo.c have them by DART. What DART promises
 * at the end of an operation is asked for here too: a put is complete at the target, a get has its
 * data, for which a local flush is enough. */
#include "mpi_common.h"

/* Words, or what is smaller than one. */
static MPI_Datatype type_of(const micro_t *m)
{
  return m->nwords > 0 ? MPI_LONG : MPI_BYTE;
}

static int nelem_of(const micro_t *m)
{
  return (int)(m->nwords > 0 ? m->nwords : m->size);
}

static void put(micro_t *m, size_t offset, const void *from)
{
  MPI_Put(from, nelem_of(m), type_of(m), m->target, mpi_start_of(m->target) + (MPI_Aint)offset,
          nelem_of(m), type_of(m), mpi_window);
}

static void get(micro_t *m, size_t offset, void *to)
{
  MPI_Get(to, nelem_of(m), type_of(m), m->target, mpi_start_of(m->target) + (MPI_Aint)offset,
          nelem_of(m), type_of(m), mpi_window);
}

static void put_flush(micro_t *m, size_t n)
{
  for (size_t i = 0; i < n; i++) {
    put(m, 0, m->send);
    MPI_Win_flush(m->target, mpi_window);
  }
}

static void get_flush(micro_t *m, size_t n)
{
  for (size_t i = 0; i < n; i++) {
    get(m, 0, m->recv);
    MPI_Win_flush_local(m->target, mpi_window);
  }
}

static void put_request(micro_t *m, size_t n)
{
  for (size_t i = 0; i < n; i++) {
    MPI_Request request;

    MPI_Rput(m->send, (int)m->nwords, MPI_LONG, m->target, mpi_start_of(m->target), (int)m->nwords,
             MPI_LONG, mpi_window, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Win_flush(m->target, mpi_window);
  }
}

static void get_request(micro_t *m, size_t n)
{
  for (size_t i = 0; i < n; i++) {
    MPI_Request request;

    MPI_Rget(m->recv, (int)m->nwords, MPI_LONG, m->target, mpi_start_of(m->target), (int)m->nwords,
             MPI_LONG, mpi_window, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
}

static void put_batch(micro_t *m, size_t n)
{
  for (size_t i = 0; i < n; i++) {
    for (size_t k = 0; k < BATCH; k++)
      put(m, k * m->size, m->send + k * m->size);
    MPI_Win_flush(m->target, mpi_window);
  }
}

static void get_batch(micro_t *m, size_t n)
{
  for (size_t i = 0; i < n; i++) {
    for (size_t k = 0; k < BATCH; k++)
      get(m, k * m->size, m->recv + k * m->size);
    MPI_Win_flush_local(m->target, mpi_window);
  }
}

static void flush(micro_t *m, size_t n)
{
  for (size_t i = 0; i < n; i++)
    MPI_Win_flush(m->target, mpi_window);
}

static void flush_all(micro_t *m, size_t n)
{
  (void)m;
  for (size_t i = 0; i < n; i++)
    MPI_Win_flush_all(mpi_window);
}

/* ---- strided and indexed: the type is made before the loop, as a program would --------------- */

static void put_type(micro_t *m, size_t n, size_t nwords, int count, MPI_Datatype type)
{
  MPI_Type_commit(&type);
  for (size_t i = 0; i < n; i++) {
    MPI_Put(m->send, (int)nwords, MPI_LONG, m->target, mpi_start_of(m->target), count, type,
            mpi_window);
    MPI_Win_flush(m->target, mpi_window);
  }
  MPI_Type_free(&type);
}

static void get_type(micro_t *m, size_t n, size_t nwords, int count, MPI_Datatype type)
{
  MPI_Type_commit(&type);
  for (size_t i = 0; i < n; i++) {
    MPI_Get(m->recv, (int)nwords, MPI_LONG, m->target, mpi_start_of(m->target), count, type,
            mpi_window);
    MPI_Win_flush_local(m->target, mpi_window);
  }
  MPI_Type_free(&type);
}

static MPI_Datatype strided_type(const micro_t *m)
{
  MPI_Datatype type;

  MPI_Type_vector((int)m->nwords, 1, STRIDE, MPI_LONG, &type);
  return type;
}

static MPI_Datatype indexed_type(void)
{
  int          blocklen[NBLOCKS], offset[NBLOCKS];
  MPI_Datatype type;

  for (size_t i = 0; i < NBLOCKS; i++) {
    blocklen[i] = (int)indexed_blocklen(i);
    offset[i]   = (int)indexed_offset(i);
  }
  MPI_Type_indexed(NBLOCKS, blocklen, offset, MPI_LONG, &type);
  return type;
}

static void put_strided(micro_t *m, size_t n)
{
  put_type(m, n, m->nwords, 1, strided_type(m));
}

static void get_strided(micro_t *m, size_t n)
{
  get_type(m, n, m->nwords, 1, strided_type(m));
}

static void put_indexed(micro_t *m, size_t n)
{
  size_t nwords = indexed_words(m);

  put_type(m, n, nwords, (int)(nwords / INDEXED_WORDS), indexed_type());
}

static void get_indexed(micro_t *m, size_t n)
{
  size_t nwords = indexed_words(m);

  get_type(m, n, nwords, (int)(nwords / INDEXED_WORDS), indexed_type());
}

/* ---- while the target computes --------------------------------------------------------------- */

static void fetch_and_op(micro_t *m, size_t n)
{
  long value = 1;

  for (size_t i = 0; i < n; i++) {
    MPI_Fetch_and_op(&value, m->recv, MPI_LONG, m->target, mpi_start_of(m->target), MPI_SUM,
                     mpi_window);
    MPI_Win_flush(m->target, mpi_window);
  }
}

static double busy_put(micro_t *m)
{
  return busy_sample(m, put_flush);
}

static double busy_get(micro_t *m)
{
  return busy_sample(m, get_flush);
}

static double busy_fetch(micro_t *m)
{
  return busy_sample(m, fetch_and_op);
}

/* ---- halo, which needs no window ------------------------------------------------------------- */

static void halo(micro_t *m, size_t n)
{
  static uint64_t step;
  dart_unit_t     to = halo_neighbour(m);

  for (size_t i = 0; i < n; i++) {
    MPI_Request request[2 * SIDES];
    MPI_Status  status[2 * SIDES];

    step++;
    for (size_t side = 0; side < SIDES; side++)
      MPI_Irecv(m->recv + halo_offset(m, step, side), (int)m->nwords, MPI_LONG, to, (int)side,
                MPI_COMM_WORLD, &request[side]);
    for (size_t side = 0; side < SIDES; side++)
      MPI_Isend(m->send + halo_offset(m, step, side), (int)m->nwords, MPI_LONG, to, (int)side,
                MPI_COMM_WORLD, &request[SIDES + side]);
    MPI_Waitall(2 * SIDES, request, status);
  }
}

const mpi_side_t mpi_onesided_sides[] = {
  { "halo", { .loop = halo, .by = BY_PAIR }, false },
  { "put_blocking", { .loop = put_flush }, true },
  { "get_blocking", { .loop = get_flush }, true },
  { "put_handle", { .loop = put_request }, true },
  { "get_handle", { .loop = get_request }, true },
  { "put_flush", { .loop = put_flush }, true },
  { "get_flush", { .loop = get_flush }, true },
  { "put_batch", { .loop = put_batch }, true },
  { "get_batch", { .loop = get_batch }, true },
  { "flush", { .loop = flush }, true },
  { "flush_all", { .loop = flush_all }, true },
  { "put_strided", { .loop = put_strided }, true },
  { "get_strided", { .loop = get_strided }, true },
  { "put_indexed", { .loop = put_indexed }, true },
  { "get_indexed", { .loop = get_indexed }, true },
  { "busy_put", { .sample = busy_put, .by = BY_PAIR }, true },
  { "busy_get", { .sample = busy_get, .by = BY_PAIR }, true },
  { "busy_fetch_and_op", { .sample = busy_fetch, .by = BY_PAIR }, true },
  { 0 },
};
