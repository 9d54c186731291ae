/* Epochs of a segment: see epoch.h. */
#include "epoch/epoch.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/sparse.h"
#include "model/world.h"

/* ---- states that end -------------------------------------------------------------------------- */

void dart__epoch_end_state(dart__epoch_shared_t *state, bool is_held, bool is_exclusive)
{
  uint32_t nfar;

  /* seq_cst: before the lock is left, so that the next to enter it sees this; pairs with dart__epoch_has_ended */
  atomic_fetch_add_explicit(&state->ends, 1, memory_order_seq_cst);
  if (is_held)
    dart__rwlock_leave(&state->lock, is_exclusive);
  /* acq_rel: pairs with those of the thread that serves far units; each is left once */
  nfar = atomic_exchange_explicit(&state->far_held, 0, memory_order_acq_rel);
  if (nfar == DART__EPOCH_FAR_EXCLUSIVE)
    dart__rwlock_leave(&state->lock, true);
  else
    for (; nfar > 0; nfar--)
      dart__rwlock_leave(&state->lock, false);
}

bool dart__epoch_is_quiet(const dart__epoch_shared_t *state)
{
  /* seq_cst: as in wait/rwlock.c. All that have a ticket have left: the look is at those first, for both only grow. */
  uint32_t left =
      atomic_load_explicit((_Atomic uint32_t *)&state->lock.exclusive, memory_order_seq_cst);

  return atomic_load_explicit((_Atomic uint32_t *)&state->lock.next, memory_order_seq_cst) == left;
}

/* Its lock goes on as it is. A unit that has not heard of the end of the segment before may enter it at any time, and
 * then sees that. relaxed: other units learn of the state by a collective call. */
void dart__epoch_renew(dart__epoch_shared_t *state)
{
  atomic_store_explicit(&state->exposed, 0, memory_order_relaxed);
  atomic_store_explicit(&state->is_read_only, 0, memory_order_relaxed);
  atomic_store_explicit(&state->posts, 0, memory_order_relaxed);
}

void dart__epoch_far_enter(dart__epoch_shared_t *state, bool is_exclusive)
{
  /* acq_rel: pairs with dart__epoch_end_state */
  atomic_fetch_add_explicit(&state->far_held, is_exclusive ? DART__EPOCH_FAR_EXCLUSIVE : 1,
                            memory_order_acq_rel);
}

bool dart__epoch_far_leave(dart__epoch_shared_t *state, bool is_exclusive)
{
  uint32_t by   = is_exclusive ? DART__EPOCH_FAR_EXCLUSIVE : 1;
  uint32_t held = atomic_load_explicit(&state->far_held, memory_order_relaxed);

  /* acq_rel: pairs with dart__epoch_end_state */
  while (held >= by && (is_exclusive ? held == by : held < DART__EPOCH_FAR_EXCLUSIVE))
    if (atomic_compare_exchange_weak_explicit(&state->far_held, &held, held - by,
                                              memory_order_acq_rel, memory_order_relaxed))
      return true;
  return false;
}

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
  /* acq_rel: pairs with dart__epoch_find */
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

typedef struct {
  dart__team_t    *team;
  dart__segment_t *segment;
  dart__epoch_t   *epoch;
} making_t;

static bool try_make(void *context)
{
  making_t *making = context;

  making->epoch = dart__epoch_make(making->team, making->segment);
  return making->epoch != NULL;
}

/* On behalf of another unit, which could not be told of a lack: it is waited out. */
static dart__epoch_t *make_or_wait(dart__team_t *team, dart__segment_t *segment)
{
  making_t making = { team, segment, NULL };

  dart__wait_for(try_make, &making, &dart__wait_briefly);
  return making.epoch;
}

bool dart__epoch_may_enter(dart__team_t *team, dart__segment_t *segment, int32_t unit)
{
  const dart__epoch_target_t *t = &make_or_wait(team, segment)->target[unit];

  /* acquire: what this unit did before its post; pairs with epoch/pscw.c */
  return atomic_load_explicit(&t->exposed, memory_order_acquire) != t->ended;
}

void dart__epoch_note(dart__team_t *team, dart__segment_t *segment, int32_t unit,
                      dart__epoch_control_t control, uint64_t value)
{
  dart__epoch_t *epoch = make_or_wait(team, segment);

  if ((control == DART__EPOCH_COMPLETED || control == DART__EPOCH_ARRIVED) &&
      (value & DART__EPOCH_WROTE) != 0)
    /* relaxed: the counters below release it */
    atomic_store_explicit(&epoch->is_written, true, memory_order_relaxed);
  /* release: the operations before the message; pairs with the acquire of the thread that waits for the count */
  switch (control) {
  case DART__EPOCH_POSTED:
    atomic_fetch_add_explicit(&epoch->target[unit].posted, 1, memory_order_release);
    break;
  case DART__EPOCH_COMPLETED:
    epoch->target[unit].ended += (value & DART__EPOCH_CHECKED) != 0;
    atomic_fetch_add_explicit(&epoch->target[unit].done, 1, memory_order_release);
    break;
  case DART__EPOCH_ARRIVED:
    atomic_fetch_add_explicit(&epoch->arrived, 1, memory_order_release);
    break;
  case DART__EPOCH_GRANTED:
  case DART__EPOCH_GONE:
    break; /* are about no segment: see dart__epoch_granted, dart__epoch_gone */
  }
}

void dart__epoch_granted(uint64_t value, const uint64_t *words, size_t nwords)
{
  dart__epoch_request_t *request = (dart__epoch_request_t *)(uintptr_t)value;

  if (nwords > 0)
    memcpy(request->data[1], words, nwords * sizeof *words);
  /* release: the data, and what was done under the lock before; pairs with the thread that waits */
  atomic_fetch_add_explicit((_Atomic uint32_t *)(uintptr_t)value, 1, memory_order_release);
}

void dart__epoch_gone(uint64_t value)
{
  atomic_store_explicit((_Atomic uint32_t *)(uintptr_t)value, DART__REQUEST_GONE,
                        memory_order_release);
}

uint32_t dart__epoch_exposed(dart__team_t *team, dart__segment_t *segment)
{
  /* acquire: the unit has left the fence before far operations are applied */
  return atomic_load_explicit(&dart__epoch_shared(team, segment, team->me)->exposed,
                              memory_order_acquire);
}
