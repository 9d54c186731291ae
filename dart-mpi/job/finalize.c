/* Parting, before MPI_Finalize.
 *
 * MPICH's MPI_Finalize can hang over UCX's TCP. There a unit asks everyone whom it has sent
 * anything for a last answer, and when it has the answers it waits in the process manager and
 * gives none any more. A unit in any other call of MPI answers, too, but asks only when it comes
 * to MPI_Finalize: perhaps too late.
 *
 * So every unit sends something to every other, for only those who ask wait for each other. Then
 * they meet twice in the process manager, which waits for nobody's progress in MPI. In the first
 * meeting units make progress: when it is over, nobody needs anything of MPI any more. In the
 * second they do not: when it is over, whoever answers is in MPI_Finalize, where it has asked
 * first, and on the same connection. So who has an answer has had the question before it, and has
 * answered it.
 *
 * The process manager is spoken to as MPICH speaks to it: by the lines of PMI 1, on the file
 * descriptor that PMI_FD names. Where there is none, nobody calls MPI for a while instead of the
 * meetings, which is a guess. Other MPIs, and units without a connection by TCP, only agree that
 * there is nothing to do. */
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

#define NAP_MS     1  /* between two looks whether all units have come to their end */
#define SILENCE_MS 50 /* then, where the process manager cannot be asked */

static void sleep_ms(long ms)
{
  struct timespec time = { 0, ms * 1000 * 1000 };

  nanosleep(&time, NULL);
}

/* ---- whether it may hang ---------------------------------------------------------------- */

/* The text tells how MPICH was built, too. */
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

/* Whether anything in this process does; most often that is MPI. */
static bool speaks_tcp(void)
{
  DIR           *folder = opendir("/proc/self/fd");
  struct dirent *entry;
  bool           found = false;

  if (folder == NULL)
    return true; /* nobody can tell */
  while (!found && (entry = readdir(folder)) != NULL)
    found = entry->d_name[0] != '.' && is_tcp_connection(atoi(entry->d_name));
  closedir(folder);
  return found;
}

/* ---- farewells -------------------------------------------------------------------------- */

/* Others may be long in coming, and need the core for that. */
static bool wait_napping(MPI_Request *request)
{
  int done = 0;

  while (MPI_Test(request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && !done)
    sleep_ms(NAP_MS);
  return done;
}

/* Every unit hears from every other. */
static void exchange_farewells(int me, int nunits)
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

static const char come[] = "cmd=barrier_in\n", all_came[] = "cmd=barrier_out";

/* Its file descriptor, or -1. MPICH can be built for PMI 2, whose lines differ. */
static int manager(void)
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

static bool meet(int fd, bool progress)
{
  char line[256];

  return write(fd, come, strlen(come)) == (ssize_t)strlen(come) &&
         read_line(fd, line, sizeof line, progress) &&
         strncmp(line, all_came, strlen(all_came)) == 0;
}

/* ------------------------------------------------------------------------------------------ */

void dart__mpi_farewell(void)
{
  int         fd       = manager(), nunits, me;
  int         votes[2] = { library_says("ch4:ucx") && speaks_tcp(), fd < 0 };
  MPI_Request request;

  if (dart__comm.world == MPI_COMM_NULL || MPI_Comm_rank(dart__comm.world, &me) != MPI_SUCCESS ||
      MPI_Comm_size(dart__comm.world, &nunits) != MPI_SUCCESS || nunits == 1 ||
      MPI_Iallreduce(MPI_IN_PLACE, votes, 2, MPI_INT, MPI_MAX, dart__comm.world, &request) !=
          MPI_SUCCESS ||
      !wait_napping(&request) || !votes[0])
    return;
  exchange_farewells(me, nunits);
  if (votes[1] || !meet(fd, true) || !meet(fd, false))
    sleep_ms(SILENCE_MS);
}
