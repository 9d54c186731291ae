/* Deferred updates: see deferred.h. */
#include "node/deferred.h"

#include "node/atomic.h"

static inline void apply(const dart__deferred_update_t *update)
{
  dart_datatype_t  type = (dart_datatype_t)update->type;
  dart_operation_t op   = (dart_operation_t)update->op;

  if (!dart__atomic_accumulate_word(update->word, &update->value, type, op))
    dart__atomic_accumulate(update->word, &update->value, 1, type, op);
}

/* Nothing is stored between two updates. */
static void apply_until(dart__deferred_t *queue, uint32_t end)
{
  for (uint32_t i = queue->first; i != end; i++)
    apply(&queue->update[i % DART__DEFERRED_MOST]);
  queue->first = end;
}

void dart__deferred_apply_half(dart__deferred_t *queue)
{
  apply_until(queue, queue->first + DART__DEFERRED_MOST / 2);
}

void dart__deferred_apply_all(dart__deferred_t *queue)
{
  apply_until(queue, queue->next);
}
