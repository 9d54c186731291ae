#ifndef DART__WAIT_DEFERRED_H
#define DART__WAIT_DEFERRED_H
/* Atomic updates that wait for their cache lines.
 *
 * An atomic instruction on a word outside the caches stalls the core: it is ordered with all accesses around it, so the
 * cache misses of two atomics never overlap. But an update without a result may be applied late. So its line is
 * prefetched when it is added, and the update is applied after enough others were added. Half of a full queue is
 * applied while the lines of the other half are still being fetched. It is applied by halves, not one by one: an atomic
 * instruction also waits for the stores before it, and adding an update to the queue is a store. (The idea is group
 * prefetching: Chen, Ailamaki, Gibbons, Mowry: Improving hash join performance through prefetching, ICDE 2004.)
 *
 * A line that many updates in a row go to is in the cache, and the queue would only cost time. So a line that
 * all updates in the queue are on becomes the hot one, until half a queue of others is applied, and updates of it are
 * applied at once. No update of the hot line is ever in the queue, so those of a word still are applied in their order.
 *
 * Updates of a word are applied in the order in which they were added. The queue belongs to one thread. */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <dash/dart/if/dart_types.h>

#include "wait/atomic.h"

#define DART__DEFERRED_MOST 64 /* power of 2 */
#define DART__DEFERRED_HOT  16 /* updates of one line that make it the hot one, at least */
#define DART__DEFERRED_LINE 64 /* bytes; more or less than a cache line is right, too */

typedef struct {
  void    *word;
  uint64_t value; /* as in memory, from the first byte on */
  uint32_t type;
  uint32_t op;
} dart__deferred_update_t;

/* Who else may update the words. While `hold` has returned true, and until `release`, nobody does: then updates are
 * a load and a store (wait/plain.h). */
typedef struct {
  bool (*hold)(void);
  void (*release)(void);
} dart__deferred_guard_t;

typedef struct dart__deferred {
  uint32_t  first; /* sequence number of the oldest update */
  uint32_t  next;  /* sequence number of the next update */
  uintptr_t hot;   /* the hot line: its address / DART__DEFERRED_LINE; 0: there is none */
  const dart__deferred_guard_t *guard; /* NULL: others may at any time */
  /* Called when updates up to `end`, still in the queue, were applied; or NULL. */
  void (*applied)(const struct dart__deferred *queue, uint32_t end);
  dart__deferred_update_t update[DART__DEFERRED_MOST]; /* index: sequence number modulo size */
} dart__deferred_t;

/** Apply all updates; then the queue is empty. */
void dart__deferred_apply_all(dart__deferred_t *queue);

/** Apply the older half of a queue that is full; all of it, if it makes a line the hot one. */
void dart__deferred_apply_half(dart__deferred_t *queue);

static inline int dart__deferred_is_empty(const dart__deferred_t *queue)
{
  return queue->first == queue->next;
}

/** Whether `word` is in the hot line: then its updates are the caller's to apply, at once. */
static inline bool dart__deferred_is_hot(const dart__deferred_t *queue, const void *word)
{
  return (uintptr_t)word / DART__DEFERRED_LINE == queue->hot;
}

/** *word = *word op *value, sometime before dart__deferred_apply_all returns. The preconditions are
 *  those of dart__atomic_accumulate; `type` has at most 8 bytes; `*value` is copied. The word
 *  is not in the hot line. */
static inline void dart__deferred_add(dart__deferred_t *queue, void *word, const void *value,
                                      size_t nbytes, dart_datatype_t type, dart_operation_t op)
{
  dart__deferred_update_t *update = &queue->update[queue->next % DART__DEFERRED_MOST];

  __builtin_prefetch(word, 1);
  update->word = word;
  update->type = (uint32_t)type;
  update->op   = (uint32_t)op;
  if (__builtin_expect(nbytes == sizeof update->value, 1))
    memcpy(&update->value, value, sizeof update->value);
  else
    memcpy(&update->value, value, nbytes);
  if (++queue->next - queue->first == DART__DEFERRED_MOST)
    dart__deferred_apply_half(queue);
}

/** dart__deferred_add of a word of 8 bytes, without a branch: with `counts` false nothing is added, and `word` not accessed.
 *  True: half of the queue was applied. */
static inline bool dart__deferred_add_if(dart__deferred_t *queue, bool counts, void *word,
                                         uint64_t value, dart_datatype_t type, dart_operation_t op)
{
  dart__deferred_update_t *update = &queue->update[queue->next % DART__DEFERRED_MOST];

  __builtin_prefetch(word, 1);
  *update = (dart__deferred_update_t){ word, value, (uint32_t)type, (uint32_t)op };
  queue->next += counts;
  if (__builtin_expect(queue->next - queue->first < DART__DEFERRED_MOST, 1))
    return false;
  dart__deferred_apply_half(queue);
  return true;
}

#endif
