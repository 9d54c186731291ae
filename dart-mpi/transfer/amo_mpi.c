/* See amo_mpi.h. */
#include "transfer/amo_mpi.h"

#include <string.h>

#include "data/type.h"
#include "transfer/amo_unsigned.h"
#include "transfer/amo_window.h"
#include "transfer/completion.h"
#include "transfer/order.h"
#include "transfer/word_order.h"
#include "window/nested_window.h"

static MPI_Op mpi_op(dart_operation_t op)
{
  switch (op) {
  case DART_OP_MIN: return MPI_MIN;
  case DART_OP_MAX: return MPI_MAX;
  case DART_OP_SUM: return MPI_SUM;
  case DART_OP_PROD: return MPI_PROD;
  case DART_OP_BAND: return MPI_BAND;
  case DART_OP_LAND: return MPI_LAND;
  case DART_OP_BOR: return MPI_BOR;
  case DART_OP_LOR: return MPI_LOR;
  case DART_OP_BXOR: return MPI_BXOR;
  case DART_OP_LXOR: return MPI_LXOR;
  case DART_OP_REPLACE: return MPI_REPLACE;
  default: return MPI_NO_OP;
  }
}

/* Elements are cut into pieces that an int can count. MPI may read the operands until the accumulate is
 * complete, so it is completed locally before return: the caller does not have to keep them. */
void dart__mpi_accumulate(const dart__address_t *at, const void *values, size_t nelem,
                          dart_datatype_t type, dart_operation_t op)
{
  const size_t most = (size_t)1 << 27, size = dart__type_basic_size(type);
  MPI_Win      win = dart__window_of(at)->win;

  dart__order_wait(at->team, at->unit);
  dart__words_transfer(at, dart__words_at(at, nelem * size), DART__WORDS_ATOMIC);
  if (dart__amo_is_by_swap(type, op)) {
    dart__amo_by_swap(at, values, NULL, nelem, type, op);
    return;
  }
  for (size_t from = 0; from < nelem; from += most) {
    int count = (int)(nelem - from < most ? nelem - from : most);

    DART__MPI(MPI_Accumulate, (const char *)values + from * size, count, dart__amo_type(type),
              at->unit, dart__disp_of(at) + (MPI_Aint)(from * size), count, dart__amo_type(type),
              mpi_op(op), win);
  }
  dart__amo_complete(at);
  dart__words_transferred(at, dart__words_at(at, nelem * size), DART__WORDS_ATOMIC);
}

void dart__mpi_fetch(const dart__address_t *at, const void *value, void *result,
                     dart_datatype_t type, dart_operation_t op)
{
  dart__touched_t words = dart__words_at(at, dart__type_basic_size(type));
  dart__copy_t   *copy;

  dart__order_wait(at->team, at->unit);
  dart__words_transfer(at, words, DART__WORDS_ATOMIC);
  if (dart__amo_is_by_swap(type, op)) {
    dart__amo_by_swap(at, value, result, 1, type, op);
    return;
  }
  copy = dart__completion_copy(at->team, at->unit);
  if (op != DART_OP_NO_OP)
    memcpy(copy->bytes, value, dart__type_basic_size(type));
  DART__MPI(MPI_Fetch_and_op, copy->bytes, result, dart__amo_type(type), at->unit,
            dart__disp_of(at), mpi_op(op), dart__window_of(at)->win);
  dart__amo_started(at);
  dart__words_transferred(at, words, DART__WORDS_ATOMIC);
  dart__completion_copied(at->team, copy);
}

void dart__mpi_swap(const dart__address_t *at, const void *value, const void *compare, void *result,
                    dart_datatype_t type)
{
  const size_t    size  = dart__type_basic_size(type);
  dart__touched_t words = dart__words_at(at, size);
  dart__copy_t   *copy;

  dart__order_wait(at->team, at->unit);
  dart__words_transfer(at, words, DART__WORDS_ATOMIC);
  copy = dart__completion_copy(at->team, at->unit);
  memcpy(copy->bytes, value, size);
  memcpy(copy->bytes + size, compare, size);
  DART__MPI(MPI_Compare_and_swap, copy->bytes, copy->bytes + size, result, dart__amo_type(type),
            at->unit, dart__disp_of(at), dart__window_of(at)->win);
  dart__amo_started(at);
  dart__words_transferred(at, words, DART__WORDS_ATOMIC);
  dart__completion_copied(at->team, copy);
}
