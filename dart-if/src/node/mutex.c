/* The mutex: see mutex.h. Acquiring is an acquire, releasing a release on the same word. */
#include "node/mutex.h"

#include "node/wait.h"

enum { FREE, HELD, CONTENDED };

#define SPINS 50

void dart__mutex_lock(dart__mutex_t *mutex)
{
  uint32_t seen = FREE;

  for (int i = 0; i < SPINS; i++) {
    seen = FREE;
    /* acquire: pairs with the release in unlock */
    if (atomic_compare_exchange_weak_explicit(&mutex->state, &seen, HELD, memory_order_acquire,
                                              memory_order_relaxed))
      return;
    dart__cpu_pause();
  }
  /* From here on it counts as contended, even if we are the only one left: whoever unlocks wakes. */
  while (atomic_exchange_explicit(&mutex->state, CONTENDED, memory_order_acquire) != FREE)
    dart__futex_wait(&mutex->state, CONTENDED, 0);
}

void dart__mutex_unlock(dart__mutex_t *mutex)
{
  if (atomic_exchange_explicit(&mutex->state, FREE, memory_order_release) == CONTENDED)
    dart__futex_wake(&mutex->state, 1);
}
