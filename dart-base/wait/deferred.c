/* Deferred updates: see deferred.h. */
#include "wait/deferred.h"

#include "wait/atomic.h"
#include "wait/plain.h"

/* Nothing is stored between two updates. */
static void apply_atomic(const dart__deferred_t *queue, uint32_t end)
{
  for (uint32_t i = queue->first; i != end; i++) {
    const dart__deferred_update_t *update = &queue->update[i % DART__DEFERRED_MOST];

    dart__atomic_accumulate_one(update->word, &update->value, (dart_datatype_t)update->type,
                                (dart_operation_t)update->op);
  }
}

static void apply_plain(const dart__deferred_t *queue, uint32_t end)
{
  for (uint32_t i = queue->first; i != end; i++) {
    const dart__deferred_update_t *update = &queue->update[i % DART__DEFERRED_MOST];

    dart__plain_accumulate_one(update->word, &update->value, (dart_datatype_t)update->type,
                               (dart_operation_t)update->op);
  }
}

static void apply_until(dart__deferred_t *queue, uint32_t end)
{
  if (queue->guard != NULL && queue->first != end && queue->guard->hold()) {
    apply_plain(queue, end);
    queue->guard->release();
  } else {
    apply_atomic(queue, end);
  }
  if (queue->applied != NULL)
    queue->applied(queue, end);
  queue->first = end;
}

static uintptr_t line_of(const dart__deferred_t *queue, uint32_t i)
{
  return (uintptr_t)queue->update[i % DART__DEFERRED_MOST].word / DART__DEFERRED_LINE;
}

/* The line that all updates are on; 0: there are several. Of random updates the first two tell. */
static uintptr_t only_line(const dart__deferred_t *queue)
{
  uintptr_t line = line_of(queue, queue->first);

  for (uint32_t i = queue->first + 1; i != queue->next; i++)
    if (line_of(queue, i) != line)
      return 0;
  return line;
}

void dart__deferred_apply_half(dart__deferred_t *queue)
{
  if (only_line(queue) != 0) {
    dart__deferred_apply_all(queue);
    return;
  }
  apply_until(queue, queue->first + DART__DEFERRED_MOST / 2);
  queue->hot = 0; /* the program goes elsewhere now, so that no update looks for it */
}

void dart__deferred_apply_all(dart__deferred_t *queue)
{
  uint32_t  count = queue->next - queue->first;
  uintptr_t line  = count >= DART__DEFERRED_HOT ? only_line(queue) : 0;

  apply_until(queue, queue->next);
  if (line != 0)
    queue->hot = line;
}
