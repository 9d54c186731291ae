#ifndef DART__CHECK_PLACE_H
#define DART__CHECK_PLACE_H
/* The places (clock.h) of the objects by which the program synchronises. */
#include "clock.h"

/** The word at `gptr`. */
dart__check_place_t dart__check_word(dart_gptr_t gptr);

/** The place of an object that all units know by three numbers, and of the kind that the call `kind` uses. */
dart__check_place_t dart__check_thing(int32_t home, dart__call_t kind, uint64_t a, uint64_t b,
                                      uint64_t c);

/** A hash of `hash` and `value`. */
uint64_t dart__check_mix(uint64_t hash, uint64_t value);

/** Publish or acquire the clock of a place, if races are checked. */
static inline void dart__check_publish(dart__check_place_t place)
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
