#ifndef DART__BASE_COUNTERS_H
#define DART__BASE_COUNTERS_H
/* Counters of the paths that operations took: with them a test asserts the path, not only the result.
 *
 * They count operations that cost a message, a call of the transport or of the kernel; near operations are
 * not counted, so that they cost no more. All accesses are relaxed: a count orders nothing, and a test
 * reads it after a barrier of its own. Counts only grow, from the start of the process. */
#include <stdatomic.h>
#include <stdint.h>

#define DART__COUNTERS(X)                                              \
  X(RMA_PUT, "puts by MPI's one-sided calls")                          \
  X(RMA_GET, "gets by MPI's one-sided calls")                          \
  X(RMA_HANDLE, "of these, transfers with a request of their own")     \
  X(RMA_RUN, "of these, calls for one run of elements")                \
  X(RMA_ATOMIC, "atomics by MPI's one-sided calls")                    \
  X(RMA_FLUSH, "flushes of a window")                                  \
  X(AGGREGATED, "puts and gets aggregated in a batch")                 \
  X(TYPED, "puts and gets of scattered elements in batches")           \
  X(DESCRIBED, "descriptions of types in these")                       \
  X(REQUEST_BLOCKING, "blocking puts and gets sent as requests")       \
  X(NOTIFY_INLINE, "notifications whose data travel in their batch")   \
  X(NOTIFY_DATA, "notifications whose data are messages of their own") \
  X(NOTIFY_RUNS, "notifications whose scattered data are requests")    \
  X(NOTIFY_AFTER_RMA, "notifications after a put by MPI")              \
  X(BATCH, "batches of requests sent")                                 \
  X(REQUEST, "requests in these")                                      \
  X(APPLIED, "batches of other units applied")                         \
  X(REPLY, "replies sent")                                             \
  X(AGENT_LOOK, "polls by the progress agent")                         \
  X(AGENT_SERVED, "of these, that found requests")                     \
  X(WINDOW_DYNAMIC, "dynamic windows opened")                          \
  X(WINDOW_STATIC, "static windows opened")                            \
  X(COLL_DIRECT, "collectives that copied directly between processes") \
  X(COLL_NODES, "steps of collectives between nodes")                  \
  X(RANGE_TABLE, "tables of range locks gone over for far units")      \
  X(FILE_PACKET, "packets of collective calls on files sent to nodes") \
  X(FILE_PIECE, "pieces of files written from windows")

typedef enum {
#define DART__COUNTER_ID(id, meaning) DART__COUNT_##id,
  DART__COUNTERS(DART__COUNTER_ID)
#undef DART__COUNTER_ID
      DART__NCOUNTERS
} dart__counter_t;

extern _Atomic uint64_t dart__counters[DART__NCOUNTERS];

static inline void dart__count_by(dart__counter_t counter, uint64_t by)
{
  atomic_fetch_add_explicit(&dart__counters[counter], by, memory_order_relaxed);
}

static inline void dart__count(dart__counter_t counter)
{
  dart__count_by(counter, 1);
}

static inline uint64_t dart__counted(dart__counter_t counter)
{
  return atomic_load_explicit(&dart__counters[counter], memory_order_relaxed);
}

/** What the counter counts, as a short text. */
const char *dart__counter_meaning(dart__counter_t counter);

#endif
