/* Operations without a near address: on registered memory of this unit (OWN) or of another unit of the node
 * (ON_NODE), and on far memory (FAR). */
#include "rma/remote.h"

#include <stdlib.h>
#include <string.h>

#include "far/far_ops.h"
#include "model/lost.h"
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
  return at->segment->address[dart__team_near_index(at->team, at->unit)] + at->offset;
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
  return dart__world_pid(dart__team_member(at->team, at->unit));
}

/* ---- atomics ----------------------------------------------------------------------------- */

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
  dart__mutex_lock(registered_mutex(), &dart__wait_briefly);
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

/* dart__atomic_accumulate and the others on `words`, which are those at rma->at. */
static void do_atomic(const dart__rma_t *rma, void *words)
{
  dart_datatype_t type = rma->type->base;

  switch (rma->kind) {
  case DART__ACCUMULATE:
    dart__atomic_accumulate(words, rma->buffer, rma->nelem, type, rma->op);
    return;
  case DART__FETCH:
    dart__atomic_fetch_elements(words, rma->buffer, rma->result, rma->nelem, type, rma->op);
    return;
  default: dart__atomic_swap(words, rma->buffer, rma->compare, rma->result, type);
  }
}

static dart_ret_t update_on_node(const dart__rma_t *rma)
{
  update_t   update;
  dart_ret_t ret = begin_update(&rma->at, rma->nbytes, &update);

  if (ret != DART_OK)
    return ret;
  do_atomic(rma, update.words);
  return end_update(&rma->at, &update,
                    rma->kind == DART__SWAP ? memcmp(rma->result, rma->compare, rma->nbytes) == 0
                                            : rma->op != DART_OP_NO_OP);
}

/* ---- puts and gets ------------------------------------------------------------------------ */

static dart_ret_t transfer_on_node(const dart__rma_t *rma)
{
  const dart__address_t *at     = &rma->at;
  const dart__type_t    *byte   = &dart__type_basic[DART_TYPE_BYTE];
  bool                   is_put = rma->kind == DART__PUT, in_a_row = rma->local_type == NULL;
  const dart__type_t    *type = in_a_row ? byte : rma->type,
                     *local   = in_a_row ? byte : rma->local_type;
  size_t nelem                = in_a_row ? rma->nbytes : rma->nelem;

  dart__progress();
  if (where(at) == ON_NODE)
    return is_put
               ? dart__foreign_put(process_of(at), address_of(at), type, rma->buffer, local, nelem)
               : dart__foreign_get(rma->buffer, local, process_of(at), address_of(at), type, nelem);
  if (is_put)
    dart__near_put(own_address(at), type, rma->buffer, local, nelem);
  else
    dart__near_get(rma->buffer, local, own_address(at), type, nelem);
  return DART_OK;
}

/* ---- any operation ------------------------------------------------------------------------- */

static dart_ret_t do_any_on_node(const dart__rma_t *rma)
{
  return rma->kind == DART__PUT || rma->kind == DART__GET ? transfer_on_node(rma)
                                                          : update_on_node(rma);
}

static bool is_lost_by_now(void *context)
{
  return dart__is_lost(*(dart_unit_t *)context);
}

/* The memory is gone with its process. The kernel may say so before the launcher does. */
static dart_ret_t do_beside_lost(const dart__rma_t *rma)
{
  dart_unit_t owner = dart__team_member(rma->at.team, rma->at.unit);
  dart_ret_t  ret   = DART_ERR_UNIT_LOST;

  if (!dart__is_lost(owner))
    ret = do_any_on_node(rma);
  if (ret == DART_ERR_OTHER)
    dart__wait_until(&(dart__wait_t){ .look     = is_lost_by_now,
                                      .context  = &owner,
                                      .limit_ns = DART__NEWS_US * INT64_C(1000) },
                     &dart__world.wait);
  return ret == DART_ERR_OTHER ? dart__lost_result(owner, ret) : ret;
}

static dart_ret_t do_on_node(const dart__rma_t *rma)
{
  return __builtin_expect(dart__survives(), 0) && where(&rma->at) == ON_NODE ? do_beside_lost(rma)
                                                                             : do_any_on_node(rma);
}

dart_ret_t dart__remote_start(const dart__rma_t *rma, dart_handle_t *handle_out)
{
  return where(&rma->at) == FAR
             ? dart__far_result(dart__context_note(&rma->at, dart__far_start(rma, handle_out)))
             : do_on_node(rma);
}

dart_ret_t dart__remote_blocking(const dart__rma_t *rma)
{
  return where(&rma->at) == FAR ? dart__far_blocking(rma) : do_on_node(rma);
}
