/* A machine that has other things to do: now and then a nap lasts a tenth of a second longer. And it tells
 * of each unit that comes through MPI_Finalize. To be loaded under a program (LD_PRELOAD). */
#include <dlfcn.h>
#include <poll.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static void oversleep(int (*nap)(const struct timespec *, struct timespec *))
{
  static unsigned seed;
  struct timespec time = { 0, 0 };

  if (seed == 0)
    seed = (unsigned)getpid();
  time.tv_nsec = rand_r(&seed) % 200 * 1000000L;
  if (rand_r(&seed) % 4 == 0)
    nap(&time, NULL);
}

/* dlsym gives functions as pointers to objects, by POSIX. */
#define REAL(name) *(void **)&name##_of_libc = dlsym(RTLD_NEXT, #name)

int nanosleep(const struct timespec *time, struct timespec *left)
{
  int (*nanosleep_of_libc)(const struct timespec *, struct timespec *);

  REAL(nanosleep);
  oversleep(nanosleep_of_libc);
  return nanosleep_of_libc(time, left);
}

int poll(struct pollfd *fds, nfds_t nfds, int timeout)
{
  int (*poll_of_libc)(struct pollfd *, nfds_t, int);
  int (*nanosleep_of_libc)(const struct timespec *, struct timespec *);
  int result;

  REAL(poll);
  REAL(nanosleep);
  result = poll_of_libc(fds, nfds, timeout);
  oversleep(nanosleep_of_libc);
  return result;
}

int MPI_Finalize(void)
{
  static const char text[] = "finalised\n"; /* by one write: units end at the same time */
  int (*MPI_Finalize_of_mpi)(void);
  int result;

  *(void **)&MPI_Finalize_of_mpi = dlsym(RTLD_NEXT, "MPI_Finalize");
  result                         = MPI_Finalize_of_mpi();
  return write(STDOUT_FILENO, text, sizeof text - 1) == sizeof text - 1 ? result : -1;
}
