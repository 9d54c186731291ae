#ifndef DART__RMA_PUT_GET_H
#define DART__RMA_PUT_GET_H
/* Puts and gets of far memory take one of three paths:
 *
 *   aggregated   without a handle, few bytes: collected as requests, of which many are one message
 *   request      blocking, few bytes, and the target is slow to respond (progress/latency.h): a request that
 *                is sent at once, for a unit that waits for its reply makes progress, where MPI's flush spins
 *   MPI's        all other transfers: MPI_Put and MPI_Get on the window (rma/transfer.h)
 *
 * Notified puts have paths of their own (rma/notify.c). */
#include "rma/transfer.h"

#endif
