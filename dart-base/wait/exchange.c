/* Layout: the shared state, a bit for each unit that can be looked up as gone, then slots [2][nunits],
 * then results [2]. */
#include "wait/exchange.h"

#include "base/size.h"

static size_t gone_bytes(uint32_t nbits)
{
  return dart__round_up((nbits + 7) / 8, DART__CACHE_LINE);
}

static _Atomic uint64_t *gone_in(void *memory)
{
  return (_Atomic uint64_t *)(void *)((char *)memory + sizeof(dart__shared_t));
}

size_t dart__exchange_bytes(uint32_t nunits, uint32_t nbits, size_t slot_bytes, size_t result_bytes)
{
  return sizeof(dart__shared_t) + gone_bytes(nbits) +
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

void dart__exchange_format(void *memory, uint32_t nunits, uint32_t nbits)
{
  dart__shared_t   *shared = memory;
  _Atomic uint64_t *gone   = gone_in(memory);

  dart__barrier_init(&shared->barrier, nunits, 0);
  /* relaxed: the caller publishes the memory */
  atomic_store_explicit(&shared->registered.state, 0, memory_order_relaxed);
  atomic_store_explicit(&shared->registered.turn, 0, memory_order_relaxed);
  atomic_store_explicit(&shared->describing.state, 0, memory_order_relaxed);
  atomic_store_explicit(&shared->describing.turn, 0, memory_order_relaxed);
  shared->tree = (dart__domain_image_t){ .nbytes = 0 };
  atomic_store_explicit(&shared->left, 0, memory_order_relaxed);
  atomic_store_explicit(&shared->ngone, 0, memory_order_relaxed);
  atomic_store_explicit(&shared->reported, 0, memory_order_relaxed);
  atomic_store_explicit(&shared->first_gone, 0, memory_order_relaxed);
  for (size_t i = 0; i < gone_bytes(nbits) / sizeof *gone; i++)
    atomic_store_explicit(&gone[i], 0, memory_order_relaxed);
}

void dart__exchange_open(dart__exchange_t *exchange, void *memory, uint32_t nunits, uint32_t nbits,
                         uint32_t me, size_t slot_bytes, size_t result_bytes)
{
  *exchange = (dart__exchange_t){
    .shared       = memory,
    .gone         = nbits > 0 ? gone_in(memory) : NULL,
    .buffers      = (char *)memory + sizeof(dart__shared_t) + gone_bytes(nbits),
    .nunits       = nunits,
    .me           = me,
    .slot_bytes   = slot_bytes,
    .result_bytes = result_bytes,
  };
}

/* ---- steps --------------------------------------------------------------------------------- */

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

static uint64_t gone_bit(int32_t unit)
{
  return UINT64_C(1) << unit % 64;
}

/* Steps wrap. */
static bool is_before(uint64_t a, uint64_t b)
{
  int32_t steps = (int32_t)((uint32_t)(a >> 32) - (uint32_t)(b >> 32));

  return steps != 0 ? steps < 0 : (uint32_t)a < (uint32_t)b;
}

void dart__exchange_note_gone(dart__exchange_t *exchange, int32_t unit, uint32_t episode)
{
  _Atomic uint64_t *first = &exchange->shared->first_gone;
  uint64_t          entry = (uint64_t)episode << 32 | (uint32_t)(unit + 1), before;

  /* release: publishes what the unit did before; pairs with the acquire in dart__exchange_is_gone */
  if (exchange->gone != NULL &&
      (atomic_fetch_or_explicit(&exchange->gone[unit / 64], gone_bit(unit), memory_order_release) &
       gone_bit(unit)) != 0)
    return;
  /* relaxed: the addition below publishes it */
  before = atomic_load_explicit(first, memory_order_relaxed);
  while ((before == 0 || is_before(entry, before)) &&
         !atomic_compare_exchange_weak_explicit(first, &before, entry, memory_order_relaxed,
                                                memory_order_relaxed))
    ;
  /* release: pairs with the acquire in dart__exchange_missing */
  atomic_fetch_add_explicit(&exchange->shared->ngone, 1, memory_order_release);
}

bool dart__exchange_is_gone(const dart__exchange_t *exchange, int32_t unit)
{
  /* acquire: pairs with the release in dart__exchange_note_gone */
  return (atomic_load_explicit(&exchange->gone[unit / 64], memory_order_acquire) &
          gone_bit(unit)) != 0;
}

int32_t dart__exchange_missing(const dart__exchange_t *exchange)
{
  uint64_t first;

  /* acquire: pairs with the release in dart__exchange_note_gone */
  if (atomic_load_explicit(&exchange->shared->ngone, memory_order_acquire) == 0)
    return -1;
  first = atomic_load_explicit(&exchange->shared->first_gone, memory_order_relaxed);
  return (int32_t)(exchange->episode - (uint32_t)(first >> 32)) > 0 ? (int32_t)(uint32_t)first - 1
                                                                    : -1;
}
