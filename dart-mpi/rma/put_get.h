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

/** Bytes of a plain transfer that is no larger than `most`; 0 for all others. */
static inline size_t dart__plain_bytes(const dart__rma_t *t, size_t nelem, size_t most)
{
  if (nelem > most || !dart__rma_is_plain(t) || nelem * t->at_type->elem_size > most)
    return 0;
  return nelem * t->at_type->elem_size;
}

#endif
