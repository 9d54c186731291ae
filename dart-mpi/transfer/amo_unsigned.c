/* See amo_unsigned.h. Elements go in blocks: a block costs two round trips, if no other unit changes it
 * meanwhile. */
#include "transfer/amo_unsigned.h"

#include <limits.h>
#include <string.h>

#include "data/op.h"
#include "data/type.h"
#include "transfer/amo_window.h"
#include "window/nested_window.h"

enum { BLOCK = 256 };

typedef struct {
  const dart__address_t *at;
  dart_datatype_t        type;
  dart_operation_t       op;
  size_t                 size;
  size_t                 nelem;
  char                   found[BLOCK * sizeof(uint64_t)]; /* values at the target, as last read */
  char                   next[BLOCK * sizeof(uint64_t)];  /* values to be swapped in */
  char                   seen[BLOCK * sizeof(uint64_t)];  /* values that the swap has found */
} extreme_t;

static bool is_unsigned(dart_datatype_t type)
{
  return type == DART_TYPE_UINT || type == DART_TYPE_ULONG || type == DART_TYPE_ULONGLONG ||
         type == DART_TYPE_UINT8 || type == DART_TYPE_UINT16 ||
         (type == DART_TYPE_BYTE && CHAR_MIN == 0);
}

bool dart__amo_is_by_swap(dart_datatype_t type, dart_operation_t op)
{
  return (op == DART_OP_MIN || op == DART_OP_MAX) && is_unsigned(type);
}

static bool is_equal(const extreme_t *x, size_t i, const char *a, const char *b)
{
  return memcmp(a + i * x->size, b + i * x->size, x->size) == 0;
}

static void fetch_target(extreme_t *x)
{
  MPI_Datatype type  = dart__amo_type(x->type);
  int          count = (int)x->nelem;

  DART__MPI(MPI_Get_accumulate, NULL, 0, type, x->found, count, type, x->at->unit,
            dart__disp_of(x->at), count, type, MPI_NO_OP, dart__window_of(x->at)->win);
  dart__amo_complete(x->at);
}

/* Swap the elements that have to change. */
static void swap_all(extreme_t *x)
{
  MPI_Win win = dart__window_of(x->at)->win;

  memcpy(x->seen, x->found, x->nelem * x->size);
  for (size_t i = 0; i < x->nelem; i++)
    if (!is_equal(x, i, x->found, x->next))
      DART__MPI(MPI_Compare_and_swap, x->next + i * x->size, x->found + i * x->size,
                x->seen + i * x->size, dart__amo_type(x->type), x->at->unit,
                dart__disp_of(x->at) + (MPI_Aint)(i * x->size), win);
  dart__amo_complete(x->at);
}

/* Prepare another swap of the elements that others have changed since they were read; returns how many
 * there are. All other elements are done. */
static size_t refresh_changed(extreme_t *x, const char *values)
{
  size_t count = 0;

  for (size_t i = 0; i < x->nelem; i++) {
    size_t from = i * x->size;

    if (is_equal(x, i, x->found, x->seen)) {
      memcpy(x->found + from, x->next + from, x->size); /* equal: swap_all skips it */
      continue;
    }
    memcpy(x->found + from, x->seen + from, x->size);
    memcpy(x->next + from, values + from, x->size);
    dart__op_combine(x->op, x->type, x->found + from, x->next + from, 1);
    count++;
  }
  return count;
}

/* At most BLOCK elements. */
static void extreme(const dart__address_t *at, const char *values, void *old, size_t nelem,
                    dart_datatype_t type, dart_operation_t op)
{
  extreme_t x = {
    .at = at, .type = type, .op = op, .size = dart__type_basic_size(type), .nelem = nelem
  };

  fetch_target(&x);
  memcpy(x.next, values, nelem * x.size);
  dart__op_combine(op, type, x.found, x.next, nelem);
  do {
    if (old != NULL)
      memcpy(old, x.found, x.size);
    swap_all(&x);
  } while (refresh_changed(&x, values) > 0);
}

void dart__amo_by_swap(const dart__address_t *at, const void *values, void *old, size_t nelem,
                       dart_datatype_t type, dart_operation_t op)
{
  size_t size = dart__type_basic_size(type);

  for (size_t from = 0; from < nelem; from += BLOCK) {
    dart__address_t block = *at;

    block.offset += from * size;
    extreme(&block, (const char *)values + from * size, old,
            nelem - from < BLOCK ? nelem - from : BLOCK, type, op);
  }
}
