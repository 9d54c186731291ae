#ifndef DART__FAR_FAR_OPS_H
#define DART__FAR_FAR_OPS_H
/* Operations on the memory of far units, for the rooms above: what `rma/`, `epoch/`, `lock/` and others call where memory
 * is far, or in a job of several nodes. */
#include <dash/dart/if/dart_communication.h>

#include "model/rma.h"
#include "model/world.h"

/* What completes an operation: a number of batches of requests to a peer, or of the network's transfers to its unit. What was
 * started earlier and has a number of the same kind and peer is complete with it. */
typedef enum {
  DART__BY_NOTHING, /* there is no memory for a handle, and nothing was started */
  DART__BY_REQUESTS, /* the peer applies it: the unit, or, of what travels by a relay, the node of the unit */
  DART__BY_NET /* the network's puts and gets */
} dart__completed_by_t;

typedef struct {
  dart__completed_by_t by;
  int32_t              peer; /* a unit's global id, or dart__relayed_peer */
  uint64_t             number;
} dart__completion_t;

static inline dart__completion_t dart__by_requests(int32_t peer, uint64_t number)
{
  return (dart__completion_t){ DART__BY_REQUESTS, peer, number };
}

static inline dart__completion_t dart__by_net(const dart__rma_t *rma, uint64_t number)
{
  return (dart__completion_t){ DART__BY_NET, dart__team_member(rma->at.team, rma->at.unit),
                               number };
}

static inline dart_ret_t dart__far_result(dart__completion_t completion)
{
  return completion.by == DART__BY_NOTHING ? DART_ERR_NOMEM : DART_OK;
}

/* What completes several operations towards a unit of a team: the largest number of each kind and peer. Zeroed: nothing was
 * started. */
typedef struct {
  uint64_t requests;
  uint64_t relayed; /* requests to the unit's node */
  uint64_t transfers;
  uint64_t pinged; /* of dart__far_test_to: transfers behind which the unit was sent a ping */
} dart__mark_t;

/** Add an operation. */
static inline void dart__mark_add(dart__mark_t *mark, dart__completion_t completion)
{
  uint64_t *number = completion.by == DART__BY_NET          ? &mark->transfers
                     : completion.peer < dart__world.nunits ? &mark->requests
                                                            : &mark->relayed;

  if (*number < completion.number)
    *number = completion.number;
}

/* A notification: an atomic update of an aligned word of 64 bits, by an operator of DART_TYPE_ULONG; then a thread that waits
 * there is woken. */
typedef struct {
  const dart__address_t *flag;
  uint64_t               value;
  dart_operation_t       op;
} dart__signal_t;

/** Start an operation; a flush of its unit completes it. With `handle_out`, of a put or get, waiting for the handle does,
 *  too. Operands of at most DART_COPIED_MOST bytes in a row, without a handle, and those of atomics are copied before
 *  return. Atomics are applied on the target's node, by CPU atomics; results are valid after a flush. */
dart__completion_t dart__far_start(const dart__rma_t *rma, dart_handle_t *handle_out);

/** A put or get, locally and remotely complete on return. Makes progress, as dart__engine_poke does. DART_ERR_INVAL: the
 *  target has freed or deregistered the memory. DART_ERR_UNIT_LOST: the target is lost, and its memory gone. */
dart_ret_t dart__far_blocking(const dart__rma_t *rma);

/** As dart__far_start, for operations that a record made later has to find applied. If it is completed by the network,
 *  the unit has to be flushed before that record. `of_fence`: the unit enters a call that waits for it. */
dart__completion_t dart__far_start_in_order(const dart__rma_t *rma, bool of_fence);

/** Of a fence: whether that is likely to be completed by the network; and whether it is, or has a message of its own. */
bool dart__far_is_moved(const dart__rma_t *rma);
bool dart__far_leaves_at_once(const dart__rma_t *rma);

/** An accumulate of one element of 8 bytes, which may travel by a relay. */
dart__completion_t dart__far_update(const dart__rma_t *rma);

/** As many accumulates of one element of 8 bytes each: places[i] is the number of the word in the portion. `at` is the
 *  address of one of them. */
dart__completion_t dart__far_updates(const dart__address_t *at, const uint64_t *values,
                                     const uint32_t *places, size_t nelem, dart_datatype_t type,
                                     dart_operation_t op);

/** Notify a unit, by requests that are sent at once, not aggregated. */
dart__completion_t dart__far_notify(const dart__signal_t *signal);

/** Put, and then notify the same unit; the source stays in place until a local flush of it. */
dart__completion_t dart__far_put_notify(const dart__rma_t *rma, const dart__signal_t *signal);

/** Get by requests, and then update signal->flag: of this unit, not registered, when the data are here; of the data's
 *  unit, when they were read there. It is sent as dart__far_notify. Completed by nothing: the flag is neither, or the
 *  elements are not requested in this way; nothing was done. */
dart__completion_t dart__far_get_notify(const dart__rma_t *rma, const dart__signal_t *signal);

/** Have the unit operate on the object (far/handlers.h) at `at`, in its pool: `nbytes` > 0 of operand, at most
 *  3800, copied before return. With `result_out` it waits for the result; else it is sent at once. DART_ERR_UNIT_LOST: the
 *  result is not there, for the unit is lost. */
dart_ret_t dart__far_call(const dart__address_t *at, const void *operand, size_t nbytes,
                          uint64_t *result_out);

/** Complete this process's outstanding operations on a team unit, or on all units of the team: remotely, or
 *  (flush_local) only locally. Without outstanding operations it costs nothing. DART_ERR_INVAL, after one log line: all
 *  are complete, but the target has refused some, whose memory was freed or deregistered. DART_ERR_UNIT_LOST: some were
 *  dropped, for their target is lost. */
dart_ret_t dart__far_flush(dart__team_t *team, int32_t unit);
dart_ret_t dart__far_flush_all(dart__team_t *team);
dart_ret_t dart__far_flush_local(dart__team_t *team, int32_t unit);
dart_ret_t dart__far_flush_local_all(dart__team_t *team);

/** What a call returns that has completed an operation on a team unit by itself, and come to `ret`: DART_ERR_UNIT_LOST if the
 *  unit is lost. Then it tells of all that was dropped before, but not for other threads. */
dart_ret_t dart__far_outcome(dart__team_t *team, int32_t unit, dart_ret_t ret);

/** dart__far_flush for DART's own operations: operations that were refused are reported by the next flush. */
void dart__far_settle(dart__team_t *team, int32_t unit);

/** Complete the network's transfers to a team unit that were started, so that requests made later find them there. Does not
 *  wait for requests, which are in order. */
void dart__far_complete(dart__team_t *team, int32_t unit);

/** What was started towards a team unit takes effect there before what is started later. */
void dart__far_order(dart__team_t *team, int32_t unit);

/** Ask for a reply to all that was requested of the unit until now. Never waits. */
void dart__far_ask(dart__team_t *team, int32_t unit);

/** Have the unit say when what was started up to the mark is complete, locally, or at_target; does not wait. */
void dart__far_ask_to(dart__team_t *team, int32_t unit, const dart__mark_t *mark, bool at_target);

/** Complete what was started up to the mark, locally, or at_target. All that waits for far operations does so by this.
 *  False: some of it was dropped, for the unit is lost, and the caller tells the program. */
bool dart__far_complete_to(dart__team_t *team, int32_t unit, const dart__mark_t *mark,
                           bool at_target);

/** As dart__far_complete_to; what was refused or dropped is reported by the next flush. */
void dart__far_settle_to(dart__team_t *team, int32_t unit, const dart__mark_t *mark,
                         bool at_target);

/** Whether dart__far_settle_to at the target has nothing to wait for, or did it: the network's transfers, which it cannot
 *  be asked about, are completed once the unit has answered a request that was made after them. To be called after
 *  dart__engine_look, again and again until then. */
bool dart__far_test_to(dart__team_t *team, int32_t unit, dart__mark_t *mark);

/** `*handle` is not NULL; wait and release release it and set it to NULL. wait: for remote completion.
 *  test: whether the transfer itself is complete, so that wait returns soon; never blocks. DART_ERR_UNIT_LOST: its target
 *  is lost, and it may not have been done. */
dart_ret_t dart__far_wait(dart_handle_t *handle);
bool       dart__far_test(dart_handle_t handle);
void       dart__far_release(dart_handle_t *handle);

#endif
