/* The pool of batches. See batch.h. */
#include "far/am/batch.h"

#include <stdlib.h>

#include "base/assert.h"
#include "base/counters.h"
#include "wait/near.h"

static void empty(dart__am_batch_t *batch)
{
  batch->next         = NULL;
  batch->number       = 0;
  batch->seen_ns      = 0;
  batch->nwords       = 0;
  batch->nrequests    = 0;
  batch->nown         = 0;
  batch->nresults     = 0;
  batch->result_words = 0;
  batch->has_results  = false;
  batch->is_posted    = false;
  batch->is_full      = false;
  batch->is_selected  = false;
  batch->described    = 0;
  batch->nscatters    = 0;
  batch->narrivals    = 0;
  batch->ndata        = 0;
  batch->ndata_sent   = 0;
}

/* Add to the number made, unless that is too many. */
static bool count_made(dart__am_pool_t *pool, int by)
{
  bool may;

  dart__am_spin_lock(&pool->lock);
  may = by < 0 || pool->made < DART__AM_BATCHES_MOST;
  if (may)
    pool->made += by;
  dart__am_spin_unlock(&pool->lock);
  return may;
}

static dart__am_batch_t *make_batch(dart__am_pool_t *pool)
{
  dart__am_batch_t *batch;

  if (!count_made(pool, 1))
    return NULL;
  batch = malloc(sizeof *batch);
  if (batch == NULL)
    count_made(pool, -1);
  else
    dart__level_add(DART__LEVEL_BATCHES, sizeof *batch);
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
    batch = make_batch(pool);
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
  dart__am_batch_t *batch = make_batch(pool);

  if (batch != NULL)
    dart__am_batch_give(pool, batch);
  return batch != NULL;
}

void dart__am_pool_clear(dart__am_pool_t *pool)
{
  for (dart__am_batch_t *batch = pool->free, *next; batch != NULL; batch = next) {
    next = batch->next;
    free(batch);
    dart__level_add(DART__LEVEL_BATCHES, -(int64_t)sizeof *batch);
  }
  pool->free = NULL;
  pool->made = 0;
}

/* ---- operands and results that are not consecutive ------------------------------------------ */

void dart__am_batch_gather(uint64_t *words, const dart__am_record_t *r)
{
  size_t nbytes = r->first_bytes + r->second_bytes;

  words[dart__am_words(nbytes)] = 0; /* no stray bytes on the wire */
  if (r->first_bytes > 0)
    memcpy(&words[1], r->first, r->first_bytes);
  dart__near_gather((char *)&words[1] + r->first_bytes, r->second, r->type, r->from,
                    r->second_bytes / r->type->elem_size);
}

uint32_t dart__am_batch_scatter(dart__am_batch_t *batch, const dart__am_record_t *r)
{
  dart__am_scatter_t *scatter = &batch->scatter[batch->nscatters++];

  dart__assert(batch->nscatters <= DART__AM_SCATTERS);
  batch->is_full |= batch->nscatters == DART__AM_SCATTERS;
  dart__type_copy(r->type, &scatter->type); /* needs no memory: the program has created it */
  scatter->from = r->from;
  return (uint32_t)batch->nscatters;
}

void dart__am_batch_deliver(dart__am_batch_t *batch, const dart__am_result_t *result,
                            const uint64_t *words)
{
  dart__am_scatter_t *scatter;

  if (result->scattered == 0) {
    memcpy(result->to, words, result->nbytes);
    return;
  }
  scatter = &batch->scatter[result->scattered - 1];
  dart__near_scatter(result->to, &scatter->type, scatter->from, words,
                     result->nbytes / scatter->type.elem_size);
  dart__type_forget(&scatter->type);
}
