#ifndef DART__FAR_ELEMENTS_H
#define DART__FAR_ELEMENTS_H
/* Puts and gets of any elements by the network: in one call, if it knows their types, else by a call for each run of
 * consecutive elements; and of any number of bytes in a row. They start after the requests that dart_order says. */
#include <stddef.h>
#include <stdint.h>

#include "base/size.h"
#include "model/rma.h"

/** Start a put or get, from or to `buffer`, which is rma->buffer or a copy of it. Returns its number towards the unit
 *  (far/completion.h). */
uint64_t dart__elements_start(const dart__rma_t *rma, void *buffer);

/** A call for each run of consecutive elements from number `from` on: `nbytes` from `target_off` on at the target. */
typedef void (*dart__elements_run_t)(const dart__rma_t *rma, size_t target_off, char *buffer,
                                     size_t nbytes);
static inline __attribute__((always_inline)) void dart__elements_by_runs(const dart__rma_t *rma,
                                                                         char *buffer, size_t from,
                                                                         dart__elements_run_t start)
{
  size_t size = rma->type->elem_size;

  for (size_t elem = from, count; elem < rma->nelem; elem += count) {
    size_t target_at, origin_at;
    size_t target_run = dart__type_run(rma->type, elem, &target_at);
    size_t origin_run = dart__type_run(rma->local_type, elem, &origin_at);

    count = dart__least(dart__least(target_run, origin_run), rma->nelem - elem);
    start(rma, target_at * size, buffer + origin_at * size, count * size);
  }
}

#endif
