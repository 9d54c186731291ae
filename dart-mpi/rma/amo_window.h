#ifndef DART__RMA_AMO_WINDOW_H
#define DART__RMA_AMO_WINDOW_H
/* What atomics by MPI have in common: its names of types, and noting what was started. */
#include "model/address.h"
#include "mpi/call.h"

MPI_Datatype dart__amo_type(dart_datatype_t type);

/** Note that an accumulate was started; and complete it here, too. */
void dart__amo_started(const dart__address_t *at);
void dart__amo_complete(const dart__address_t *at);

#endif
