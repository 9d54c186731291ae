/* See amo_window.h. */
#include "transfer/amo_window.h"

#include <dash/dart/ext/dart_basic.h>

#include "base/counters.h"
#include "transfer/completion.h"
#include "window/nested_window.h"

MPI_Datatype dart__amo_type(dart_datatype_t type)
{
  switch ((uintptr_t)type) {
  case (uintptr_t)DART_TYPE_BYTE: return (char)-1 < 0 ? MPI_SIGNED_CHAR : MPI_UNSIGNED_CHAR;
  case (uintptr_t)DART_TYPE_SHORT: return MPI_SHORT;
  case (uintptr_t)DART_TYPE_INT: return MPI_INT;
  case (uintptr_t)DART_TYPE_UINT: return MPI_UNSIGNED;
  case (uintptr_t)DART_TYPE_LONG: return MPI_LONG;
  case (uintptr_t)DART_TYPE_ULONG: return MPI_UNSIGNED_LONG;
  case (uintptr_t)DART_TYPE_LONGLONG: return MPI_LONG_LONG;
  case (uintptr_t)DART_TYPE_ULONGLONG: return MPI_UNSIGNED_LONG_LONG;
  case (uintptr_t)DART_TYPE_FLOAT: return MPI_FLOAT;
  case (uintptr_t)DART_TYPE_DOUBLE: return MPI_DOUBLE;
  case (uintptr_t)DART_TYPE_INT8: return MPI_INT8_T;
  case (uintptr_t)DART_TYPE_UINT8:
  case (uintptr_t)DART_TYPE_BOOL: return MPI_UINT8_T; /* MPI_C_BOOL has no bitwise operators */
  case (uintptr_t)DART_TYPE_UINT16: return MPI_UINT16_T;
  case (uintptr_t)DART_TYPE_FLOAT_COMPLEX: return MPI_C_FLOAT_COMPLEX;
  case (uintptr_t)DART_TYPE_DOUBLE_COMPLEX: return MPI_C_DOUBLE_COMPLEX;
  default: return MPI_LONG_DOUBLE;
  }
}

void dart__amo_started(const dart__address_t *at)
{
  dart__count(DART__COUNT_RMA_ATOMIC);
  dart__completion_started(at->team, dart__window_of(at), at->unit, false);
}

void dart__amo_complete(const dart__address_t *at)
{
  dart__amo_started(at);
  dart__completion_flush(at->team, at->unit, false);
}
