/* MPI_Win_flush_local completes at the origin what any thread of the process started (MPI 3.1,
 * 11.5.4), and so what the calling thread started, whatever others do.
 *
 * Here one thread gets, and another one puts to the same rank: late_get.c, where nobody would look
 * for it. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>

#include "verdict.h"

enum { ROUNDS = 3000, NBYTES = 4096 };

static _Alignas(64) char memory[NBYTES + 64];
static char       got[NBYTES];
static MPI_Win    win;
static atomic_int stop;

static void *put(void *mark)
{
  while (!atomic_load(&stop)) {
    MPI_Put(mark, 8, MPI_BYTE, 1, NBYTES, 8, MPI_BYTE, win);
    sched_yield();
  }
  MPI_Win_flush(1, win);
  return NULL;
}

static int late_gets(void)
{
  static char mark[8];
  pthread_t   thread;
  int         wrong = 0;

  pthread_create(&thread, NULL, put, mark);
  for (int round = 0; round < ROUNDS; round++) {
    memset(got, 0, NBYTES);
    MPI_Get(got, NBYTES, MPI_BYTE, 1, 0, NBYTES, MPI_BYTE, win);
    sched_yield();
    MPI_Win_flush_local(1, win);
    wrong += got[0] != 7 || got[NBYTES - 1] != 7;
    MPI_Win_flush(1, win);
  }
  atomic_store(&stop, 1);
  pthread_join(thread, NULL);
  return wrong;
}

int main(int argc, char **argv)
{
  int         me, provided, wrong = 0, done = 0;
  MPI_Request end;

  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  if (provided < MPI_THREAD_MULTIPLE)
    return NOT_HERE;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  memset(memory, 7, sizeof memory);
  MPI_Win_create(memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_lock_all(0, win);
  MPI_Barrier(MPI_COMM_WORLD);
  if (me == 0)
    wrong = late_gets();
  MPI_Ibarrier(MPI_COMM_WORLD, &end); /* the target makes progress meanwhile */
  while (!done)
    MPI_Test(&end, &done, MPI_STATUS_IGNORE);
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
  verdict(wrong, me == 0 ? ROUNDS : 0, "gets were late after another thread's put");
}
