#ifndef DART__MPI_LANES_H
#define DART__MPI_LANES_H
/* The asking side of the service: a lane to every unit that requests were made to.
 *
 * A lane has one open batch, in which requests are collected (collect.c), and a row of batches under
 * way (lanes.c), whose answers flushes wait for (answers.c). At most DART__UNDER_WAY of them are, which
 * bounds the buffers of both units; who has more to send serves others until an answer comes. Over all
 * lanes at most DART__COLLECTED_MOST requests wait to be sent, so that a program's own look-ahead stays
 * what it says it is.
 *
 * Requests do not fail for want of memory. One batch is there from the beginning, and used when no other
 * can be had; it is always answered, so it comes back, and who needs it waits for that.
 *
 * All state is behind one lock, held for no longer than it takes to append or to start a send. */
#include <sched.h>
#include <stdlib.h>

#include "model/world.h"
#include "service.h"

#define DART__UNDER_WAY      16
#define DART__COLLECTED_MOST 1024

typedef struct {
  void    *to;
  uint32_t nbytes;
} dart__result_t;

typedef struct batch {
  struct batch  *next;
  bool            is_reserve;
  MPI_Request    sent;
  int64_t        seen; /* ns; when somebody first found it open */
  size_t         nwords;
  size_t         nrequests;
  size_t         nresults;
  size_t         result_words;
  dart_team_t    team;  /* what the last SELECT said */
  int16_t        segid;
  uint64_t       high;
  size_t         ndata; /* messages of data that this one announces */
  dart__data_t   data[DART__DATA_MOST];
  size_t         ndata_sent;
  const void    *src[DART__DATA_MOST];
  MPI_Request    data_sent[DART__DATA_MOST];
  dart__result_t results[DART__BATCH_WORDS]; /* in the order of their requests */
  dart__message_t head; /* with what follows, as sent */
  uint64_t       words[DART__BATCH_WORDS];
} dart__batch_t;

_Static_assert(offsetof(dart__batch_t, words) ==
                   offsetof(dart__batch_t, head) + sizeof(dart__message_t),
               "a batch is sent in one piece");

/* Towards one unit. Batches are numbered from 1 as they are sent. */
typedef struct {
  dart__batch_t *open;  /* being collected, or NULL */
  dart__batch_t *first; /* under way, oldest first */
  dart__batch_t *last;
  uint64_t sent;     /* the newest batch that was sent */
  uint64_t wanted;   /* the newest whose answer was asked for */
  uint64_t asked;    /* answers that were asked for, and ... */
  uint64_t heard;    /* ... have come */
  uint64_t applied;  /* the newest that is known to be applied */
  uint64_t answered; /* the newest that was applied and has its results: those up to here are done */
  uint64_t fetching; /* the newest with results or data, sent or open */
  uint64_t awaited;  /* who flushes a team waits for this one, and for ... */
  uint64_t awaited_answers; /* ... so many answers, or they would come after the end */
  uint64_t refused;  /* requests, since the start */
  uint64_t reported; /* of them */
  unsigned burst[3]; /* notifications since the unit last waited, before that, and before that */
  bool     listed;   /* is in dart__lanes.busy */
} dart__lane_t;

typedef struct {
  _Atomic bool    locked;
  dart__lane_t   *lane;      /* by global id; those never used are not there but as address space */
  dart_unit_t    *busy;      /* units whose lane has something open, under way, or to report */
  int32_t         nbusy;
  _Atomic int32_t any_busy;  /* nbusy, for a look without the lock */
  size_t          collected; /* requests in open batches */
  bool            is_burst;  /* some lane has notifications since the unit last waited */
  dart__batch_t  *spare;     /* free batches */
  dart__batch_t  *reserve;   /* for when there is no memory; NULL: in use */
} dart__lanes_t;

extern dart__lanes_t dart__lanes;

/* ---- the lock ---------------------------------------------------------------------------- */

/* One atomic exchange to take it and a store to give it back: half of what a mutex costs, and
 * appending costs little else. It is taken by the unit and, seldom, by its agent; who finds it taken
 * spins, and gives the core away, for the other may need it. */
static inline bool dart__lanes_try_lock(void)
{
  /* acquire: pairs with the release in unlock */
  return !atomic_exchange_explicit(&dart__lanes.locked, true, memory_order_acquire);
}

static inline void dart__lanes_lock(void)
{
  for (unsigned tries = 1; !dart__lanes_try_lock(); tries++)
    if (tries % 16 == 0)
      sched_yield();
    else
      dart__cpu_pause();
}

static inline void dart__lanes_unlock(void)
{
  atomic_store_explicit(&dart__lanes.locked, false, memory_order_release);
}

/* Give up the lock until others may have got on. */
static inline void dart__lanes_wait_unlocked(uint32_t *turns)
{
  dart__lanes_unlock();
  dart__wait_turn(turns, &dart__world.wait);
  dart__lanes_lock();
}

/* ---- what follows is called with the lock held -------------------------------------------- */

/** NULL: there is none at the moment; others have to be answered first, and were sent for that. */
dart__batch_t *dart__batch_new(void);

/** Send those of a batch's data that are not on their way yet. */
void dart__batch_send_data(dart_unit_t unit, dart__batch_t *batch);

/** Note that there is something in the lane, or perhaps nothing any more. */
void dart__lane_list(dart_unit_t unit, dart__lane_t *lane);
void dart__lane_unlist_if_idle(dart_unit_t unit, dart__lane_t *lane);

/** Send the lane's open batch. Too many under way: it stays open. */
void dart__lane_send(dart_unit_t unit, dart__lane_t *lane, bool is_wanted);
void dart__lanes_send_all(void);

/** See to it that a batch, open or sent, is answered. It may take more than one call. */
void dart__lane_ask_for(dart_unit_t unit, dart__lane_t *lane, uint64_t number);

#endif
