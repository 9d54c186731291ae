/* Layout: the shared state, then slots [2][nunits], then results [2]. */
#include "node/exchange.h"

size_t dart__exchange_bytes(uint32_t nunits, size_t slot_bytes, size_t result_bytes)
{
  return sizeof(dart__shared_t) + 2 * (nunits * slot_bytes + result_bytes);
}

void dart__exchange_format(void *memory, uint32_t nunits)
{
  dart__shared_t *shared = memory;

  dart__barrier_init(&shared->barrier, nunits);
  /* relaxed: the caller publishes the memory */
  atomic_store_explicit(&shared->registered.state, 0, memory_order_relaxed);
  atomic_store_explicit(&shared->registered.turn, 0, memory_order_relaxed);
  atomic_store_explicit(&shared->left, 0, memory_order_relaxed);
}

void dart__exchange_open(dart__exchange_t *exchange, void *memory, uint32_t nunits, uint32_t me,
                         size_t slot_bytes, size_t result_bytes)
{
  *exchange = (dart__exchange_t){
    .shared       = memory,
    .buffers      = (char *)memory + sizeof(dart__shared_t),
    .nunits       = nunits,
    .me           = me,
    .slot_bytes   = slot_bytes,
    .result_bytes = result_bytes,
  };
}
