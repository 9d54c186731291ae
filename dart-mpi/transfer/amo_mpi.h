#ifndef DART__MPI_TRANSFER_AMO_MPI_H
#define DART__MPI_TRANSFER_AMO_MPI_H
/* Atomics by MPI's accumulates, on memory in a window. Elements are checked by the caller. */
#include "model/address.h"
#include "mpi/call.h"

/** Locally complete on return. Complete at the target after a flush. */
void dart__mpi_accumulate(const dart__address_t *at, const void *values, size_t nelem,
                          dart_datatype_t type, dart_operation_t op);

/** Operands are copied; results are there after a flush. */
void dart__mpi_fetch(const dart__address_t *at, const void *value, void *result,
                     dart_datatype_t type, dart_operation_t op);
void dart__mpi_swap(const dart__address_t *at, const void *value, const void *compare, void *result,
                    dart_datatype_t type);

#endif
