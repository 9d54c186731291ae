/* A window may start at any address (MPI 3.1, 11.2.1: alignment is only of interest to speed).
 *
 * UCX rounds the address of registered memory down to 16 bytes, and MPICH takes what it is told
 * for the start of the window. */
#include <string.h>

#include "verdict.h"

enum { ROOM = 256 };

static _Alignas(64) char memory[ROOM];

int main(int argc, char **argv)
{
  int  me, n, wrong = 0, tried = 0;
  char mark = 7;

  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &n);
  for (int start = 16; start < 32; start++) {
    MPI_Win win;

    memset(memory, 0, ROOM);
    MPI_Win_create(memory + start, 64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_lock_all(0, win);
    MPI_Put(&mark, 1, MPI_BYTE, (me + 1) % n, 0, 1, MPI_BYTE, win);
    MPI_Win_unlock_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
    tried++;
    if (memory[start] != 7) {
      char *at = memchr(memory, 7, ROOM);

      wrong++;
      if (me == 0 && at != NULL)
        printf("base at %d of 16: put %d bytes low\n", start - 16, (int)(memory + start - at));
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_free(&win);
  }
  verdict(wrong, tried, "puts went to a wrong address");
}
