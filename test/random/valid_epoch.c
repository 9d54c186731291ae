/* What epochs allow: which may be opened, and what may be done in segments that have one. */
#include "scene.h"

/* Whether others may wait in it for what is deferred: at counters, locks and shared words. */
static bool has_cells(const scene_t *scene, int seg)
{
  for (int i = 0; i < COUNTERS_MAX; i++)
    if (scene->counter[i].alive && scene_same_memory(scene, scene->counter[i].seg, seg))
      return true;
  for (int i = 0; i < LOCKS_MAX; i++)
    if (scene->lock[i].alive && scene->lock[i].is_word &&
        scene_same_memory(scene, scene->lock[i].seg, seg))
      return true;
  for (int i = 0; i < WORDS_MAX; i++)
    if (scene->word[i].alive && scene_same_memory(scene, scene->word[i].seg, seg))
      return true;
  return false;
}

/* Origins and targets are members. */
static bool good_pairs(const scene_t *scene, const op_t *op)
{
  uint64_t members = scene->team[scene->segment[op->seg].team].members;

  for (int origin = 0; origin < UNITS_MAX; origin++)
    if (op->pairs[origin] != 0 &&
        (!units_have(members, origin) || (op->pairs[origin] & ~members) != 0))
      return false;
  return true;
}

static bool good_epoch(const scene_t *scene, const op_t *op)
{
  const scene_segment_t *segment = &scene->segment[op->seg];

  return segment->epoch == 0 && segment->gone == 0 && !has_cells(scene, op->seg) &&
         good_pairs(scene, op);
}

/* Calls about one segment are made one after the other, and a promise that nothing was issued is kept. */
static bool good_fence(const scene_t *scene, const op_t *op)
{
  const scene_segment_t *segment = &scene->segment[op->seg];

  return scene->shape.threads == 1 && segment->epoch == 1 + EPOCH_FENCE &&
         op->team == segment->team && (op->how != FENCE_NOPRECEDE || segment->issued == 0);
}

static bool good_section(const scene_t *scene, const op_t *op)
{
  return scene->segment[op->seg].epoch == 1 + EPOCH_SECTIONS && op->n > 0 && op->n <= 32 &&
         scene_is_aligned(scene, op->seg, op->at, 8);
}

/* What the epoch of the unit does not allow, and it knows: another target; the epoch once more; flags that mean
 * nothing; that nothing was issued, where something was. */
static bool good_refused(const scene_t *scene, const op_t *op)
{
  const scene_segment_t *segment = &scene->segment[op->seg];

  switch (op->how) {
  case REFUSED_AGAIN:
    return (segment->epoch == 1 + EPOCH_PSCW || segment->epoch == 1 + EPOCH_LOCK) &&
           scene_covers(scene, op->seg, op->unit, op->to) && scene->shape.threads == 1;
  case REFUSED_FLAGS: return segment->epoch != 0 && scene->shape.threads == 1;
  case REFUSED_NOPRECEDE:
    return segment->epoch == 1 + EPOCH_FENCE && scene->shape.threads == 1 &&
           units_have(segment->sent, op->unit);
  default:
    return scene_has_part(scene, op->seg, op->unit) &&
           !scene_covers(scene, op->seg, op->unit, op->to) &&
           scene_is_aligned(scene, op->seg, op->at, 8) &&
           op->at + 8 <= scene_size(scene, op->seg, op->to);
  }
}

/* Things come and go before epochs are opened, which the end of the round closes. */
static bool is_too_late(const scene_t *scene, const op_t *op)
{
  if (op_kinds[op->kind].who != WHO_UNITS || op->kind == EPOCH || op->kind == MEET)
    return false;
  for (int seg = 0; seg < SEGMENTS_MAX; seg++)
    if (scene->segment[seg].epoch != 0)
      return true;
  return false;
}

/* A unit that has a lock may wait for nothing for which others need that lock: a fence, which they have yet to
 * reach. */
static bool good_use(const scene_t *scene, const op_t *op)
{
  const scene_segment_t *segment  = &scene->segment[op->seg];
  bool                   is_plain = op->kind == STORE || op->kind == LOAD;

  switch (op->kind) {
  case FLUSH:
  case FLUSH_LOCAL: return true;
  case ORDER:
  case POLL: return segment->epoch == 0;
  case LOCKED:
  case RANGED:
    return scene_covers(scene, op->seg, op->unit, op->to) &&
           (segment->epoch != 1 + EPOCH_FENCE || !segment->fenced);
  default:
    return (is_plain && op->to == op->unit) || scene_covers(scene, op->seg, op->unit, op->to);
  }
}

bool scene_valid_in_epochs(const scene_t *scene, const op_t *op)
{
  if (is_too_late(scene, op))
    return false;
  switch (op->kind) {
  case EPOCH: return good_epoch(scene, op);
  case FENCE: return good_fence(scene, op);
  case SECTION: return good_section(scene, op);
  case REFUSED: return good_refused(scene, op);
  default: return op_kinds[op->kind].who != WHO_ACTOR || !op_has(op, HAS_TO) || good_use(scene, op);
  }
}
