#ifndef DART__SHMEM_WIRE_COMM_H
#define DART__SHMEM_WIRE_COMM_H
/* The state of a unit's end of the simulated network, for the files that implement it (see wire.h). */
#include <pthread.h>

#include "link.h"
#include "moves.h"

#define DART__WIRE_CHANNELS (DART__CHANNELS + 1)
#define DART__WIRE_REGIONS  64 /* lists of regions, by their hash */
#define DART__WIRE_SPARES   64 /* requests that can be made where there is no memory */

/* Classes of packets to one peer that keep their order. */
#define DART__WIRE_TAGS    4 /* classes of tags of a channel; all of the program's are one class */
#define DART__WIRE_LINES   4 /* classes of small puts, by cache line */
#define DART__WIRE_CLASSES (DART__WIRE_CHANNELS * DART__WIRE_TAGS + DART__WIRE_LINES)

typedef enum {
  DART__STAGE_SEND,    /* a message waits in `out` */
  DART__STAGE_OFFERED, /* the peer has the message, or its offer */
  DART__STAGE_DATA,    /* the peer wants the bytes: in `out` until all are sent */
  DART__STAGE_RECV,    /* a receive is posted, or its bytes are coming */
  DART__STAGE_WANT,    /* a receive has an offer; its answer waits in `out` */
  DART__STAGE_PUT,     /* in `out` until all pieces are sent */
  DART__STAGE_GET,     /* in `out` until all pieces are asked for */
  DART__STAGE_LATER    /* this unit copies when the time has come */
} dart__stage_t;

typedef struct dart__request {
  TAILQ_ENTRY(dart__request) next; /* in `out` or `posted` */
  TAILQ_ENTRY(dart__request) op;   /* of the puts and gets to a peer */
  dart__stage_t stage;
  bool          is_done;   /* for its caller: sent, received, or locally complete */
  bool          is_wanted; /* its caller will test it */
  bool          is_op;     /* in the peer's list of these */
  uint64_t      partner;   /* of a message: the peer's request */
  uint64_t      number;    /* of a put or get */
  int           channel;
  int           tag;
  size_t        started; /* bytes in packets */
  size_t        landed;  /* bytes that have come, or were put */
  dart__move_t  move;    /* peer, data and nbytes also of a message */
} dart__request_t;

/* A packet that this unit has taken out of its inbox, and that waits for its time, or for a receive. */
typedef struct dart__envelope {
  TAILQ_ENTRY(dart__envelope) next;
  char          *kept; /* a copy of its bytes, which freed the slot; NULL: they are in the slot */
  dart__packet_t packet;
} dart__envelope_t;

typedef TAILQ_HEAD(dart__requests, dart__request) dart__requests_t;
typedef TAILQ_HEAD(dart__envelopes, dart__envelope) dart__envelopes_t;

typedef struct {
  dart__requests_t out;
  dart__requests_t ops; /* puts and gets that are not complete, in the order of their numbers */
  dart__request_t *first_not_local; /* the first of these that is not locally complete */
  uint64_t         nops;            /* ever started */
  _Atomic uint32_t nlisted;         /* in `ops` */
  uint32_t         npieces;         /* under way to it */
  size_t           kept;            /* bytes of its messages that are kept */
  int64_t          last_due[DART__WIRE_CLASSES];
} dart__peer_t;

/* A piece under way: what its slot is used for. */
typedef struct {
  dart__request_t *op; /* NULL: bytes of a message */
  int32_t          peer;
  char            *data;
  size_t           nbytes;
} dart__piece_t;

struct dart__net_comm {
  dart__link_config_t config;
  uint32_t            nslots;      /* for messages; as many are for pieces */
  uint32_t            most_pieces; /* under way to a peer */
  pthread_mutex_t     lock;
  bool (*handle)(dart__net_comm_t     *comm,
                 const dart__packet_t *packet); /* a packet that has come; false: no memory */
  dart__inbox_t    *inbox;
  uint64_t          head;          /* packets taken out of it */
  uint32_t          rotor;         /* where the search for a free slot starts */
  int32_t           slot_peer[64]; /* the peer to which a message in the slot goes */
  uint64_t          busy;          /* slots for pieces in use, a bit each */
  dart__piece_t     piece[64];
  int64_t           now;        /* with delays: when progress was made last */
  int64_t           sends_from; /* with a bandwidth: when the link of this unit is free */
  uint64_t          random;
  dart__requests_t  posted[DART__WIRE_CHANNELS];
  dart__envelopes_t arrived[DART__WIRE_CHANNELS]; /* messages that no receive has taken */
  dart__envelopes_t held;                         /* packets, by the time at which they arrive */
  dart__peer_t     *peer;
  int32_t           nwaiting; /* peers with something in `out` */
  uint64_t          spares;   /* of these the requests in use, a bit each */
  dart__request_t   spare[DART__WIRE_SPARES];
  dart__regions_t   regions[DART__WIRE_REGIONS];
};

static inline uint64_t dart__id_of(const void *request)
{
  return (uint64_t)(uintptr_t)request;
}

static inline dart__request_t *dart__request_of(uint64_t id)
{
  return (dart__request_t *)(uintptr_t)id;
}

#endif
