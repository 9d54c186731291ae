/* Puts, gets and atomics by the inline forms (dart_inline.h). Few elements are copied without a call only where their
 * number and type are constants; so some are, here. */
#include <dash/dart/ext/dart_inline.h>

#include "run_common.h"

#define ALWAYS_INLINE static inline __attribute__((always_inline))

ALWAYS_INLINE dart_ret_t transfer(kind_t kind, dart_gptr_t gptr, void *local, size_t n,
                                  dart_datatype_t here, dart_datatype_t there,
                                  dart_handle_t *handle)
{
  switch (kind) {
  case PUT: return dart_inline_put(gptr, local, n, here, there);
  case GET: return dart_inline_get(local, gptr, n, there, here);
  case PUT_HANDLE: return dart_inline_put_handle(gptr, local, n, here, there, handle);
  case GET_HANDLE: return dart_inline_get_handle(local, gptr, n, there, here, handle);
  case PUT_BLOCKING: return dart_inline_put_blocking(gptr, local, n, here, there);
  default: return dart_inline_get_blocking(local, gptr, n, there, here);
  }
}

/* 16 to 64 bytes; generate_transfer.c draws these numbers often. */
#define FEW(X)              \
  X(DART_TYPE_BYTE, 16)     \
  X(DART_TYPE_BYTE, 31)     \
  X(DART_TYPE_BYTE, 64)     \
  X(DART_TYPE_SHORT, 9)     \
  X(DART_TYPE_SHORT, 16)    \
  X(DART_TYPE_SHORT, 31)    \
  X(DART_TYPE_INT, 4)       \
  X(DART_TYPE_INT, 9)       \
  X(DART_TYPE_INT, 16)      \
  X(DART_TYPE_UINT, 4)      \
  X(DART_TYPE_FLOAT, 4)     \
  X(DART_TYPE_FLOAT, 9)     \
  X(DART_TYPE_LONG, 2)      \
  X(DART_TYPE_LONG, 4)      \
  X(DART_TYPE_ULONGLONG, 2) \
  X(DART_TYPE_DOUBLE, 2)    \
  X(DART_TYPE_DOUBLE, 4)    \
  X(DART_TYPE_LONG, 1)      \
  X(DART_TYPE_INT, 1)

dart_ret_t run_inline_transfer(const op_t *op, dart_gptr_t gptr, void *local, dart_datatype_t here,
                               dart_datatype_t there, dart_handle_t *handle)
{
#define ONE_OF_FEW(type, count)                              \
  if (here == (type) && there == (type) && op->n == (count)) \
    return transfer(op->kind, gptr, local, count, type, type, handle);
  FEW(ONE_OF_FEW)
#undef ONE_OF_FEW
  return transfer(op->kind, gptr, local, op->n, here, there, handle);
}

dart_ret_t run_inline_fetch(const op_t *op, dart_gptr_t gptr, const void *value, void *result)
{
#define CONSTANT(name)                                          \
  if (op->type == DART_TYPE_LONG && op->oper == DART_OP_##name) \
    return dart_inline_fetch_and_op(gptr, value, result, DART_TYPE_LONG, DART_OP_##name);
  CONSTANT(SUM)
  CONSTANT(BXOR)
  CONSTANT(NO_OP)
#undef CONSTANT
  return dart_inline_fetch_and_op(gptr, value, result, op->type, (dart_operation_t)op->oper);
}

dart_ret_t run_inline_swap(const op_t *op, dart_gptr_t gptr, const void *value, const void *compare,
                           void *result)
{
  return dart_inline_compare_and_swap(gptr, value, compare, result, op->type);
}
