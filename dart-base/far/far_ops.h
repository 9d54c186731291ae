#ifndef DART__FAR_FAR_OPS_H
#define DART__FAR_FAR_OPS_H
/* Operations on the memory of far units, for the rooms above: what `rma/`, `epoch/`, `lock/` and others call where memory
 * is far, or in a job of several nodes. */
#include <dash/dart/if/dart_communication.h>

#include "data/type.h"
#include "model/address.h"

/* The way that an operation went, which says what completes it. */
typedef enum {
  DART__FAR_NOMEM,   /* none: there is no memory for a handle, and nothing was started */
  DART__BY_REQUESTS, /* the unit applies it */
  DART__BY_NET       /* the network's puts and gets */
} dart__far_way_t;

static inline dart_ret_t dart__far_result(dart__far_way_t way)
{
  return way == DART__FAR_NOMEM ? DART_ERR_NOMEM : DART_OK;
}

/* A notification: an atomic update of an aligned word of 64 bits, by an operator of DART_TYPE_ULONG; then whoever waits
 * there is woken. */
typedef struct {
  const dart__address_t *flag;
  uint64_t               value;
  dart_operation_t       op;
} dart__signal_t;

/* What was started towards a unit of a team until some moment, by the ways that it takes: numbers that only grow.
 * Zeroed: nothing. */
typedef struct {
  uint64_t requests;  /* applied by the unit */
  uint64_t transfers; /* by the network alone */
  uint64_t pinged;    /* of dart__far_test_to: transfers behind which the unit was sent a ping */
} dart__mark_t;

/** Start a transfer; a flush of at->unit completes it. With `handle_out`, waiting for the handle does, too. Without one, a
 *  source of at most DART_COPIED_MOST bytes in a row is copied before return. */
dart__far_way_t dart__far_put(const dart__address_t *at, const dart__type_t *at_type,
                              const void *src, const dart__type_t *src_type, size_t nelem,
                              dart_handle_t *handle_out);
dart__far_way_t dart__far_get(const dart__address_t *at, const dart__type_t *at_type, void *dst,
                              const dart__type_t *dst_type, size_t nelem,
                              dart_handle_t *handle_out);

/** The same, locally and remotely complete on return. DART_ERR_INVAL: the target has freed or deregistered the memory. */
dart_ret_t dart__far_put_blocking(const dart__address_t *at, const dart__type_t *at_type,
                                  const void *src, const dart__type_t *src_type, size_t nelem);
dart_ret_t dart__far_get_blocking(const dart__address_t *at, const dart__type_t *at_type, void *dst,
                                  const dart__type_t *dst_type, size_t nelem);

/** The same of `nbytes` > 0 bytes in a row on both sides. Blocking ones make progress, as dart__engine_poke does. */
dart__far_way_t dart__far_put_bytes(const dart__address_t *at, const void *src, size_t nbytes,
                                    dart_handle_t *handle_out);
dart__far_way_t dart__far_get_bytes(const dart__address_t *at, void *dst, size_t nbytes,
                                    dart_handle_t *handle_out);
dart_ret_t dart__far_put_bytes_blocking(const dart__address_t *at, const void *src, size_t nbytes);
dart_ret_t dart__far_get_bytes_blocking(const dart__address_t *at, void *dst, size_t nbytes);

/** Atomics, all by requests: applied on the target's node, by CPU atomics. Operands are copied before return; results are valid after a
 *  flush of at->unit. */
void dart__far_accumulate(const dart__address_t *at, const void *values, size_t nelem,
                          dart_datatype_t type, dart_operation_t op);
/** As many accumulates of one element of 8 bytes each: places[i] is the number of the word in the portion. `at` is the
 *  address of one of them. */
void dart__far_updates(const dart__address_t *at, const uint64_t *values, const uint32_t *places,
                       size_t nelem, dart_datatype_t type, dart_operation_t op);
void dart__far_fetch(const dart__address_t *at, const void *value, void *result,
                     dart_datatype_t type, dart_operation_t op);
/** dart__far_fetch of each of `nelem` elements in a row. */
void dart__far_fetch_elements(const dart__address_t *at, const void *values, void *results,
                              size_t nelem, dart_datatype_t type, dart_operation_t op);
void dart__far_swap(const dart__address_t *at, const void *value, const void *compare, void *result,
                    dart_datatype_t type);

/** Put, and then notify the same unit, by requests; nelem 0: only notify. It is sent at once, not aggregated; `src` stays in place
 *  until a local flush of signal->flag->unit. */
void dart__far_put_notify(const dart__address_t *at, const dart__type_t *at_type, const void *src,
                          const dart__type_t *src_type, size_t nelem, const dart__signal_t *signal);

/** Get by requests, and then update signal->flag: of this unit, not registered, when the data are in `dst`; of at->unit, when they
 *  were read there. It is sent as dart__far_put_notify; a flush of at->unit, if only locally, completes the get and an
 *  update here. False: the flag is neither, or the elements are not requested in this way; nothing was done. */
bool dart__far_get_notify(const dart__address_t *at, const dart__type_t *at_type, void *dst,
                          const dart__type_t *dst_type, size_t nelem, const dart__signal_t *signal);

/** Have the unit operate on the object (far/handlers.h) at `at`, in its pool: `nbytes` > 0 of operand, at most
 *  3800, copied before return. With `result_out` it waits for the result; else it is sent at once. */
void dart__far_call(const dart__address_t *at, const void *operand, size_t nbytes,
                    uint64_t *result_out);

/** Complete this process's outstanding operations on a team unit, or on all units of the team: remotely, or
 *  (flush_local) only locally. Without outstanding operations it costs nothing. DART_ERR_INVAL, after one log line: all
 *  are complete, but the target has refused some, whose memory was freed or deregistered. */
dart_ret_t dart__far_flush(dart__team_t *team, int32_t unit);
dart_ret_t dart__far_flush_all(dart__team_t *team);
dart_ret_t dart__far_flush_local(dart__team_t *team, int32_t unit);
dart_ret_t dart__far_flush_local_all(dart__team_t *team);

/** dart__far_flush for DART's own operations: operations that were refused are reported by the next flush. */
void dart__far_settle(dart__team_t *team, int32_t unit);

/** What was started towards a team unit takes effect there before what is started later. */
void dart__far_order(dart__team_t *team, int32_t unit);

/** Raise the mark to what this process has started towards a team unit until now, by the way of its newest operation. */
void dart__far_mark(const dart__team_t *team, int32_t unit, dart__far_way_t way,
                    dart__mark_t *mark);

/** Have the unit say when what was started up to the mark is complete, locally, or at_target; does not wait. */
void dart__far_ask_to(dart__team_t *team, int32_t unit, const dart__mark_t *mark, bool at_target);

/** Complete what was started up to the mark, locally, or at_target: refused operations as dart__far_settle. */
void dart__far_settle_to(dart__team_t *team, int32_t unit, const dart__mark_t *mark,
                         bool at_target);

/** Whether dart__far_settle_to at the target has nothing to wait for, or did it: the network's transfers, which it cannot
 *  be asked about, are completed once the unit has answered a request that was made after them. To be called after
 *  dart__engine_look, again and again until then. */
bool dart__far_test_to(dart__team_t *team, int32_t unit, dart__mark_t *mark);

/** `*handle` is not NULL; wait and release release it and set it to NULL. wait: for local, or also for remote completion.
 *  test: whether the transfer itself is complete, so that wait returns soon; never blocks. */
void dart__far_wait(dart_handle_t *handle, bool at_target);
bool dart__far_test(dart_handle_t handle);
void dart__far_release(dart_handle_t *handle);

/** A handle for requests that this thread is about to make of at->unit; NULL: no memory. After these,
 *  dart__far_handle_mark: they are what wait and test are about. Before it the handle can only be released. */
dart_handle_t dart__far_handle_new(const dart__address_t *at);
void          dart__far_handle_mark(dart_handle_t handle);

#endif
