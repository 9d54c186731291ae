#ifndef DART__CHECK_NESTING_H
#define DART__CHECK_NESTING_H
/* Locks that are acquired while others are held: in which orders, by all units and threads. */
#include <dash/dart/ext/dart_range.h>

#include "check.h"

/** A lock, as all units know it. Two locks conflict if all fields but the last three are equal, the numbers overlap,
 *  and one of them is exclusive. */
typedef struct {
  uint64_t kind;        /* dart__call_t of the call that acquires it; 0: not checked */
  uint64_t team;        /* its id, */
  uint64_t first_unit;  /* and its first member: teams with one id may differ */
  uint64_t object;      /* number in the team; or unit and segment of a word */
  uint64_t first, last; /* offset of a word; numbers of a range */
  uint64_t is_shared;
} dart__check_lock_t;

/** The lock object, the word at `gptr`, and a span of the range object. */
dart__check_lock_t dart__check_lock_object(const void *lock);
dart__check_lock_t dart__check_lock_word(dart_gptr_t gptr);
dart__check_lock_t dart__check_lock_span(const void *range, const dart_range_span_t *span);

/** The call is about to wait for the locks, which it acquires together. If that can close a circle with the locks of
 *  this thread, report it. May wait for an answer of unit 0. */
void dart__check_nest_wanted(const dart__check_lock_t locks[], size_t n, dart__at_t at);

/** This thread holds the lock. `key` is what the program passes when it releases the lock; 0: the lock itself. */
void dart__check_nest_taken(const dart__check_lock_t *lock, uintptr_t key, dart__at_t at);
void dart__check_nest_left(uintptr_t key);
void dart__check_nest_left_lock(const dart__check_lock_t *lock);

/** The words from `first` to `last` of the segment were freed, so later acquires there are of other locks. `unit` is
 *  one of the team, and then only the nestings that this unit has read are dropped. Negative: all units; then one unit
 *  calls this, after all have freed the segment. */
void dart__check_nest_freed(dart_team_t team, int16_t segment, int32_t unit, uint64_t first,
                            uint64_t last);

/** Allocate the log of nestings; dart_exit frees it. Collective over the team of all units. */
void dart__check_nest_open(dart_team_t team);

#endif
