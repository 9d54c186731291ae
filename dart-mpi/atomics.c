/* Atomics on far memory, and which way they take.
 *
 * DART_MPI_ATOMICS=service: a request to the owner, who applies it by a CPU atomic as near units do
 * theirs. So every atomic on a word ends as the same kind of access, and near ones cost nanoseconds.
 *
 * DART_MPI_ATOMICS=mpi: MPI's own accumulates, for networks that do them in hardware. The two ways are
 * not atomic towards each other, so then all units take this one, to near memory too: whatever is
 * shared by units of several nodes. A team on one node has no far units and no window, and stays with
 * CPU atomics. Registered memory has a way of its own on its owner's node (api/remote.h), so it stays
 * with the service. Who decides is the segment, the same for all units. */
#include <limits.h>
#include <string.h>

#include "api/remote.h"
#include "base/counters.h"
#include "model/op.h"
#include "model/world.h"
#include "mpi_port.h"

static bool is_mpi(const dart__place_t *at)
{
  return dart__world.far_atomics && at->segment->address == NULL;
}

static MPI_Datatype mpi_type(dart_datatype_t type)
{
  switch ((uintptr_t)type) {
  case (uintptr_t)DART_TYPE_BYTE:      return (char)-1 < 0 ? MPI_SIGNED_CHAR : MPI_UNSIGNED_CHAR;
  case (uintptr_t)DART_TYPE_SHORT:     return MPI_SHORT;
  case (uintptr_t)DART_TYPE_INT:       return MPI_INT;
  case (uintptr_t)DART_TYPE_UINT:      return MPI_UNSIGNED;
  case (uintptr_t)DART_TYPE_LONG:      return MPI_LONG;
  case (uintptr_t)DART_TYPE_ULONG:     return MPI_UNSIGNED_LONG;
  case (uintptr_t)DART_TYPE_LONGLONG:  return MPI_LONG_LONG;
  case (uintptr_t)DART_TYPE_ULONGLONG: return MPI_UNSIGNED_LONG_LONG;
  case (uintptr_t)DART_TYPE_FLOAT:     return MPI_FLOAT;
  case (uintptr_t)DART_TYPE_DOUBLE:    return MPI_DOUBLE;
  default:                             return MPI_LONG_DOUBLE;
  }
}

static MPI_Op mpi_op(dart_operation_t op)
{
  switch (op) {
  case DART_OP_MIN:     return MPI_MIN;
  case DART_OP_MAX:     return MPI_MAX;
  case DART_OP_SUM:     return MPI_SUM;
  case DART_OP_PROD:    return MPI_PROD;
  case DART_OP_BAND:    return MPI_BAND;
  case DART_OP_LAND:    return MPI_LAND;
  case DART_OP_BOR:     return MPI_BOR;
  case DART_OP_LOR:     return MPI_LOR;
  case DART_OP_BXOR:    return MPI_BXOR;
  case DART_OP_LXOR:    return MPI_LXOR;
  case DART_OP_REPLACE: return MPI_REPLACE;
  default:              return MPI_NO_OP;
  }
}

/* ---- MPI's ------------------------------------------------------------------------------- */

static const dart__chunk_port_t *chunk_of(const dart__place_t *at)
{
  return at->segment->chunk->port;
}

static MPI_Aint disp_of(const dart__place_t *at)
{
  return chunk_of(at)->disp[at->unit] + (MPI_Aint)(at->segment->base + at->offset);
}

static void started(const dart__place_t *at)
{
  dart__count(DART__COUNT_RMA_ATOMIC);
  dart__window_started(at->team, chunk_of(at)->window, at->unit, false);
}

static void complete(const dart__place_t *at)
{
  started(at);
  dart__window_flush(at->team, at->unit, false);
}

/* ---- the lesser and the greater of unsigned numbers: MPICH 4.0 compares these as signed, so here it
 * is done by compare-and-swap, which is atomic towards all else of MPI's as accumulates are. ------ */

enum { BLOCK = 256 };

typedef struct {
  const dart__place_t *at;
  dart_datatype_t      type;
  dart_operation_t     op;
  size_t               size;
  size_t               nelem;
  char                 found[BLOCK * sizeof(uint64_t)]; /* what is there, as far as is known */
  char                 next[BLOCK * sizeof(uint64_t)];  /* what shall be there */
  char                 seen[BLOCK * sizeof(uint64_t)];  /* what the swap met */
} extreme_t;

static bool is_unsigned(dart_datatype_t type)
{
  return type == DART_TYPE_UINT || type == DART_TYPE_ULONG || type == DART_TYPE_ULONGLONG ||
         (type == DART_TYPE_BYTE && CHAR_MIN == 0);
}

static bool is_by_swap(dart_datatype_t type, dart_operation_t op)
{
  return (op == DART_OP_MIN || op == DART_OP_MAX) && is_unsigned(type);
}

static bool is_equal(const extreme_t *x, size_t i, const char *a, const char *b)
{
  return memcmp(a + i * x->size, b + i * x->size, x->size) == 0;
}

static void find(extreme_t *x)
{
  MPI_Datatype type  = mpi_type(x->type);
  int          count = (int)x->nelem;

  DART__MPI(MPI_Get_accumulate, NULL, 0, type, x->found, count, type, x->at->unit, disp_of(x->at),
            count, type, MPI_NO_OP, chunk_of(x->at)->window->win);
  complete(x->at);
}

/* Swap where something has to change. */
static void swap_all(extreme_t *x)
{
  MPI_Win win = chunk_of(x->at)->window->win;

  memcpy(x->seen, x->found, x->nelem * x->size);
  for (size_t i = 0; i < x->nelem; i++)
    if (!is_equal(x, i, x->found, x->next))
      DART__MPI(MPI_Compare_and_swap, x->next + i * x->size, x->found + i * x->size,
                x->seen + i * x->size, mpi_type(x->type), x->at->unit,
                disp_of(x->at) + (MPI_Aint)(i * x->size), win);
  complete(x->at);
}

/* Note who was overtaken by others, and how many they are; the others are done. */
static size_t overtaken(extreme_t *x, const char *values)
{
  size_t count = 0;

  for (size_t i = 0; i < x->nelem; i++) {
    size_t from = i * x->size;

    if (is_equal(x, i, x->found, x->seen)) {
      memcpy(x->found + from, x->next + from, x->size); /* equal: not to be swapped again */
      continue;
    }
    memcpy(x->found + from, x->seen + from, x->size);
    memcpy(x->next + from, values + from, x->size);
    dart__op_combine(x->op, x->type, x->found + from, x->next + from, 1);
    count++;
  }
  return count;
}

/* At most BLOCK elements; `old` gets what was there before, unless it is NULL. */
static void extreme(const dart__place_t *at, const char *values, void *old, size_t nelem,
                    dart_datatype_t type, dart_operation_t op)
{
  extreme_t x = { .at = at, .type = type, .op = op, .size = dart__type_basic_size(type),
                  .nelem = nelem };

  find(&x);
  memcpy(x.next, values, nelem * x.size);
  dart__op_combine(op, type, x.found, x.next, nelem);
  do {
    if (old != NULL)
      memcpy(old, x.found, x.size);
    swap_all(&x);
  } while (overtaken(&x, values) > 0);
}

static void extremes(const dart__place_t *at, const void *values, size_t nelem,
                     dart_datatype_t type, dart_operation_t op)
{
  size_t size = dart__type_basic_size(type);

  for (size_t from = 0; from < nelem; from += BLOCK) {
    dart__place_t block = *at;

    block.offset += from * size;
    extreme(&block, (const char *)values + from * size, NULL,
            nelem - from < BLOCK ? nelem - from : BLOCK, type, op);
  }
}

/* ---- MPI's, continued ---------------------------------------------------------------------- */

/* Elements are cut into pieces that an int counts. MPI reads the operands later, so that the caller
 * does not have to keep them, they are complete here on return. */
static void mpi_accumulate(const dart__place_t *at, const void *values, size_t nelem,
                           dart_datatype_t type, dart_operation_t op)
{
  const size_t most = (size_t)1 << 27, size = dart__type_basic_size(type);
  MPI_Win      win  = chunk_of(at)->window->win;

  if (is_by_swap(type, op)) {
    extremes(at, values, nelem, type, op);
    return;
  }
  for (size_t from = 0; from < nelem; from += most) {
    int count = (int)(nelem - from < most ? nelem - from : most);

    DART__MPI(MPI_Accumulate, (const char *)values + from * size, count, mpi_type(type), at->unit,
              disp_of(at) + (MPI_Aint)(from * size), count, mpi_type(type), mpi_op(op), win);
  }
  complete(at);
}

static void mpi_fetch(const dart__place_t *at, const void *value, void *result,
                      dart_datatype_t type, dart_operation_t op)
{
  if (is_by_swap(type, op)) {
    extreme(at, value, result, 1, type, op);
    return;
  }
  DART__MPI(MPI_Fetch_and_op, value != NULL ? value : result, result, mpi_type(type), at->unit,
            disp_of(at), mpi_op(op), chunk_of(at)->window->win);
  started(at);
}

static void mpi_swap(const dart__place_t *at, const void *value, const void *compare, void *result,
                     dart_datatype_t type)
{
  DART__MPI(MPI_Compare_and_swap, value, compare, result, mpi_type(type), at->unit, disp_of(at),
            chunk_of(at)->window->win);
  started(at);
}

/* ---- the seam ---------------------------------------------------------------------------- */

void dart__far_accumulate(const dart__place_t *at, const void *values, size_t nelem,
                          dart_datatype_t type, dart_operation_t op)
{
  if (is_mpi(at))
    mpi_accumulate(at, values, nelem, type, op);
  else
    dart__service_accumulate(at, values, nelem, type, op);
}

void dart__far_fetch(const dart__place_t *at, const void *value, void *result, dart_datatype_t type,
                     dart_operation_t op)
{
  if (is_mpi(at))
    mpi_fetch(at, value, result, type, op);
  else
    dart__service_fetch(at, value, result, type, op);
}

void dart__far_swap(const dart__place_t *at, const void *value, const void *compare, void *result,
                    dart_datatype_t type)
{
  if (is_mpi(at))
    mpi_swap(at, value, compare, result, type);
  else
    dart__service_swap(at, value, compare, result, type);
}
