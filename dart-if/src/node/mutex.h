#ifndef DART__NODE_MUTEX_H
#define DART__NODE_MUTEX_H
/* A mutex in shared memory, for short critical sections of DART's own.
 *
 * One word: free, held, or held with sleepers (Drepper: Futexes Are Tricky, 2011, "Mutex, take 2").
 * Uncontended, it costs one atomic exchange each way and no system call. */
#include <stdatomic.h>
#include <stdint.h>

typedef struct {
  _Atomic uint32_t state; /* 0: free, so zeroed memory is a free mutex */
} dart__mutex_t;

/** Everything done under the mutex before is visible to who gets it after. */
void dart__mutex_lock(dart__mutex_t *mutex);
void dart__mutex_unlock(dart__mutex_t *mutex);

#endif
