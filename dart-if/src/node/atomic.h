#ifndef DART__NODE_ATOMIC_H
#define DART__NODE_ATOMIC_H
/* Atomic updates of elements in memory that this process can load and store.
 *
 * One CPU instruction where there is one, a compare-and-swap loop otherwise; 16-byte elements by a
 * 16-byte compare-and-swap. So every update is atomic towards every other update of the element,
 * from any process that maps it. Each is acq_rel: it releases what its caller did before and
 * acquires what the update it observes released.
 * Preconditions: `target` is aligned to its element; dart__op_is_atomic(op, type). The other
 * buffers may lie at any address and do not overlap the target. */
#include <stddef.h>

#include <dash/dart/if/dart_types.h>

/** target[i] = target[i] op values[i], for i < nelem, atomically element by element. */
void dart__atomic_accumulate(void *target, const void *values, size_t nelem, dart_datatype_t type,
                             dart_operation_t op);

/** *result = *target; *target = *target op *value, in one atomic step. `value` may be NULL for
 *  DART_OP_NO_OP. */
void dart__atomic_fetch(void *target, const void *value, void *result, dart_datatype_t type,
                        dart_operation_t op);

/** *result = *target; if (*target == *compare) *target = *value, bitwise, in one atomic step.
 *  `type` is an integer type. */
void dart__atomic_swap(void *target, const void *value, const void *compare, void *result,
                       dart_datatype_t type);

#endif
