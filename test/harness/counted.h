#ifndef COUNTED_H
#define COUNTED_H
/* By which path something went: what the library has counted (base/counters.h) since the last look. */
#include "base/counters.h"

static uint64_t counted_before[DART__NCOUNTERS];

static inline void look(void)
{
  for (int i = 0; i < DART__NCOUNTERS; i++)
    counted_before[i] = dart__counted((dart__counter_t)i);
}

static inline uint64_t since(dart__counter_t counter)
{
  return dart__counted(counter) - counted_before[counter];
}

#endif
