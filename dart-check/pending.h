#ifndef DART__CHECK_PENDING_H
#define DART__CHECK_PENDING_H
/* Operations under way: what their buffers must be until they are complete, and that they are completed at
 * all. */
#include "check.h"

/** Whether DART says that it does not need `nbytes` bytes of a source in a row after the call. */
bool dart__check_is_copied(uint64_t nbytes);

/** Note a put or atomic towards `gptr` that DART has started. `source`, of `nbytes`, must not change until it
 *  is complete locally; NULL: it need not be looked at. */
void dart__check_started(dart_gptr_t gptr, const void *source, uint64_t nbytes, dart__at_t at);

/** A buffer in the place of a result of `nbytes` bytes, to give to DART; `result` itself where operations are not
 *  looked at. */
void *dart__check_result(void *result, uint64_t nbytes);

/** Note the operation that has got `buffer`, which gave `ret`. Until it is complete the program finds a
 *  pattern in `result`. */
void dart__check_result_started(dart_ret_t ret, dart_gptr_t gptr, void *buffer, void *result,
                                uint64_t nbytes, dart__at_t at);

/** How far a flush goes: operations that started before this moment. */
uint64_t dart__check_moment(void);

/** A flush of `gptr`, of all units or one, locally only or not, has completed what started before `moment`. */
void dart__check_flushed(dart_gptr_t gptr, bool all, bool local, uint64_t moment, dart__at_t at);

/** A flush of a context, `unit` -1: of all its units, has completed what was started in it before `moment`, perhaps
 *  only locally. */
void dart__check_context_flushed(const void *context, int32_t unit, bool local, uint64_t moment,
                                 dart__at_t at);

/** The end of this unit's epoch on gptr's segment has completed what was started in it, towards its unit or all. */
void dart__check_epoch_completed(dart_gptr_t gptr, bool all, dart__at_t at);

/** `nbytes` bytes at `source` are about to be read: report it if they are a result that is not there yet. */
void dart__check_source(const void *source, uint64_t nbytes, dart__at_t at);

/** The segment, or all of the team's, is about to be freed: report what is not complete, and forget it. */
void dart__check_pending_segment(dart_gptr_t gptr, dart__at_t at);
void dart__check_pending_team(dart_team_t team, dart__at_t at);

/** The same at dart_exit; and forget all. */
void dart__check_pending_exit(dart__at_t at);
void dart__check_pending_forget(void);

#endif
