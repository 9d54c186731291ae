/* The request of MPI_Rget is complete when the data are in the buffer (MPI 3.1, 11.3.5).
 *
 * Here the buffer is strided. MPICH sends such gets as active messages, forgets that a request was
 * asked for, and gives one that is complete. */
#include <string.h>

#include "verdict.h"

enum { ROUNDS = 200, BLOCKS = 64 };

static _Alignas(64) int memory[BLOCKS];
static int got[2 * BLOCKS];

int main(int argc, char **argv)
{
  int          me, wrong = 0, tried = 0;
  MPI_Win      win;
  MPI_Datatype strided;
  MPI_Request  request;

  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  for (int i = 0; i < BLOCKS; i++)
    memory[i] = 7;
  MPI_Type_vector(BLOCKS, 1, 2, MPI_INT, &strided);
  MPI_Type_commit(&strided);
  MPI_Win_create(memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_lock_all(0, win);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int round = 0; round < ROUNDS && me == 0; round++) {
    memset(got, 0, sizeof got);
    MPI_Rget(got, 1, strided, 1, 0, BLOCKS, MPI_INT, win, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    wrong += got[0] != 7 || got[2 * (BLOCKS - 1)] != 7;
    tried++;
    MPI_Win_flush(1, win);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
  MPI_Type_free(&strided);
  verdict(wrong, tried, "strided gets were late after MPI_Wait");
}
