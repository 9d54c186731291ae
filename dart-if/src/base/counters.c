/* See counters.h. */
#include "base/counters.h"

_Atomic uint64_t dart__counters[DART__NCOUNTERS];

const char *dart__counter_meaning(dart__counter_t counter)
{
  static const char *const meaning[] = {
#define MEANING(id, text) text,
    DART__COUNTERS(MEANING)
#undef MEANING
  };

  return meaning[counter];
}
