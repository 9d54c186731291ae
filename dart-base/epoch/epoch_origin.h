#ifndef DART__EPOCH_EPOCH_ORIGIN_H
#define DART__EPOCH_EPOCH_ORIGIN_H
/* The origin's side of epochs with far units: control messages, which arrive in order with operations. See epoch.h. */
#include "epoch/epoch.h"

/** Send a control message: at once, or, not `now`, with what is sent to the unit next. */
void dart__epoch_send_control(const dart__team_t *team, const dart__segment_t *segment,
                              int32_t unit, dart__epoch_control_t control, uint64_t value,
                              bool now);

/** The last fence that the unit has left. Waits for the answer. False: its memory is gone. */
bool dart__epoch_ask_exposed(const dart__team_t *team, const dart__segment_t *segment, int32_t unit,
                             uint32_t *fence_out);

/** Ask for the lock of a unit's portion; with operations: apply them when it is granted, and unlock. Does
 *  not wait, and need not be sent before `answered` or a push. */
void dart__epoch_send_lock(const dart__team_t *team, const dart__segment_t *segment, int32_t unit,
                           bool exclusive, const dart__queued_t *const ops[], size_t nops,
                           dart__epoch_request_t *request);

/** Wait for the answer, which comes at once. DART_OK: the lock is held, or the operations are applied, and
 *  data[0] is what gets have read. DART_PENDING: `granted` is going to be 1 when that is so, after data[1],
 *  or DART__REQUEST_GONE. DART_ERR_INVAL: the memory is gone. */
dart_ret_t dart__epoch_lock_answered(const dart__team_t *team, int32_t unit,
                                     const dart__epoch_request_t *request);

/** Lock, apply puts and accumulates, unlock, without an answer; sent by the agent at the latest, and at once if
 *  there is none. `*done` is incremented in any case; if the memory is gone, the next flush reports it. */
void dart__epoch_send_lock_lazily(const dart__team_t *team, const dart__segment_t *segment,
                                  int32_t unit, bool exclusive, const dart__queued_t *const ops[],
                                  size_t nops, _Atomic uint32_t *done);

/** End an access by start whose post has not come: operations and DART__EPOCH_COMPLETED (value: that) in
 *  one message, which the target keeps until it posts. Operations are copied. */
void dart__epoch_send_completed(const dart__team_t *team, const dart__segment_t *segment,
                                int32_t unit, const dart__queued_t *const ops[], size_t nops,
                                uint64_t value);

/** Leave the lock, when what was started before is applied; sent at once. With `done`, `*done` is incremented
 *  after that. */
void dart__epoch_send_unlock(const dart__team_t *team, const dart__segment_t *segment, int32_t unit,
                             bool exclusive, _Atomic uint32_t *done);

/** Increment `*done` when what was started before is applied, or its memory is gone; sent at once. */
void dart__epoch_send_report(const dart__team_t *team, const dart__segment_t *segment, int32_t unit,
                             _Atomic uint32_t *done);

/* What `lock` and `completed` take: so many operations, of so many bytes together. */
#define DART__LOCKED_OPS   16
#define DART__LOCKED_BYTES ((size_t)6400)
/* Of these, for an operation with types: words beside those of data/describe.h. */
#define DART__LOCKED_NAMING 4

#endif
