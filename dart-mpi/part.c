/* Parting, before MPI_Finalize.
 *
 * MPICH 4.0's MPI_Finalize can hang over UCX's TCP. There a unit asks all whom it has sent anything for
 * a last answer, and when it has the answers it waits in the process manager and gives none any more.
 * A unit in any other call of MPI answers, too, but asks only when it comes to MPI_Finalize: perhaps
 * too late.
 *
 * So units meet, then nobody calls MPI until everyone has certainly seen that all are there. From then
 * on those who answer are in MPI_Finalize, where they ask first, on the same connection: whoever has an
 * answer has had the question. Meeting, every unit sends something to every other, for only those who
 * ask wait for each other. Where no unit has a connection by TCP, all this is one small allreduce. */
#include <dirent.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>

#include "mpi_port.h"

#define NAP_MS     1  /* between two looks whether all units have come to their end */
#define SILENCE_MS 50 /* then */

static void sleep_ms(long ms)
{
  struct timespec time = { 0, ms * 1000 * 1000 };

  nanosleep(&time, NULL);
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
    return false;
  while (!found && (entry = readdir(folder)) != NULL)
    found = entry->d_name[0] != '.' && is_tcp_connection(atoi(entry->d_name));
  closedir(folder);
  return found;
}

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

    MPI_Irecv(NULL, 0, MPI_BYTE, (me + nunits - i) % nunits, 0, dart__mpi.world, &from);
    MPI_Isend(NULL, 0, MPI_BYTE, (me + i) % nunits, 0, dart__mpi.world, &to);
    wait_napping(&to);
    wait_napping(&from);
  }
}

void dart__mpi_part(void)
{
  int         tcp = speaks_tcp(), node_units, nunits, me;
  MPI_Request request;

  if (dart__mpi.node == MPI_COMM_NULL ||
      MPI_Comm_size(dart__mpi.node, &node_units) != MPI_SUCCESS ||
      MPI_Comm_rank(dart__mpi.world, &me) != MPI_SUCCESS ||
      MPI_Comm_size(dart__mpi.world, &nunits) != MPI_SUCCESS || node_units == nunits ||
      MPI_Iallreduce(MPI_IN_PLACE, &tcp, 1, MPI_INT, MPI_MAX, dart__mpi.world, &request) !=
          MPI_SUCCESS ||
      !wait_napping(&request) || !tcp)
    return;
  exchange_farewells(me, nunits);
  sleep_ms(SILENCE_MS);
}
