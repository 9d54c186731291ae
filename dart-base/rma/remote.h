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

#include "model/rma.h"

/** Whether at->unit is on another node. `at->near` is NULL. */
bool dart__remote_is_far(const dart__address_t *at);

/** Start an operation: complete on return unless it is far, then as dart__far_start. */
dart_ret_t dart__remote_start(const dart__rma_t *rma, dart_handle_t *handle_out);

/** A put or get that is complete on return. */
dart_ret_t dart__remote_blocking(const dart__rma_t *rma);

#endif
