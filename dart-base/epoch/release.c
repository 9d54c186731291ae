/* Portions that are locked when their unit comes to dart_exit: others may wait for them. What was started on them is
 * completed, as by an unlock. What is deferred is dropped: its lock would have to be waited for, and its buffers may be
 * gone; so nothing waits here for another unit's lock. */
#include "base/log.h"
#include "epoch/epoch_calls.h"

static void release_segment(const dart__access_call_t *call)
{
  uint32_t ndropped = call->epoch->nqueued;

  DART__EPOCH_TARGETS (unit, call->epoch) {
    dart__access_drop(call, unit);
    if (call->epoch->target[unit].is_open)
      dart__epoch_unlock(call, unit, false);
    else
      dart__epoch_reset(&call->epoch->target[unit]);
  }
  dart__epoch_forget_targets(call->epoch);
  call->epoch->nlocked   = 0;
  call->epoch->is_broken = call->epoch->is_issued = false;
  dart__epoch_set(call, DART__EPOCH_NONE);
  if (ndropped > 0)
    dart__error(
        "%s: %u operations on segment %d of team %d are dropped, for their epoch was not closed",
        call->function, ndropped, call->segment->id, call->team->id);
}

static bool is_locking(void)
{
  return atomic_load_explicit(&dart__lazy.nlocking, memory_order_relaxed) > 0;
}

static void release_team(dart__team_t *team)
{
  for (int32_t id = INT16_MIN; id <= INT16_MAX && is_locking(); id++) {
    dart__segment_t    *segment = dart__segment_find(team, (int16_t)id);
    dart__epoch_t      *epoch   = segment == NULL ? NULL : dart__segment_epoch(segment);
    dart__access_call_t call    = { "dart_exit", team, segment, epoch };

    if (epoch != NULL && dart__epoch_is_locking(epoch->kind))
      release_segment(&call);
  }
}

/* A look at the whole table of a team would map it, so there is none if nothing is locked. */
void dart__epoch_release_all(void)
{
  for (int32_t id = 0; id < dart__teams_end && is_locking(); id++)
    if (dart__teams[id] != NULL)
      release_team(dart__teams[id]);
}
