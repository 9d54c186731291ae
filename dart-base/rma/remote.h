#ifndef DART__RMA_REMOTE_H
#define DART__RMA_REMOTE_H
/* Operations on memory without a near address (dart__address_t.near is NULL): the second half of every
 * one-sided entry point.
 *
 * Allocated memory without a near address is far: the backend transfers it. Registered memory (user
 * memory, negative segment ids) has no near address on any unit. A unit accesses its own directly, that of
 * other units on its node through the kernel (wait/foreign.h), and that of other nodes by the backend.
 *
 * Atomics on registered memory: a CPU atomic cannot reach another process's memory that is not
 * mapped. So every update of registered memory holds a mutex of the target's node, in the exchange of the
 * team of all units, whatever its origin; requests of far units take it on the target's node. These updates
 * are slow, but atomic towards each other like all atomics of DART. */
#include <dash/dart/if/dart_communication.h>

#include "data/type.h"
#include "model/address.h"
#include "model/world.h"

/** Whether at->unit is on another node. `at->near` is NULL. */
bool dart__remote_is_far(const dart__address_t *at);

dart_ret_t dart__remote_put(const dart__address_t *at, const dart__type_t *at_type, const void *src,
                            const dart__type_t *src_type, size_t nelem, dart_handle_t *handle_out);
dart_ret_t dart__remote_get(const dart__address_t *at, const dart__type_t *at_type, void *dst,
                            const dart__type_t *dst_type, size_t nelem, dart_handle_t *handle_out);
dart_ret_t dart__remote_put_blocking(const dart__address_t *at, const dart__type_t *at_type,
                                     const void *src, const dart__type_t *src_type, size_t nelem);
dart_ret_t dart__remote_get_blocking(const dart__address_t *at, const dart__type_t *at_type,
                                     void *dst, const dart__type_t *dst_type, size_t nelem);

dart_ret_t dart__remote_accumulate(const dart__address_t *at, const void *values, size_t nelem,
                                   dart_datatype_t type, dart_operation_t op);
dart_ret_t dart__remote_fetch(const dart__address_t *at, const void *value, void *result,
                              dart_datatype_t type, dart_operation_t op);
/** dart__remote_fetch of elements in a row. `values` may be NULL for DART_OP_NO_OP. */
dart_ret_t dart__remote_fetch_elements(const dart__address_t *at, const void *values, void *results,
                                       size_t nelem, dart_datatype_t type, dart_operation_t op);
dart_ret_t dart__remote_swap(const dart__address_t *at, const void *value, const void *compare,
                             void *result, dart_datatype_t type);

#endif
