#ifndef DASH__DART__IF__DART_COMMUNICATION_H__INCLUDED
#define DASH__DART__IF__DART_COMMUNICATION_H__INCLUDED
/** @file dart_communication.h
 *  Moving data: collectives, atomics, put and get, and messages.
 *
 *  When an operation is complete
 *
 *    Locally: its buffers are the caller's again, and a result is there. Remotely: its effect is in
 *    the target's memory, and every access ordered after it sees it.
 *
 *                                      complete locally after            complete remotely after
 *      get, put, accumulate            flush_local(_all), flush(_all)    flush(_all)
 *      fetch_and_op, compare_and_swap  flush_local(_all), flush(_all)    flush(_all)
 *      accumulate_blocking_local       its return                        flush(_all)
 *      get_handle, put_handle          wait(_local), test(_local) = 1,   wait, test = 1,
 *                                      any flush                         flush(_all)
 *      get_blocking, put_blocking      its return                        its return
 *
 *    Operations on memory of the same node are usually complete on return; do not count on it.
 *
 *  What is seen when: release consistency (Gharachorloo et al., ISCA 1990)
 *
 *    - Puts of at most 8 bytes, in a row on both sides, and atomics take effect on each element in
 *      the order in which one thread issues them, within epochs (dart_epoch.h) and outside. Only what
 *      dart_epoch_complete, or an unlock with DART_EPOCH_LAZY, has left under way is not ordered
 *      against operations after it. All other puts and gets are unordered until completed.
 *    - A put or an atomic releases what its thread did before: plain stores to its own portion, and
 *      operations it completed. A get or an atomic that sees the new value acquires it. So a unit
 *      may poll a flag, in its own portion too, with dart_get_blocking, and then read what the flag
 *      is about. The put of a flag becomes visible without another call by the one who put it.
 *    - A barrier, and every other collective along the way its data goes, orders plain accesses and
 *      completed operations before it against what comes after it on the others. It completes
 *      nothing by itself.
 *    - An owner's plain loads see remote operations that are complete and ordered before by such a
 *      synchronisation; remote operations see its plain stores in the same way. Otherwise conflicting
 *      accesses race, and the values read are undefined.
 *    - One aligned element of at most 8 bytes is put and got in one piece. Larger transfers are not
 *      atomic in any way.
 *
 *  A unit that waits in DART makes progress on behalf of those that target it.
 *
 *  Which two types fit each other
 *
 *    A put or get names a type for either side, and element k of the source becomes element k of
 *    the destination; what the destination's type leaves out is not touched. There is no
 *    conversion: the base types are equal (INT is not UINT, LONG is not LONGLONG); custom types are
 *    if their sizes are, and one of 1 byte equals DART_TYPE_BYTE. If a type is strided or indexed,
 *    `nelem` is a multiple of the elements per instance of both. */

#include <dash/dart/if/dart_globmem.h>
#include <dash/dart/if/dart_types.h>
#include <dash/dart/if/dart_util.h>

#ifdef __cplusplus
extern "C" {
#endif
DART_INTERFACE_ON

/* ---- Collectives ----------------------------------------------------------------------------
 *
 * Collective over the team; arguments other than buffers are equal on all members, `root` is an id
 * in the team. They return when the caller's part is done: its buffers are its own again, its
 * results are there. Only barrier, allgather(v), allreduce and alltoall imply that all members have
 * arrived. Buffers are local memory, which may be the caller's own portion of a segment; send and
 * receive buffers do not overlap, except in place as stated. nelem 0 moves nothing, and buffers may
 * then be NULL. Types are basic or custom.
 *
 * DART_ERR_INVAL, from all: no such team on this unit, a root outside of it, another type, a NULL
 * buffer that is needed. The others are from all but dart_barrier, and come to all members; what was to
 * be received may then hold anything. DART_ERR_NOMEM, of reductions: no memory for intermediate
 * results. DART_ERR_OTHER: the kernel could not copy between members on one node, most likely because a
 * buffer is not there. */

/** Wait until all members of `team` have come here.
 *
 *  Inside a node this is a barrier in shared memory; one unit per node talks to the others.
 *  Centralized sense reversal: Mellor-Crummey and Scott, ACM TOCS 9(1), 1991. */
dart_ret_t dart_barrier(dart_team_t team) DART_NOTHROW;

/** Copy the `nelem` elements in root's `buf` to `buf` on all members. */
dart_ret_t dart_bcast(void *buf, size_t nelem, dart_datatype_t dtype, dart_team_unit_t root,
                      dart_team_t team) DART_NOTHROW;

/** Deal out root's `sendbuf`: its i-th block of `nelem` elements goes to `recvbuf` of unit i, root
 *  included. `sendbuf` counts at root only and may be NULL elsewhere. */
dart_ret_t dart_scatter(const void *sendbuf, void *recvbuf, size_t nelem, dart_datatype_t dtype,
                        dart_team_unit_t root, dart_team_t team) DART_NOTHROW;

/** Collect at root: `nelem` elements of unit i become the i-th block of root's `recvbuf`, which
 *  counts at root only and may be NULL elsewhere. */
dart_ret_t dart_gather(const void *sendbuf, void *recvbuf, size_t nelem, dart_datatype_t dtype,
                       dart_team_unit_t root, dart_team_t team) DART_NOTHROW;

/** Collect everywhere: `nelem` elements of unit i become the i-th block of every `recvbuf`.
 *
 *  In place if `sendbuf` is NULL or equals `recvbuf`: the caller's block is at its position
 *  already. */
dart_ret_t dart_allgather(const void *sendbuf, void *recvbuf, size_t nelem, dart_datatype_t dtype,
                          dart_team_t team) DART_NOTHROW;

/** Collect everywhere, from each unit as much as it has: nrecvelem[i] elements of unit i go to
 *  element recvdispls[i] of every `recvbuf`; what lies between is not touched.
 *
 *  Both arrays have an entry per member and are the same on all; `nsendelem` is the caller's entry
 *  of `nrecvelem`. In place if `nsendelem` > 0 and `sendbuf` is NULL or equals `recvbuf`: the
 *  caller's elements are at their position already.
 *  DART_ERR_INVAL: also if `nsendelem` is not the caller's entry. */
dart_ret_t dart_allgatherv(const void *sendbuf, size_t nsendelem, dart_datatype_t dtype,
                           void *recvbuf, const size_t *nrecvelem, const size_t *recvdispls,
                           dart_team_t teamid) DART_NOTHROW;

/** Combine element k of all members' `sendbuf` by `op` into element k of every `recvbuf`.
 *
 *  All members get the same bits. Operands are combined in any order, but in team order if `op` was
 *  created as not commutative. In place if the buffers are equal.
 *  DART_ERR_INVAL: also for an operator that does not reduce `dtype` (dart_operation_t), and MINMAX
 *  with an odd `nelem`. */
dart_ret_t dart_allreduce(const void *sendbuf, void *recvbuf, size_t nelem, dart_datatype_t dtype,
                          dart_operation_t op, dart_team_t team) DART_NOTHROW;

/** Exchange between all pairs: block j of the caller's `sendbuf`, `nelem` elements, goes to unit j,
 *  and block i of its `recvbuf` comes from unit i.
 *
 *  In place if `sendbuf` is NULL or equals `recvbuf`: the blocks received replace the blocks
 *  sent. */
dart_ret_t dart_alltoall(const void *sendbuf, void *recvbuf, size_t nelem, dart_datatype_t dtype,
                         dart_team_t team) DART_NOTHROW;

/** Combine element k of all members' `sendbuf` by `op` into element k of root's `recvbuf`, which
 *  counts at root only and may be NULL elsewhere. Order and errors as in dart_allreduce. */
dart_ret_t dart_reduce(const void *sendbuf, void *recvbuf, size_t nelem, dart_datatype_t dtype,
                       dart_operation_t op, dart_team_unit_t root, dart_team_t team) DART_NOTHROW;

/* ---- Atomics --------------------------------------------------------------------------------
 *
 * Local; on memory of any unit of the segment's team, the caller included, in segments of all
 * kinds. Every DART atomic on an element is atomic towards every other one on it, of whatever unit,
 * node and operator, as long as all use the same type; not towards put, get and plain accesses.
 * Elements are aligned to their size. Types are basic.
 *
 * DART_ERR_INVAL, from all: null pointer, no such team, segment or unit; misaligned elements;
 * elements outside of the unit's portion; no such atomic operator on this type
 * (dart_operation_t); a NULL buffer that is needed. Nothing changed. On memory that another unit of the node
 * has registered also DART_ERR_NOMEM, and DART_ERR_OTHER if it is not there any more; nothing changed. */

/** Let target[i] = target[i] op values[i], for i < nelem; atomic for each element, not for all.
 *
 *  Returns at once: `values` is the caller's again after a flush of the target, local or not.
 *  nelem 0: DART_OK, nothing happens. */
dart_ret_t dart_accumulate(dart_gptr_t gptr, const void *values, size_t nelem,
                           dart_datatype_t dtype, dart_operation_t op) DART_NOTHROW;

/** dart_accumulate that returns when `values` is the caller's again. Remotely complete after
 *  dart_flush. */
dart_ret_t dart_accumulate_blocking_local(dart_gptr_t gptr, const void *values, size_t nelem,
                                          dart_datatype_t dtype, dart_operation_t op) DART_NOTHROW;

/** Let one element target = target op *value, and store in `*result` what was there before.
 *
 *  With DART_OP_NO_OP an atomic read, for which `value` may be NULL. The buffers do not overlap.
 *  Returns at once: both are the caller's again, with the result, after a flush of the target. */
dart_ret_t dart_fetch_and_op(dart_gptr_t gptr, const void *value, void *result,
                             dart_datatype_t dtype, dart_operation_t op) DART_NOTHROW;

/** If one element target equals *compare, bit by bit, let target = *value. Store in `*result` what
 *  was there before, in either case: *result equals *compare if and only if the swap was made.
 *
 *  Types are BYTE and the integers; floating-point types are DART_ERR_INVAL. The result does not
 *  overlap the other buffers. Returns at once: all are the caller's again, with the result, after a
 *  flush of the target. */
dart_ret_t dart_compare_and_swap(dart_gptr_t gptr, const void *value, const void *compare,
                                 void *result, dart_datatype_t dtype) DART_NOTHROW;

/* ---- Put and get, completed by flush --------------------------------------------------------
 *
 * Local; on memory of any unit of the segment's team, the caller included, in segments of all
 * kinds. The local buffer and the target do not overlap. Data types may be destroyed as soon as the
 * call returns.
 *
 * DART_ERR_INVAL, from all: null pointer, no such team, segment or unit; types that do not fit each
 * other, or an `nelem` that is no multiple of the elements per instance of both; bytes outside of the unit's portion; a NULL
 * buffer with nelem > 0. Nothing was moved then. nelem 0: DART_OK, nothing happens. DART_ERR_OTHER: the
 * memory was registered by another unit of the node, and is not there any more; some of it may have been
 * moved. */

/** Copy `nelem` elements from global memory at `gptr`, laid out as `src_type`, to `dest`, laid out
 *  as `dst_type`. The data are there after a flush of the source, local or not. */
dart_ret_t dart_get(void *dest, dart_gptr_t gptr, size_t nelem, dart_datatype_t src_type,
                    dart_datatype_t dst_type) DART_NOTHROW;

/** Copy `nelem` elements from `src`, laid out as `src_type`, to global memory at `gptr`, laid out
 *  as `dst_type`. `src` is the caller's again after dart_flush_local of the target, the data are
 *  there after dart_flush. */
dart_ret_t dart_put(dart_gptr_t gptr, const void *src, size_t nelem, dart_datatype_t src_type,
                    dart_datatype_t dst_type) DART_NOTHROW;

/* ---- Flush ----------------------------------------------------------------------------------
 *
 * Flushes complete operations that the calling unit issued, from whichever thread, with handles or
 * without. Of `gptr` count the team and the segment, and the unit unless all are meant; for segment
 * 0 the operations on that segment are completed, for others those on all segments > 0 and < 0 of
 * the team. With nothing outstanding they are cheap: what was not touched is not asked (after
 * Thakur, Gropp and Toonen, *Optimizing the synchronization operations in MPI one-sided
 * communication*, IJHPCA 19(2), 2005).
 *
 * DART_ERR_INVAL, from all: null pointer, no such team or segment; no such unit where it counts. Also
 * if some of the operations found that far memory was deregistered meanwhile: these had no effect, all
 * others are complete. */

/** Complete all operations on memory of the unit of `gptr`, locally and remotely. If that is the
 *  caller, its plain loads now see them too. */
dart_ret_t dart_flush(dart_gptr_t gptr) DART_NOTHROW;

/** dart_flush for all units. */
dart_ret_t dart_flush_all(dart_gptr_t gptr) DART_NOTHROW;

/** Complete all operations on memory of the unit of `gptr` locally: buffers are the caller's again,
 *  results are there. */
dart_ret_t dart_flush_local(dart_gptr_t gptr) DART_NOTHROW;

/** dart_flush_local for all units. */
dart_ret_t dart_flush_local_all(dart_gptr_t gptr) DART_NOTHROW;

/* ---- Put and get, completed by handle -------------------------------------------------------
 *
 * A handle stands for one operation until it is waited for, tested with success, or freed; the
 * variable is then DART_HANDLE_NULL. That is also the handle of an operation that is complete, and
 * every function takes it as such. No handle is in an array twice, or used by two threads at a
 * time; otherwise any thread of the unit may wait. Handles end with their segment and at dart_exit.
 * All are local; NULL for `handle` or `handles`, or n 0, is a fine way to say "none": DART_OK. Puts and
 * gets have the errors of dart_put and dart_get, too. */

/** The handle of a put, get or atomic that was started. */
typedef struct dart_handle_struct *dart_handle_t;

#define DART_HANDLE_NULL (dart_handle_t) NULL /**< the handle of what is complete */

/** dart_get with a handle. `*handle` is always written: DART_HANDLE_NULL if the data are there on
 *  return, or on error. DART_ERR_INVAL: also for `handle` NULL. DART_ERR_NOMEM: no memory for a handle;
 *  nothing was started. */
dart_ret_t dart_get_handle(void *dest, dart_gptr_t gptr, size_t nelem, dart_datatype_t src_type,
                           dart_datatype_t dst_type, dart_handle_t *handle) DART_NOTHROW;

/** dart_put with a handle. `*handle` is always written: DART_HANDLE_NULL if the put is complete on
 *  return, locally and remotely, or on error. DART_ERR_INVAL: also for `handle` NULL.
 *  DART_ERR_NOMEM: no memory for a handle; nothing was started. */
dart_ret_t dart_put_handle(dart_gptr_t gptr, const void *src, size_t nelem,
                           dart_datatype_t src_type, dart_datatype_t dst_type,
                           dart_handle_t *handle) DART_NOTHROW;

/** Wait until the operation is complete, locally and remotely. */
dart_ret_t dart_wait(dart_handle_t *handle) DART_NOTHROW;

/** dart_wait for each of `n` handles. */
dart_ret_t dart_waitall(dart_handle_t handles[], size_t n) DART_NOTHROW;

/** Wait until the operation is complete locally. A put is then completed remotely by dart_flush. */
dart_ret_t dart_wait_local(dart_handle_t *handle) DART_NOTHROW;

/** dart_wait_local for each of `n` handles. */
dart_ret_t dart_waitall_local(dart_handle_t handles[], size_t n) DART_NOTHROW;

/** Store 1 if the operation is complete locally, as if waited for, otherwise 0. Does not wait;
 *  called in a loop it becomes 1. DART_ERR_INVAL: `result` NULL. */
dart_ret_t dart_test_local(dart_handle_t *handle, int32_t *result) DART_NOTHROW;

/** Store 1 if the operation is complete locally and remotely, as if waited for, otherwise 0. May
 *  wait for the target's word, but not for long. DART_ERR_INVAL: `is_finished` NULL. */
dart_ret_t dart_test(dart_handle_t *handleptr, int32_t *is_finished);

/** dart_test_local for all of `n` operations: on 0, every handle is kept. */
dart_ret_t dart_testall_local(dart_handle_t handles[], size_t n, int32_t *result) DART_NOTHROW;

/** dart_test for all of `n` operations: on 0, every handle is kept. */
dart_ret_t dart_testall(dart_handle_t handles[], size_t n, int32_t *is_finished);

/** Give up the handle, not the operation: it goes on, and a flush completes it. */
dart_ret_t dart_handle_free(dart_handle_t *handle) DART_NOTHROW;

/* ---- Put and get, complete on return --------------------------------------------------------
 *
 * Local; on memory of any unit of the segment's team, the caller included, in segments of all kinds. The
 * local buffer and the target do not overlap.
 *
 * DART_ERR_INVAL, from all: null pointer, no such team, segment or unit; types that do not fit each other, or
 * an `nelem` that is no multiple of the elements per instance of both; bytes outside of the unit's portion; a
 * NULL buffer with nelem > 0. Nothing was moved then. nelem 0: DART_OK, nothing happens. DART_ERR_OTHER: the
 * memory was registered by another unit of the node, and is not there any more; some of it may have been moved.
 * Where far memory was deregistered meanwhile, which no program may let happen, the error is DART_ERR_INVAL if
 * the target tells; it need not. */

/** dart_get that returns when the data are there. Reads memory each time, the caller's own
 *  included; so it can poll. */
dart_ret_t dart_get_blocking(void *dest, dart_gptr_t gptr, size_t nelem, dart_datatype_t src_type,
                             dart_datatype_t dst_type) DART_NOTHROW;

/** dart_put that returns when it is complete, locally and remotely: a get that comes later, from
 *  this unit or, after synchronisation, from another, sees the data. Completes no other
 *  operation. */
dart_ret_t dart_put_blocking(dart_gptr_t gptr, const void *src, size_t nelem,
                             dart_datatype_t src_type, dart_datatype_t dst_type) DART_NOTHROW;

/* ---- Messages -------------------------------------------------------------------------------
 *
 * Between two units, by global id, the caller included. A message is received by the first receive
 * that names its sender and its tag; those of one sender with one tag arrive in the order sent.
 * Tags are 0 .. 32767 at least, and up to INT_MAX with dart-shmem, to the MPI_TAG_UB of its MPI with dart-mpi, wherever
 * the units run. Types are basic or custom. nelem 0 is a message too.
 *
 * DART_ERR_INVAL, from all: no such unit, a negative tag, or one that is larger than these;
 * another type, a NULL buffer that is needed. DART_ERR_NOMEM, from all: no memory for a message; nothing
 * was sent or received. DART_ERR_OTHER, where one is received: it is longer than the buffer has room
 * for; it is lost, and nothing beyond the buffer is written. */

/** Send `nelem` elements to `unit`; return when `sendbuf` is the caller's again, which may be only
 *  when the receive has started. A message to oneself does not wait. */
dart_ret_t dart_send(const void *sendbuf, size_t nelem, dart_datatype_t dtype, int tag,
                     dart_global_unit_t unit) DART_NOTHROW;

/** Receive a message of at most `nelem` elements from `unit`; return when it is in `recvbuf`. What
 *  a shorter message leaves over is not touched. */
dart_ret_t dart_recv(void *recvbuf, size_t nelem, dart_datatype_t dtype, int tag,
                     dart_global_unit_t unit) DART_NOTHROW;

/** dart_send to `dest` and dart_recv from `src` at the same time: rings and pairs of these do not
 *  deadlock, nor does `dest` = `src` = the caller. The buffers do not overlap. */
dart_ret_t dart_sendrecv(const void *sendbuf, size_t send_nelem, dart_datatype_t send_dtype,
                         int send_tag, dart_global_unit_t dest, void *recvbuf, size_t recv_nelem,
                         dart_datatype_t recv_dtype, int recv_tag,
                         dart_global_unit_t src) DART_NOTHROW;

DART_INTERFACE_OFF
#ifdef __cplusplus
}
#endif

#endif /* DASH__DART__IF__DART_COMMUNICATION_H__INCLUDED */
