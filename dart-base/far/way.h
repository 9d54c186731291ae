#ifndef DART__FAR_WAY_H
#define DART__FAR_WAY_H
/* How an operation travels to a far unit. There are seven ways; the first four are completed by the number of a batch of
 * requests, the others by the number of a transfer of the network.
 *
 *   RELAY      an update of a word: a record of a batch to the unit's node, which the units of this one fill together
 *   RECORD     bytes in a row, or atomics: records of a batch
 *   TYPED      other elements, packed, with a description of their layout: records of a batch
 *   MESSAGE    bytes in a row: messages of their own, which a batch announces, and which are received in place
 *   NET        bytes in a row: the network's put or get
 *   NET_COPY   few bytes: the network's put from a copy of the source
 *   ELEMENTS   any elements: the network's transfer of their types, or a put or get for each run
 *
 * It depends on the data, and on what completes the operation. The first line that fits counts; sizes are bytes.
 *
 *   completed by    bytes in a row                                     other elements
 *   a flush         RECORD    to DART_AGGREGATE, unless alone          TYPED     to DART_AGGREGATE
 *                   RECORD    after a request on the same word         ELEMENTS
 *                   NET_COPY  puts to DART_COPIED_MOST
 *                   NET
 *   its handle      RECORD    after a request on the same word         ELEMENTS
 *                   NET
 *   its return      RECORD    to 1024, if the target is slow           TYPED     to 7600, with agents
 *                   RECORD    after a request on the same word         ELEMENTS
 *                   NET
 *   a later record  NET       puts from 3801 to 65536, if it is        TYPED     to 19000
 *   (epochs)                  likely to move them at once, and above   ELEMENTS
 *                             22800 not slowly; without agents only
 *                             of fences
 *                   RECORD    puts to 22800, gets to 30400
 *                   NET       gets to dart__engine.got_by_net
 *                   MESSAGE
 *   a notification  RECORD    puts to 7600, without agents 3800        TYPED     to 19000, without agents 3800
 *                   RECORD    gets to 30400                            ELEMENTS  puts; gets are refused
 *                   NET       puts from 8193 on with agents, if it is
 *                             likely to move them at once
 *                   MESSAGE
 *
 * NET and NET_COPY are ELEMENTS for more bytes than one call of the network moves. Atomics are RECORDs; but accumulates of
 * one element of 8 bytes outside of contexts go by RELAY, where the job has relays (far/relayed.h). Where the network has
 * no puts and gets of the chunk, bytes in a row are RECORDs to 22800 bytes, else a MESSAGE; other elements are TYPED, or, if
 * they cannot be, ELEMENTS, each run of which goes by RECORDs. */
#include "far/engine.h"
#include "far/far_team.h"
#include "far/latency.h"
#include "far/word_order.h"
#include "model/rma.h"
#include "net.h"

typedef enum {
  DART__RELAY,
  DART__RECORD,
  DART__TYPED,
  DART__MESSAGE,
  DART__NET,
  DART__NET_COPY,
  DART__ELEMENTS
} dart__way_t;

/* What completes the operation. */
typedef enum {
  DART__TO_FLUSH,
  DART__TO_HANDLE,
  DART__TO_RETURN,
  DART__TO_RECORD,
  DART__TO_FENCE, /* a later record, and the target takes part in a call that waits for it */
  DART__TO_NOTIFY
} dart__end_t;

#define DART__SLOW_RECORD_MOST ((size_t)1024)
#define DART__PUT_RECORDS_MOST ((size_t)6 * DART__AM_PUT_MOST)
#define DART__MOVED_MOST       ((size_t)65536) /* announced, 64 KiB took 1.2 of the time, 256 KiB 0.75 */
#define DART__COPIED_OFTEN     DART__AM_PUT_MOST /* two copies take less time than a flush */
#define DART__GET_RECORDS_MOST ((size_t)8 * DART__AM_PUT_MOST)
#define DART__TYPED_MOST       ((size_t)5 * DART__AM_PUT_MOST)
#define DART__TYPED_BATCH      ((size_t)2 * DART__AM_PUT_MOST)
#define DART__EAGER_MOST       ((size_t)8192) /* of a message, which networks most likely send at once */

/* ---- lone transfers -------------------------------------------------------------------------------
 *
 * Small transfers that are started one after the other are collected, and travel together. One that is alone between two
 * flushes gains nothing by that: it would take a request and a reply, where the network needs no help of the target. So a
 * unit is expected to go on as it did: if there was one small transfer to a target before the last flush of it, the next
 * one is expected to be alone, too.
 *
 * Only a guess, so all accesses are relaxed; threads that use the same target may spoil it for each other. */

/** One more is started. Whether it is expected to be alone. */
static inline bool dart__burst_add(dart__burst_t *burst)
{
  uint32_t before = atomic_load_explicit(&burst->now, memory_order_relaxed);

  atomic_store_explicit(&burst->now, before + 1, memory_order_relaxed);
  return before == 0 && atomic_load_explicit(&burst->last, memory_order_relaxed) == 1;
}

/** What follows is in order with what was before: that would take a flush if it had gone alone, so it counts as more. */
static inline void dart__burst_order(dart__burst_t *burst)
{
  (void)dart__burst_add(burst);
}

/** The target is flushed. */
static inline void dart__burst_end(dart__burst_t *burst)
{
  uint32_t now = atomic_load_explicit(&burst->now, memory_order_relaxed);

  if (now == 0)
    return;
  atomic_store_explicit(&burst->last, now, memory_order_relaxed);
  atomic_store_explicit(&burst->now, 0, memory_order_relaxed);
}

/* ---- the choice ------------------------------------------------------------------------------------ */

/* Whether a small put follows a request on its words, which may be outstanding: as another one it is in order, and need
 * not wait for it. */
static inline bool dart__way_follows(const dart__rma_t *rma, bool is_put)
{
  return is_put && dart__is_word(rma->nbytes) &&
         __builtin_expect(
             dart__word_order_requested(&rma->at, dart__word_order_at(&rma->at, rma->nbytes)), 0);
}

/* Whether the network is the shorter way for a small transfer: if it is likely alone, if the network reaches
 * the memory by itself, and if the target is awake. A target that naps would make a flush wait for the end of a nap,
 * each time; a request wakes it for a while. */
static inline bool dart__way_is_alone(const dart__address_t *at)
{
  return dart__burst_add(&dart__far_team(at->team)->unit[at->unit].burst) &&
         dart__far_is_reached(at) && dart__latency_is_awake(dart__team_member(at->team, at->unit));
}

static inline dart__way_t dart__way_by_net(size_t nbytes, dart__way_t way)
{
  return __builtin_expect(nbytes > DART__NET_MOST, 0) ? DART__ELEMENTS : way;
}

static inline dart__way_t dart__way_to_flush(const dart__rma_t *rma, bool is_put)
{
  size_t nbytes = rma->nbytes;

  if ((nbytes <= dart__engine.aggregate && !dart__way_is_alone(&rma->at)) ||
      dart__way_follows(rma, is_put))
    return DART__RECORD;
  return is_put && nbytes <= DART_COPIED_MOST ? DART__NET_COPY
                                              : dart__way_by_net(nbytes, DART__NET);
}

/* `is_slow`: the target is slow to respond (far/latency.h). A unit that waits for a reply makes progress, where the
 * network's flush spins. */
static inline dart__way_t dart__way_to_return(const dart__rma_t *rma, bool is_put, bool is_slow)
{
  if (__builtin_expect(is_slow && rma->nbytes <= DART__SLOW_RECORD_MOST, 0) ||
      dart__way_follows(rma, is_put))
    return DART__RECORD;
  return dart__way_by_net(rma->nbytes, DART__NET);
}

/* Whether the network's put is likely to move data at once: where it reaches memory by itself, and its target is awake. A
 * target that naps or computes could hold up its flush, and with that the caller. */
static inline bool dart__way_moves_at_once(const dart__address_t *at)
{
  dart_unit_t target = dart__team_member(at->team, at->unit);

  return dart__far_is_reached(at) && !dart__latency_is_slow(target) &&
         dart__latency_is_awake(target);
}

/* Of a put that a record is to find applied: whether it is too large for batches, which copy data twice more than the
 * network does, but need no flush; and smaller than what pays to be announced. */
static inline bool dart__way_may_move(const dart__rma_t *rma, dart__end_t end)
{
  return rma->nbytes > DART__COPIED_OFTEN && rma->nbytes <= DART__MOVED_MOST &&
         (dart__engine.by_agents || end == DART__TO_FENCE) && dart__far_is_reached(&rma->at);
}

static inline dart__way_t dart__way_to_record(const dart__rma_t *rma, bool is_put, dart__end_t end)
{
  if (is_put && dart__way_may_move(rma, end) && dart__way_moves_at_once(&rma->at) &&
      (rma->nbytes <= DART__PUT_RECORDS_MOST ||
       !dart__latency_puts_slowly(dart__team_member(rma->at.team, rma->at.unit))))
    return DART__NET;
  if (rma->nbytes <= (is_put ? DART__PUT_RECORDS_MOST : DART__GET_RECORDS_MOST))
    return DART__RECORD;
  return !is_put && rma->nbytes <= dart__engine.got_by_net ? DART__NET : DART__MESSAGE;
}

/* Whether the network's put is the shorter way for notified data: it moves them once, where messages that are not eager
 * wait for their receiver; unless it moves them slowly. */
static inline bool dart__way_notifies_by_net(const dart__rma_t *rma)
{
  return rma->nbytes > DART__EAGER_MOST && dart__engine.by_agents &&
         !dart__latency_puts_slowly(dart__team_member(rma->at.team, rma->at.unit)) &&
         dart__way_moves_at_once(&rma->at);
}

/* More than a batch takes longer than one message that is received in place. A unit without an agent may compute while
 * its peers wait, and the window of requests to it be full: nothing is sent ahead that would have to wait for it. */
static inline dart__way_t dart__way_to_notify(const dart__rma_t *rma, bool is_put)
{
  size_t batches = dart__engine.by_agents ? 2 : 1;

  if (rma->nbytes <= (is_put ? batches * DART__AM_PUT_MOST : DART__GET_RECORDS_MOST))
    return DART__RECORD;
  return is_put && dart__way_notifies_by_net(rma) ? dart__way_by_net(rma->nbytes, DART__NET)
                                                  : DART__MESSAGE;
}

/* Elements of a blocking transfer take less time in a batch than by a call of MPI, which describes their types anew each
 * time; over TCP two batches take longer. A target without an agent may be in a call of MPI, where it completes transfers
 * and answers no request. */
static inline size_t dart__way_typed_most(bool is_put, dart__end_t end)
{
  switch (end) {
  case DART__TO_FLUSH: return dart__engine.aggregate;
  case DART__TO_HANDLE: return 0;
  case DART__TO_RETURN: return dart__engine.by_agents ? DART__TYPED_BATCH : 0;
  case DART__TO_RECORD:
  case DART__TO_FENCE: return DART__TYPED_MOST;
  default: return is_put && !dart__engine.by_agents ? DART__AM_PUT_MOST : DART__TYPED_MOST;
  }
}

static inline dart__way_t dart__way_of_elements(const dart__rma_t *rma, bool is_put,
                                                dart__end_t end)
{
  size_t most = dart__way_typed_most(is_put, end);

  return rma->nelem <= most && rma->nbytes <= most &&
                 dart__am_takes_type(dart__engine.am, rma->type)
             ? DART__TYPED
             : DART__ELEMENTS;
}

/* Where the network has none of the chunk. */
static inline dart__way_t dart__way_of_requests(const dart__rma_t *rma)
{
  if (rma->local_type != NULL)
    return dart__am_takes_type(dart__engine.am, rma->type) ? DART__TYPED : DART__ELEMENTS;
  return rma->nbytes <= DART__PUT_RECORDS_MOST ? DART__RECORD : DART__MESSAGE;
}

/** The way of an accumulate of one element of 8 bytes. */
static inline dart__way_t dart__way_of_update(const dart__address_t *at)
{
  return dart__is_relayed(at) ? DART__RELAY : DART__RECORD;
}

/** The way of a put or get, by the table above. `is_put` and `end` are constants. */
static inline __attribute__((always_inline)) dart__way_t dart__way_choose(const dart__rma_t *rma,
                                                                          bool               is_put,
                                                                          dart__end_t        end,
                                                                          bool is_slow)
{
  if (__builtin_expect(rma->at.segment->chunk->by_requests, 0))
    return dart__way_of_requests(rma);
  if (__builtin_expect(rma->local_type != NULL, 0))
    return dart__way_of_elements(rma, is_put, end);
  switch (end) {
  case DART__TO_FLUSH: return dart__way_to_flush(rma, is_put);
  case DART__TO_HANDLE:
    return dart__way_follows(rma, is_put) ? DART__RECORD : dart__way_by_net(rma->nbytes, DART__NET);
  case DART__TO_RETURN: return dart__way_to_return(rma, is_put, is_slow);
  case DART__TO_RECORD:
  case DART__TO_FENCE: return dart__way_to_record(rma, is_put, end);
  default: return dart__way_to_notify(rma, is_put);
  }
}

#endif
