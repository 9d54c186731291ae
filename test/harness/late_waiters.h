#ifndef TEST_HARNESS_LATE_WAITERS_H
#define TEST_HARNESS_LATE_WAITERS_H
/* What tests ask of a mutex that others wait for. */
#include "wait/mutex.h"

/** How many waiters are late; 0 for a robust mutex. */
static inline uint32_t test_nlate(const dart__mutex_t *mutex)
{
  /* relaxed: it may have changed when the caller looks at it */
  return dart__mutex_tag != 0
             ? 0
             : atomic_load_explicit((_Atomic uint32_t *)&mutex->state, memory_order_relaxed) %
                   DART__MUTEX_PASSED / DART__MUTEX_LATE;
}

#endif
