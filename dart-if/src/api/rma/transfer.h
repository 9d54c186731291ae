#ifndef DART__API_TRANSFER_H
#define DART__API_TRANSFER_H
/* What a put or get checks before it moves anything. */
#include "api/progress/progress.h"
#include "data/type.h"
#include "model/address.h"
#include "model/check.h"
#include "model/world.h"
#include "port.h"

/* For the part of an entry point that is not the direct map: inlined into it, it would make that keep
 * registers on the stack. */
#define DART__OUT_OF_LINE static __attribute__((noinline)) dart_ret_t

typedef struct {
  dart__address_t     at;
  const dart__type_t *global_type; /* layout behind the global pointer */
  const dart__type_t *local_type;  /* layout of the buffer */
} dart__transfer_t;

/** The general case and every error; one log line. */
dart_ret_t dart__transfer_check(const char *function, dart_gptr_t gptr, const void *buffer,
                                size_t nelem, dart_datatype_t global_type,
                                dart_datatype_t local_type, dart__transfer_t *transfer_out);

/** Check the arguments of a transfer and resolve the pointer: DART_OK, or DART_ERR_INVAL after a
 *  log line. Equal basic types, the common case, take the direct map. */
static inline dart_ret_t dart__transfer(const char *function, dart_gptr_t gptr, const void *buffer,
                                        size_t nelem, dart_datatype_t global_type,
                                        dart_datatype_t local_type, dart__transfer_t *transfer_out)
{
  const dart__type_t *type;
  size_t              nbytes;

  if (__builtin_expect(global_type != local_type ||
                           (uintptr_t)global_type - 1 >= DART_TYPE_LAST - 1 || buffer == NULL,
                       0))
    return dart__transfer_check(function, gptr, buffer, nelem, global_type, local_type,
                                transfer_out);
  type = &dart__type_basic[global_type];
  if (__builtin_expect(__builtin_mul_overflow(nelem, type->elem_size, &nbytes), 0))
    return dart__transfer_check(function, gptr, buffer, nelem, global_type, local_type,
                                transfer_out);
  transfer_out->global_type = type;
  transfer_out->local_type  = type;
  return dart__locate(function, gptr, nbytes, &transfer_out->at);
}

#endif
