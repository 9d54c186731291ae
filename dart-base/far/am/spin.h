#ifndef DART__FAR_AM_SPIN_H
#define DART__FAR_AM_SPIN_H
/* A spin lock, for critical sections no longer than a few copies.
 *
 * One exchange takes it and one store releases it: half of what a mutex costs, and appending a request
 * costs little else. Nothing is done under it that blocks, allocates, calls the transport (but to test
 * receives of data that were asked for) or logs. A thread that finds the lock taken spins, and then yields
 * its core, for the holder may need it. (The receiver's lock is held for longer, and is only ever tried.) */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "wait/wait.h"

typedef struct {
  _Atomic uint32_t taken; /* of a size that compilers do not read together with what is beside it */
} dart__am_spin_t;

static inline bool dart__am_spin_try(dart__am_spin_t *spin)
{
  /* acquire: pairs with the release in unlock */
  return atomic_exchange_explicit(&spin->taken, 1, memory_order_acquire) == 0;
}

static inline void dart__am_spin_lock(dart__am_spin_t *spin)
{
  for (unsigned tries = 1; !dart__am_spin_try(spin); tries++)
    if (tries % 16 == 0)
      dart__yield();
    else
      dart__cpu_pause();
}

static inline void dart__am_spin_unlock(dart__am_spin_t *spin)
{
  atomic_store_explicit(&spin->taken, 0, memory_order_release);
}

#endif
