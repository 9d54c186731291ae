#ifndef DART__FAR_AM_NODE_RELAY_H
#define DART__FAR_AM_NODE_RELAY_H
/* Relays: updates of all units of a node for one other node, which travel in one message.
 *
 * Batches from each unit to each unit are units² buffers and messages: of many units each gets few updates before it
 * has to be sent. So in a large job updates of one element, without a result, are collected for each node, not for each
 * unit, and travel in two hops. The units of a node share a relay for each other node. They append their batches to it,
 * in shared memory. It is sent to one unit of the other node, the partner, which applies all, for the memory of its
 * node is near. (As in conveyors, Maley and DeVinney, IA3 2019, and YGM, Priest et al., IPDPSW 2019; there a unit is in
 * charge of each node.)
 *
 * No unit is in charge of a relay, so none can hold it up by computing. A unit that finds it full, or waits for what is
 * in it, claims it, and sends what is there as a batch of its own to the partner. While that is under way the others
 * append; so units that wait at a time share the next message, as transactions of a database share a write of its
 * log.
 *
 * Invariant: a message is sent when all before it were applied, or by the unit that has sent these, behind them. So the
 * messages of a relay are applied in the order of their numbers, and updates of a unit in the order of its calls. The
 * flag of an arrival (endpoint.h) says how many were applied, to all units of the node. */
#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "far/am/batch.h"
#include "far/am/spin.h"
#include "wait/wait.h"

typedef struct dart__am_relay {
  _Alignas(64) dart__am_spin_t lock; /* of what follows, to `sent`, which is read without it */
  bool             is_claimed;       /* a thread is about to send */
  int32_t          sender; /* the unit, by its index on the node, that sent the last message */
  int32_t          node;   /* what it is for */
  size_t           nwords;
  size_t           nrequests;
  _Atomic uint64_t sent;                 /* messages, and ... */
  _Alignas(64) _Atomic uint64_t applied; /* ... how many of them were applied */
  dart__event_t changed; /* raised when a message was sent, applied, or could not be sent */
  _Alignas(64) uint64_t words[];
} dart__am_relay_t;

/* What a unit knows of the relays of its node. */
typedef struct dart__am_relays {
  size_t  words; /* that a relay takes, at most DART__AM_WORDS */
  int32_t me;    /* a number of this unit, of its own on its node */
  /* The unit of a node that applies what this node's relay sends; the same for all units of this node. */
  int32_t (*partner)(int32_t node);
} dart__am_relays_t;

/** Bytes of one. */
static inline size_t dart__am_relay_bytes(size_t words)
{
  return sizeof(dart__am_relay_t) + words * sizeof(uint64_t);
}

static inline uint64_t dart__am_relay_applied(const dart__am_relay_t *relay)
{
  /* acquire: pairs with the release of the arrival, which comes after what the partner did */
  return atomic_load_explicit((_Atomic uint64_t *)&relay->applied, memory_order_acquire);
}

static inline uint64_t dart__am_relay_sent(const dart__am_relay_t *relay)
{
  /* acquire: pairs with the release in dart__am_relay_take */
  return atomic_load_explicit((_Atomic uint64_t *)&relay->sent, memory_order_acquire);
}

/** Make an empty one for a node, in memory that is aligned to 64 bytes. */
void dart__am_relay_init(dart__am_relay_t *relay, int32_t node);

/** Append the requests of a batch. Returns the number of the message that will have them; 0: there is no room. */
uint64_t dart__am_relay_add(dart__am_relay_t *relay, size_t words, const dart__am_batch_t *batch);

/** Claim it in order to send what it has: its words; 0: it has none, or another thread sends, or what others have sent was
 *  not applied yet. */
size_t dart__am_relay_claim(dart__am_relay_t *relay, int32_t me);

/** Move its requests to a batch, and return it. Returns the number of the message, 0: the batch has no room. */
uint64_t dart__am_relay_take(dart__am_relay_t *relay, int32_t me, dart__am_batch_t *batch);

/** Return it as it is. */
void dart__am_relay_release(dart__am_relay_t *relay);

/** Whether something is under way whose end raises the event. */
bool dart__am_relay_is_busy(dart__am_relay_t *relay);

#endif
