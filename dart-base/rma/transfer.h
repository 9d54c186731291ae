#ifndef DART__RMA_TRANSFER_H
#define DART__RMA_TRANSFER_H
/* The checks of a put or get before it transfers anything, and the copy of a near one. */
#include "data/type.h"
#include "far/progress.h"
#include "model/address.h"
#include "model/argument_check.h"
#include "model/rma.h"
#include "model/world.h"
#include "wait/near.h"

/* For the general path of an entry point: if it were inlined, the direct map, too, would have to save
 * registers on the stack. */
#define DART__OUT_OF_LINE static __attribute__((noinline)) dart_ret_t

/** The general case of types, and all errors but those of the pointer, with one log line. `*span_out`: bytes from the
 *  first to the last at the pointer. */
dart_ret_t dart__transfer_check(const char *function, const void *buffer, size_t nelem,
                                dart_datatype_t global_type, dart_datatype_t local_type,
                                dart__rma_t *rma_out, size_t *span_out);

/** Whether these are elements of a basic type, and how many bytes. */
static inline bool dart__transfer_is_plain(const void *buffer, size_t nelem,
                                           dart_datatype_t src_type, dart_datatype_t dst_type,
                                           size_t *nbytes_out)
{
  size_t size = dart__type_basic_size(src_type);

  return src_type == dst_type && size > 0 && buffer != NULL &&
         !__builtin_mul_overflow(nelem, size, nbytes_out);
}

/** Check the arguments of a transfer, resolve the pointer, and describe the operation but for its kind: DART_OK, or
 *  DART_ERR_INVAL after a log line. `global_type` is the layout behind the pointer, `local_type` that of the buffer.
 *  Equal basic types, the common case, are checked inline. */
static inline dart_ret_t dart__transfer(const char *function, dart_gptr_t gptr, const void *buffer,
                                        size_t nelem, dart_datatype_t global_type,
                                        dart_datatype_t local_type, dart__rma_t *rma_out)
{
  size_t     span;
  dart_ret_t ret;

  rma_out->buffer = (void *)(uintptr_t)buffer;
  rma_out->nelem  = nelem;
  if (dart__transfer_is_plain(buffer, nelem, global_type, local_type, &span)) {
    rma_out->type       = &dart__type_basic[global_type];
    rma_out->local_type = NULL;
    rma_out->nbytes     = span;
  } else {
    ret = dart__transfer_check(function, buffer, nelem, global_type, local_type, rma_out, &span);
    if (ret != DART_OK)
      return ret;
  }
  return dart__locate(function, gptr, span, &rma_out->at);
}

/** A put or get of near memory. */
static inline void dart__transfer_near(const dart__rma_t *rma, bool is_put)
{
  if (rma->local_type == NULL && is_put)
    dart__near_put_bytes(rma->at.near, rma->buffer, rma->nbytes);
  else if (rma->local_type == NULL)
    dart__near_get_bytes(rma->buffer, rma->at.near, rma->nbytes);
  else if (is_put)
    dart__near_put(rma->at.near, rma->type, rma->buffer, rma->local_type, rma->nelem);
  else
    dart__near_get(rma->buffer, rma->local_type, rma->at.near, rma->type, rma->nelem);
}

#endif
