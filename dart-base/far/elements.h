#ifndef DART__FAR_ELEMENTS_H
#define DART__FAR_ELEMENTS_H
/* Puts and gets of any elements by the network: in one call, if it knows their types, else by a call for each run of
 * consecutive elements. */
#include <stdbool.h>
#include <stddef.h>

#include <dash/dart/if/dart_communication.h>

#include "data/type.h"
#include "model/address.h"

typedef struct {
  const dart__address_t *at;
  const dart__type_t    *at_type;
  void                  *buffer; /* not written by a put */
  const dart__type_t    *buffer_type;
  bool                   is_put;
} dart__rma_t;

/** Whether a transfer is contiguous on both sides. */
static inline bool dart__rma_is_plain(const dart__rma_t *t)
{
  return dart__type_is_contiguous(t->at_type) && dart__type_is_contiguous(t->buffer_type);
}

/** Whether so many elements are in a row: of a strided type, those of one block. */
static inline bool dart__is_run(const dart__type_t *type, size_t nelem)
{
  return dart__type_is_contiguous(type) ||
         (type->kind == DART__TYPE_STRIDED && nelem <= type->elem_count);
}

/** Bytes of a transfer that is contiguous on both sides and no larger than `most`; 0 for all others. */
static inline size_t dart__plain_bytes(const dart__rma_t *t, size_t nelem, size_t most)
{
  if (nelem > most || !dart__is_run(t->at_type, nelem) || !dart__is_run(t->buffer_type, nelem) ||
      nelem * t->at_type->elem_size > most)
    return 0;
  return nelem * t->at_type->elem_size;
}

/** Start a transfer, to be completed by a flush. Of a put of at most DART_COPIED_MOST bytes in a row the source is
 *  copied. As all of these it starts after the requests that dart_order says. */
void dart__rma_start(const dart__rma_t *t, size_t nelem);

/** The same with a handle. NULL: no memory for that, and nothing was started. */
dart_handle_t dart__rma_start_with_handle(const dart__rma_t *t, size_t nelem);

/** The same, complete on return. */
void dart__rma_blocking(const dart__rma_t *t, size_t nelem);

#endif
