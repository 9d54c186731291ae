#ifndef DART__PROGRESS_ENGINE_H
#define DART__PROGRESS_ENGINE_H
/* The progress engine: the job's active messages, and who makes them progress, the unit in its own calls and
 * its agent. */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "am/am.h"
#include "model/address.h"

typedef struct {
  dart__am_t *am;        /* NULL: the job has one node */
  bool        by_agents; /* every unit has an agent: requests are served wherever their target is */
  size_t      aggregate; /* puts and gets of up to so many bytes are collected as requests */
  _Atomic uint32_t
      own_calls; /* that made progress; while they go on, the agent keeps out of the way */
} dart__engine_t;

extern dart__engine_t dart__engine;

/** Make progress: whoever waits. Handles what has come, and sends what was collected; never blocks. */
void dart__engine_poll(void);

/** The same now and then, a little each time: for calls that are often made and do not wait. */
void dart__engine_poke(void);

/** Send what was collected; handles nothing. */
void dart__engine_push(void);

/** Where a request about a resolved address goes. */
static inline dart__am_address_t dart__am_address(const dart__address_t *at)
{
  return (dart__am_address_t){ .peer   = at->team->members[at->unit],
                               .team   = at->team->id,
                               .segid  = at->segment->id,
                               .offset = at->offset };
}

#endif
