#ifndef DART__SHMEM_REQUESTS_H
#define DART__SHMEM_REQUESTS_H
/* What a unit has started or posted, and the packets of it. All calls are made with the unit's lock. */
#include <pthread.h>

#include "link.h"

typedef struct dart__request {
  TAILQ_ENTRY(dart__request) next; /* in `out` or `posted` */
  TAILQ_ENTRY(dart__request) op;   /* in `ops` */
  uint8_t  kind;                   /* of its packets; that of a receive is FETCH */
  uint8_t  uses;    /* one until it is complete, one of the caller that will test it */
  bool     is_done; /* for its caller: sent, received, or locally complete */
  int      channel, tag;
  uint64_t clock;  /* of the last packet that has come for it: traffic.h */
  uint64_t number; /* of a put or get, from 1 */
  int32_t  peer;
  char    *data;
  size_t   nbytes;
  size_t   started; /* bytes in packets */
  size_t   landed;  /* bytes that have come, or were put or fetched */
  uint64_t there;   /* the peer's region, or its request */
  uint64_t offset;  /* in it */
  char    *mapped;  /* where that is mapped here; NULL: it is not */
} dart__request_t;

typedef TAILQ_HEAD(dart__requests, dart__request) dart__requests_t;

typedef struct {
  dart__requests_t
      out[2]; /* have packets to be sent: messages, and pieces, which do not hold up messages */
  dart__requests_t ops;     /* puts and gets that are not complete, in the order of their numbers */
  uint64_t         nops;    /* ever started */
  _Atomic uint32_t nlisted; /* in `ops` */
  _Atomic uint64_t clock;   /* of those that were complete; what a flush of the peer learns */
  uint32_t         npieces; /* under way to it */
  size_t           kept;    /* bytes of its messages that are kept */
} dart__peer_t;

#define DART__SPARES 64 /* requests that can be made where there is no memory */

struct dart__net_comm {
  pthread_mutex_t lock;
  dart__link_t    link;
  int32_t         nwaiting; /* queues `out` with something in them */
  uint64_t        spares;   /* of these the requests in use, a bit each */
  dart__request_t spare[DART__SPARES];
  uint64_t        busy; /* slots for pieces in use, a bit each ... */
  struct {
    dart__request_t *request; /* ... and what for */
    char            *data;
    uint32_t         nbytes;
  } piece[32];
  dart__requests_t  posted[DART__LINK_CHANNELS];  /* receives */
  dart__envelopes_t arrived[DART__LINK_CHANNELS]; /* messages that no receive has taken */
  LIST_HEAD(dart__regions, dart__region) regions; /* those used last come first */
  dart__peer_t peer[];
};

static inline uint64_t dart__id_of(const void *request)
{
  return (uint64_t)(uintptr_t)request;
}

static inline dart__request_t *dart__request_of(uint64_t id)
{
  return (dart__request_t *)(uintptr_t)id;
}

/** Allocate a request, to be filled in. Without memory the job ends. */
dart__request_t *dart__request_new(dart__net_comm_t *c);

/** Send the packets of a request, after those that wait for its peer. */
void dart__request_send(dart__net_comm_t *c, dart__request_t *r);

/** Note that bytes have landed. With all of them the request is complete, and freed unless its caller will test it. */
void dart__request_land(dart__net_comm_t *c, dart__request_t *r, size_t nbytes);

/** Give the caller, unless NULL, the id of its request, or free one that is done. */
void dart__request_return(dart__net_comm_t *c, dart__request_t *r,
                          dart__net_request_t *request_out);

/** Handle what has come, and send what waits, as far as there is room. */
void dart__requests_progress(dart__net_comm_t *c);

/** How long progress has nothing to do, as net.h has it. Without the lock. */
uint32_t dart__requests_idle_us(dart__net_comm_t *c, uint32_t most_us);

#endif
