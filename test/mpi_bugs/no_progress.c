/* A put to a locked window completes without a call of its target (MPI 3.1, 11.7.3: progress of
 * passive target communication does not depend on the target's calls).
 *
 * Here the target sleeps for a second. */
#include <unistd.h>

#include "verdict.h"

static _Alignas(64) int memory[16];

static int is_slow(MPI_Win win, MPI_Aint at)
{
  int    one   = 1;
  double start = MPI_Wtime();

  MPI_Put(&one, 1, MPI_INT, 1, at, 1, MPI_INT, win);
  MPI_Win_flush(1, win);
  return MPI_Wtime() - start > 0.5;
}

int main(int argc, char **argv)
{
  int      me, wrong = 0;
  MPI_Aint at;
  MPI_Win  wins[2];

  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Win_create(memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &wins[0]);
  MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &wins[1]);
  MPI_Win_attach(wins[1], memory, sizeof memory);
  MPI_Get_address(memory, &at);
  MPI_Bcast(&at, 1, MPI_AINT, 1, MPI_COMM_WORLD);
  for (int i = 0; i < 2; i++) {
    MPI_Win_lock_all(0, wins[i]);
    MPI_Barrier(MPI_COMM_WORLD);
    if (me == 1)
      sleep(1);
    else if (is_slow(wins[i], i == 0 ? 0 : at)) {
      printf("%s window: the put waited for its target\n", i == 0 ? "static" : "dynamic");
      wrong++;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_unlock_all(wins[i]);
  }
  MPI_Win_detach(wins[1], memory);
  MPI_Win_free(&wins[0]);
  MPI_Win_free(&wins[1]);
  verdict(wrong, me == 0 ? 2 : 0, "kinds of windows need their target's help");
}
