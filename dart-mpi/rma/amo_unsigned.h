#ifndef DART__RMA_AMO_UNSIGNED_H
#define DART__RMA_AMO_UNSIGNED_H
/* The lesser and the greater of unsigned numbers, by MPI.
 *
 * MPICH 4.0 compares them as signed, so here it is done by compare-and-swap, which is atomic towards all
 * else of MPI's as accumulates are. */
#include <stdbool.h>

#include "model/address.h"

/** Whether an operator on a type has to be done this way. */
bool dart__amo_is_by_swap(dart_datatype_t type, dart_operation_t op);

/** Combine; complete on return. Of one element, `old` gets what was there before, unless it is NULL. */
void dart__amo_by_swap(const dart__address_t *at, const void *values, void *old, size_t nelem,
                       dart_datatype_t type, dart_operation_t op);

#endif
