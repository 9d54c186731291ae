/* See mpi_start.h. */
#include "start/mpi_start.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/log.h"
#include "model/world.h"
#include "mpi/call.h"
#include "mpi/vendor.h"
#include "net.h"
#include "start/finalize.h"
#include "start/launcher.h"

static pid_t mpi_pid;     /* the process that registered end_of_process */
static bool  mpi_is_ours; /* DART started MPI */

/* On exit of the process that started MPI; its forked children are no units. */
static void end_of_process(int status, void *unused)
{
  int finalized;

  (void)unused;
  if (getpid() != mpi_pid || dart__mpi_is_aborting())
    return;
  MPI_Finalized(&finalized);
  if (!finalized && dart__world.initialized)
    dart__leave(status, false);
  dart__launcher_report(DART__UNIT_ENDS, 0);
  if (finalized || !mpi_is_ours)
    return;
  dart__mpi_finalize();
}

/* The program finalises MPI, and with it ends DART. MPI_Finalize deletes the attributes of MPI_COMM_SELF
 * first, while MPI still works; but in MPICH only one thread may call MPI by then. */
static int end_of_mpi(MPI_Comm self, int key, void *value, void *extra)
{
  (void)self, (void)key, (void)value, (void)extra;
  if (getpid() != mpi_pid || !dart__world.initialized)
    return MPI_SUCCESS;
  dart__leave(EXIT_SUCCESS, true);
  return MPI_SUCCESS;
}

dart_ret_t dart__mpi_watch_end(void)
{
  int key;

  if (mpi_pid != 0)
    return DART_OK;
  if (on_exit(end_of_process, NULL) != 0) { /* nobody would end MPI */
    return dart__fail(DART_ERR_NOMEM, "dart_init: no memory to be called when the process exits");
  }
  mpi_pid = getpid();
  if (mpi_is_ours)
    return DART_OK;
  DART__MPI(MPI_Comm_create_keyval, MPI_COMM_NULL_COPY_FN, end_of_mpi, &key, NULL);
  DART__MPI(MPI_Comm_set_attr, MPI_COMM_SELF, key, NULL);
  DART__MPI(MPI_Comm_free_keyval, &key);
  return DART_OK;
}

bool dart__mpi_is_ours(void)
{
  return mpi_is_ours;
}

dart_ret_t dart__mpi_start(int *argc, char ***argv, int wanted, int *provided_out)
{
  int running, finalized;

  DART__MPI(MPI_Initialized, &running);
  dart__vendor_set_up(running);
  if (running) {
    DART__MPI(MPI_Finalized, &finalized);
    if (finalized)
      return dart__fail(DART_ERR_OTHER, "dart_init: the program has finalised MPI already");
    DART__MPI(MPI_Query_thread, provided_out);
  } else {
    DART__MPI(MPI_Init_thread, argc, argv, wanted, provided_out);
    mpi_is_ours = true;
  }
  return DART_OK;
}
