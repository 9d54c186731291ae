/* MPI_Win_flush_local completes all operations towards a rank at the origin: what was got is there
 * (MPI 3.1, 11.5.4).
 *
 * Here a put that is complete at once, because it is small or its source is strided, comes between
 * a get and the flush. MPICH keeps one state for each target, and the put overwrites "a get is
 * outstanding" by "a put is to be flushed at the target", for which a local flush does nothing. */
#include <string.h>

#include "verdict.h"

enum { ROUNDS = 200, NBYTES = 4096 };

static _Alignas(64) char memory[NBYTES + 64];
static char got[NBYTES], strip[64];

int main(int argc, char **argv)
{
  int          me, n, wrong = 0, tried = 0;
  MPI_Win      win;
  MPI_Datatype strided;

  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &n);
  memset(memory, 7, sizeof memory);
  MPI_Type_vector(8, 4, 8, MPI_BYTE, &strided);
  MPI_Type_commit(&strided);
  MPI_Win_create(memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_lock_all(0, win);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int round = 0; round < ROUNDS && me == 0; round++) {
    memset(got, 0, NBYTES);
    MPI_Get(got, NBYTES, MPI_BYTE, 1, 0, NBYTES, MPI_BYTE, win);
    if (round % 2 == 0)
      MPI_Put(strip, 1, strided, 1, NBYTES, 32, MPI_BYTE, win);
    else
      MPI_Put(strip, 8, MPI_BYTE, 1, NBYTES, 8, MPI_BYTE, win);
    MPI_Win_flush_local(1, win);
    wrong += got[0] != 7 || got[NBYTES - 1] != 7;
    tried++;
    MPI_Win_flush(1, win);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
  MPI_Type_free(&strided);
  verdict(wrong, tried, "gets were late after MPI_Win_flush_local");
}
