#ifndef DART__WAIT_EXCHANGE_H
#define DART__WAIT_EXCHANGE_H
/* What the units of a team on one node share to synchronise and to pass small data: a barrier, a
 * slot per unit, and a result. Slots and results may be replaced by wider ones.
 *
 * A collective is a sequence of steps. In a step units write their slots, pass the barrier, and read
 * one another's slots. Slots and result exist twice and steps alternate, so one barrier a step is
 * enough: a unit that writes a slot again, two steps later, has passed a barrier that every reader
 * entered after reading. The step is the barrier's episode.
 *
 * A unit whose process ends early, on this node or another one, is gone: it is recorded with the last step
 * that it took part in. Steps are the same on all nodes of a team. So a wait in a later step never ends,
 * and a wait in that step or an earlier one does not depend on the unit that is gone. Of all units that are gone the
 * one with the lowest last step tells whether a wait ends, so only its step is kept. */
#include "topology/domain_image.h"
#include "wait/mutex.h"
#include "wait/tree.h"

#include <stddef.h>

typedef struct {
  dart__barrier_t barrier;
  _Alignas(DART__CACHE_LINE) dart__mutex_t registered; /* of updates of registered memory */
  _Atomic uint32_t left;       /* units but the leader that do not access this memory any more */
  _Atomic uint32_t ngone;      /* units that are gone; without `gone`, how often that was said */
  _Atomic uint64_t first_gone; /* of the lowest last step: 2^32 * the step + the unit + 1 */

  /* 1: a unit of this node has logged that it waits for a unit that is gone. */
  _Atomic uint32_t reported;

  /* The tree of domains that the node's units share (team/team_locality.c); guarded by the mutex. */
  dart__mutex_t        describing;
  dart__domain_image_t tree;
} dart__shared_t;

typedef struct {
  dart__shared_t   *shared;
  _Atomic uint64_t *gone; /* a bit for each unit: it is gone; NULL: only `first_gone` is known */
  char             *buffers;
  uint32_t          nunits;
  uint32_t          me;
  size_t            slot_bytes; /* multiples of a cache line */
  size_t            result_bytes;
  uint32_t          episode; /* steps passed */
  dart__tree_t      tree;    /* where steps have a tree, instead of the barrier in `shared` */

  /* Blocks of so many bytes are copied directly, see coll/direct.h; 0: not known yet. */
  size_t direct_least;
} dart__exchange_t;

/** Bytes of shared memory that an exchange needs: for `nunits` units of the node, and `nbits` units of the team, or none, of
 *  which dart__exchange_is_gone can be asked. */
size_t dart__exchange_bytes(uint32_t nunits, uint32_t nbits, size_t slot_bytes,
                            size_t result_bytes);

/** Initialise the memory, by one unit, before any unit opens it. */
void dart__exchange_format(void *memory, uint32_t nunits, uint32_t nbits);

/** Bytes of the slots and results alone. */
size_t dart__exchange_buffer_bytes(uint32_t nunits, size_t slot_bytes, size_t result_bytes);

/** Use other slots and results from the next step on. Called by all units between the same two steps. */
void dart__exchange_replace(dart__exchange_t *exchange, void *buffers, size_t slot_bytes,
                            size_t result_bytes);

/** Open initialised memory as unit `me` of the node. */
void dart__exchange_open(dart__exchange_t *exchange, void *memory, uint32_t nunits, uint32_t nbits,
                         uint32_t me, size_t slot_bytes, size_t result_bytes);

/** End a step without data and kinds, by all units. */
void dart__exchange_wait(dart__exchange_t *exchange, const dart__wait_policy_t *policy);

/** The barrier that this unit leaves last in a step. */
static inline dart__barrier_t *dart__exchange_barrier(const dart__exchange_t *x)
{
  return x->tree.barriers != NULL ? dart__tree_last(&x->tree) : &x->shared->barrier;
}

/** Whether this unit is inside a step, perhaps in another thread. */
bool dart__exchange_is_busy(const dart__exchange_t *exchange);

/** Record that a unit of the team is gone, after this step. May be called more than once for a unit, with the same
 *  step. */
void dart__exchange_note_gone(dart__exchange_t *exchange, int32_t unit, uint32_t episode);

/** Whether a unit is recorded as gone. */
bool dart__exchange_is_gone(const dart__exchange_t *exchange, int32_t unit);

/** A unit that is gone and will not arrive in the caller's current step; -1: there is none. */
int32_t dart__exchange_missing(const dart__exchange_t *exchange);

/* Buffers of the current step. The barrier that ends the step switches to the buffers of the next one, so
 * take the addresses before the barrier. */
static inline char *dart__exchange_slot(const dart__exchange_t *x, uint32_t unit)
{
  return x->buffers + ((x->episode & 1) * x->nunits + unit) * x->slot_bytes;
}

static inline char *dart__exchange_result(const dart__exchange_t *x)
{
  return x->buffers + 2 * x->nunits * x->slot_bytes + (x->episode & 1) * x->result_bytes;
}

#endif
