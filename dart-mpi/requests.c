/* Operations on far memory as records of the service (service.h). Operands are copied before return;
 * results are there when the answer was taken, which a flush waits for. */
#include "service.h"

/* Append to the lane of the owner. */
static dart_ret_t append(const dart__place_t *at, uint64_t offset, const dart__record_t *r)
{
  return dart__lanes_append(at->team->members[at->unit], at, offset, r);
}

dart_ret_t dart__service_put(const dart__place_t *at, const void *src, size_t nbytes)
{
  dart__record_t r = { .word        = dart__request(DART__PUT, 0, 0, nbytes, at->offset),
                       .first       = src,
                       .first_bytes = nbytes };

  return append(at, at->offset, &r);
}

dart_ret_t dart__service_get(const dart__place_t *at, void *dst, size_t nbytes)
{
  dart__record_t r = { .word         = dart__request(DART__GET, 0, 0, nbytes, at->offset),
                       .result       = dst,
                       .result_bytes = nbytes };

  return append(at, at->offset, &r);
}

/* `nelem` elements that fit a record. */
static dart_ret_t accumulate_some(const dart__place_t *at, uint64_t offset, const void *values,
                                  size_t nelem, dart_datatype_t type, dart_operation_t op)
{
  dart__record_t r = { .first = values, .first_bytes = nelem * dart__type_basic_size(type) };

  r.word = dart__request(DART__ACCUMULATE, (unsigned)type, op, nelem, offset);
  return append(at, offset, &r);
}

dart_ret_t dart__service_accumulate(const dart__place_t *at, const void *values, size_t nelem,
                                    dart_datatype_t type, dart_operation_t op)
{
  size_t     size = dart__type_basic_size(type), piece;
  dart_ret_t ret  = DART_OK;

  if (nelem == 1)
    return accumulate_some(at, at->offset, values, nelem, type, op);
  piece = DART__SERVICE_MOST / size;
  for (size_t from = 0; from < nelem && ret == DART_OK; from += piece)
    ret = accumulate_some(at, at->offset + from * size, (const char *)values + from * size,
                          nelem - from < piece ? nelem - from : piece, type, op);
  return ret;
}

dart_ret_t dart__service_fetch(const dart__place_t *at, const void *value, void *result,
                               dart_datatype_t type, dart_operation_t op)
{
  size_t         size = dart__type_basic_size(type);
  dart__record_t r    = { .first        = value,
                          .first_bytes  = op == DART_OP_NO_OP ? 0 : size,
                          .result       = result,
                          .result_bytes = size };

  r.word = dart__request(DART__FETCH, (unsigned)type, op, 1, at->offset);
  return append(at, at->offset, &r);
}

dart_ret_t dart__service_swap(const dart__place_t *at, const void *value, const void *compare,
                              void *result, dart_datatype_t type)
{
  size_t         size = dart__type_basic_size(type);
  dart__record_t r    = { .first        = value,
                          .first_bytes  = size,
                          .second       = compare,
                          .second_bytes = size,
                          .result       = result,
                          .result_bytes = size };

  r.word = dart__request(DART__SWAP, (unsigned)type, 0, 1, at->offset);
  return append(at, at->offset, &r);
}

dart_ret_t dart__service_notify(const dart__place_t *at, const void *src, size_t nbytes,
                                const dart__place_t *flag, uint64_t by)
{
  dart__record_t raise = { .word        = dart__request(DART__RAISE, 0, 0, 1, flag->offset),
                           .first       = &by,
                           .first_bytes = sizeof by };
  dart__record_t put   = { .first = src, .first_bytes = nbytes };

  if (nbytes > 0)
    put.word = dart__request(DART__PUT, 0, 0, nbytes, at->offset);
  return dart__lanes_notify(at, nbytes > 0 ? &put : NULL, flag, &raise);
}

dart_ret_t dart__service_ask(dart_unit_t unit)
{
  dart__record_t r = { .word = dart__request(DART__NOTHING, 0, 0, 0, 0) };

  return dart__lanes_append(unit, NULL, 0, &r);
}

void dart__service_greet(dart_unit_t unit)
{
  dart__service_ask(unit); /* failed: the unit is asked when it turns out to be slow */
  dart__lanes_send(true);
}
