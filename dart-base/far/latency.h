#ifndef DART__FAR_LATENCY_H
#define DART__FAR_LATENCY_H
/* A latency estimate of targets, for transfers by MPI. Units are global ids. */
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <dash/dart/if/dart_types.h>

#include "far/engine.h"
#include "wait/wait.h"

dart_ret_t dart__latency_open(void); /* DART_ERR_NOMEM */
void       dart__latency_close(void);

bool dart__latency_was_slow(dart_unit_t unit);

/** Whether a unit should be sent a request, for whose acknowledgement this unit waits with progress, before
 *  it waits in MPI's flush: the target was slow lately, or may need this unit's core. False without
 *  agents. */
static inline bool dart__latency_is_slow(dart_unit_t unit)
{
  return dart__engine.by_agents && dart__latency_was_slow(unit);
}

/** Of large data: whether MPI moved those to the unit slowly that it put last, so that a message is to be tried instead;
 *  and how long it has taken for one put with its flush. */
bool dart__latency_puts_slowly(dart_unit_t unit);
void dart__latency_put_took(dart_unit_t unit, int64_t ns, size_t nbytes);

/** Whether a unit can be expected to make progress on a transfer by MPI right now, for it was sent a request a
 *  short while ago. If not, the caller sends it one. */
bool dart__latency_is_awake(dart_unit_t unit);

/** Around an operation that waits for MPI: begin returns the time, 0 if this operation is not measured; end
 *  updates the estimate of the unit. */
#define DART__LATENCY_SMALL ((size_t)65536) /* bytes: as many as below take less than a nap */
#define DART__LATENCY_EVERY 8               /* operations, of which one is measured */

/* Operations that were started, and waits for them, until now; relaxed, and not raised in one atomic step: any choice of
 * them will do. */
extern _Atomic unsigned dart__latency_started, dart__latency_waits;

/* Whether this one is looked at. */
static inline bool dart__latency_turn(_Atomic unsigned *calls)
{
  unsigned number = atomic_load_explicit(calls, memory_order_relaxed);

  atomic_store_explicit(calls, number + 1, memory_order_relaxed);
  return __builtin_expect(number % DART__LATENCY_EVERY == 0, 0);
}

static inline int64_t dart__latency_begin(void)
{
  return dart__latency_turn(&dart__latency_waits) ? dart__now_ns() : 0;
}

void dart__latency_end(dart_unit_t unit, int64_t began, size_t nbytes);

/** In a stream of transfers by MPI: send their target a keep-alive ping now and then, or its progress would go to
 *  sleep. No flush waits for it. */
void dart__latency_ping(dart_unit_t unit);

/** dart__latency_ping after a transfer of so many bytes: of small ones not each looks at the clock. */
static inline void dart__latency_ping_often(dart_unit_t unit, size_t nbytes)
{
  if (nbytes > DART__LATENCY_SMALL || dart__latency_turn(&dart__latency_started))
    dart__latency_ping(unit);
}

#endif
