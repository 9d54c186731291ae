#ifndef DART__CHECK_PLACE_H
#define DART__CHECK_PLACE_H
/* Places, where units pass clocks on (clock.h), of what the program synchronises by. */
#include "clock.h"

/** The word at `gptr`. */
dart__check_place_t dart__check_word(dart_gptr_t gptr);

/** What is known to all units by three numbers, and which kind of thing it is: a call that uses it. */
dart__check_place_t dart__check_thing(int32_t home, dart__call_t kind, uint64_t a, uint64_t b,
                                      uint64_t c);

/** A hash of `hash` and `value`. */
uint64_t dart__check_mix(uint64_t hash, uint64_t value);

/** Release and acquire where races are looked for. */
static inline void dart__check_let_go(dart__check_place_t place)
{
  if (dart__check_for(DART__CHECK_RACES))
    dart__check_release(place);
}

static inline void dart__check_take(dart__check_place_t place)
{
  if (dart__check_for(DART__CHECK_RACES))
    dart__check_acquire(place);
}

#endif
