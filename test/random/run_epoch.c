/* Epochs: opened before the operations of a round, closed after them. What is not complete by then is completed by
 * the close. Which assertions are given is drawn from the schedule; all hold. */
#include <dash/dart/ext/dart_epoch.h>

#include "draw.h"
#include "run.h"

static bool chance(const unit_t *unit, const op_t *op, int seg)
{
  return mix(unit->shape.salt, op->id, (uint64_t)seg) % 2 == 0;
}

static dart_gptr_t own(const unit_t *unit, int seg)
{
  return run_gptr(unit, seg, unit->me, 0);
}

/* Units meet before: nothing of the rounds before is under way. */
void run_epoch(unit_t *unit, const op_t *op)
{
  dart_gptr_t gptr = own(unit, op->seg);

  if (op->how == EPOCH_FENCE)
    RUN_OK(unit, op, dart_epoch_fence(gptr, chance(unit, op, op->seg) ? DART_EPOCH_NOPRECEDE : 0));
  else
    RUN_OK(unit, op, dart_epoch_lock_all(gptr, 0));
}

static void end_fence(unit_t *unit, const op_t *round, int seg)
{
  dart_gptr_t gptr = own(unit, seg);

  if (chance(unit, round, seg)) {
    RUN_OK(unit, round, dart_epoch_fence(gptr, DART_EPOCH_NOSUCCEED));
    return;
  }
  RUN_OK(unit, round, dart_epoch_fence(gptr, 0));
  RUN_OK(unit, round, dart_epoch_fence(gptr, DART_EPOCH_NOPRECEDE | DART_EPOCH_NOSUCCEED));
}

static void end_lock_all(unit_t *unit, const op_t *round, int seg)
{
  dart_gptr_t gptr = own(unit, seg);
  bool        lazy = chance(unit, round, seg);

  RUN_OK(unit, round, dart_epoch_unlock_all(gptr, lazy ? DART_EPOCH_LAZY : 0));
  if (lazy)
    RUN_OK(unit, round, dart_flush_all(gptr));
}

void run_end_epochs(unit_t *unit, const op_t *round)
{
  scene_t *scene = &unit->model.scene;

  for (int seg = 0; seg < SEGMENTS_MAX; seg++)
    if (scene->segment[seg].epoch != 0 &&
        scene_team_id(scene, scene->segment[seg].team, unit->me) >= 0) {
      if (scene->segment[seg].epoch == 1 + EPOCH_FENCE)
        end_fence(unit, round, seg);
      else
        end_lock_all(unit, round, seg);
    }
  scene_end_epochs(scene);
}
