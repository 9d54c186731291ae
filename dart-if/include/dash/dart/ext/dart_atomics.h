#ifndef DASH__DART__EXT__DART_ATOMICS_H__INCLUDED
#define DASH__DART__EXT__DART_ATOMICS_H__INCLUDED
/** @file dart_atomics.h
 *  Atomics on many elements: with data types on either side, with results, and with handles.
 *
 *  dart_accumulate updates elements in a row, dart_fetch_and_op one element. Here the target and the buffers each have a
 *  data type, as in dart_put: a unit may add to a column of a matrix, or to rows that an indexed type lists. (MPI has
 *  these as MPI_Accumulate, MPI_Get_accumulate, MPI_Raccumulate and MPI_Rget_accumulate.)
 *
 *  Element k of the values is combined with element k of the target, and what was there before becomes element k of the
 *  results. Each element is updated atomically towards every other DART atomic on it, as the atomics of
 *  dart_communication.h are; the elements together are not. A unit's atomics on one element take effect in the order of
 *  its calls, these included. If a type names an element of the target twice, the element is updated twice, in the
 *  order of k.
 *
 *  Types are basic, or strided or indexed types of a basic type. All types of a call have the same basic type, for which
 *  the operator is an atomic one (dart_operation_t). `nelem` counts basic elements, and is a multiple of
 *  the elements per instance of every strided or indexed type. Types may be destroyed as soon as the call returns. The
 *  first element of the target is aligned to the size of an element. Buffers need no alignment; they overlap neither
 *  each other nor the target.
 *
 *  All are local; any thread; on memory of any unit of the segment's team, in segments of all kinds. Inside an epoch
 *  they wait until their target can be accessed, as dart_fetch_and_op does. In memory that another unit of the node has
 *  registered, each run of consecutive elements is an update of its own, and takes the time of one.
 *
 *  DART_ERR_INVAL, from all: null pointer, no such team, segment or unit; a misaligned target; elements outside of the
 *  unit's portion; an unknown type, types that do not fit each other, no such atomic operator; a NULL buffer that is
 *  needed. Nothing changed. On memory that another unit of the node has registered also DART_ERR_NOMEM, and
 *  DART_ERR_OTHER if it is not there any more; elements before the one that failed may have changed.
 *  nelem 0: DART_OK, nothing happens. */

#include <dash/dart/if/dart_communication.h>
#include <dash/dart/if/dart_globmem.h>
#include <dash/dart/if/dart_types.h>
#include <dash/dart/if/dart_util.h>

#ifdef __cplusplus
extern "C" {
#endif
DART_INTERFACE_ON

/** Let target[k] = target[k] op values[k], for k < nelem: `values` laid out as `src_type`, the target as `dst_type`.
 *
 *  Returns at once: `values` is the caller's again after a flush of the target, local or not; the update is complete at
 *  the target after dart_flush. With DART_OP_NO_OP nothing happens, and `values` may be NULL. */
dart_ret_t dart_accumulate_typed(dart_gptr_t gptr, const void *values, size_t nelem,
                                 dart_datatype_t src_type, dart_datatype_t dst_type,
                                 dart_operation_t op) DART_NOTHROW;

/** dart_accumulate_typed with a handle, for dart_wait, dart_test and their like: both complete the update locally and at
 *  the target. `*handle` is always written: DART_HANDLE_NULL if the update is complete on return, or on error.
 *  DART_ERR_INVAL: also for `handle` NULL. DART_ERR_NOMEM: also if there is no memory for a handle; nothing changed.
 *  That far memory was deregistered meanwhile is what the next flush of the target reports. */
dart_ret_t dart_accumulate_handle(dart_gptr_t gptr, const void *values, size_t nelem,
                                  dart_datatype_t src_type, dart_datatype_t dst_type,
                                  dart_operation_t op, dart_handle_t *handle) DART_NOTHROW;

/** dart_accumulate_typed that stores in results[k] what target[k] was before: `results` laid out as `result_type`.
 *
 *  With DART_OP_NO_OP an atomic read of each element; `values` may be NULL then, and `src_type` is not looked at.
 *  Returns at once: both buffers are the caller's again, with the results, after a flush of the target. */
dart_ret_t dart_fetch_and_op_typed(dart_gptr_t gptr, const void *values, void *results,
                                   size_t nelem, dart_datatype_t src_type,
                                   dart_datatype_t result_type, dart_datatype_t dst_type,
                                   dart_operation_t op) DART_NOTHROW;

/** dart_fetch_and_op_typed with a handle: as dart_accumulate_handle. The results are there when it is complete. */
dart_ret_t dart_fetch_and_op_handle(dart_gptr_t gptr, const void *values, void *results,
                                    size_t nelem, dart_datatype_t src_type,
                                    dart_datatype_t result_type, dart_datatype_t dst_type,
                                    dart_operation_t op, dart_handle_t *handle) DART_NOTHROW;

DART_INTERFACE_OFF
#ifdef __cplusplus
}
#endif

#endif /* DASH__DART__EXT__DART_ATOMICS_H__INCLUDED */
