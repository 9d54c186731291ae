#ifndef DART__FAR_BURST_H
#define DART__FAR_BURST_H
/* Small transfers that are started one after the other are collected, and travel together. One that is alone
 * between two flushes gains nothing by that: it would take a request and a reply, where MPI needs no help of
 * the target. So a unit is expected to go on as it did: if there was one small transfer to a target before the
 * last flush of it, the next one is expected to be alone, too.
 *
 * Only a guess, so all accesses are relaxed; threads that use the same target may spoil it for each other. */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Small transfers to a target since its last flush, and between the two flushes before. */
typedef struct {
  _Atomic uint32_t now;
  _Atomic uint32_t last;
} dart__burst_t;

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

#endif
