#ifndef DART__SHMEM_WIRE_H
#define DART__SHMEM_WIRE_H
/* The simulated network between units that share memory for their inboxes (inbox.h): what a unit has started or posted,
 * and the packets of it (requests.c); messages of net.h (mail.c); puts, gets, and the progress of all (wire.c). */
#include <pthread.h>

#include "link.h"
#include "wait/foreign.h"
#include "wait/near.h"

typedef TAILQ_HEAD(dart__requests, dart__request) dart__requests_t;

typedef struct dart__request {
  TAILQ_ENTRY(dart__request) next; /* in `list` ... */
  TAILQ_ENTRY(dart__request) op;   /* ... and `ops` or `done` */
  dart__requests_t *list;          /* NULL: none */
  uint8_t           kind;          /* of its packets; that of a receive is FETCH */
  uint8_t           uses;    /* one until it is complete, one of the caller that will test it */
  bool              is_done; /* for its caller: sent, received, or locally complete */
  bool     is_abandoned; /* cancelled while its peer might still answer; the buffer is not used */
  bool     is_of_any;    /* a receive of any peer */
  int      channel, tag;
  uint64_t clock;  /* of the last packet that has arrived for it: traffic.h */
  uint64_t number; /* of a put or get, from 1 */
  int32_t  peer;
  char    *data;
  size_t   nbytes;
  size_t   sent;   /* bytes that are in packets */
  size_t   landed; /* bytes that have come, or are in place */
  uint64_t there;  /* the peer's region, or its request */
  uint64_t offset; /* in it; of a message its length */
  char    *mapped; /* where that is here, or in `process` if that is not 0; NULL: the peer copies */
  pid_t    process;
} dart__request_t;

typedef struct dart__peer {
  LIST_ENTRY(dart__peer) next; /* of those to which something was sent */
  dart__requests_t out;        /* have packets to be sent */
  dart__requests_t away;       /* an offer that was not fetched, or a receive that fetches */
  dart__requests_t ops;     /* puts and gets that are not locally complete, by their numbers ... */
  dart__requests_t done;    /* ... and puts that are, but not at the peer */
  uint64_t         nops;    /* ever started */
  _Atomic uint32_t nlisted; /* in both; at most DART__OPS_MOST */
  _Atomic uint64_t clock;   /* of those that were complete; what a flush of the peer learns */
  uint64_t         head_seen; /* of its inbox: see dart__inbox_claim */
  uint64_t         messages;  /* extents of those that were sent to it, ever ... */
  uint64_t         received;  /* ... and that it has received, when this unit looked last */
  bool is_lost; /* nothing is sent to it, and only complete messages are received from it */
} dart__peer_t;

/* Memory of this unit that peers ask it to access. */
typedef struct dart__region {
  LIST_ENTRY(dart__region) next;
  uint64_t id; /* the same on all units of a team, and the unit has no other of it */
  char    *base;
  size_t   nbytes;
} dart__region_t;

#define DART__OPS_MOST 1024 /* puts and gets to a peer that are under way */
#define DART__SPARES   64   /* requests that can be made where there is no memory */

struct dart__net_comm {
  pthread_mutex_t   lock;
  dart__link_t      link;
  int32_t           nwaiting;                     /* requests in queues `out` */
  dart__request_t   spare[DART__SPARES];          /* in use, if it has uses */
  dart__requests_t  posted[DART__CHANNELS];       /* receives */
  dart__envelopes_t arrived[DART__CHANNELS];      /* messages that no receive has taken */
  LIST_HEAD(dart__regions, dart__region) regions; /* those used last come first */
  uint64_t refused; /* the region that a peer has last accessed in vain */
  uint32_t nlost;   /* peers that were lost, as far as this unit has acted on it */
  LIST_HEAD(dart__peers, dart__peer) used;
  dart__peer_t
      peer[]; /* zeros until they are used, for a unit of thousands speaks to few: dart__peer_use */
};

/** This unit's end; its inbox can be written to. NULL: no memory. Nothing is under way when it is closed. */
dart__net_comm_t *dart__wire_open(const dart__link_config_t *config);
void              dart__wire_close(dart__net_comm_t *comm);

/** Start a put or get as `model` has it: the peer copies, when it makes progress; or, if the memory is mapped, or in a
 *  process that the kernel reaches, this unit, when the time has come. `request_out` as in net.h. Waits for the oldest of
 *  this peer if DART__OPS_MOST are under way. */
void dart__wire_move(dart__net_comm_t *comm, const dart__request_t *model,
                     dart__net_request_t *request_out);

/** Complete all puts and gets to a peer that were started; false: there was nothing. */
bool dart__wire_flush(dart__net_comm_t *comm, int32_t peer, bool at_target);

/** Let peers access a region; and no more. */
void dart__region_enter(dart__net_comm_t *comm, dart__region_t *region);
void dart__region_leave(dart__net_comm_t *comm, dart__region_t *region);

/** Copy to or from `there`, which is mapped here, or in `process` if that is not 0. False: the kernel refuses, as a
 *  line says, so the peer is to copy. */
static inline bool dart__move_here(char *there, pid_t process, char *data, size_t nbytes,
                                   bool is_put)
{
  const dart__type_t *byte    = &dart__type_basic[DART_TYPE_BYTE];
  uint64_t            address = (uintptr_t)there;

  if (process > 0)
    return (is_put ? dart__foreign_put(process, address, byte, data, byte, nbytes)
                   : dart__foreign_get(data, byte, process, address, byte, nbytes)) == DART_OK;
  if (is_put)
    dart__near_put_bytes(there, data, nbytes);
  else
    dart__near_get_bytes(data, there, nbytes);
  return true;
}

/* ---- for wire.c, mail.c and requests.c: the unit's lock is held ----------------------------- */

/** A message, or its offer, has come; it is freed when a receive has taken it. */
void dart__mail_take(dart__net_comm_t *c, dart__envelope_t *e);

/** The bytes of a message that was offered are asked for. */
void dart__mail_fetch(dart__net_comm_t *c, const dart__packet_t *packet);

/** The first such message that has arrived and no receive has taken; NULL: none. `removes`: from their list, too. */
dart__envelope_t *dart__mail_find(dart__net_comm_t *c, dart__channel_t channel, int32_t peer,
                                  int tag, bool removes);

/** The peer, to which something is sent. */
static inline dart__peer_t *dart__peer_use(dart__net_comm_t *c, int32_t id)
{
  dart__peer_t *peer = &c->peer[id];

  if (__builtin_expect(peer->out.tqh_last != NULL, 1))
    return peer;
  TAILQ_INIT(&peer->out);
  TAILQ_INIT(&peer->away);
  TAILQ_INIT(&peer->ops);
  TAILQ_INIT(&peer->done);
  LIST_INSERT_HEAD(&c->used, peer, next);
  return peer;
}

static inline uint64_t dart__id_of(const void *request)
{
  return (uint64_t)(uintptr_t)request;
}

static inline dart__request_t *dart__request_of(uint64_t id)
{
  return (dart__request_t *)(uintptr_t)id;
}

/** A new request as `model` has it, which its caller will test, or not. Without memory the job ends. */
dart__request_t *dart__request_new(dart__net_comm_t *c, const dart__request_t *model,
                                   bool is_tested);

/** Send the packets of a request, after those that wait for its peer. */
void dart__request_send(dart__net_comm_t *c, dart__request_t *r);

/** Note that bytes have landed. With all of them the request is complete, and freed unless its caller will test it. */
void dart__request_land(dart__net_comm_t *c, dart__request_t *r, size_t nbytes);

/** Give the caller, unless NULL, the id of its request, or free one that is done, or abandoned. */
void dart__request_return(dart__net_comm_t *c, dart__request_t *r,
                          dart__net_request_t *request_out);

/** Put a request that is in no list at the end of one; take it out. */
void dart__request_list(dart__request_t *r, dart__requests_t *list);
void dart__request_unlist(dart__net_comm_t *c, dart__request_t *r);

/** End all operations to a peer, now and from now on; of all that are lost: see dart__net.drop_lost. */
void dart__requests_drop(dart__net_comm_t *c, dart__peer_t *peer);
void dart__requests_drop_lost(dart__net_comm_t *c);

/** Send what waits for a peer, as far as there is room. */
void dart__requests_pump(dart__net_comm_t *c, dart__peer_t *peer);

#endif
