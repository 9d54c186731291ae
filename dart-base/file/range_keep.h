#ifndef DART__FILE_RANGE_KEEP_H
#define DART__FILE_RANGE_KEEP_H
/* Ranges that a unit keeps for its next call, as file systems keep tokens of locks.
 *
 * A unit that locks the same range again and again, with hardly anything between, does so for a while without
 * releasing it: a hand-over to another node takes longer than what is done under the lock. It keeps one range at most,
 * of all objects, for a millisecond in all. It releases the range when it has not been used for some microseconds,
 * when its agent looks, or the next call that makes progress; without an agent nothing is kept. */
#include <dash/dart/ext/dart_range.h>

/** As dart_range_acquire. What this unit keeps is used if it is the same, and else released. */
dart_ret_t dart__range_acquire_again(dart_range_t range, const dart_range_span_t spans[], size_t n,
                                     int64_t timeout_us, dart_range_hold_t *hold);

/** The end of a use that began by dart__range_acquire_again: as dart_range_release, or it is kept. */
void dart__range_release_or_keep(dart_range_t range, dart_range_hold_t *hold);

/** Release the cached range. By a unit whose next call is none that makes progress, or that ends the object. */
void dart__range_release_cached(void);

#endif
