/* See input.h.
 *
 * Hydra's mpiexec (4.0) passes its standard input and the end of it on to its proxy, and the proxy to unit 0. If the
 * program is over by then, one of them dies of SIGPIPE: the codes of the processes, and what they wrote, are lost. So mpiexec
 * reads from a pipe, which a thread of the launcher fills once units are in dart_init, or after a second: a short program
 * is over by then. A terminal is left to mpiexec: job control must see who reads from it.
 *
 * With several hosts each has a proxy, and mpiexec fails if that of unit 0 has ended while others go on. Units of other hosts
 * do not tell when they begin, and logging in takes longer than a short program. So mpiexec reads at once there. */
#include "input.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

#include "launch.h"

#define PATIENCE_MS 1000 /* until mpiexec may read, if no unit begins */
#define PART        65536

static int source        = -1;         /* the launcher's standard input */
static int to_mpiexec[2] = { -1, -1 }; /* the pipe */
static int begun[2]      = { -1, -1 }; /* its second end is closed when mpiexec may read */

/* As read, of an input that may be non-blocking, for another program has left it so. */
static ssize_t read_input(void *part, size_t nbytes)
{
  ssize_t n;

  while ((n = read(source, part, nbytes)) < 0 && (errno == EAGAIN || errno == EINTR))
    poll(&(struct pollfd){ .fd = source, .events = POLLIN }, 1, -1);
  return n;
}

static void *fill_pipe(void *unused)
{
  char    part[PART];
  ssize_t n;

  poll(&(struct pollfd){ .fd = begun[0], .events = POLLIN }, 1, PATIENCE_MS);
  while ((n = read_input(part, sizeof part)) > 0 && launch_write(to_mpiexec[1], part, (size_t)n))
    ;
  close(source); /* its writer sees that nobody reads any more */
  close(to_mpiexec[1]);
  return unused;
}

static void close_both(int pipe[2])
{
  for (int end = 0; end < 2; end++) {
    if (pipe[end] >= 0)
      close(pipe[end]);
    pipe[end] = -1;
  }
}

void input_open(bool late)
{
  pthread_t thread;

  if (isatty(STDIN_FILENO))
    return;
  source = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  if (source >= 0 && pipe2(to_mpiexec, O_CLOEXEC) == 0 && pipe2(begun, O_CLOEXEC) == 0 &&
      pthread_create(&thread, NULL, fill_pipe, NULL) == 0) {
    pthread_detach(thread);
    if (!late)
      input_begin();
    return;
  }
  close_both(to_mpiexec);
  close_both(begun);
  if (source >= 0)
    close(source);
}

void input_become(void)
{
  if (to_mpiexec[0] >= 0)
    dup2(to_mpiexec[0], STDIN_FILENO);
}

void input_started(void)
{
  if (to_mpiexec[0] >= 0)
    close(to_mpiexec[0]);
  to_mpiexec[0] = -1;
}

void input_begin(void)
{
  if (begun[1] >= 0)
    close(begun[1]);
  begun[1] = -1;
}
