/* Operations without a near address: on registered memory of this unit (OWN) or of another unit of the node
 * (ON_NODE), and on far memory (FAR). */
#include "rma/remote.h"

#include <stdlib.h>
#include <string.h>

#include "far/far_ops.h"
#include "model/world.h"
#include "rma/context.h"
#include "rma/transfer.h"
#include "wait/atomic.h"
#include "wait/foreign.h"
#include "wait/near.h"

typedef enum { OWN, ON_NODE, FAR } where_t;

static where_t where(const dart__address_t *at)
{
  if (at->segment->address == NULL || !dart__team_is_on_node(at->team, at->unit))
    return FAR;
  return at->unit == at->team->me ? OWN : ON_NODE;
}

static uint64_t address_of(const dart__address_t *at)
{
  return at->segment->address[at->unit] + at->offset;
}

bool dart__remote_is_far(const dart__address_t *at)
{
  return where(at) == FAR;
}

static void *own_address(const dart__address_t *at)
{
  return (void *)(uintptr_t)address_of(at);
}

static pid_t process_of(const dart__address_t *at)
{
  return dart__world.pid_of[at->team->members[at->unit]];
}

/* ---- transfers: complete on return unless far ---------------------------------------------- */

static dart_ret_t put_on_node(const dart__address_t *at, const dart__type_t *at_type,
                              const void *src, const dart__type_t *src_type, size_t nelem)
{
  dart__progress();
  if (where(at) == ON_NODE)
    return dart__foreign_put(process_of(at), address_of(at), at_type, src, src_type, nelem);
  dart__near_put(own_address(at), at_type, src, src_type, nelem);
  return DART_OK;
}

static dart_ret_t get_on_node(const dart__address_t *at, const dart__type_t *at_type, void *dst,
                              const dart__type_t *dst_type, size_t nelem)
{
  dart__progress();
  if (where(at) == ON_NODE)
    return dart__foreign_get(dst, dst_type, process_of(at), address_of(at), at_type, nelem);
  dart__near_get(dst, dst_type, own_address(at), at_type, nelem);
  return DART_OK;
}

dart_ret_t dart__remote_put(const dart__address_t *at, const dart__type_t *at_type, const void *src,
                            const dart__type_t *src_type, size_t nelem, dart_handle_t *handle_out)
{
  dart__far_way_t way;

  if (where(at) != FAR)
    return put_on_node(at, at_type, src, src_type, nelem);
  way = dart__far_put(at, at_type, src, src_type, nelem, handle_out);
  dart__context_note(at, way);
  return dart__far_result(way);
}

dart_ret_t dart__remote_get(const dart__address_t *at, const dart__type_t *at_type, void *dst,
                            const dart__type_t *dst_type, size_t nelem, dart_handle_t *handle_out)
{
  dart__far_way_t way;

  if (where(at) != FAR)
    return get_on_node(at, at_type, dst, dst_type, nelem);
  way = dart__far_get(at, at_type, dst, dst_type, nelem, handle_out);
  dart__context_note(at, way);
  return dart__far_result(way);
}

dart_ret_t dart__remote_put_blocking(const dart__address_t *at, const dart__type_t *at_type,
                                     const void *src, const dart__type_t *src_type, size_t nelem)
{
  return where(at) == FAR ? dart__far_put_blocking(at, at_type, src, src_type, nelem)
                          : put_on_node(at, at_type, src, src_type, nelem);
}

dart_ret_t dart__remote_get_blocking(const dart__address_t *at, const dart__type_t *at_type,
                                     void *dst, const dart__type_t *dst_type, size_t nelem)
{
  return where(at) == FAR ? dart__far_get_blocking(at, at_type, dst, dst_type, nelem)
                          : get_on_node(at, at_type, dst, dst_type, nelem);
}

/* ---- atomics ----------------------------------------------------------------------------- */

/* For the mutex of registered memory. Without progress: serving a request may take that mutex, too. Its
 * holders wait for nothing else, so waits are short. */
static const dart__wait_policy_t briefly = { .pace = &(const dart__wait_pace_t){ .spins = 50 } };

static dart__mutex_t *registered_mutex(void)
{
  return &dart__teams[DART_TEAM_ALL]->exchange.shared->registered;
}

/* An update of `nbytes` of registered memory on this node, applied to `words`: the memory itself, or a copy
 * that is written back. */
typedef struct {
  long double *copy; /* NULL: the memory is this unit's own */
  void        *words;
  size_t       nbytes;
} update_t;

static dart_ret_t begin_update(const dart__address_t *at, size_t nbytes, update_t *update_out)
{
  dart_ret_t ret = DART_OK;

  *update_out = (update_t){ NULL, own_address(at), nbytes };
  if (where(at) == ON_NODE) {
    update_out->copy  = malloc(nbytes); /* aligned for any type */
    update_out->words = update_out->copy;
    if (update_out->copy == NULL)
      return DART_ERR_NOMEM;
  }
  dart__mutex_lock(registered_mutex(), &briefly);
  if (update_out->copy != NULL)
    ret = dart__foreign_get(update_out->copy, &dart__type_basic[DART_TYPE_BYTE], process_of(at),
                            address_of(at), &dart__type_basic[DART_TYPE_BYTE], nbytes);
  if (ret != DART_OK) {
    dart__mutex_unlock(registered_mutex());
    free(update_out->copy);
  }
  return ret;
}

/* What was only read is not written back: its owner stores to it without the mutex. */
static dart_ret_t end_update(const dart__address_t *at, update_t *update, bool is_changed)
{
  dart_ret_t ret = DART_OK;

  if (update->copy != NULL && is_changed)
    ret = dart__foreign_put(process_of(at), address_of(at), &dart__type_basic[DART_TYPE_BYTE],
                            update->copy, &dart__type_basic[DART_TYPE_BYTE], update->nbytes);
  dart__mutex_unlock(registered_mutex());
  free(update->copy);
  return ret;
}

dart_ret_t dart__remote_accumulate(const dart__address_t *at, const void *values, size_t nelem,
                                   dart_datatype_t type, dart_operation_t op)
{
  update_t   update;
  dart_ret_t ret;

  if (where(at) == FAR) {
    dart__far_accumulate(at, values, nelem, type, op);
    dart__context_note(at, DART__BY_REQUESTS);
    return DART_OK;
  }
  ret = begin_update(at, nelem * dart__type_basic[type].elem_size, &update);
  if (ret != DART_OK)
    return ret;
  dart__atomic_accumulate(update.words, values, nelem, type, op);
  return end_update(at, &update, op != DART_OP_NO_OP);
}

dart_ret_t dart__remote_fetch(const dart__address_t *at, const void *value, void *result,
                              dart_datatype_t type, dart_operation_t op)
{
  update_t   update;
  dart_ret_t ret;

  if (where(at) == FAR) {
    dart__far_fetch(at, value, result, type, op);
    dart__context_note(at, DART__BY_REQUESTS);
    return DART_OK;
  }
  ret = begin_update(at, dart__type_basic[type].elem_size, &update);
  if (ret != DART_OK)
    return ret;
  dart__atomic_fetch(update.words, value, result, type, op);
  return end_update(at, &update, op != DART_OP_NO_OP);
}

dart_ret_t dart__remote_fetch_elements(const dart__address_t *at, const void *values, void *results,
                                       size_t nelem, dart_datatype_t type, dart_operation_t op)
{
  size_t     size = dart__type_basic[type].elem_size;
  update_t   update;
  dart_ret_t ret;

  if (where(at) == FAR) {
    dart__far_fetch_elements(at, values, results, nelem, type, op);
    dart__context_note(at, DART__BY_REQUESTS);
    return DART_OK;
  }
  ret = begin_update(at, nelem * size, &update);
  if (ret != DART_OK)
    return ret;
  for (size_t i = 0; i < nelem; i++)
    dart__atomic_fetch((char *)update.words + i * size,
                       values == NULL ? NULL : (const char *)values + i * size,
                       (char *)results + i * size, type, op);
  return end_update(at, &update, op != DART_OP_NO_OP);
}

dart_ret_t dart__remote_swap(const dart__address_t *at, const void *value, const void *compare,
                             void *result, dart_datatype_t type)
{
  size_t     nbytes = dart__type_basic[type].elem_size;
  update_t   update;
  dart_ret_t ret;

  if (where(at) == FAR) {
    dart__far_swap(at, value, compare, result, type);
    dart__context_note(at, DART__BY_REQUESTS);
    return DART_OK;
  }
  ret = begin_update(at, nbytes, &update);
  if (ret != DART_OK)
    return ret;
  dart__atomic_swap(update.words, value, compare, result, type);
  return end_update(at, &update, memcmp(result, compare, nbytes) == 0);
}
