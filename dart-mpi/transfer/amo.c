/* Atomics on far memory, by one of two paths.
 *
 * DART_MPI_ATOMICS=service: a request to the target, which applies it by a CPU atomic, as near units apply
 * theirs. So every atomic on a word ends as the same kind of access, and near atomics cost nanoseconds.
 *
 * DART_MPI_ATOMICS=mpi: MPI's own accumulates, for networks that do them in hardware. The two paths are
 * not atomic towards each other, so then all units use MPI's, to near memory too, for all memory that
 * units of several nodes share. A team on one node has no far units and no window, and stays with
 * CPU atomics. Registered memory has a path of its own on its unit's node (wait/foreign.h), so it stays
 * with requests. The segment decides on the path, so all units choose the same. */
#include "model/world.h"
#include "progress/engine.h"
#include "transfer/amo_mpi.h"
#include "transfer/rma.h"
#include "transfer/word_order.h"

static bool goes_by_mpi(const dart__address_t *at)
{
  dart__far_went_by_mpi = dart__world.far_atomics && at->segment->address == NULL;
  return dart__far_went_by_mpi;
}

void dart__far_accumulate(const dart__address_t *at, const void *values, size_t nelem,
                          dart_datatype_t type, dart_operation_t op)
{
  dart__am_address_t target = dart__am_address(at);

  if (goes_by_mpi(at)) {
    dart__mpi_accumulate(at, values, nelem, type, op);
  } else {
    dart__words_request(at, dart__words_at(at, nelem * dart__type_basic_size(type)));
    dart__am_accumulate(dart__engine.am, &target, values, nelem, type, op);
  }
}

/* Only where the target's CPU applies them. */
void dart__far_updates(const dart__address_t *at, const uint64_t *values, const uint32_t *places,
                       size_t nelem, dart_datatype_t type, dart_operation_t op)
{
  dart__am_address_t target = dart__am_address(at);

  target.offset = 0;
  dart__words_request(at, dart__words_of_all(at));
  dart__am_updates(dart__engine.am, &target, values, places, nelem, type, op);
}

void dart__far_fetch(const dart__address_t *at, const void *value, void *result,
                     dart_datatype_t type, dart_operation_t op)
{
  dart__am_address_t target = dart__am_address(at);

  if (goes_by_mpi(at)) {
    dart__mpi_fetch(at, value, result, type, op);
  } else {
    dart__words_request(at, dart__words_at(at, dart__type_basic_size(type)));
    dart__am_fetch(dart__engine.am, &target, value, result, type, op);
  }
}

void dart__far_fetch_elements(const dart__address_t *at, const void *values, void *results,
                              size_t nelem, dart_datatype_t type, dart_operation_t op)
{
  size_t          size = dart__type_basic_size(type);
  dart__address_t one  = *at;

  if (!goes_by_mpi(at)) {
    dart__am_address_t target = dart__am_address(at);

    dart__words_request(at, dart__words_at(at, nelem * size));
    dart__am_fetch_elements(dart__engine.am, &target, values, results, nelem, type, op);
    return;
  }
  for (size_t i = 0; i < nelem; i++, one.offset += size)
    dart__mpi_fetch(&one, op == DART_OP_NO_OP ? NULL : (const char *)values + i * size,
                    (char *)results + i * size, type, op);
}

void dart__far_swap(const dart__address_t *at, const void *value, const void *compare, void *result,
                    dart_datatype_t type)
{
  dart__am_address_t target = dart__am_address(at);

  if (goes_by_mpi(at)) {
    dart__mpi_swap(at, value, compare, result, type);
  } else {
    dart__words_request(at, dart__words_at(at, dart__type_basic_size(type)));
    dart__am_swap(dart__engine.am, &target, value, compare, result, type);
  }
}
