/* See window_turn.h. The name is that of a socket in the abstract name space, which the kernel removes if the process
 * ends. */
#include "window/window_turn.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "model/world.h"
#include "mpi/comm.h"
#include "mpi/vendor.h"

enum { NONE = -1, TAKEN = -2 };

/* The socket; TAKEN: another process has the name; NONE: the name cannot be claimed, and the unit goes on without. */
static int claim_name(void)
{
  struct sockaddr_un address = { .sun_family = AF_UNIX };
  int                fd      = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  int length = snprintf(address.sun_path + 1, sizeof address.sun_path - 1, "dart-window-%u-%s",
                        (unsigned)getuid(), dart__vendor_job());
  int error;

  if (fd < 0)
    return NONE;
  if (bind(fd, (struct sockaddr *)&address,
           (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length)) == 0)
    return fd;
  error = errno;
  close(fd);
  return error == EADDRINUSE ? TAKEN : NONE;
}

static void nap(unsigned *seed)
{
  nanosleep(&(struct timespec){ 0, rand_r(seed) % (DART__AWAKE_US * 1000) }, NULL);
}

int dart__window_turn_begin(MPI_Comm comm, bool leads)
{
  unsigned seed = (unsigned)dart__world.me + 1;

  while (true) {
    int turn = leads ? claim_name() : NONE;

    if (dart__mpi_most(comm, turn == TAKEN) == 0)
      return turn;
    dart__window_turn_end(turn);
    if (leads)
      nap(&seed);
  }
}

void dart__window_turn_end(int turn)
{
  if (turn >= 0)
    close(turn);
}
