/* Operations on far memory as records of the service (service.h). Operands are copied before return;
 * results are there when the answer was taken, which a flush waits for. */
#include "service.h"

/* Append to the lane of the owner. */
static void append(const dart__place_t *at, uint64_t offset, const dart__record_t *r)
{
  dart__lanes_append(at->team->members[at->unit], at, offset, r);
}

void dart__service_put(const dart__place_t *at, const void *src, size_t nbytes)
{
  dart__record_t r = { .word        = dart__request(DART__PUT, 0, 0, nbytes, at->offset),
                       .first       = src,
                       .first_bytes = nbytes };

  append(at, at->offset, &r);
}

void dart__service_get(const dart__place_t *at, void *dst, size_t nbytes)
{
  dart__record_t r = { .word         = dart__request(DART__GET, 0, 0, nbytes, at->offset),
                       .result       = dst,
                       .result_bytes = nbytes };

  append(at, at->offset, &r);
}

/* `nelem` elements that fit a record. */
static void accumulate_some(const dart__place_t *at, uint64_t offset, const void *values,
                            size_t nelem, dart_datatype_t type, dart_operation_t op)
{
  dart__record_t r = { .first = values, .first_bytes = nelem * dart__type_basic_size(type) };

  r.word = dart__request(DART__ACCUMULATE, (unsigned)type, op, nelem, offset);
  append(at, offset, &r);
}

void dart__service_accumulate(const dart__place_t *at, const void *values, size_t nelem,
                              dart_datatype_t type, dart_operation_t op)
{
  size_t size = dart__type_basic_size(type), piece;

  if (nelem == 1) {
    accumulate_some(at, at->offset, values, nelem, type, op);
    return;
  }
  piece = DART__SERVICE_MOST / size;
  for (size_t from = 0; from < nelem; from += piece)
    accumulate_some(at, at->offset + from * size, (const char *)values + from * size,
                    nelem - from < piece ? nelem - from : piece, type, op);
}

void dart__service_fetch(const dart__place_t *at, const void *value, void *result,
                         dart_datatype_t type, dart_operation_t op)
{
  size_t         size = dart__type_basic_size(type);
  dart__record_t r    = { .first        = value,
                          .first_bytes  = op == DART_OP_NO_OP ? 0 : size,
                          .result       = result,
                          .result_bytes = size };

  r.word = dart__request(DART__FETCH, (unsigned)type, op, 1, at->offset);
  append(at, at->offset, &r);
}

void dart__service_swap(const dart__place_t *at, const void *value, const void *compare,
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
  append(at, at->offset, &r);
}

void dart__service_notify(const dart__place_t *at, const void *src, size_t nbytes,
                          const dart__place_t *flag, uint64_t by)
{
  dart__record_t raise = { .word        = dart__request(DART__RAISE, 0, 0, 1, flag->offset),
                           .first       = &by,
                           .first_bytes = sizeof by };
  dart__record_t put   = { .first = src, .first_bytes = nbytes };

  if (nbytes > 0)
    put.word = dart__request(DART__PUT, 0, 0, nbytes, at->offset);
  dart__lanes_notify(at, nbytes > 0 ? &put : NULL, flag, &raise);
}

void dart__service_ask(dart_unit_t unit)
{
  dart__record_t r = { .word = dart__request(DART__NOTHING, 0, 0, 0, 0) };

  dart__lanes_append(unit, NULL, 0, &r);
}

void dart__service_greet(dart_unit_t unit)
{
  dart__service_ask(unit);
  dart__lanes_send(true);
}
