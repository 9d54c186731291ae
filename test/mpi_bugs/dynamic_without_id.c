/* A window that cannot be made is an error, which MPI_ERRORS_RETURN returns (MPI 3.1, 8.3).
 *
 * Here all context ids are used up (see context_ids.c). MPICH then says that it has made a dynamic
 * window, and crashes when it is used. */
#include "verdict.h"

enum { MOST = 4000 };

static MPI_Comm comms[MOST];
static int      memory[16];

static void use(MPI_Win win)
{
  MPI_Aint at;
  int      me, one = 1;

  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Win_attach(win, memory, sizeof memory);
  MPI_Get_address(memory, &at);
  MPI_Bcast(&at, 1, MPI_AINT, 1, MPI_COMM_WORLD);
  MPI_Win_lock_all(0, win);
  if (me == 0)
    MPI_Put(&one, 1, MPI_INT, 1, at, 1, MPI_INT, win);
  MPI_Win_unlock_all(win);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_free(&win);
}

int main(int argc, char **argv)
{
  int     n = 0;
  MPI_Win win;

  MPI_Init(&argc, &argv);
  wrong_by(SIGSEGV, "a dynamic window that was made crashes when it is used\n");
  wrong_by(SIGABRT, "a dynamic window that was made crashes when it is used\n");
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  while (n < MOST && MPI_Comm_dup(MPI_COMM_WORLD, &comms[n]) == MPI_SUCCESS)
    n++;
  if (MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win) == MPI_SUCCESS)
    use(win);
  for (int i = 0; i < n; i++)
    MPI_Comm_free(&comms[i]);
  verdict(0, 1, "dynamic windows were made without a context id");
}
