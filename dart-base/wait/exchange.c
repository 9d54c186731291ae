/* Layout: the shared state, an entry per unit of the team for those that are gone, then slots [2][nunits],
 * then results [2]. */
#include "wait/exchange.h"

#define GONE (UINT64_C(1) << 32)

static size_t gone_bytes(uint32_t nteam)
{
  return (nteam * sizeof(uint64_t) + DART__CACHE_LINE - 1) / DART__CACHE_LINE * DART__CACHE_LINE;
}

static _Atomic uint64_t *gone_in(void *memory)
{
  return (_Atomic uint64_t *)(void *)((char *)memory + sizeof(dart__shared_t));
}

size_t dart__exchange_bytes(uint32_t nunits, uint32_t nteam, size_t slot_bytes, size_t result_bytes)
{
  return sizeof(dart__shared_t) + gone_bytes(nteam) +
         dart__exchange_buffer_bytes(nunits, slot_bytes, result_bytes);
}

size_t dart__exchange_buffer_bytes(uint32_t nunits, size_t slot_bytes, size_t result_bytes)
{
  return 2 * (nunits * slot_bytes + result_bytes);
}

void dart__exchange_replace(dart__exchange_t *exchange, void *buffers, size_t slot_bytes,
                            size_t result_bytes)
{
  exchange->buffers      = buffers;
  exchange->slot_bytes   = slot_bytes;
  exchange->result_bytes = result_bytes;
}

void dart__exchange_format(void *memory, uint32_t nunits, uint32_t nteam)
{
  dart__shared_t   *shared = memory;
  _Atomic uint64_t *gone   = gone_in(memory);

  dart__barrier_init(&shared->barrier, nunits, 0);
  /* relaxed: the caller publishes the memory */
  atomic_store_explicit(&shared->registered.state, 0, memory_order_relaxed);
  atomic_store_explicit(&shared->registered.turn, 0, memory_order_relaxed);
  atomic_store_explicit(&shared->left, 0, memory_order_relaxed);
  atomic_store_explicit(&shared->ngone, 0, memory_order_relaxed);
  atomic_store_explicit(&shared->reported, 0, memory_order_relaxed);
  for (uint32_t u = 0; u < nteam; u++)
    atomic_store_explicit(&gone[u], 0, memory_order_relaxed);
}

void dart__exchange_open(dart__exchange_t *exchange, void *memory, uint32_t nunits, uint32_t nteam,
                         uint32_t me, size_t slot_bytes, size_t result_bytes)
{
  *exchange = (dart__exchange_t){
    .shared       = memory,
    .gone         = gone_in(memory),
    .buffers      = (char *)memory + sizeof(dart__shared_t) + gone_bytes(nteam),
    .nunits       = nunits,
    .me           = me,
    .slot_bytes   = slot_bytes,
    .result_bytes = result_bytes,
  };
}

/* ---- steps --------------------------------------------------------------------------------- */

void dart__exchange_use_tree(dart__exchange_t *exchange, void *memory)
{
  dart__tree_open(&exchange->tree, memory, exchange->me);
}

void dart__exchange_wait(dart__exchange_t *exchange, const dart__wait_policy_t *policy)
{
  if (exchange->tree.barriers != NULL)
    dart__tree_arrive(&exchange->tree, &exchange->episode, 0, false, NULL, policy);
  else
    dart__barrier_wait(&exchange->shared->barrier, &exchange->episode, 0, policy);
}

/* ---- units that are gone ------------------------------------------------------------------- */

bool dart__exchange_is_busy(const dart__exchange_t *exchange)
{
  return dart__event_count(&dart__exchange_barrier(exchange)->open) != exchange->episode;
}

void dart__exchange_note_gone(dart__exchange_t *exchange, int32_t unit, uint32_t episode)
{
  /* release: publishes what the unit did before; pairs with the acquire in dart__exchange_is_gone */
  if (atomic_exchange_explicit(&exchange->gone[unit], GONE | episode, memory_order_acq_rel) == 0)
    atomic_fetch_add_explicit(&exchange->shared->ngone, 1, memory_order_release);
}

bool dart__exchange_is_gone(const dart__exchange_t *exchange, int32_t unit)
{
  return atomic_load_explicit(&exchange->gone[unit], memory_order_acquire) != 0;
}

int32_t dart__exchange_missing(const dart__exchange_t *exchange, uint32_t nteam)
{
  /* acquire: pairs with the release above */
  if (atomic_load_explicit(&exchange->shared->ngone, memory_order_acquire) == 0)
    return -1;
  for (uint32_t u = 0; u < nteam; u++) {
    uint64_t gone = atomic_load_explicit(&exchange->gone[u], memory_order_relaxed);

    if (gone != 0 && (int32_t)(exchange->episode - (uint32_t)gone) > 0)
      return (int32_t)u;
  }
  return -1;
}
