#ifndef DART__FAR_ELEMENTS_H
#define DART__FAR_ELEMENTS_H
/* Puts and gets of any elements by the network: in one call, if it knows their types, else by a call for each run of
 * consecutive elements; and of any number of bytes in a row. They start after the requests that dart_order says. */
#include <stdint.h>

#include "model/rma.h"

/** Start a put or get, from or to `buffer`, which is rma->buffer or a copy of it. Returns its number towards the unit
 *  (far/completion.h). */
uint64_t dart__elements_start(const dart__rma_t *rma, void *buffer);

/** The same by requests, run by run, of a chunk of which the network has no puts and gets, from or to rma->buffer. Returns the
 *  number of the batch that completes it. */
uint64_t dart__elements_request(const dart__rma_t *rma);

/** Either, complete on return. */
void dart__elements_blocking(const dart__rma_t *rma);

#endif
