#ifndef DART__FAR_FAR_TEAM_H
#define DART__FAR_FAR_TEAM_H
/* What a unit keeps of a team over several nodes: what is outstanding towards its units, and room for collectives of
 * the leaders. */
#include <pthread.h>
#include <stdatomic.h>

#include "far/copies.h"
#include "model/address.h"
#include "model/outstanding.h"
#include "net.h"

/* Bytes of room for the leaders' collectives, of which only what is used costs memory. */
#define DART__TEAM_ROOM ((size_t)256 * 1024)

/* Sets of words that small puts and atomics are outstanding on, see far/word_order.h. */
typedef struct {
  uint64_t bits, first, last; /* no bits: none */
} dart__word_set_t;

typedef struct {
  dart__word_set_t requested;
  dart__word_set_t relayed; /* requests that travel by a relay */
  dart__word_set_t put;     /* by puts of the network */
  _Atomic uint64_t last;    /* number of the newest transfer in `put`, as in dart__outstanding_t */
} dart__word_order_t;

/* Small transfers to a unit since its last flush, and between the two flushes before, see far/way.h. */
typedef struct {
  _Atomic uint32_t now;
  _Atomic uint32_t last;
} dart__burst_t;

/* What is outstanding towards a unit. */
typedef struct {
  dart__outstanding_t outstanding; /* transfers, on all chunks */
  dart__word_order_t  words;       /* on its words */
  dart__burst_t       burst;
  _Atomic uint64_t ordered; /* the batch of requests that transfers come after, see far/order.h */
  _Atomic bool     is_touched; /* it is on the list of units that something was started towards */
} dart__far_unit_t;

/* team->far */
typedef struct dart__far_team {
  /* Of collectives between leaders; NULL: this unit is none. */
  dart__net_request_t *requests; /* [nnodes] */
  size_t              *starts;   /* [nnodes + 1], where the block of each node starts */
  char                *room;     /* DART__TEAM_ROOM bytes, which teams may share: see far_team.c */

  dart__copies_t   *copies;       /* of small operands */
  dart__far_unit_t *unit;         /* [nunits], sparse, and behind it `touched` */
  pthread_mutex_t   flushing;     /* held by a thread that completes all that is on the list */
  pthread_mutex_t   touched_lock; /* for changes of the list */
  int32_t          *touched;      /* the list: units that something was started towards */
  _Atomic int32_t   ntouched;
} dart__far_team_t;

static inline dart__far_team_t *dart__far_team(const dart__team_t *team)
{
  return team->far;
}

/** Allocate team->far, for a team over several nodes. Local. False: no memory. */
bool dart__far_team_prepare(dart__team_t *team);

/** Free it. NULL: nothing. */
void dart__far_team_discard(dart__team_t *team);

/** Where far memory is in its unit's portion of the chunk. */
static inline uint64_t dart__far_offset(const dart__address_t *at)
{
  const dart__segment_t *segment = at->segment;
  uint64_t               offset  = segment->base + at->offset;

  return __builtin_expect(segment->heads == NULL, 1) ? offset : offset + segment->heads[at->unit];
}

/** Whether the network reaches it without help of its unit. */
static inline bool dart__far_is_reached(const dart__address_t *at)
{
  return at->segment->chunk->is_reached;
}

#endif
