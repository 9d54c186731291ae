#ifndef DART__WAIT_DUE_H
#define DART__WAIT_DUE_H
/* When the holder of a lock is likely to release it, by how long it was held the last time.
 *
 * Who sleeps is woken late: near by tens of microseconds, and the waker needs as long for it; from another node by half
 * a nap. Turns under a lock are often alike. So a thread that has a core for itself sleeps until shortly before a
 * release is due, is awake for a while, in which it yields the core all the time, and then sleeps on. What it did not
 * see (it was passed) it takes to have come, and the next to be due as long after it. It is awake for an eighth of the
 * time at most, and two milliseconds each time; who guesses wrong loses no more than that. */
#include <stdint.h>

#include "wait/tuning.h"

typedef struct {
  int64_t since;  /* ns, by dart__now_ns: the release before, or the begin of the wait */
  int64_t length; /* ns; 0: not known */
} dart__due_t;

/** How long it is until a release is due, ns; 0: it is now; -1: that cannot be told. */
static inline int64_t dart__due_in(const dart__due_t *due, int64_t now)
{
  int64_t most = DART__AWAKE_US * INT64_C(1000), part = due->length / DART__PART;
  int64_t slack = part < most ? part : most, times, start;

  if (part == 0)
    return -1;
  times = (now - due->since - slack + due->length - 1) / due->length; /* rounded up */
  times = times < 1 ? 1 : times;
  if (times > DART__FEW)
    return -1;
  start = due->since + times * due->length - slack;
  return start > now ? start - now : 0;
}

#endif
