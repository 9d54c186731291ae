/* The end of MPI.
 *
 * MPICH's MPI_Finalize can hang over UCX's TCP. In it a unit asks every unit to which it has sent
 * anything for a last acknowledgement, and when it has all of them it waits in the process manager
 * and acknowledges nothing any more. A unit in any other call of MPI acknowledges, too, but sends its
 * own requests only in MPI_Finalize: perhaps too late.
 *
 * So every unit sends a message to every other, for only units that send such requests wait for each
 * other. Then all units pass two barriers in the process manager, which needs no progress of MPI. In
 * the first barrier units make progress: after it, no unit needs any other call of MPI. In the second
 * they do not: after it, a unit that acknowledges is in MPI_Finalize, where it has sent its own request
 * first, on the same connection. So a unit that has an acknowledgement has received the request before
 * it, and has acknowledged that.
 *
 * DART speaks to the process manager as MPICH does: by the lines of PMI 1, on the file descriptor that
 * PMI_FD names. Without that descriptor, the units make no call of MPI for QUIET_MS instead of the
 * barriers, which is a guess. Other MPIs, and units without a connection by TCP, only agree that there
 * is nothing to do.
 *
 * With static windows UCX has connections besides those of messages, on which a unit may be asked and never
 * ask. A job that wants them (DART_MPI_WINDOW=static) leaves MPI_Finalize out: after the barriers nobody
 * needs MPI, so each unit tells the process manager that it has finalised, as MPI would, and ends. */
#include "start/finalize.h"

#include <dirent.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/config.h"
#include "mpi/comm.h"
#include "mpi/vendor.h"
#include "wait/tuning.h"

/* Milliseconds: between two tests whether all units have ended; and without MPI, where the process manager has no barrier. */
#define NAP_MS   (DART__AWAKE_US / 1000)
#define QUIET_MS 50

static void sleep_ms(long ms)
{
  struct timespec time = { 0, ms * 1000 * 1000 };

  nanosleep(&time, NULL);
}

/* ---- whether it may hang ---------------------------------------------------------------- */

/* MPI's description also has the options that MPICH was built with. */
static bool library_says(const char *words)
{
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  int  length;

  return MPI_Get_library_version(text, &length) == MPI_SUCCESS && strstr(text, words) != NULL;
}

static bool is_tcp_connection(int fd)
{
  struct sockaddr_storage peer;
  socklen_t               peer_nbytes = sizeof peer, nbytes = sizeof(int);
  int                     protocol;

  return getsockopt(fd, SOL_SOCKET, SO_PROTOCOL, &protocol, &nbytes) == 0 &&
         protocol == IPPROTO_TCP && getpeername(fd, (struct sockaddr *)&peer, &peer_nbytes) == 0;
}

/* Whether this process has a TCP connection; most often it is MPI's. */
static bool uses_tcp(void)
{
  DIR           *folder = opendir("/proc/self/fd");
  struct dirent *entry;
  bool           found = false;

  if (folder == NULL)
    return true; /* unknown */
  while (!found && (entry = readdir(folder)) != NULL)
    found = entry->d_name[0] != '.' && is_tcp_connection(atoi(entry->d_name));
  closedir(folder);
  return found;
}

/* ---- messages --------------------------------------------------------------------------- */

/* Other units may take long to come here, and need the core for that. */
static bool wait_napping(MPI_Request *request)
{
  int done = 0;

  while (MPI_Test(request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && !done)
    sleep_ms(NAP_MS);
  return done;
}

/* Every unit receives a message from every other. */
static void exchange_messages(int me, int nunits)
{
  for (int i = 1; i < nunits; i++) {
    MPI_Request from, to;

    MPI_Irecv(NULL, 0, MPI_BYTE, (me + nunits - i) % nunits, 0, dart__comm.world, &from);
    MPI_Isend(NULL, 0, MPI_BYTE, (me + i) % nunits, 0, dart__comm.world, &to);
    wait_napping(&to);
    wait_napping(&from);
  }
}

/* ---- the process manager ---------------------------------------------------------------- */

/* The file descriptor of the process manager, or -1. MPICH can be built for PMI 2, whose lines differ. */
static int pmi_socket(void)
{
  int       fd     = dart__vendor_manager(), type;
  socklen_t nbytes = sizeof type;

  if (fd < 0 || library_says("--with-pmi=") ||
      getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &nbytes) != 0 || type != SOCK_STREAM)
    return -1;
  return fd;
}

/* Read a line, making progress meanwhile or not. False: there will be none. */
static bool read_line(int fd, char *line, size_t nbytes, bool progress)
{
  size_t length = 0;

  while (length < nbytes - 1) {
    struct pollfd ready = { .fd = fd, .events = POLLIN };
    int           n     = poll(&ready, 1, progress ? NAP_MS : -1), found;

    if (n > 0 && read(fd, &line[length], 1) != 1)
      return false;
    if (n > 0 && line[length++] == '\n')
      break;
    if (n < 0 && errno != EINTR)
      return false;
    if (progress)
      MPI_Iprobe(MPI_ANY_SOURCE, 0, dart__comm.world, &found, MPI_STATUS_IGNORE);
  }
  line[length] = '\0';
  return true;
}

/* Send the process manager a line, and wait for the one that answers it. */
static bool ask_manager(int fd, const char *line, const char *answer, bool progress)
{
  char text[256];

  return write(fd, line, strlen(line)) == (ssize_t)strlen(line) &&
         read_line(fd, text, sizeof text, progress) && strncmp(text, answer, strlen(answer)) == 0;
}

static bool pmi_barrier(int fd, bool progress)
{
  return ask_manager(fd, "cmd=barrier_in\n", "cmd=barrier_out", progress);
}

/* From here on the process manager takes the process for one that has called MPI_Finalize. */
static bool pmi_finalize(int fd)
{
  return ask_manager(fd, "cmd=finalize\n", "cmd=finalize_ack", false);
}

/* ------------------------------------------------------------------------------------------ */

enum { MAY_HANG, NO_MANAGER, WANTS_STATIC, NVOTES };

/* What any unit says of itself; false if nobody is there to ask, or the question fails. */
static bool gather_votes(int fd, int votes[NVOTES])
{
  MPI_Request request;

  votes[MAY_HANG]     = library_says("ch4:ucx") && uses_tcp();
  votes[NO_MANAGER]   = fd < 0;
  votes[WANTS_STATIC] = dart__settings.window == DART__WINDOW_STATIC;
  return MPI_Iallreduce(MPI_IN_PLACE, votes, NVOTES, MPI_INT, MPI_MAX, dart__comm.world,
                        &request) == MPI_SUCCESS &&
         wait_napping(&request);
}

/* Synchronise all units, so that MPI_Finalize does not hang. True: there is no need of it any more. */
static bool meet(void)
{
  int fd = pmi_socket(), nunits, me, votes[NVOTES];

  if (dart__comm.world == MPI_COMM_NULL || MPI_Comm_rank(dart__comm.world, &me) != MPI_SUCCESS ||
      MPI_Comm_size(dart__comm.world, &nunits) != MPI_SUCCESS || nunits == 1 ||
      !gather_votes(fd, votes) || !votes[MAY_HANG])
    return false;
  exchange_messages(me, nunits);
  if (votes[NO_MANAGER] || !pmi_barrier(fd, true)) {
    sleep_ms(QUIET_MS);
    return false;
  }
  if (!pmi_barrier(fd, false)) {
    sleep_ms(QUIET_MS);
    return false;
  }
  return votes[WANTS_STATIC] && pmi_finalize(fd);
}

void dart__mpi_finalize(void)
{
  if (!meet())
    MPI_Finalize();
}
