#ifndef DART__BASE_COUNTERS_H
#define DART__BASE_COUNTERS_H
/* What the library has done: counters of operations and of the paths that they took, times, and amounts of memory.
 * Users see them as statistics (dash/dart/ext/dart_stats.h, in this order and by these names); with them a test asserts
 * the path, not only the result.
 *
 * Each thread counts in a tally of its own, by a plain load and store, so that a counter costs no locked
 * instruction on any path; a reader adds the tallies up. A tally outlives its thread, and a later thread goes on
 * with it, so there are never more than there were threads at a time. Near operations are counted only if the
 * settings ask for it (dart__counts_near), so that they cost no more.
 *
 * All accesses are relaxed: a count orders nothing, and a reader that compares it with something else has
 * synchronised by that. Counts only grow, from the start of the process, modulo 2^64. Amounts of memory change rarely: there
 * is one number for all threads, with its maximum. */
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/sanitizer.h"

/* X(id, kind, name, meaning); kind is EVENTS, BYTES or TIME (ns). The bytes or the time of a counter's events are
 * the counter after it (dart__count_operation, wait/timed.h). */
#define DART__COUNTERS(X)                                                                         \
  X(PUT_NEAR, EVENTS, "put_near", "puts to near memory, with DART_STATS=near")                    \
  X(PUT_NEAR_BYTES, BYTES, "put_near_bytes", "bytes of these")                                    \
  X(GET_NEAR, EVENTS, "get_near", "gets from near memory, with DART_STATS=near")                  \
  X(GET_NEAR_BYTES, BYTES, "get_near_bytes", "bytes of these")                                    \
  X(ATOMIC_NEAR, EVENTS, "atomic_near", "atomics on near memory, with DART_STATS=near")           \
  X(ATOMIC_NEAR_BYTES, BYTES, "atomic_near_bytes", "bytes of these")                              \
  X(NOTIFY_NEAR, EVENTS, "notify_near", "notifications of near units, with DART_STATS=near")      \
  X(PUT_FAR, EVENTS, "put_far", "puts to memory that is not near")                                \
  X(PUT_FAR_BYTES, BYTES, "put_far_bytes", "bytes of these")                                      \
  X(GET_FAR, EVENTS, "get_far", "gets from memory that is not near")                              \
  X(GET_FAR_BYTES, BYTES, "get_far_bytes", "bytes of these")                                      \
  X(ATOMIC_FAR, EVENTS, "atomic_far", "atomics on memory that is not near")                       \
  X(ATOMIC_FAR_BYTES, BYTES, "atomic_far_bytes", "bytes of these")                                \
  X(NOTIFY_FAR, EVENTS, "notify_far", "notifications of far units")                               \
  X(SEND_NEAR, EVENTS, "send_near", "messages sent to units of the node")                         \
  X(SEND_NEAR_BYTES, BYTES, "send_near_bytes", "bytes of these")                                  \
  X(SEND_FAR, EVENTS, "send_far", "messages sent to far units")                                   \
  X(SEND_FAR_BYTES, BYTES, "send_far_bytes", "bytes of these")                                    \
  X(BARRIER, EVENTS, "barrier", "calls of dart_barrier")                                          \
  X(BARRIER_TIME, TIME, "barrier_time", "time in these")                                          \
  X(COLLECTIVE, EVENTS, "collective", "calls of the other collectives on data")                   \
  X(COLLECTIVE_TIME, TIME, "collective_time", "time in these")                                    \
  X(MESSAGE_WAIT, EVENTS, "message_wait", "waits of messages, to be received or to come")         \
  X(MESSAGE_TIME, TIME, "message_time", "time in these")                                          \
  X(FLUSH, EVENTS, "flush", "flushes of far units that had something to complete")                \
  X(FLUSH_TIME, TIME, "flush_time", "time in these")                                              \
  X(FLUSH_IDLE, EVENTS, "flush_idle",                                                             \
    "flushes with nothing to complete, in teams of several nodes")                                \
  X(LOCK_WAIT, EVENTS, "lock_wait", "dart_lock(_at)_acquire of a lock that was held")             \
  X(LOCK_TIME, TIME, "lock_time", "time in these")                                                \
  X(NOTIFY_WAIT, EVENTS, "notify_wait", "waits for notifications, or words, that were not there") \
  X(NOTIFY_TIME, TIME, "notify_time", "time in these")                                            \
  X(EPOCH_WAIT, EVENTS, "epoch_wait", "waits of epochs for other units")                          \
  X(EPOCH_TIME, TIME, "epoch_time", "time in these")                                              \
  X(FENCE, EVENTS, "fence", "calls of dart_epoch_fence")                                          \
  X(FENCE_TIME, TIME, "fence_time", "time in these")                                              \
  X(FILE, EVENTS, "file", "reads and writes of files, and waits for their requests")              \
  X(FILE_TIME, TIME, "file_time", "time in these")                                                \
  X(SLEEP, EVENTS, "sleep", "sleeps of waiting threads, in the kernel")                           \
  X(YIELD, EVENTS, "yield", "times that waiting threads yielded their core")                      \
  X(PROGRESS, EVENTS, "progress", "polls for far units by the program's threads")                 \
  X(AGENT_WAKE, EVENTS, "agent_wake", "wake-ups of the progress agent")                           \
  X(AGENT_LOOK, EVENTS, "agent_look", "polls by the progress agent")                              \
  X(AGENT_SERVED, EVENTS, "agent_served", "of these, that found requests")                        \
  X(BATCH, EVENTS, "batch", "batches of requests sent")                                           \
  X(BATCH_BYTES, BYTES, "batch_bytes", "bytes of requests in these, of at most 8000 each")        \
  X(BATCH_FULL, EVENTS, "batch_full", "of these, batches more than three quarters full")          \
  X(REQUEST, EVENTS, "request", "requests in these")                                              \
  X(RELAYED, EVENTS, "relayed", "of these, that go with those of other units of the node")        \
  X(APPLIED, EVENTS, "batch_applied", "batches of other units applied")                           \
  X(REPLY, EVENTS, "reply", "replies sent")                                                       \
  X(REPLY_BYTES, BYTES, "reply_bytes", "bytes of results in these")                               \
  X(ACK_REQUEST, EVENTS, "ack_request", "messages that ask for an acknowledgement alone")         \
  X(DROPPED, EVENTS, "dropped", "requests and messages to units that are lost")                   \
  X(DATA, EVENTS, "data", "messages of data beside batches")                                      \
  X(DATA_BYTES, BYTES, "data_bytes", "bytes of these")                                            \
  X(RMA_PUT, EVENTS, "rma_put", "puts by MPI's one-sided calls")                                  \
  X(RMA_PUT_BYTES, BYTES, "rma_put_bytes", "bytes of these")                                      \
  X(RMA_GET, EVENTS, "rma_get", "gets by MPI's one-sided calls")                                  \
  X(RMA_GET_BYTES, BYTES, "rma_get_bytes", "bytes of these")                                      \
  X(RMA_HANDLE, EVENTS, "rma_handle", "of puts and gets, those with a request of their own")      \
  X(RMA_RUN, EVENTS, "rma_run", "of puts and gets, calls for one run of elements")                \
  X(RMA_FLUSH, EVENTS, "rma_flush", "flushes of a window")                                        \
  X(AGGREGATED, EVENTS, "aggregated", "puts and gets aggregated in a batch")                      \
  X(TYPED, EVENTS, "typed", "puts and gets of scattered elements in batches")                     \
  X(DESCRIBED, EVENTS, "described", "descriptions of types in these")                             \
  X(REQUEST_BLOCKING, EVENTS, "request_blocking", "blocking puts and gets sent as requests")      \
  X(NOTIFY_INLINE, EVENTS, "notify_inline", "notifications whose data travel in their batch")     \
  X(NOTIFY_DATA, EVENTS, "notify_data", "notifications whose data are messages of their own")     \
  X(NOTIFY_TYPED, EVENTS, "notify_typed", "notifications whose scattered data are requests")      \
  X(NOTIFY_AFTER_RMA, EVENTS, "notify_after_rma", "notifications after a put by MPI")             \
  X(NOTIFY_GOT, EVENTS, "notify_got", "notified gets whose data come in replies")                 \
  X(NOTIFY_GOT_DATA, EVENTS, "notify_got_data",                                                   \
    "notified gets whose data are messages of their own")                                         \
  X(NOTIFY_AFTER_GET, EVENTS, "notify_after_get", "notified gets that are waited for")            \
  X(WINDOW_DYNAMIC, EVENTS, "window_dynamic", "dynamic windows opened")                           \
  X(WINDOW_STATIC, EVENTS, "window_static", "static windows opened")                              \
  X(SEGMENT_DIRECT, EVENTS, "segment_direct", "segments made that have a direct map")             \
  X(SEGMENT_GENERAL, EVENTS, "segment_general", "segments made that have none")                   \
  X(KERNEL, EVENTS, "kernel", "copies between processes of the node by the kernel")               \
  X(HUGE, EVENTS, "huge", "times that memory was put in huge pages")                              \
  X(HUGE_BYTES, BYTES, "huge_bytes", "bytes of this memory")                                      \
  X(COLL_DIRECT, EVENTS, "coll_direct", "collectives that copied directly between processes")     \
  X(COLL_NODES, EVENTS, "coll_nodes", "steps of collectives between nodes")                       \
  X(RANGE_TABLE, EVENTS, "range_table", "tables of range locks gone over for far units")          \
  X(FILE_PACKET, EVENTS, "file_packet", "packets of collective calls on files sent to nodes")     \
  X(FILE_PIECE, EVENTS, "file_piece", "pieces of files written from windows")

typedef enum {
#define DART__COUNTER_ID(id, kind, name, meaning) DART__COUNT_##id,
  DART__COUNTERS(DART__COUNTER_ID)
#undef DART__COUNTER_ID
      DART__NCOUNTERS
} dart__counter_t;

typedef enum { DART__KIND_EVENTS, DART__KIND_BYTES, DART__KIND_TIME } dart__counter_kind_t;

/* Which waits a thread times, see wait/timed.h: numbers of waits, as it counts them. */
typedef struct {
  uint64_t last; /* the last one that was timed ... */
  uint64_t next; /* ... and before the next one */
} dart__sampling_t;

/* Most operations are of a word, and count with one store: their bytes are their number times the word's. Those of
 * other sizes have a number of their own, in value[DART__COUNT_OTHERS + counter], and their bytes, in
 * value[counter + 1]. So every value only grows, and a sum of them never goes back, whenever each is read. */
#define DART__COUNT_WORD   ((uint64_t)8)
#define DART__COUNT_OTHERS ((size_t)DART__NCOUNTERS)
#define DART__NVALUES      (2 * (size_t)DART__NCOUNTERS)

typedef struct dart__tally {
  _Atomic uint64_t    value[DART__NVALUES]; /* one writer: the thread that has it */
  dart__sampling_t    sampling[DART__NCOUNTERS];
  uint32_t            number; /* of the tally, from 0 on */
  _Atomic bool        is_taken;
  struct dart__tally *next;
} dart__tally_t;

/* The calling thread's; NULL: it has not counted yet, or there is no memory. */
extern _Thread_local dart__tally_t *dart__tally_own __attribute__((tls_model("initial-exec")));

/* Near operations are counted, too: read from the settings at init. */
extern bool dart__counts_near;

/** The calling thread's tally; it has none yet. NULL: no memory. */
dart__tally_t *dart__tally_take(void);

/** Count without a tally; `index` is that of a value in a tally. */
void dart__count_in_common(size_t index, uint64_t by);

static inline dart__tally_t *dart__tally(void)
{
  dart__tally_t *own = dart__tally_own;

  return __builtin_expect(own != NULL, 1) ? own : dart__tally_take();
}

static inline void dart__count_in(dart__tally_t *own, size_t index, uint64_t by)
{
  if (__builtin_expect(own == NULL, 0)) {
    dart__count_in_common(index, by);
    return;
  }
#if defined __x86_64__ && !DART__TSAN
  /* An addition by one instruction, not locked, which compilers do not make of a relaxed load and store. */
  __asm__("addq %1, %0" : "+m"(*(uint64_t *)&own->value[index]) : "er"(by) : "cc");
#else
  atomic_store_explicit(&own->value[index],
                        atomic_load_explicit(&own->value[index], memory_order_relaxed) + by,
                        memory_order_relaxed);
#endif
}

static inline void dart__count_by(dart__counter_t counter, uint64_t by)
{
  dart__count_in(dart__tally(), counter, by);
}

static inline void dart__count(dart__counter_t counter)
{
  dart__count_by(counter, 1);
}

/** An event of `nbytes`: `counter`, and the one after it, which is of its bytes. */
static inline void dart__count_operation(dart__counter_t counter, uint64_t nbytes)
{
  dart__tally_t *own = dart__tally();

  if (__builtin_expect(nbytes == DART__COUNT_WORD, 1)) {
    dart__count_in(own, counter, 1);
    return;
  }
  dart__count_in(own, DART__COUNT_OTHERS + counter, 1);
  dart__count_in(own, (size_t)counter + 1, nbytes);
}

/** The sum over all threads. It never goes back: not less than an earlier call returned, if that happened before. */
uint64_t dart__counted(dart__counter_t counter);

const char          *dart__counter_name(dart__counter_t counter);
const char          *dart__counter_meaning(dart__counter_t counter);
dart__counter_kind_t dart__counter_kind(dart__counter_t counter);

/* ---- memory --------------------------------------------------------------------------------- */

/* X(id, name, meaning): bytes that this process has for something now. */
#define DART__LEVELS(X)                                                                     \
  X(SEGMENTS, "memory_segments", "pages reserved for the unit's portions of segments")      \
  X(POOL, "memory_pool", "pages reserved for the unit's pool")                              \
  X(TABLES, "memory_tables", "address space of teams' tables, of which few pages are used") \
  X(BATCHES, "memory_batches", "batches of requests")

typedef enum {
#define DART__LEVEL_ID(id, name, meaning) DART__LEVEL_##id,
  DART__LEVELS(DART__LEVEL_ID)
#undef DART__LEVEL_ID
      DART__NLEVELS
} dart__level_id_t;

typedef struct {
  const char *name, *meaning;
  const char *peak_name; /* of its maximum */
} dart__level_text_t;

extern const dart__level_text_t dart__level_text[DART__NLEVELS];

/** Change the number of bytes. */
void dart__level_add(dart__level_id_t level, int64_t nbytes);

/** Bytes now, and the most there have been since dart__level_restart. */
uint64_t dart__level_now(dart__level_id_t level);
uint64_t dart__level_peak(dart__level_id_t level);
void     dart__level_restart(dart__level_id_t level);

#endif
