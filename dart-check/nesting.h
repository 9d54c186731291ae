#ifndef DART__CHECK_NESTING_H
#define DART__CHECK_NESTING_H
/* Locks that are acquired while others are held: in which orders, by all units and threads. */
#include <dash/dart/ext/dart_range.h>

#include "check.h"

/** A lock as all units know it. Two of these conflict if all fields but the last three are the same, the numbers overlap,
 *  and one of them is exclusive. */
typedef struct {
  uint64_t kind;       /* dart__call_t of the call that acquires it; 0: it is not looked at */
  uint64_t team;       /* its id, */
  uint64_t first_unit; /* and its first member: teams of the same id may have different members */
  uint64_t
      object; /* a lock's or range object's number in the team; the unit and segment of a word */
  uint64_t first, last; /* offset of a word; numbers of a range */
  uint64_t is_shared;
} dart__check_lock_t;

/** The lock object, the word at `gptr`, and a span of the range object. */
dart__check_lock_t dart__check_lock_object(const void *lock);
dart__check_lock_t dart__check_lock_word(dart_gptr_t gptr);
dart__check_lock_t dart__check_lock_span(const void *range, const dart_range_span_t *span);

/** The call is about to wait for the locks, which come as one: report it if that can close a circle with what this thread
 *  holds. May wait for unit 0 to answer. */
void dart__check_nest_wanted(const dart__check_lock_t locks[], size_t n, dart__at_t at);

/** This thread holds the lock. `key` names it when the unit releases it, or what it is released with. */
void dart__check_nest_taken(const dart__check_lock_t *lock, uintptr_t key, dart__at_t at);
void dart__check_nest_left(uintptr_t key);
void dart__check_nest_left_lock(const dart__check_lock_t *lock);

/** Words from `first` to `last` of the segment were freed: what is acquired there later is another lock. `unit` of the
 *  team, negative: all; then one unit calls this, after all have freed the segment. Of one unit's words the nestings
 *  that this unit has not read are not forgotten. */
void dart__check_nest_freed(dart_team_t team, int16_t segment, int32_t unit, uint64_t first,
                            uint64_t last);

/** Make the log of nestings, which goes with dart_exit. Collective over the team of all units. */
void dart__check_nest_open(dart_team_t team);

#endif
