/* Updates by plain MPI, for comparison.
 *
 * mpi-gxp         MPI_Get, xor, MPI_Put, a flush after each; a window of MPI_Win_allocate
 * mpi-accumulate  MPI_Accumulate; each batch is completed locally, and all of them at the end
 * ...-dynamic     the same in a dynamic window
 * mpi-bucket      two-sided, as the HPC Challenge does it: updates for other units wait in a bucket for
 *                 each; when as many wait as the look-ahead allows, the fullest is sent. Whoever
 *                 receives a bucket applies it.
 *
 * A unit that is done waits inside MPI, which then serves the others' operations. */
#include <mpi.h>

#include "stream.h"
#include "table.h"

#include <stdlib.h>
#include <string.h>

static MPI_Comm  world;
static MPI_Win   window;
static MPI_Aint *address;  /* [unit] where its block begins in the window */
static void     *attached; /* to the dynamic window; NULL: the window is static */
static size_t    me;

static dart_ret_t create_window(const bench_job_t *job, table_t *table, bool dynamic)
{
  uint64_t nwords = table_nwords(table, (uint64_t)job->me);
  MPI_Aint mine   = 0;
  void    *base;

  me = (size_t)job->me;
  MPI_Comm_dup(MPI_COMM_WORLD, &world);
  if (dynamic) {
    base = attached = bench_alloc(nwords + 1, sizeof(uint64_t));
    MPI_Win_create_dynamic(MPI_INFO_NULL, world, &window);
    MPI_Win_attach(window, base, (MPI_Aint)(nwords * sizeof(uint64_t)));
    MPI_Get_address(base, &mine);
  } else {
    attached = NULL;
    MPI_Win_allocate((MPI_Aint)(nwords * sizeof(uint64_t)), 1, MPI_INFO_NULL, world, &base,
                     &window);
  }
  address = bench_alloc(job->nunits, sizeof *address);
  MPI_Allgather(&mine, 1, MPI_AINT, address, 1, MPI_AINT, world);
  MPI_Win_lock_all(MPI_MODE_NOCHECK, window);
  table->mine = base;
  return DART_OK;
}

static dart_ret_t create(const bench_job_t *job, table_t *table)
{
  return create_window(job, table, false);
}

static dart_ret_t create_dynamic(const bench_job_t *job, table_t *table)
{
  return create_window(job, table, true);
}

static void destroy(table_t *table)
{
  (void)table;
  MPI_Win_unlock_all(window);
  if (attached != NULL)
    MPI_Win_detach(window, attached);
  MPI_Win_free(&window);
  free(attached);
  free(address);
  MPI_Comm_free(&world);
}

static MPI_Aint place(const table_t *table, uint64_t word, uint64_t owner)
{
  return address[owner] + (MPI_Aint)((word - table->first[owner]) * sizeof(uint64_t));
}

static void update_gxp(const table_t *table, uint64_t number, uint64_t count, uint64_t lookahead)
{
  (void)lookahead;
  for (uint64_t i = 0; i < count; i++) {
    uint64_t value, word, owner;
    MPI_Aint at;

    number = stream_next(number);
    word   = table_word(table, number);
    owner  = table_owner(table, word);
    at     = place(table, word, owner);
    MPI_Get(&value, 1, MPI_UINT64_T, (int)owner, at, 1, MPI_UINT64_T, window);
    MPI_Win_flush((int)owner, window);
    value ^= number;
    MPI_Put(&value, 1, MPI_UINT64_T, (int)owner, at, 1, MPI_UINT64_T, window);
    MPI_Win_flush((int)owner, window);
  }
  MPI_Barrier(world);
}

static void update_accumulate(const table_t *table, uint64_t number, uint64_t count,
                              uint64_t lookahead)
{
  uint64_t batch[LOOKAHEAD_MAX];

  for (uint64_t done = 0; done < count;) {
    uint64_t n = count - done < lookahead ? count - done : lookahead;

    for (uint64_t i = 0; i < n; i++) {
      uint64_t word, owner;

      number = batch[i] = stream_next(number);
      word              = table_word(table, number);
      owner             = table_owner(table, word);
      MPI_Accumulate(&batch[i], 1, MPI_UINT64_T, (int)owner, place(table, word, owner), 1,
                     MPI_UINT64_T, MPI_BXOR, window);
    }
    MPI_Win_flush_local_all(window);
    done += n;
  }
  MPI_Win_flush_all(window);
  MPI_Barrier(world);
}

/* ---- two-sided ------------------------------------------------------------------------------- */

enum { TAG_UPDATES, TAG_FINISHED };

typedef struct {
  const table_t *table;
  uint64_t      *bucket;   /* [unit][LOOKAHEAD_MAX] */
  size_t        *fill;     /* [unit] */
  size_t         waiting;  /* in all buckets */
  size_t         finished; /* units that will send no more */
  uint64_t       outgoing[LOOKAHEAD_MAX], incoming[LOOKAHEAD_MAX];
  MPI_Request    send, receive;
} buckets_t;

static void apply(const table_t *table, uint64_t number)
{
  table->mine[table_word(table, number) - table->first[me]] ^= number;
}

static void start_receive(buckets_t *b)
{
  MPI_Irecv(b->incoming, LOOKAHEAD_MAX, MPI_UINT64_T, MPI_ANY_SOURCE, MPI_ANY_TAG, world,
            &b->receive);
}

/* Apply what has come in by now. */
static void serve(buckets_t *b)
{
  for (;;) {
    int        done, count;
    MPI_Status status;

    MPI_Test(&b->receive, &done, &status);
    if (!done)
      return;
    MPI_Get_count(&status, MPI_UINT64_T, &count);
    for (int i = 0; i < count; i++)
      apply(b->table, b->incoming[i]);
    b->finished += status.MPI_TAG == TAG_FINISHED;
    start_receive(b);
  }
}

/* The buffer of the last message is free again, and others got on meanwhile. */
static void wait_send(buckets_t *b)
{
  for (int done = 0; !done;) {
    serve(b);
    MPI_Test(&b->send, &done, MPI_STATUS_IGNORE);
  }
}

static void send_bucket(buckets_t *b, size_t unit, int tag)
{
  wait_send(b);
  memcpy(b->outgoing, b->bucket + unit * LOOKAHEAD_MAX, b->fill[unit] * sizeof *b->outgoing);
  MPI_Isend(b->outgoing, (int)b->fill[unit], MPI_UINT64_T, (int)unit, tag, world, &b->send);
  b->waiting -= b->fill[unit];
  b->fill[unit] = 0;
}

static size_t fullest(const buckets_t *b)
{
  size_t best = 0;

  for (size_t unit = 1; unit < b->table->nunits; unit++)
    if (b->fill[unit] > b->fill[best])
      best = unit;
  return best;
}

static void update_bucket(const table_t *table, uint64_t number, uint64_t count, uint64_t lookahead)
{
  buckets_t *b = bench_alloc(1, sizeof *b);

  b->table  = table;
  b->bucket = bench_alloc(table->nunits * LOOKAHEAD_MAX, sizeof *b->bucket);
  b->fill   = bench_alloc(table->nunits, sizeof *b->fill);
  b->send   = MPI_REQUEST_NULL;
  start_receive(b);

  for (uint64_t i = 0; i < count; i++) {
    size_t owner;

    number = stream_next(number);
    owner  = table_owner(table, table_word(table, number));
    if (owner == me) {
      apply(table, number);
      continue;
    }
    b->bucket[owner * LOOKAHEAD_MAX + b->fill[owner]++] = number;
    if (++b->waiting == lookahead)
      send_bucket(b, fullest(b), TAG_UPDATES);
  }
  for (size_t unit = 0; unit < table->nunits; unit++)
    if (unit != me)
      send_bucket(b, unit, TAG_FINISHED);
  wait_send(b);
  while (b->finished < table->nunits - 1)
    serve(b);
  MPI_Cancel(&b->receive);
  MPI_Wait(&b->receive, MPI_STATUS_IGNORE);
  MPI_Barrier(world);
  free(b->fill);
  free(b->bucket);
  free(b);
}

const variant_t mpi_variants[] = {
  { "mpi-gxp", false, create, destroy, update_gxp },
  { "mpi-gxp-dynamic", false, create_dynamic, destroy, update_gxp },
  { "mpi-accumulate", true, create, destroy, update_accumulate },
  { "mpi-accumulate-dynamic", true, create_dynamic, destroy, update_accumulate },
  { "mpi-bucket", true, create, destroy, update_bucket },
  { 0 },
};
