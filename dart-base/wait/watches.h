#ifndef DART__WAIT_WATCHES_H
#define DART__WAIT_WATCHES_H
/* What sleepers note of the words they wait for: see rma/watch.h. Zeroed memory: nothing. */
#include <stdatomic.h>
#include <stdint.h>

#include "wait/wait.h"

/* A note, in the unit's memory. */
typedef struct {
  _Alignas(DART__CACHE_LINE) _Atomic uint32_t state;
  _Atomic uint32_t what;          /* type and comparison; or SEVERAL */
  _Atomic uint64_t head, from;    /* the two words of the pointer */
  _Atomic uint64_t nbytes, value; /* as above */
} dart__watch_t;

#define DART__WATCHES    8 /* waits of a unit that are noted at a time; others look by themselves */
#define DART__WATCH_PAGE 4096

/* What every unit has in its pool. */
typedef struct {
  dart__watch_t watch[DART__WATCHES];
} dart__watches_t;

/* Where a process finds the notes of a unit, and the event that wakes it. */
typedef struct {
  dart__watches_t *watches;
  dart__event_t   *event;
} dart__sleepers_t;

/* Memory behind the notes of a node's first unit, in which the page of the count is. */
#define DART__WATCH_ROOM (2 * DART__WATCH_PAGE)

#endif
