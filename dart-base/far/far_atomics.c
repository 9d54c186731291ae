/* Atomics on far memory: a request to the target, which applies it by a CPU atomic, as near units apply theirs. So every
 * atomic on a word ends as the same kind of access, and atomics of near and far units are atomic towards each other. */
#include "far/engine.h"
#include "far/far_ops.h"
#include "far/word_order.h"

/* The target of a request that updates `nbytes` at this address, in order with puts before it. */
static dart__am_address_t target_of(const dart__address_t *at, size_t nbytes)
{
  dart__word_order_request(at, dart__word_order_at(at, nbytes));
  return dart__am_address(at);
}

void dart__far_accumulate(const dart__address_t *at, const void *values, size_t nelem,
                          dart_datatype_t type, dart_operation_t op)
{
  dart__am_address_t target = target_of(at, nelem * dart__type_basic_size(type));

  dart__am_accumulate(dart__engine.am, &target, values, nelem, type, op);
}

void dart__far_updates(const dart__address_t *at, const uint64_t *values, const uint32_t *places,
                       size_t nelem, dart_datatype_t type, dart_operation_t op)
{
  dart__am_address_t target = dart__am_address(at);

  target.offset = 0;
  dart__word_order_request(at, dart__word_order_of_all(at));
  dart__am_updates(dart__engine.am, &target, values, places, nelem, type, op);
}

void dart__far_fetch(const dart__address_t *at, const void *value, void *result,
                     dart_datatype_t type, dart_operation_t op)
{
  dart__am_address_t target = target_of(at, dart__type_basic_size(type));

  dart__am_fetch(dart__engine.am, &target, value, result, type, op);
}

void dart__far_fetch_elements(const dart__address_t *at, const void *values, void *results,
                              size_t nelem, dart_datatype_t type, dart_operation_t op)
{
  dart__am_address_t target = target_of(at, nelem * dart__type_basic_size(type));

  dart__am_fetch_elements(dart__engine.am, &target, values, results, nelem, type, op);
}

void dart__far_swap(const dart__address_t *at, const void *value, const void *compare, void *result,
                    dart_datatype_t type)
{
  dart__am_address_t target = target_of(at, dart__type_basic_size(type));

  dart__am_swap(dart__engine.am, &target, value, compare, result, type);
}
