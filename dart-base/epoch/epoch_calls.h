#ifndef DART__EPOCH_EPOCH_CALLS_H
#define DART__EPOCH_EPOCH_CALLS_H
/* What the calls of fence.c, pscw.c, epoch_lock.c and unlock.c share.
 *
 * They decide when an epoch begins and ends; epoch/access.h starts the operations. Opening calls only
 * note what the epoch covers; all that has to be said to other units is said when the epoch ends, or by the
 * first operation that cannot be deferred. */
#include <dash/dart/ext/dart_epoch.h>

#include "coll/coll.h"
#include "epoch/access.h"

/** Find the segment and its epochs, and check the assertions. DART_ERR_INVAL, DART_ERR_NOMEM: after a log
 *  line. */
dart_ret_t dart__epoch_begin(const char *function, dart_gptr_t gptr, int assertions, int allowed,
                             dart__access_call_t *call_out);

/** Check that the pointer names a unit of the team. DART_ERR_INVAL: after a log line. */
dart_ret_t dart__epoch_check_unit(const dart__access_call_t *call, dart_gptr_t gptr);

/** Log that the call is out of order; returns DART_ERR_INVAL. */
dart_ret_t dart__epoch_refuse(const dart__access_call_t *call, const char *why);

/** What ends now was said to be read only, and far units have put to it: DART_ERR_INVAL after a log line, where
 *  assertions are verified. */
dart_ret_t dart__epoch_verify_read_only(const dart__access_call_t *call);

/** Whether an epoch of another kind may begin: there is none, or a fence's without operations. */
bool dart__epoch_may_begin(const dart__access_call_t *call);

/** The access epoch is of this kind now (NONE: it has ended), for which the direct map is withdrawn or given
 *  back. */
void dart__epoch_set(const dart__access_call_t *call, dart__epoch_kind_t kind);

/** Begin or end an exposure. Does not wait for the accessing side, which may be in a call that waits. False: it
 *  cannot begin, for an access epoch is open that is not a start's. */
bool dart__epoch_expose(const dart__access_call_t *call, bool is_exposed);

/** Forget what the access epoch has noted about a unit, or about all its targets, which are none then. */
void dart__epoch_reset(dart__epoch_target_t *target);
void dart__epoch_forget_targets(dart__epoch_t *epoch);

/** Call `visit` for the epoch's targets: first those above this unit, so that units do not all begin with the same one. */
void dart__epoch_visit_targets(const dart__access_call_t *call,
                               void (*visit)(void *context, int32_t unit), void *context);

/** Complete operations on a far unit that was used, locally (or `remotely`).
 *  DART_ERR_INVAL: some were refused. */
dart_ret_t dart__epoch_finish(const dart__access_call_t *call, int32_t unit, bool remotely);

/** Start the deferred operations on a locked unit, and unlock it. Waits for the lock if an operation needs it.
 *  With `is_lazy`, what was started is complete locally. */
dart_ret_t dart__epoch_unlock(const dart__access_call_t *call, int32_t unit, bool is_lazy);

/** Unlock all portions that this unit has locked (exit). What is deferred is dropped, and logged. */
void dart__epoch_release_all(void);

#endif
