#ifndef DART__RMA_AWAIT_H
#define DART__RMA_AWAIT_H
/* Waiting for what other units change in this unit's memory.
 *
 * Most of them tell it: they change a counter, and then raise this unit's event (dart__twosided_event), as
 * notifications do. Where the change and the look at it are seq_cst, they only nudge it. Puts and atomics tell
 * those that have slept (watch.h). */
#include <stdbool.h>
#include <stdint.h>

#include "base/counters.h"
#include "rma/watch.h"
#include "wait/waiting.h"

typedef struct {
  const char *function;            /* the caller, for the line that all other units have ended */
  bool (*is_there)(void *context); /* called often */
  void            *context;
  dart__counter_t  counter;    /* of waits that do not end at once; the next one has their time */
  bool             is_counted; /* already, as one that is not timed */
  bool             is_slow;    /* looks_once of its dart__wait_t */
  int64_t          timeout_us; /* 0: only look; negative: no limit */
  bool             is_silent;  /* what it waits for may come without the event */
  dart__wait_for_t what;       /* for others to see */
  /* silent: what near units are to wake it for, and how many that are, at most DART__WATCHED_MOST, ... */
  int (*watch)(const void *context, dart__watched_t watched_out[]);
  bool (*gives_up)(const void *context); /* whether it is abandoned; NULL: dart__gone_gives_up */
  uint64_t most_in_vain; /* ... until so many wake-ups were in vain; 0: they never are */
} dart__await_t;

/** Wait until `is_there`; false: it timed out, or was abandoned (far/gone.h). Far units are served meanwhile. */
bool dart__await_within(const dart__await_t *await);

/** dart__await_within without a limit, in an epoch, for what raises the event. False: a member of the team is lost. */
bool dart__await(const char *function, bool (*is_there)(void *context), void *context,
                 dart__wait_for_t what);

#endif
