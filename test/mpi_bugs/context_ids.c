/* A window that cannot be made is an error, which MPI_ERRORS_RETURN returns (MPI 3.1, 8.3).
 *
 * MPICH has about 2000 context ids. When they are used up, communicators and other windows are
 * refused as they should be, but shared windows end the program by an assertion. */
#include <string.h>
#include <unistd.h>

#include "verdict.h"

enum { MOST = 4000 };

static void say_so(void)
{
  static const char text[] = "the program is ended for want of context ids\n";

  if (write(STDOUT_FILENO, text, strlen(text)) > 0)
    _exit(WRONG);
}

int main(int argc, char **argv)
{
  static MPI_Win wins[MOST];
  void          *memory;
  int            n = 0;

  MPI_Init(&argc, &argv);
  atexit(say_so);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  while (n < MOST && MPI_Win_allocate_shared(64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory,
                                             &wins[n]) == MPI_SUCCESS)
    n++;
  printf("%d shared windows, then an error\n", n);
  fflush(stdout);
  for (int i = 0; i < n; i++)
    MPI_Win_free(&wins[i]);
  MPI_Finalize();
  _exit(RIGHT);
}
