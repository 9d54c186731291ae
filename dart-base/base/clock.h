#ifndef DART__BASE_CLOCK_H
#define DART__BASE_CLOCK_H
/* Clocks that only go forward, in nanoseconds. */
#include <stdint.h>
#include <time.h>

static inline int64_t dart__clock_ns(clockid_t clock)
{
  struct timespec now;

  clock_gettime(clock, &now);
  return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static inline int64_t dart__now_ns(void)
{
  return dart__clock_ns(CLOCK_MONOTONIC);
}

/** dart__now_ns, some milliseconds coarser, in a quarter of the time. */
static inline int64_t dart__coarse_ns(void)
{
  return dart__clock_ns(CLOCK_MONOTONIC_COARSE);
}

#endif
