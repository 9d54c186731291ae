#ifndef DART__FAR_ELEMENTS_H
#define DART__FAR_ELEMENTS_H
/* Puts and gets of any elements by the network: in one call, if it knows their types, else by a call for each run of
 * consecutive elements; and of any number of bytes in a row. They start after the requests that dart_order says. */
#include <stddef.h>
#include <stdint.h>

#include "model/rma.h"

/** Start a put or get, from or to `buffer`, which is rma->buffer or a copy of it. Returns its number towards the unit
 *  (far/completion.h). */
uint64_t dart__elements_start(const dart__rma_t *rma, void *buffer);

/** A call for each run of consecutive elements from number `from` on: `nbytes` from `target_off` on at the target. */
typedef void (*dart__elements_run_t)(const dart__rma_t *rma, size_t target_off, char *buffer,
                                     size_t nbytes);
void dart__elements_by_runs(const dart__rma_t *rma, char *buffer, size_t from,
                            dart__elements_run_t start);

#endif
