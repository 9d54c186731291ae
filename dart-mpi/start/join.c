/* Joining the job, and leaving it. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/backend_note.h"
#include "base/config.h"
#include "base/last_call.h"
#include "base/log.h"
#include "base/started.h"
#include "model/world.h"
#include "mpi/comm.h"
#include "mpi/messages.h"
#include "mpi/pvar.h"
#include "mpi/vendor.h"
#include "net.h"
#include "start/find_nodes.h"
#include "start/launcher.h"
#include "start/mpi_start.h"
#include "wait/waiting.h"
#include "window/datatype.h"
#include "window/nested_window.h"
#include "window/team_windows.h"
#include "window/window.h"

DART__BACKEND_NOTE(DART__MPI_VENDOR);

/* One unit says so: the first that moves the offset of the job's file, which nobody else uses. The others wait for it, as
 * dart-shmem's launcher ends all units when one has ended. */
static void refuse_shmem(const char *units)
{
  const char  *number = getenv("DART_SHMEM_FD");
  int          job    = number != NULL ? atoi(number) : -1;
  struct flock lock   = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

  fcntl(job, F_SETLKW, &lock);
  if (lseek(job, 1, SEEK_CUR) <= 1)
    dart__error("dart-shmem's dartrun started %s units, but this program is linked with dart-mpi: "
                "start it with mpiexec or dart-mpi's dartrun",
                units);
  lock.l_type = F_UNLCK;
  fcntl(job, F_SETLK, &lock);
}

/* Refuse the launchers of dart-shmem and of another MPI, under which every process would be a job of one unit. */
static dart_ret_t check_launcher(int nunits)
{
  const char *units = getenv("DART_SHMEM_UNITS"), *processes;
  bool        is_first;

  if (nunits > 1)
    return DART_OK;
  if (units != NULL && atoi(units) > 1) {
    refuse_shmem(units);
    return DART_ERR_OTHER;
  }
  processes = dart__started_processes(&is_first);
  if (processes == NULL)
    return DART_OK;
  if (is_first)
    dart__error("an MPI launcher started %s processes, and each is a job of one unit: it is not of "
                "the MPI that this "
                "program is linked with (" DART__MPI_VENDOR "); start it with dartrun",
                processes);
  return DART_ERR_OTHER;
}

/* What is for several nodes alone. */
static void open_nodes(void)
{
  dart__comm_open_nodes();
  dart__net.reaches_memory = dart__windows_are_static();
}

/* After all units have failed, collectively: if that is for DART_SURVIVE, the first unit that has it says so. What MPI allows
 * when a process dies is in doc/internals/mpi-underneath.md. */
static void tell_survive(void)
{
  int32_t me = dart__world.me, first = dart__settings.survive != 0 ? dart__world.nunits - me : 0;

  dart__net_agree(&first, 1);
  if (first == dart__world.nunits - me)
    dart__error("DART_SURVIVE=1: with dart-mpi a job ends when a unit dies, for its launcher ends "
                "the others, and MPI_Win_flush and MPI_Finalize would wait for it; with dart-shmem "
                "it can go on");
}

static void warn_of_net(void)
{
  if (dart__world.me == 0 && getenv("DART_NET") != NULL)
    dart__warn("%s: DART_NET has no effect with dart-mpi: the network is MPI's", dart__call);
}

static dart_ret_t join(int *argc, char ***argv, dart_thread_support_level_t wanted,
                       dart_thread_support_level_t *provided_out)
{
  int        level, nunits;
  dart_ret_t ret;

  ret = dart__mpi_start(argc, argv,
                        wanted == DART_THREAD_MULTIPLE ||
                                dart__settings.progress != DART__PROGRESS_NONE
                            ? MPI_THREAD_MULTIPLE
                            : MPI_THREAD_SINGLE,
                        &level);
  if (ret != DART_OK)
    return ret;
  *provided_out = wanted == DART_THREAD_MULTIPLE && level == MPI_THREAD_MULTIPLE
                      ? DART_THREAD_MULTIPLE
                      : DART_THREAD_SINGLE;

  dart__mpi_pvars_open();
  DART__MPI(MPI_Comm_rank, MPI_COMM_WORLD, &dart__world.me);
  DART__MPI(MPI_Comm_size, MPI_COMM_WORLD, &nunits);
  dart__world.nunits = nunits;
  dart__world.pace   = (dart__wait_pace_t){ 0 };
  dart__world_set_pace((uint32_t)nunits);
  dart__world.node_of = calloc((size_t)nunits, sizeof *dart__world.node_of);
  ret                 = dart__mpi_watch_end(); /* MPI has begun, whatever else fails */
  if (ret == DART_OK)
    ret = check_launcher(nunits);
  if (ret == DART_OK && dart__world.node_of == NULL)
    ret = DART_ERR_NOMEM;
  if (ret == DART_OK && dart__settings.survive != 0)
    ret = DART_ERR_OTHER;
  dart__comm_open();
  ret = dart__find_nodes(ret);
  if (ret != DART_OK) {
    tell_survive();
    return ret;
  }
  warn_of_net();
  dart__net.any_thread  = level == MPI_THREAD_MULTIPLE;
  dart__net.largest_tag = dart__mpi_largest_tag();
  if (dart__world.many_nodes)
    open_nodes();
  return DART_OK;
}

dart_ret_t dart__net_join(int *argc, char ***argv, dart_thread_support_level_t wanted,
                          dart_thread_support_level_t *provided_out)
{
  dart__waiting_t *waiting;
  dart_ret_t       ret;

  dart__launcher_report(DART__UNIT_BEGINS, 0);
  waiting = dart__waiting_begin(dart__call, (dart__wait_for_t){ .kind = DART__WAIT_JOB });
  dart__waiting_stamp(); /* MPI may be what waits */
  ret = join(argc, argv, wanted, provided_out);
  dart__waiting_end(waiting);
  if (ret == DART_OK)
    dart__launcher_report(DART__UNIT_JOINED, 0);
  else
    dart__net_leave();
  return ret;
}

void dart__net_leave(void)
{
  dart__mpi_type_clear();
  free(dart__world.node_of);
  dart__world.node_of    = NULL;
  dart__world.many_nodes = false;
  dart__world.nunits     = 0;
  dart__world.me         = -1;
  dart__launcher_report(DART__UNIT_IS_OUT, dart__mpi_is_ours());
}

/* MPI's description has several lines; the first one has its name and version. */
static const char *describe_mpi(void)
{
  static char text[MPI_MAX_LIBRARY_VERSION_STRING];
  int         length;

  DART__MPI(MPI_Get_library_version, text, &length);
  for (char *at = text; *at != '\0'; at++)
    if (*at == '\t')
      *at = ' ';
  text[strcspn(text, "\n")] = '\0';
  return text;
}

dart__net_t dart__net = { .describe = describe_mpi,
                          .stats    = &dart__mpi_stats,
                          .teams    = &dart__team_windows,
                          .transfer = dart__window_transfer };
