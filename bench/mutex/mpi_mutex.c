/* Mutexes in plain MPI-3, on the MPI that DART has started.
 *
 * onesided and hybrid are those of Ross, Latham, Gropp, Thakur, Toonen (Implementing MPI-IO Atomic Mode Without File
 * System Support, CCGrid 2005): unit 0 has a byte for each unit, which says that the unit has the mutex or waits for
 * it. Under the window's exclusive lock a unit sets its byte and gets those of the others; if all are 0 it has the
 * mutex. To release it, it clears its byte, and tells the next unit in turn whose byte is set. The two
 * differ in how that waits: it looks at a flag in its own window, or receives a message. So all is done in a fixed number
 * of messages, and nobody polls another unit. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "mutex.h"

enum { TAG = 77 };

/* Every window has this much of each unit's memory at least: of less, MPICH gives the units of a node portions that
 * are not aligned, and far units change another one's (test/mpi_bugs/small_portions.c). */
enum { LEAST = 64 };

static int      me, n;
static MPI_Win  bytes, flags; /* the waiting list, at unit 0; a flag at each unit */
static char    *list, *others;
static int     *flag;
static MPI_Comm comm;

static void open_list(const bench_job_t *job)
{
  me = job->me;
  n  = (int)job->nunits;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Win_allocate(n > LEAST ? n : LEAST, 1, MPI_INFO_NULL, comm, &list, &bytes);
  MPI_Win_allocate(LEAST, sizeof *flag, MPI_INFO_NULL, comm, &flag, &flags);
  others = bench_alloc((size_t)n, 1);
  if (me == 0)
    memset(list, 0, (size_t)n);
  *flag = 0;
  MPI_Win_lock_all(0, flags);
  MPI_Win_sync(flags);
  MPI_Barrier(comm);
}

static void close_list(void)
{
  MPI_Barrier(comm);
  MPI_Win_unlock_all(flags);
  MPI_Win_free(&flags);
  MPI_Win_free(&bytes);
  MPI_Comm_free(&comm);
  free(others);
}

static void meet(void)
{
  MPI_Barrier(comm);
}

/* Set its own byte, and get those of the others. */
static void exchange(char own)
{
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, bytes);
  MPI_Put(&own, 1, MPI_CHAR, 0, me, 1, MPI_CHAR, bytes);
  if (me > 0)
    MPI_Get(others, me, MPI_CHAR, 0, 0, me, MPI_CHAR, bytes);
  if (me < n - 1)
    MPI_Get(others + me + 1, n - 1 - me, MPI_CHAR, 0, me + 1, n - 1 - me, MPI_CHAR, bytes);
  MPI_Win_unlock(0, bytes);
  others[me] = 0;
}

/* The next unit in turn that waits, after `exchange`; -1: none does. */
static int next_waiter(void)
{
  for (int k = 1; k < n; k++)
    if (others[(me + k) % n] != 0)
      return (me + k) % n;
  return -1;
}

static void onesided_acquire(void)
{
  int got = 0, none = 0;

  exchange(1);
  if (next_waiter() < 0)
    return;
  while (got == 0) {
    MPI_Fetch_and_op(&none, &got, MPI_INT, me, 0, MPI_NO_OP, flags);
    MPI_Win_flush(me, flags);
  }
  got = 0;
  MPI_Accumulate(&got, 1, MPI_INT, me, 0, 1, MPI_INT, MPI_REPLACE, flags);
  MPI_Win_flush(me, flags);
}

static void onesided_release(void)
{
  int one = 1, next;

  exchange(0);
  next = next_waiter();
  if (next < 0)
    return;
  MPI_Accumulate(&one, 1, MPI_INT, next, 0, 1, MPI_INT, MPI_REPLACE, flags);
  MPI_Win_flush(next, flags);
}

static void hybrid_acquire(void)
{
  exchange(1);
  if (next_waiter() >= 0)
    MPI_Recv(NULL, 0, MPI_BYTE, MPI_ANY_SOURCE, TAG, comm, MPI_STATUS_IGNORE);
}

static void hybrid_release(void)
{
  int next;

  exchange(0);
  next = next_waiter();
  if (next >= 0)
    MPI_Send(NULL, 0, MPI_BYTE, next, TAG, comm);
}

/* MPI's own: an exclusive lock of the window. */
static void exclusive_acquire(void)
{
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, bytes);
}

static void exclusive_release(void)
{
  MPI_Win_unlock(0, bytes);
}

const mutex_side_t mutex_mpi_sides[] = {
  { "onesided", ON_ALL, open_list, onesided_acquire, onesided_release, close_list, meet },
  { "hybrid", ON_ALL, open_list, hybrid_acquire, hybrid_release, close_list, meet },
  { "mpi-lock", ON_ALL, open_list, exclusive_acquire, exclusive_release, close_list, meet },
  { .name = NULL }
};
