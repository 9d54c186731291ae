#ifndef DART__RMA_TRANSFER_H
#define DART__RMA_TRANSFER_H
/* The checks of a put or get before it transfers anything. */
#include "data/type.h"
#include "far/progress.h"
#include "model/address.h"
#include "model/argument_check.h"
#include "model/world.h"

/* For the general path of an entry point: if it were inlined, the direct map, too, would have to save
 * registers on the stack. */
#define DART__OUT_OF_LINE static __attribute__((noinline)) dart_ret_t

typedef struct {
  dart__address_t     at;
  const dart__type_t *global_type; /* layout behind the global pointer */
  const dart__type_t *local_type;  /* layout of the buffer */
} dart__transfer_t;

/** The general case and all errors; one log line. */
dart_ret_t dart__transfer_check(const char *function, dart_gptr_t gptr, const void *buffer,
                                size_t nelem, dart_datatype_t global_type,
                                dart_datatype_t local_type, dart__transfer_t *transfer_out);

/** Check the arguments of a transfer and resolve the pointer: DART_OK, or DART_ERR_INVAL after a
 *  log line. Equal basic types, the common case, are checked inline. */
static inline dart_ret_t dart__transfer(const char *function, dart_gptr_t gptr, const void *buffer,
                                        size_t nelem, dart_datatype_t global_type,
                                        dart_datatype_t local_type, dart__transfer_t *transfer_out)
{
  const dart__type_t *type;
  size_t              size = dart__type_basic_size(global_type), nbytes;

  if (__builtin_expect(global_type != local_type || size == 0 || buffer == NULL, 0))
    return dart__transfer_check(function, gptr, buffer, nelem, global_type, local_type,
                                transfer_out);
  type = &dart__type_basic[global_type];
  if (__builtin_expect(__builtin_mul_overflow(nelem, size, &nbytes), 0))
    return dart__transfer_check(function, gptr, buffer, nelem, global_type, local_type,
                                transfer_out);
  transfer_out->global_type = type;
  transfer_out->local_type  = type;
  return dart__locate(function, gptr, nbytes, &transfer_out->at);
}

/** Whether these are elements of a basic type, and how many bytes. */
static inline bool dart__transfer_is_plain(const void *buffer, size_t nelem,
                                           dart_datatype_t src_type, dart_datatype_t dst_type,
                                           size_t *nbytes_out)
{
  size_t size = dart__type_basic_size(src_type);

  return src_type == dst_type && size > 0 && buffer != NULL &&
         !__builtin_mul_overflow(nelem, size, nbytes_out);
}

/** dart__transfer_is_far on several nodes. */
bool dart__transfer_find_far(dart_gptr_t gptr, size_t nbytes, dart__address_t *at_out);

/** Whether so many bytes are all far, in a segment without epochs, and where. False for none, and for all errors. The
 *  pointer is passed by its address, as to dart__gptr_ids_at, for near transfers come this way, too. */
static inline bool dart__transfer_is_far(const dart_gptr_t *gptr, size_t nbytes,
                                         dart__address_t *at_out)
{
  return dart__world.many_nodes && dart__transfer_find_far(*gptr, nbytes, at_out);
}

#endif
