#ifndef DART__FAR_AM_INSTANCE_H
#define DART__FAR_AM_INSTANCE_H
/* What the files of far/am/ share: the instance, with its endpoints and its receiver. */
#include "base/counters.h"
#include "far/am/am.h"
#include "far/am/batch.h"
#include "far/am/known.h"
#include "far/am/node_relay.h"
#include "far/am/peers.h"
#include "far/am/spin.h"
#include "far/am/wire.h"
#include "wait/deferred.h"

/* ---- acknowledgement --------------------------------------------------------------------------
 *
 * How many of a peer's batches this unit has applied, which is in the header of every message to that peer. One thread at
 * a time counts what was applied; any thread writes the count into a message. */

typedef struct {
  _Atomic uint64_t applied; /* batches */
  _Atomic uint64_t refused; /* requests in them */
} dart__am_ack_t;

/** The next batch was applied; `refused` of its requests named no memory. */
static inline void dart__am_ack_note(dart__am_ack_t *ack, uint32_t refused)
{
  dart__count(DART__COUNT_APPLIED);
  atomic_fetch_add_explicit(&ack->refused, refused, memory_order_relaxed);
  /* release: pairs with the acquire in dart__am_ack_write, so effects come before their acknowledgement */
  atomic_fetch_add_explicit(&ack->applied, 1, memory_order_release);
}

static inline void dart__am_ack_write(const dart__am_ack_t *ack, dart__am_header_t *header)
{
  /* acquire: pairs with the release in dart__am_ack_note, so `refused` is not older */
  header->acked   = atomic_load_explicit(&ack->applied, memory_order_acquire);
  header->refused = atomic_load_explicit(&ack->refused, memory_order_relaxed);
}

/* ---- the origin's side, see endpoint.h ------------------------------------------------------ */

typedef struct {
  /* Read without the lock, written with it. An open batch counts as the next one to be sent. */
  _Atomic uint64_t newest;   /* batch with a request */
  _Atomic uint64_t local;    /* the newest with results or data */
  _Atomic uint64_t done;     /* all up to here were applied, and their results delivered */
  _Atomic uint64_t refused;  /* requests, as far as is known, that named no memory */
  _Atomic uint64_t reported; /* of these, by a flush */

  dart__am_spin_t lock;
  bool            is_sending; /* a thread is, with the lock released: no other thread sends */
  bool is_lost;  /* the peer is: nothing is sent, what was is over, and so counts as refused */
  bool is_alone; /* the last batch that was waited for had one request and nothing beside it */
  bool is_ack_requested;         /* `ack_request` was sent, and not replied to yet */
  dart__am_header_t ack_request; /* a message without a batch */
  dart__am_batch_t *open;        /* being collected, or NULL */
  dart__am_relay_t *relay;       /* of a node: what batches are appended to; NULL: of a peer */
  dart__am_batch_t *first;       /* under way, oldest first */
  dart__am_batch_t *last;
  uint64_t          sent;     /* the newest batch that was sent */
  uint64_t          asked;    /* the newest that a reply was asked for */
  uint64_t          acked;    /* the newest that was applied, as far as is known */
  uint64_t          nasked;   /* replies asked for, and ... */
  uint64_t          nreplies; /* ... received */
  uint64_t          wait;     /* when the unit last waited before the notifications of burst[0] */
  dart__am_known_t *known;    /* [am->config.types], types that the peer has; NULL: none yet */
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

/* ---- the target's side, see receive.h ------------------------------------------------------- */

/* Receives posted. They take messages of any peer, and UCX looks at each of them for every message that comes to the process,
 * also for one that a collective or the program itself receives. A barrier between two nodes took 611 ns with 16 and 570 with
 * these, 270 and 222 where cores share a cache (MPI's own beside it 198 and 180). */
#define DART__AM_RING 4

typedef struct dart__am_pending dart__am_pending_t;
typedef struct dart__am_reply   dart__am_reply_t;

/* A posted receive, and then the message it received. */
typedef struct {
  dart__net_request_t request;
  bool                has_come;
  int32_t             peer;
  size_t              nbytes;
  dart__am_message_t *message;
} dart__am_slot_t;

/* Receives of requests and replies, handled in the order posted; behind them one for a reply from the reserve. */
typedef struct {
  unsigned            nslots; /* DART__AM_RING + 1, or 0 before they are posted */
  uint64_t            head;   /* the next receive to handle, modulo DART__AM_RING */
  unsigned            free;   /* slots before it that are to be posted again */
  dart__am_slot_t    *slot;
  dart__am_message_t *messages; /* [nslots] sparse; slots begin with these */
} dart__am_ring_t;

/* A peer: its batches that wait for their data, or behind batches that do. */
typedef struct {
  dart__am_pending_t *first; /* the oldest */
  dart__am_pending_t *last;
  dart__am_known_t   *known;  /* its types, NULL: none yet */
  bool                is_cut; /* it is lost, and a batch was dropped: so are those behind it */
} dart__am_source_t;

typedef struct {
  dart__am_spin_t     lock; /* of all but `last_ns`; nobody waits for it */
  dart__am_ring_t     ring;
  dart__am_source_t  *source;   /* [npeers] */
  dart__am_pending_t *pending;  /* in the order in which they came */
  dart__am_reply_t   *replying; /* replies that the transport may still read */
  dart__am_reply_t   *spare;
  dart__am_reply_t   *reserve;       /* for when there is no memory; NULL: in use */
  dart__am_pending_t *spare_pending; /* for when there is no memory; NULL: in use */
  dart__am_message_t *unused;        /* of ring.messages: a list through their first bytes */
  void               *dropped;       /* receives data whose target memory does not exist */
  dart__deferred_t    updates;       /* of a batch, whose cache lines are being prefetched */
  unsigned            calls;         /* of dart__am_receive */
  _Atomic int64_t     last_ns;       /* when requests last came */
} dart__am_receiver_t;

/* ---- the instance --------------------------------------------------------------------------- */

struct dart__am {
  dart__am_config_t config;
  size_t            words; /* config.batch_bytes in words */
  int32_t           npeers;

  dart__am_endpoint_t *endpoint; /* [2 * npeers], of peers, then of nodes */
  dart__am_ack_t      *ack;      /* [npeers] */
  dart__am_pool_t      pool;
  dart__am_peers_t     busy;     /* peers with something outstanding */
  dart__am_peers_t     open;     /* peers with an open batch */
  dart__am_peers_t     arriving; /* peers with arrivals outstanding */
  dart__am_peers_t     relayed;  /* nodes whose relays have updates of this unit */
  dart__am_relays_t    relays;
  _Atomic bool         has_relays;
  _Atomic bool         has_requested; /* the host was told of the first request */
  _Atomic uint64_t     waits;         /* how often the unit has waited */

  dart__am_receiver_t receiver;
};

/** Whether an endpoint's open batch can take so many words more; its lock is held.
 *
 *  Keeps the requests in all open batches together about within config.collected: a peer with many is sent
 *  them, one with few keeps them while more peers get some, so it may be ln(peers) times as many. */
static inline bool dart__am_endpoint_has_room(const dart__am_t *am, const dart__am_endpoint_t *ep,
                                              size_t nwords, size_t result_words)
{
  const dart__am_batch_t *batch = ep->open;
  size_t                  nopen = (size_t)dart__am_peers_count(&am->open);
  size_t                  most  = ep->relay == NULL ? am->words : am->relays.words;

  return dart__am_batch_fits(batch, nwords, result_words, most) &&
         (batch->nrequests == 0 || (batch->nrequests + 1) * nopen <= am->config.collected);
}

#endif
