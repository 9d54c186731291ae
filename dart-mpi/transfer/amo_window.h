#ifndef DART__MPI_TRANSFER_AMO_WINDOW_H
#define DART__MPI_TRANSFER_AMO_WINDOW_H
/* Shared by atomics by MPI: MPI's datatypes, and counting what was started. */
#include "model/address.h"
#include "mpi/call.h"

MPI_Datatype dart__amo_type(dart_datatype_t type);

/** Count an accumulate that was started; dart__amo_complete also completes it locally. */
void dart__amo_started(const dart__address_t *at);
void dart__amo_complete(const dart__address_t *at);

#endif
