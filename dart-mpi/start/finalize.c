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
#include "wait/wait.h"

/* Between two looks whether other units have ended: they may take long, and need the core for that. */
static const dart__wait_policy_t napping = { .pace = &(const dart__wait_pace_t){
                                                 .nap_us = DART__AWAKE_US } };

/* Without a call of MPI, where the process manager has no barrier. */
static void be_quiet(void)
{
  nanosleep(&(struct timespec){ 0, DART__LONGEST_US * 1000 }, NULL);
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

typedef struct {
  MPI_Request *request;
  int          is_done;
} ending_t;

/* Whether there is no more to wait for: the request is done, or MPI fails. */
static bool has_ended(void *context)
{
  ending_t *e = context;

  return MPI_Test(e->request, &e->is_done, MPI_STATUS_IGNORE) != MPI_SUCCESS || e->is_done;
}

static bool wait_napping(MPI_Request *request)
{
  ending_t ending = { request, 0 };

  dart__wait_for(has_ended, &ending, &napping);
  return ending.is_done;
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
    int           n     = poll(&ready, 1, progress ? DART__AWAKE_US / 1000 : -1), found;

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
    be_quiet();
    return false;
  }
  if (!pmi_barrier(fd, false)) {
    be_quiet();
    return false;
  }
  return votes[WANTS_STATIC] && pmi_finalize(fd);
}

void dart__mpi_finalize(void)
{
  if (!meet())
    MPI_Finalize();
}
