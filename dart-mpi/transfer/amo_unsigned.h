#ifndef DART__MPI_TRANSFER_AMO_UNSIGNED_H
#define DART__MPI_TRANSFER_AMO_UNSIGNED_H
/* Minimum and maximum of unsigned numbers, by MPI.
 *
 * MPICH 4.0 compares unsigned numbers as signed, so here compare-and-swap does it, which is atomic towards
 * all accumulates of MPI. */
#include <stdbool.h>

#include "model/address.h"

/** Whether an operator on a type has to be done by compare-and-swap. */
bool dart__amo_is_by_swap(dart_datatype_t type, dart_operation_t op);

/** Combine; complete on return. For one element, `old` gets the value before, unless it is NULL. */
void dart__amo_by_swap(const dart__address_t *at, const void *values, void *old, size_t nelem,
                       dart_datatype_t type, dart_operation_t op);

#endif
