/* The pool of batches. See batch.h. */
#include "am/batch.h"

#include <stdlib.h>

static void empty(dart__am_batch_t *batch)
{
  batch->next         = NULL;
  batch->number       = 0;
  batch->seen_ns      = 0;
  batch->nwords       = 0;
  batch->nrequests    = 0;
  batch->nresults     = 0;
  batch->result_words = 0;
  batch->has_results  = false;
  batch->is_posted    = false;
  batch->is_selected  = false;
  batch->ndata        = 0;
  batch->ndata_sent   = 0;
}

/* Add to the number made, unless that is too many. */
static bool count(dart__am_pool_t *pool, int by)
{
  bool may;

  dart__am_spin_lock(&pool->lock);
  may = by < 0 || pool->made < DART__AM_BATCHES_MOST;
  if (may)
    pool->made += by;
  dart__am_spin_unlock(&pool->lock);
  return may;
}

static dart__am_batch_t *make(dart__am_pool_t *pool)
{
  dart__am_batch_t *batch;

  if (!count(pool, 1))
    return NULL;
  batch = malloc(sizeof *batch);
  if (batch == NULL)
    count(pool, -1);
  return batch;
}

dart__am_batch_t *dart__am_batch_take(dart__am_pool_t *pool, bool may_make)
{
  dart__am_batch_t *batch;

  dart__am_spin_lock(&pool->lock);
  batch = pool->free;
  if (batch != NULL)
    pool->free = batch->next;
  dart__am_spin_unlock(&pool->lock);
  if (batch == NULL && may_make)
    batch = make(pool);
  if (batch != NULL)
    empty(batch);
  return batch;
}

void dart__am_batch_give(dart__am_pool_t *pool, dart__am_batch_t *batch)
{
  dart__am_spin_lock(&pool->lock);
  batch->next = pool->free;
  pool->free  = batch;
  dart__am_spin_unlock(&pool->lock);
}

bool dart__am_pool_fill(dart__am_pool_t *pool)
{
  dart__am_batch_t *batch = make(pool);

  if (batch != NULL)
    dart__am_batch_give(pool, batch);
  return batch != NULL;
}

void dart__am_pool_clear(dart__am_pool_t *pool)
{
  for (dart__am_batch_t *batch = pool->free, *next; batch != NULL; batch = next) {
    next = batch->next;
    free(batch);
  }
  pool->free = NULL;
  pool->made = 0;
}
