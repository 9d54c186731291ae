/* The end of the program without the others: dart_abort, and failures of MPI. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "mpi/call.h"
#include "mpi/vendor.h"
#include "net.h"
#include "start/launcher.h"
#include "wait/tuning.h"

static volatile bool is_aborting; /* MPI_Abort may call exit, and is in MPI then */

bool dart__mpi_is_aborting(void)
{
  return is_aborting;
}

/* MPICH's launcher may end all units before it has passed on what they wrote last, most likely the reason
 * of the abort: so wait a moment. */
static void abort_mpi(int code) __attribute__((noreturn));
static void abort_mpi(int code)
{
  struct timespec moment = { 0, DART__LONGEST_US * 1000 };

  dart__launcher_report(DART__UNIT_ABORTS, code);
  fflush(NULL);
  nanosleep(&moment, NULL);
  is_aborting = true;
  MPI_Abort(MPI_COMM_WORLD, code);
  _exit(code);
}

void dart__net_abort(int code, bool is_asked)
{
  int running, finalized;

  (void)is_asked;
  code = dart__exit_code(code);
  if (MPI_Initialized(&running) == MPI_SUCCESS && running &&
      MPI_Finalized(&finalized) == MPI_SUCCESS && !finalized)
    abort_mpi(code);
  dart__launcher_report(DART__UNIT_ABORTS, code);
  if (dart__vendor_misses_exits() && code != 0)
    raise(SIGKILL);
  _exit(code);
}
