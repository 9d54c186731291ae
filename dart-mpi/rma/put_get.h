#ifndef DART__RMA_PUT_GET_H
#define DART__RMA_PUT_GET_H
/* Puts and gets of far memory take one of three ways:
 *
 *   aggregated   without a handle, few bytes: collected with others as requests, many are one message
 *   request      blocking, few bytes, and the target is slow to answer (progress/latency.h): a request that
 *                leaves at once, for a unit that waits for a reply serves others, where MPI's flush spins
 *   MPI's        all else: MPI_Put and MPI_Get on the window (rma/transfer.h)
 *
 * Notified puts always go by messages of DART's own (rma/notify.c). */
#include "rma/transfer.h"

/** Bytes of a plain transfer that is no larger than `most`; 0 for all others. */
static inline size_t dart__plain_bytes(const dart__rma_t *t, size_t nelem, size_t most)
{
  if (nelem > most || !dart__rma_is_plain(t) || nelem * t->at_type->elem_size > most)
    return 0;
  return nelem * t->at_type->elem_size;
}

#endif
