#ifndef DART__NODE_EXCHANGE_H
#define DART__NODE_EXCHANGE_H
/* What the units of a team on one node share to synchronise and to pass small data: a barrier, a
 * slot per unit, and a result.
 *
 * A collective is a row of steps. In a step units write their slots, pass the barrier, and read
 * one another's slots. Slots and result exist twice and steps alternate, so one barrier a step is
 * enough: who writes a slot again, two steps later, has passed a barrier that every reader entered
 * after reading. The step is the barrier's episode.
 *
 * A unit whose process ends early, on this node or another one, is noted with the last step that it took
 * part in: steps are the same on all nodes of a team. So who waits in a later one waits in vain, and who
 * waits in that one or before does not wait for it. */
#include "node/barrier.h"
#include "node/mutex.h"

#include <stddef.h>

typedef struct {
  dart__barrier_t barrier;
  _Alignas(DART__CACHE_LINE) dart__mutex_t
      registered;         /* held for an atomic update of registered memory, see api/rma/remote.h */
  _Atomic uint32_t left;  /* followers that will not look at this memory any more */
  _Atomic uint32_t ngone; /* units of the team that ended early */
  _Atomic uint32_t told;  /* one of the node has said so */
} dart__shared_t;

/* Whether units reach into one another's memory, see api/coll/direct.h. */
typedef enum { DART__DIRECT_UNKNOWN, DART__DIRECT_YES, DART__DIRECT_NO } dart__direct_t;

typedef struct {
  dart__shared_t   *shared;
  _Atomic uint64_t *gone; /* unit of the team → 0, or its last step, above it a 1 */
  char             *buffers;
  uint32_t          nunits;
  uint32_t          me;
  size_t            slot_bytes; /* multiples of a cache line */
  size_t            result_bytes;
  uint32_t          episode; /* steps passed */
  dart__direct_t    direct;
} dart__exchange_t;

/** Bytes of shared memory that an exchange needs: of `nunits` of a team of `nteam`. */
size_t dart__exchange_bytes(uint32_t nunits, uint32_t nteam, size_t slot_bytes,
                            size_t result_bytes);

/** Prepare the memory (by one unit), before anyone opens it. */
void dart__exchange_format(void *memory, uint32_t nunits, uint32_t nteam);

/** Look at prepared memory as unit `me` of the node. */
void dart__exchange_open(dart__exchange_t *exchange, void *memory, uint32_t nunits, uint32_t nteam,
                         uint32_t me, size_t slot_bytes, size_t result_bytes);

/** Whether a step is under way that this unit takes part in, in another thread perhaps. */
bool dart__exchange_is_busy(const dart__exchange_t *exchange);

/** Note that a unit of the team has ended early, after this step. May be noted more than once. */
void dart__exchange_note_gone(dart__exchange_t *exchange, int32_t unit, uint32_t episode);

/** Whether that was noted of a unit. */
bool dart__exchange_is_gone(const dart__exchange_t *exchange, int32_t unit);

/** A unit that will not come to the step that this one is in; -1: there is none. */
int32_t dart__exchange_missing(const dart__exchange_t *exchange, uint32_t nteam);

/* Buffers of the step that the next barrier ends; after it, of the step that it ended: so take the
 * addresses before the barrier. */
static inline char *dart__exchange_slot(const dart__exchange_t *x, uint32_t unit)
{
  return x->buffers + ((x->episode & 1) * x->nunits + unit) * x->slot_bytes;
}

static inline char *dart__exchange_result(const dart__exchange_t *x)
{
  return x->buffers + 2 * x->nunits * x->slot_bytes + (x->episode & 1) * x->result_bytes;
}

#endif
