#ifndef DART__CHECK_SEGMENT_H
#define DART__CHECK_SEGMENT_H
/* The segments of teams, and their guards. */
#include "check.h"

/** Whether an operation on `nbytes` bytes at `gptr` may go on to DART. False, after a report: the segment was freed,
 *  the bytes exceed the unit's portion, or the pointer's team has no such segment or unit. An operation on memory that
 *  is not recorded here may go on. */
bool               dart__check_look_up(dart_gptr_t gptr, uint64_t nbytes, dart__at_t at);
static inline bool dart__check_access(dart_gptr_t gptr, uint64_t nbytes, dart__at_t at)
{
  return !dart__check_for(DART__CHECK_MEMORY) || dart__check_look_up(gptr, nbytes, at);
}

/** Whether a call about a segment may go on to DART; any pointer into the segment names it. */
static inline bool dart__check_use(dart_gptr_t gptr, dart__at_t at)
{
  return (gptr.segid == DART_SEGMENT_LOCAL && gptr.teamid == DART_TEAM_ALL) ||
         dart__check_access(gptr, 0, at);
}

/** As dart__check_use, of a call that is about the pointer's unit, at any offset. */
bool               dart__check_look_up_unit(dart_gptr_t gptr, dart__at_t at);
static inline bool dart__check_use_unit(dart_gptr_t gptr, dart__at_t at)
{
  return dart__check_use(gptr, at) &&
         (!dart__check_for(DART__CHECK_MEMORY) || dart__check_look_up_unit(gptr, at));
}

/** Check the guards behind the unit's portions and blocks, and freed blocks. Each call that synchronises does so. */
void dart__check_guards(dart__at_t at);

/** Whether the next segment of the team is to have guard pages. All units of the team get the same answer. */
bool dart__check_segment_has_pages(dart_team_t team);

/** Record a new segment, whose portion has `nbytes` bytes on this unit, and fill the portion and its guard.
 *  `has_pages`: it begins with a page, and there is room for a guard page. Collective over the team.
 *  DART_ERR_UNIT_LOST: a member of the team is lost, and the segment not recorded. */
dart_ret_t dart__check_segment_add(dart_gptr_t gptr, uint64_t nbytes, bool has_pages,
                                   dart__at_t at);

/** The call `at` frees the segment. False: it is not recorded here. */
bool dart__check_segment_freed(dart_gptr_t gptr, dart__at_t at);

/** Keep a freed segment, whose pages crash from now on. If too many are kept, release the oldest. Collective over the
 *  team, after all units have freed it. */
void dart__check_segment_keep(dart_gptr_t gptr);

/** Release all segments of the team that are kept. False: there are none. Collective over the team. */
bool dart__check_segments_release(dart_team_t team);

/** The team is about to be destroyed, with its segments: open all their pages. */
void dart__check_segments_open(dart_team_t team);

/** The team is destroyed. */
void dart__check_segments_team(dart_team_t team);

/** A load or store at `address` has crashed; `from` is behind its instruction. Report it if a segment has the page. */
void dart__check_segment_fault(const void *address, const void *from);

/** At the end: report segments that were not freed; clear the records. */
void dart__check_segments_leaked(void);
void dart__check_segments_forget(void);

#endif
