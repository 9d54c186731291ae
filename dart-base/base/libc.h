#ifndef DART__BASE_LIBC_H
#define DART__BASE_LIBC_H
/* What DART takes from glibc and musl does not have. With glibc there is nothing here. */
#include <stdlib.h>

#ifdef __GLIBC__
#include <execinfo.h>
#else
#include <pthread.h>
#include <stdint.h>
#include <time.h>

/** Without backtrace, reports of crashes name the place, but not the calls that led to it. */
__attribute__((unused)) static inline int backtrace(void **addresses, int most)
{
  (void)addresses, (void)most;
  return 0;
}

/** musl waits by the system's clock only: the wait is shorter or longer if that is set meanwhile. */
__attribute__((unused)) static inline int pthread_mutex_clocklock(pthread_mutex_t       *mutex,
                                                                  clockid_t              clock,
                                                                  const struct timespec *end)
{
  struct timespec now, until;
  int64_t         ns;

  clock_gettime(clock, &now);
  clock_gettime(CLOCK_REALTIME, &until);
  ns = (end->tv_sec - now.tv_sec + until.tv_sec) * INT64_C(1000000000) + end->tv_nsec -
       now.tv_nsec + until.tv_nsec;
  until.tv_sec  = ns / 1000000000;
  until.tv_nsec = ns % 1000000000;
  return pthread_mutex_timedlock(mutex, &until);
}

/** One function for each file that includes this. atexit does not tell the exit code, so `at_exit` gets 0. */
static void (*dart__at_exit)(int, void *);

__attribute__((unused)) static void dart__end_of_process(void)
{
  dart__at_exit(0, NULL);
}

__attribute__((unused)) static inline int on_exit(void (*at_exit)(int, void *), void *unused)
{
  (void)unused;
  dart__at_exit = at_exit;
  return atexit(dart__end_of_process);
}
#endif

#endif
