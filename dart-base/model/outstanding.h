#ifndef DART__MODEL_OUTSTANDING_H
#define DART__MODEL_OUTSTANDING_H
/* What a process has outstanding towards one unit: puts and gets of the network, by number.
 *
 * They are numbered from 1 when they have been started, and a flush notes up to which number it has completed them. So
 * a flush of a unit with nothing outstanding compares two numbers. 64 bits do not wrap. A get that is locally complete
 * is complete; only a put needs completion at the target. */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "model/world.h"

typedef struct {
  _Atomic uint64_t started;
  _Atomic uint64_t last_put;    /* the newest that is no get; 0: none */
  _Atomic uint64_t done_local;  /* up to here all are locally complete */
  _Atomic uint64_t done_remote; /* up to here all are complete at the target */
} dart__outstanding_t;

/* seq_cst, all: acquires from dart__outstanding_start and from dart__outstanding_note of the thread that flushed for us;
 * and see far/completion.c. */
static inline uint64_t dart__outstanding_number(const _Atomic uint64_t *at)
{
  return atomic_load_explicit(at, memory_order_seq_cst);
}

/* Raise a number, and return by how much. */
static inline uint64_t dart__outstanding_raise(_Atomic uint64_t *at, uint64_t value)
{
  uint64_t before = atomic_load_explicit(at, memory_order_relaxed);

  if (!dart__world.many_threads) { /* the agent does not look */
    if (before < value)
      atomic_store_explicit(at, value, memory_order_relaxed);
    return before < value ? value - before : 0;
  }
  while (before < value && !atomic_compare_exchange_weak_explicit(
                               at, &before, value, memory_order_seq_cst, memory_order_relaxed))
    ;
  return before < value ? value - before : 0;
}

/** Count a put or a get, after the call that started it: so a flush of another thread does not take it for flushed
 *  before the network knows of it. Returns its number. */
static inline uint64_t dart__outstanding_start(dart__outstanding_t *o, bool is_get)
{
  uint64_t number;

  if (!dart__world
           .many_threads) { /* no other thread of the unit starts or flushes anything: the agent does not */
    number = atomic_load_explicit(&o->started, memory_order_relaxed) + 1;
    atomic_store_explicit(&o->started, number, memory_order_relaxed);
    if (!is_get)
      atomic_store_explicit(&o->last_put, number, memory_order_relaxed);
    return number;
  }
  /* seq_cst: releases to dart__outstanding_number. A flush between the two steps is another thread's, and not ordered
   * after this operation. */
  number = atomic_fetch_add_explicit(&o->started, 1, memory_order_seq_cst) + 1;
  if (!is_get)
    dart__outstanding_raise(&o->last_put, number);
  return number;
}

/** Whether a put may lack completion at the target. */
static inline bool dart__outstanding_has_put(const dart__outstanding_t *o)
{
  return dart__outstanding_number(&o->last_put) > dart__outstanding_number(&o->done_remote);
}

/** Whether nothing up to number `last` needs a flush, for completion at the target, or for local completion. */
static inline bool dart__outstanding_is_done(const dart__outstanding_t *o, bool at_target,
                                             uint64_t last)
{
  return dart__outstanding_number(&o->done_remote) >= last ||
         (dart__outstanding_number(&o->done_local) >= last &&
          !(at_target && dart__outstanding_has_put(o)));
}

/** Note that all up to number `last` are complete. Returns how many are newly known to be locally complete. */
static inline uint64_t dart__outstanding_note(dart__outstanding_t *o, bool at_target, uint64_t last)
{
  uint64_t n = dart__outstanding_raise(&o->done_local, last);

  if (at_target)
    dart__outstanding_raise(&o->done_remote, last);
  return n;
}

#endif
