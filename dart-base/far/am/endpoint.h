#ifndef DART__FAR_AM_ENDPOINT_H
#define DART__FAR_AM_ENDPOINT_H
/* An endpoint: the origin's side of the communication with one peer.
 *
 * It has one open batch, in which requests are collected, and a queue of batches under way. `newest`,
 * `local` and `done` say in batch numbers what is outstanding, so that a flush of a peer that has nothing
 * outstanding is a look at three words, without a lock; all else is behind the endpoint's lock. A zeroed
 * endpoint is ready for use, so peers that a unit never uses cost address space only.
 *
 * Behind those of the peers there is an endpoint for each node (dart__am_node_peer), whose batches go by a relay. */
#include "far/am/am.h"
#include "far/am/batch.h"
#include "far/am/known.h"
#include "far/am/node_relay.h"
#include "far/am/peers.h"

typedef struct {
  /* Read without the lock, written with it. An open batch counts as the next one to be sent. */
  _Atomic uint64_t newest;   /* batch with a request */
  _Atomic uint64_t local;    /* the newest with results or data */
  _Atomic uint64_t done;     /* all up to here were applied, and their results delivered */
  _Atomic uint64_t refused;  /* requests, as far as is known, that named no memory */
  _Atomic uint64_t reported; /* of these, by a flush */

  dart__am_spin_t lock;
  bool            is_sending; /* a thread is, with the lock given up: no other thread sends */
  bool is_lost; /* the peer is: nothing is sent, what was is over, and so counts as refused */
  bool is_ack_requested;         /* `ack_request` was sent, and not replied to yet */
  dart__am_header_t ack_request; /* a message without a batch */
  dart__am_batch_t *open;        /* being collected, or NULL */
  dart__am_relay_t
      *relay; /* of a node: batches are appended to it, and nothing else is sent. NULL: of a peer */
  dart__am_batch_t *first; /* under way, oldest first */
  dart__am_batch_t *last;
  uint64_t          sent;     /* the newest batch that was sent */
  uint64_t          asked;    /* the newest that a reply was asked for */
  uint64_t          acked;    /* the newest that was applied, as far as is known */
  uint64_t          nasked;   /* replies asked for, and ... */
  uint64_t          nreplies; /* ... received */
  uint64_t          wait;     /* when the unit last waited before the notifications of burst[0] */
  dart__am_known_t
      *known; /* [am->config.types], what the peer keeps of types, see typed.c; NULL: nothing yet */
  unsigned burst[3]; /* notifications since the unit last waited, before that, and before that */
  _Atomic int32_t busy_index;     /* in am->busy, while anything is outstanding; see peers.h */
  _Atomic int32_t open_index;     /* in am->open, while there is an open batch */
  _Atomic int32_t arriving_index; /* in am->arriving, while there are arrivals */
  size_t          narrivals;      /* outstanding, of all batches */
  uint64_t        relayed; /* the relay's message that has the newest batch; 0: all were applied */
  int64_t         relayed_ns;    /* when progress first found it not sent; 0: not yet */
  _Atomic int32_t relayed_index; /* in am->relayed, until it was applied */
} dart__am_endpoint_t;

/* Numbers that are read without the lock. relaxed: a thread sees what it requested itself; requests of other threads are
 * ordered by the program. */
static inline uint64_t dart__am_number(const _Atomic uint64_t *at)
{
  return atomic_load_explicit(at, memory_order_relaxed);
}

static inline void dart__am_number_set(_Atomic uint64_t *at, uint64_t value)
{
  atomic_store_explicit(at, value, memory_order_relaxed);
}

/** Number the first batch to the peer. */
void dart__am_endpoint_open(dart__am_endpoint_t *ep, uint64_t first_batch);

/* ---- the lock is held; functions that say so give it up meanwhile --------------------------- */

/** Make room for so many words of requests and of results in the open batch; may wait, with the lock
 *  given up. */
void dart__am_endpoint_reserve(dart__am_t *am, int32_t peer, dart__am_endpoint_t *ep, size_t nwords,
                               size_t result_words);

/** Append a record for which there is room; `at` NULL: it accesses no memory. */
void dart__am_endpoint_append(dart__am_endpoint_t *ep, const dart__am_address_t *at,
                              const dart__am_record_t *r);

/** Announce a message of data in the open batch, which has room for it. The data are sent now, or with the
 *  batch; gives the lock up. */
void dart__am_endpoint_add_data(dart__am_t *am, int32_t peer, dart__am_endpoint_t *ep,
                                const dart__am_data_t *data, const void *src);

/** Ask for a message of data in the open batch, which has room for it. */
void dart__am_endpoint_add_got(dart__am_endpoint_t *ep, const dart__am_data_t *data, void *dst);

/** Add an arrival to the open batch, which has requests, and room for it. */
void dart__am_endpoint_add_arrival(dart__am_t *am, int32_t peer, dart__am_endpoint_t *ep,
                                   const dart__am_arrival_t *arrival);

/** Send the open batch, giving the lock up. False: not now, too many are under way, or another thread
 *  is sending. */
bool dart__am_endpoint_send(dart__am_t *am, int32_t peer, dart__am_endpoint_t *ep,
                            bool wants_reply);

/** Send the open batch, which has requests, though more than a window may be under way; waits only for a
 *  thread that is sending, with the lock given up. Local completion of all until then needs no progress of a
 *  peer that has received the batch. */
void dart__am_endpoint_send_now(dart__am_t *am, int32_t peer, dart__am_endpoint_t *ep);

/** Ask for a reply to a batch, open or sent, giving the lock up; may take more than one call. */
void dart__am_endpoint_ask(dart__am_t *am, int32_t peer, dart__am_endpoint_t *ep, uint64_t number);

/** Send the peer a message that only asks for an acknowledgement, unless one is on its way; gives the lock up.
 *  Nobody waits for the reply. */
void dart__am_endpoint_wake(dart__am_t *am, int32_t peer, dart__am_endpoint_t *ep);

/** Send what a relay has, unless it is not its turn, or the partner's endpoint takes nothing now. No lock is held. */
void dart__am_endpoint_send_relay(dart__am_t *am, dart__am_relay_t *relay);

/** Note what a message of the peer acknowledges; `results` are those of batch header->batch, NULL: the
 *  message is no reply. Takes the lock itself. */
void dart__am_endpoint_acknowledge(dart__am_t *am, dart__am_endpoint_t *ep,
                                   const dart__am_header_t *header, const uint64_t *results);

/** Retire the batches under way that are done, update the flags of their arrivals, and leave the set of busy peers if
 *  nothing is outstanding. */
void dart__am_endpoint_retire(dart__am_t *am, dart__am_endpoint_t *ep);

/** The same for all peers with arrivals, takes the locks that are free itself. Others do so when they flush. */
void dart__am_endpoints_retire_arriving(dart__am_t *am);

/** Where peers may be lost: drop what is outstanding towards one that is, as if all was done and refused, as far as no
 *  thread is sending it. In every turn of a wait. */
void dart__am_endpoint_drop_lost(dart__am_t *am, int32_t peer, dart__am_endpoint_t *ep);

/** Give up the lock for a turn of waiting, in which progress is made. */
void dart__am_endpoint_wait(dart__am_t *am, dart__am_endpoint_t *ep, dart__turns_t *turns);

#endif
