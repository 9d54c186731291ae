#ifndef DART__CHECK_MEMORY_H
#define DART__CHECK_MEMORY_H
/* Memory of teams, and of the pool. */
#include "check.h"

enum {
  DART__CHECK_GUARD   = 64,   /* bytes behind each portion and block, which nobody may change */
  DART__CHECK_PATTERN = 0xb5, /* of guards */
  DART__CHECK_FRESH   = 0xd5, /* of new memory, so that who reads it unwritten sees what it is */
  DART__CHECK_FREED   = 0xdf  /* of blocks that were freed */
};

/** Whether an operation on `nbytes` bytes at `gptr` may go on to DART: false if the segment was freed, the bytes are
 *  not all in the unit's portion, or the pointer's team has no such segment or unit, which is reported. What this unit
 *  has no book of may go on. */
bool               dart__check_look_up(dart_gptr_t gptr, uint64_t nbytes, dart__at_t at);
static inline bool dart__check_access(dart_gptr_t gptr, uint64_t nbytes, dart__at_t at)
{
  return !dart__check_for(DART__CHECK_MEMORY) || dart__check_look_up(gptr, nbytes, at);
}

/** A team is about to be destroyed, and its segments with it: all of their pages may be accessed again. Then it is. */
void dart__check_segments_open(dart_team_t team);
void dart__check_segments_team(dart_team_t team);

/** A load or store at `address` has crashed, before `from` in the code: if that is a page of a segment, report it. */
void dart__check_segment_fault(const void *address, const void *from);

/** The offset of the first byte of `n` that is not `pattern`; n: there is none. */
size_t dart__check_intact(const unsigned char *bytes, size_t n, int pattern);

/** The guards of each of both kinds. */
void dart__check_segment_guards(dart__at_t at);
void dart__check_block_guards(dart__at_t at);

/** Whether the block of dart_memalloc at `offset` of this unit's pool is one that was freed: reports it. */
bool dart__check_block_freed(uint64_t offset, dart__at_t at);

/** At the end: segments and blocks that are not freed are reported; the books are emptied. */
void dart__check_segments_leaked(void);
void dart__check_blocks_leaked(void);
void dart__check_segments_forget(void);
void dart__check_blocks_forget(void);

/** The same of a call that is about a segment, which any pointer into it names. */
static inline bool dart__check_use(dart_gptr_t gptr, dart__at_t at)
{
  return (gptr.segid == DART_SEGMENT_LOCAL && gptr.teamid == DART_TEAM_ALL) ||
         dart__check_access(gptr, 0, at);
}

#endif
