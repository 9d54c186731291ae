#ifndef DART__CHECK_PENDING_H
#define DART__CHECK_PENDING_H
/* Outstanding operations: the program must not use their buffers until they are complete, and must complete them. */
#include "check.h"

/** Whether DART promises that it copies `nbytes` contiguous bytes of a source before the call returns. */
bool dart__check_is_copied(uint64_t nbytes);

/** Record a put or atomic on `gptr` that DART has started. The `nbytes` bytes at `source` must not change until it is
 *  complete locally. NULL: the source is not checked. */
void dart__check_started(dart_gptr_t gptr, const void *source, uint64_t nbytes, dart__at_t at);

/** A buffer to pass to DART in place of a result of `nbytes` bytes; `result` itself if operations are not checked. */
void *dart__check_result(void *result, uint64_t nbytes);

/** Record the operation with `buffer`, whose call has returned `ret`. Until it is complete, `result` holds a
 *  pattern. */
void dart__check_result_started(dart_ret_t ret, dart_gptr_t gptr, void *buffer, void *result,
                                uint64_t nbytes, dart__at_t at);

/** A number for this moment: a flush that begins now completes the operations that have started before it. */
uint64_t dart__check_moment(void);

/** A flush has completed what was started before `moment`: for the unit of `gptr` or all units, perhaps only
 *  locally. */
void dart__check_flushed(dart_gptr_t gptr, bool all, bool local, uint64_t moment, dart__at_t at);

/** A flush of a context has completed what was started in it before `moment`, perhaps only locally. `unit` -1: for all
 *  units. */
void dart__check_context_flushed(const void *context, int32_t unit, bool local, uint64_t moment,
                                 dart__at_t at);

/** The end of this unit's epoch on gptr's segment has completed the operations in it: those on its unit, or all. */
void dart__check_epoch_completed(dart_gptr_t gptr, bool all, dart__at_t at);

/** The call reads `nbytes` bytes at `source`: report it if they are a result that is not complete. */
void dart__check_source(const void *source, uint64_t nbytes, dart__at_t at);

/** The segment, or the team with all its segments, is about to be freed: report the operations that are not complete,
 *  and drop them. */
void dart__check_pending_segment(dart_gptr_t gptr, dart__at_t at);
void dart__check_pending_team(dart_team_t team, dart__at_t at);

/** Do so for all operations at dart_exit; drop all operations without a report. */
void dart__check_pending_exit(dart__at_t at);
void dart__check_pending_forget(void);

#endif
