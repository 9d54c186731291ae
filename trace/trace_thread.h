#ifndef DART__TRACE_TRACE_THREAD_H
#define DART__TRACE_TRACE_THREAD_H
/* What one thread has done, in tables that only this thread writes. */
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "names.h"

/* The kinds of operations in the matrix of units by units. */
typedef enum {
  DART__TRACE_PUT,
  DART__TRACE_GET,
  DART__TRACE_ATOMIC,
  DART__TRACE_NOTIFY,
  DART__TRACE_SEND,
  DART__TRACE_NKINDS
} dart__trace_kind_t;

/* The thread writes its numbers by a load and a store, and the writer of a report may read them at the same time:
 * relaxed. */
typedef _Atomic uint64_t dart__trace_number_t;

typedef struct {
  dart__trace_number_t count, ns, most_ns, bytes;
} dart__trace_call_t;

typedef struct {
  dart__trace_number_t count[DART__TRACE_NKINDS], bytes[DART__TRACE_NKINDS];
} dart__trace_traffic_t;

struct dart__trace_events;

typedef struct dart__trace_thread {
  struct dart__trace_thread *next;
  bool                       is_used; /* its thread has not ended; with the list's mutex */
  unsigned                   number;  /* in the order of their first calls */
  dart__trace_call_t         call[DART__TRACE_NCALLS];
  _Atomic(dart__trace_traffic_t *)
                             to;     /* a row of the matrix, by global unit; NULL: no traffic yet */
  struct dart__trace_events *events; /* NULL: none are written, or not yet */
  bool                       has_no_events; /* there is no file for them */
} dart__trace_thread_t;

static inline uint64_t dart__trace_get(dart__trace_number_t *number)
{
  return atomic_load_explicit(number, memory_order_relaxed);
}

static inline void dart__trace_set(dart__trace_number_t *number, uint64_t value)
{
  atomic_store_explicit(number, value, memory_order_relaxed);
}

static inline void dart__trace_add(dart__trace_number_t *number, uint64_t by)
{
  dart__trace_set(number, dart__trace_get(number) + by);
}

/** The tables of the calling thread; NULL: there is no memory for them. A new thread gets the tables of a thread that
 *  has ended, so there are at most as many tables as threads at a time. */
dart__trace_thread_t *dart__trace_self(void);

/** The row of `thread` in a matrix of `nunits` units; NULL: no memory. Only that thread may call it. */
dart__trace_traffic_t *dart__trace_row(dart__trace_thread_t *thread, size_t nunits);

/** All tables, linked by `next`; the list only grows at its front. */
dart__trace_thread_t *dart__trace_threads(void);

#endif /* DART__TRACE_TRACE_THREAD_H */
