/* A synchronisation before MPI_Finalize.
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
 * is nothing to do. */
#include "job/finalize.h"

#include <dirent.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "mpi/comm.h"

#define NAP_MS   1  /* between two tests whether all units have come to their end */
#define QUIET_MS 50 /* without MPI, where there is no barrier in the process manager */

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

static const char barrier_in[] = "cmd=barrier_in\n", barrier_out[] = "cmd=barrier_out";

/* The file descriptor of the process manager, or -1. MPICH can be built for PMI 2, whose lines differ. */
static int pmi_socket(void)
{
  const char *text   = getenv("PMI_FD");
  int         fd     = text != NULL ? atoi(text) : -1, type;
  socklen_t   nbytes = sizeof type;

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

static bool pmi_barrier(int fd, bool progress)
{
  char line[256];

  return write(fd, barrier_in, strlen(barrier_in)) == (ssize_t)strlen(barrier_in) &&
         read_line(fd, line, sizeof line, progress) &&
         strncmp(line, barrier_out, strlen(barrier_out)) == 0;
}

/* ------------------------------------------------------------------------------------------ */

void dart__mpi_before_finalize(void)
{
  int         fd       = pmi_socket(), nunits, me;
  int         votes[2] = { library_says("ch4:ucx") && uses_tcp(), fd < 0 };
  MPI_Request request;

  if (dart__comm.world == MPI_COMM_NULL || MPI_Comm_rank(dart__comm.world, &me) != MPI_SUCCESS ||
      MPI_Comm_size(dart__comm.world, &nunits) != MPI_SUCCESS || nunits == 1 ||
      MPI_Iallreduce(MPI_IN_PLACE, votes, 2, MPI_INT, MPI_MAX, dart__comm.world, &request) !=
          MPI_SUCCESS ||
      !wait_napping(&request) || !votes[0])
    return;
  exchange_messages(me, nunits);
  if (votes[1] || !pmi_barrier(fd, true) || !pmi_barrier(fd, false))
    sleep_ms(QUIET_MS);
}
