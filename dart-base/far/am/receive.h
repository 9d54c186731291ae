#ifndef DART__FAR_AM_RECEIVE_H
#define DART__FAR_AM_RECEIVE_H
/* Receiving: requests of all peers are handled in the order in which they came; batches are applied and
 * replied to. Replies are received apart from requests, while any are awaited.
 *
 * Receives are posted in a ring and handled in the order posted, behind one lock: so batches of a peer are
 * applied in order, as the transport delivers them. A thread that finds the lock taken returns: the
 * holder is making progress already. When there is no memory, messages stay in the ring until some is
 * released: one reply and one pending batch are allocated at the start, so this ends. The peers' windows
 * bound the number of messages. */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "far/am/am.h"
#include "far/am/known.h"
#include "far/am/spin.h"
#include "far/am/wire.h"
#include "wait/deferred.h"

#define DART__AM_RING       16 /* receives of requests posted */
#define DART__AM_REPLY_RING 4  /* and of replies */

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

/* Receives of a channel, handled in the order posted. */
typedef struct {
  dart__channel_t     channel;
  unsigned            nslots;
  uint64_t            head; /* the next receive to handle, modulo nslots */
  unsigned            free; /* slots before it that are to be posted again */
  dart__am_slot_t    *slot;
  dart__am_message_t *messages; /* [nslots] sparse; slots begin with these */
} dart__am_ring_t;

/* A peer: its batches that wait for their data, or behind batches that do. */
typedef struct {
  dart__am_pending_t *first; /* the oldest */
  dart__am_pending_t *last;
  dart__am_known_t   *known; /* its types, NULL: none yet */
} dart__am_source_t;

typedef struct {
  dart__am_spin_t     lock; /* of all but `last_ns`; nobody waits for it */
  dart__am_ring_t     requests;
  dart__am_ring_t     replies;
  dart__am_source_t  *source;   /* [npeers] */
  dart__am_pending_t *pending;  /* in the order in which they came */
  dart__am_reply_t   *replying; /* replies that the transport may still read */
  dart__am_reply_t   *spare;
  dart__am_pending_t *spare_pending; /* for when there is no memory; NULL: in use */
  dart__am_message_t *unused;        /* of requests.messages: a list through their first bytes */
  void               *dropped;       /* receives data whose target memory does not exist */
  dart__deferred_t    updates;       /* of a batch, whose cache lines are being prefetched */
  bool            has_skipped; /* requests were left for the next look, because replies had come */
  _Atomic int64_t last_ns;     /* when requests last came */
} dart__am_receiver_t;

/** False: no memory. */
bool dart__am_receiver_open(dart__am_t *am);
void dart__am_receiver_close(dart__am_t *am);

typedef struct {
  bool requests;
  bool replies;
} dart__am_handled_t;

/** Look `looks` times whether messages have come, and handle at most `most`. Returns at once if another thread
 *  is receiving. `own`, if not NULL, is a request of the caller's, for which it looks as well. */
dart__am_handled_t dart__am_receive(dart__am_t *am, int most, int looks, dart__net_request_t *own);

#endif
