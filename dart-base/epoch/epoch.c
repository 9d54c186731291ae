/* Epochs of a segment: see epoch.h. */
#include "epoch/epoch.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/sparse.h"
#include "model/world.h"

/* ---- operations ------------------------------------------------------------------------------- */

static bool keep_types(dart__rma_t *rma)
{
  dart__type_t *kept = malloc(2 * sizeof *kept);

  if (kept == NULL)
    return false;
  dart__type_copy(rma->type, &kept[0]); /* needs no memory */
  dart__type_copy(rma->local_type, &kept[1]);
  rma->type       = &kept[0];
  rma->local_type = &kept[1];
  return true;
}

bool dart__epoch_keep(dart__queued_t *op)
{
  if (dart__rma_is_copied(&op->rma)) {
    memcpy(op->value, op->rma.buffer, op->rma.nbytes);
    op->rma.buffer = NULL;
  }
  return op->rma.local_type == NULL || keep_types(&op->rma);
}

void dart__epoch_release(const dart__queued_t *op)
{
  dart__type_t *kept = (dart__type_t *)(uintptr_t)op->rma.type;

  if (op->rma.local_type == NULL)
    return;
  dart__type_forget(&kept[0]);
  dart__type_forget(&kept[1]);
  free(kept);
}

/* ---- epochs ----------------------------------------------------------------------------------- */

static void discard_epoch(dart__epoch_t *epoch)
{
  if (dart__epoch_is_locking(epoch->kind))
    dart__world_add(&dart__lazy.nlocking, UINT32_MAX);
  if (epoch->hold != NULL)
    dart__hold_delete(epoch->hold);
  for (uint32_t i = 0; i < epoch->nused; i++)
    dart__epoch_release(&epoch->queue[i]); /* those of free places keep nothing */
  pthread_mutex_destroy(&epoch->access);
  pthread_mutex_destroy(&epoch->exposure);
  pthread_mutex_destroy(&epoch->state);
  free(epoch->queue);
  free(epoch->counts);
  dart__sparse_delete(epoch);
}

dart__epoch_t *dart__epoch_make(const dart__team_t *team, dart__segment_t *segment)
{
  dart__epoch_t *epoch = dart__segment_epoch(segment), *other = NULL;

  if (epoch != NULL)
    return epoch;
  epoch = dart__sparse_new(1, sizeof *epoch + (size_t)team->nunits * sizeof *epoch->target);
  if (epoch == NULL)
    return NULL;
  epoch->own = team->me;
  pthread_mutex_init(&epoch->access, NULL);
  pthread_mutex_init(&epoch->exposure, NULL);
  pthread_mutex_init(&epoch->state, NULL);
  /* acq_rel: pairs with dart__segment_epoch */
  if (atomic_compare_exchange_strong_explicit(&segment->epoch, &other, epoch, memory_order_acq_rel,
                                              memory_order_acquire))
    return epoch;
  discard_epoch(epoch); /* another thread was faster */
  return other;
}

void dart__epoch_delete(dart__segment_t *segment)
{
  dart__epoch_t *epoch = dart__segment_epoch(segment);

  if (epoch == NULL)
    return;
  if (epoch->nqueued > 0)
    dart__error("segment %d ends with %u operations of an epoch that was not closed", segment->id,
                epoch->nqueued);
  atomic_store_explicit(&segment->epoch, NULL, memory_order_relaxed);
  discard_epoch(epoch);
}
