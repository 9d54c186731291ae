/* What comes and goes between rounds: teams, allocators, locks; segments are in run_segment.c. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "draw.h"
#include "run_common.h"
#include "value.h"

static bool is_member(const unit_t *unit, int team)
{
  return unit->model.scene.team[team].alive &&
         scene_team_id(&unit->model.scene, team, unit->me) >= 0;
}

/* ---- teams --------------------------------------------------------------------------------- */

static dart_group_t group_of(const unit_t *unit, const op_t *op)
{
  dart_group_t group;

  RUN_OK(unit, op, dart_group_create(&group));
  for (int i = 0; i < unit->shape.units; i++)
    if (units_have(op->units, i))
      RUN_OK(unit, op, dart_group_addmember(group, DART_GLOBAL_UNIT_ID(unit->global[i])));
  return group;
}

static void check_team(const unit_t *unit, const op_t *op)
{
  dart_team_t        team  = unit->team[op->team];
  const scene_t     *scene = &unit->model.scene;
  dart_team_unit_t   id;
  dart_global_unit_t global;
  size_t             size;

  if (!is_member(unit, op->team)) {
    if (team != DART_TEAM_NULL)
      run_fail(unit, op, "a unit that is no member got team %d", team);
    return;
  }
  RUN_OK(unit, op, dart_team_myid(team, &id));
  RUN_OK(unit, op, dart_team_size(team, &size));
  RUN_OK(unit, op, dart_team_unit_l2g(team, id, &global));
  if (id.id != scene_team_id(scene, op->team, unit->me) || global.id != unit->global[unit->me] ||
      (int)size != scene_members(scene, op->team))
    run_fail(unit, op, "unit %d of %zu in the team, %d of all", id.id, size, global.id);
}

static void new_team(unit_t *unit, const op_t *op)
{
  dart_team_t  of    = unit->team[op->of];
  dart_group_t group = DART_GROUP_NULL;

  if (!is_member(unit, op->of)) {
    unit->team[op->team] = DART_TEAM_NULL;
    return;
  }
  if (op->kind == CLONE)
    RUN_OK(unit, op, dart_team_clone(of, &unit->team[op->team]));
  else {
    if (units_have(op->units, unit->me) || op->how == TEAM_ALL_PASS)
      group = group_of(unit, op);
    RUN_OK(unit, op, dart_team_create(of, group, &unit->team[op->team]));
    RUN_OK(unit, op, dart_group_destroy(&group));
  }
  check_team(unit, op);
}

/* ---- words ------------------------------------------------------------------------------------- */

/* Their owner sets them, to what the model has. */
static void set_cell(unit_t *unit, const op_t *op, size_t nbytes)
{
  uint64_t  at     = op->at;
  memory_t *memory = model_memory(&unit->model, op->seg, op->to, &at);

  if (op->to == unit->me)
    memcpy(unit->own[op->seg] + op->at, memory->data + at, nbytes);
}

/* ---- the end of things --------------------------------------------------------------------------- */

/* What goes with a team, or with DART itself, and leaves something of its own behind. */
static void end_leftovers(unit_t *unit, const scene_t *before, const op_t *op)
{
  const scene_t *after = &unit->model.scene;

  for (int i = 0; i < ALLOCATORS_MAX; i++)
    if (before->allocator[i].alive && !after->allocator[i].alive && unit->allocator[i] != NULL)
      RUN_OK(unit, op, dart_allocator_destroy(&unit->allocator[i]));
  for (int i = 0; i < LOCKS_MAX; i++)
    if (before->lock[i].alive && !before->lock[i].is_word && !after->lock[i].alive)
      RUN_OK(unit, op, dart_team_lock_destroy(&unit->lock[i]));
  for (int i = 0; i < FILES_MAX; i++)
    if (before->file[i].alive && !after->file[i].alive &&
        scene_team_id(before, before->file[i].team, unit->me) >= 0)
      run_close_file(unit, op, i);
  for (int i = 0; i < RANGES_MAX; i++)
    if (before->range[i].alive && !after->range[i].alive)
      RUN_OK(unit, op, dart_team_range_destroy(&unit->range[i]));
  for (int i = 0; i < SEGMENTS_MAX; i++)
    if (before->segment[i].alive && !after->segment[i].alive)
      run_end_block(unit, i);
}

/* Allocators cannot be released outside of init and exit, locks can. */
static void restart(unit_t *unit, const scene_t *before, const op_t *op)
{
  for (int i = 0; i < ALLOCATORS_MAX; i++)
    if (before->allocator[i].alive && unit->allocator[i] != NULL)
      RUN_OK(unit, op, dart_allocator_destroy(&unit->allocator[i]));
  RUN_OK(unit, op, dart_exit());
  end_leftovers(unit, before, op);
  if (!run_init(unit, NULL, NULL))
    run_fail(unit, op, "DART cannot be started again");
}

/* ---- all kinds ------------------------------------------------------------------------------------ */

static void execute(unit_t *unit, const op_t *op, const scene_t *before)
{
  switch (op->kind) {
  case TEAM:
  case CLONE: new_team(unit, op); break;
  case END_TEAM:
    RUN_OK(unit, op, dart_team_destroy(&unit->team[op->team]));
    end_leftovers(unit, before, op);
    break;
  case ALLOC:
  case REGISTER:
  case POOL:
  case BLOCK: run_new_segment(unit, op); break;
  case ALLOCATOR:
    RUN_OK(unit, op,
           dart_allocator_new(op->n, unit->team[op->team], &unit->allocator[op->allocator]));
    break;
  case END_ALLOCATOR:
    RUN_OK(unit, op, dart_allocator_destroy(&unit->allocator[op->allocator]));
    break;
  case LOCK:
    RUN_OK(unit, op, dart_team_lock_init(unit->team[op->team], &unit->lock[op->lock]));
    break;
  case END_LOCK:
    if (!before->lock[op->lock].is_word)
      RUN_OK(unit, op, dart_team_lock_destroy(&unit->lock[op->lock]));
    break;
  case RANGE:
    RUN_OK(unit, op, dart_team_range_init(unit->team[op->team], op->n, 0, &unit->range[op->range]));
    break;
  case END_RANGE: RUN_OK(unit, op, dart_team_range_destroy(&unit->range[op->range])); break;
  case COUNTER:
  case LOCK_AT: set_cell(unit, op, 8); break;
  case WORD: set_cell(unit, op, type_size(op->type)); break;
  case FILE_OPEN:
  case FILE_CLOSE:
  case FILE_RESIZE:
  case FILE_SYNC:
  case FILE_MODE:
  case FILE_VIEW:
  case FILE_SEEK: run_file_object(unit, op); break;
  case MEET: RUN_OK(unit, op, dart_barrier(unit->team[0])); break;
  case RESTART: restart(unit, before, op); break;
  case EPOCH: run_epoch(unit, op); break;
  default: break;
  }
}

static bool ends_segment(const op_t *op)
{
  return op->kind == FREE || op->kind == DEREGISTER || op->kind == END_POOL ||
         op->kind == END_BLOCK;
}

/* Only members of its team take part in an operation; all know what it makes of the scene. Memory is left
 * before the model forgets it. */
void run_object(unit_t *unit, const op_t *op)
{
  scene_t  before = unit->model.scene;
  bool     mine   = is_member(unit, scene_team(&before, op));
  expect_t none;

  unit->object_team = scene_team(&before, op);
  if (ends_segment(op) && mine)
    run_end_segment(unit, op);
  if (op->kind == TEAM || op->kind == CLONE)
    unit->team[op->team] = DART_TEAM_NULL;
  model_apply(&unit->model, op, &none);
  if (mine)
    execute(unit, op, &before);
}

/* ---- the end of a schedule -------------------------------------------------------------------------- */

static void end_one(unit_t *unit, kind_t kind, int number)
{
  op_t op = op_new(kind);

  op.seg = op.team = op.lock = op.range = op.file = op.allocator = number;
  if (kind == DEREGISTER)
    op.units = unit->model.scene.team[unit->model.scene.segment[number].team].members &
               ~unit->model.scene.segment[number].gone;
  run_object(unit, &op);
}

static kind_t end_of_segment(segment_kind_t kind)
{
  switch (kind) {
  case SEGMENT_ALLOCATED: return FREE;
  case SEGMENT_REGISTERED: return DEREGISTER;
  case SEGMENT_POOL: return END_POOL;
  default: return END_BLOCK;
  }
}

/* Names of memory go before the memory. */
static void end_segments(unit_t *unit, bool aliases)
{
  const scene_t *scene = &unit->model.scene;

  for (int i = SEGMENTS_MAX - 1; i >= 0; i--)
    if (scene->segment[i].alive && (scene->segment[i].alias >= 0) == aliases)
      end_one(unit, end_of_segment(scene->segment[i].kind), i);
}

void run_end_objects(unit_t *unit)
{
  const scene_t *scene = &unit->model.scene;

  end_segments(unit, true);
  end_segments(unit, false);
  for (int i = 0; i < ALLOCATORS_MAX; i++)
    if (scene->allocator[i].alive)
      end_one(unit, END_ALLOCATOR, i);
  for (int i = 0; i < LOCKS_MAX; i++)
    if (scene->lock[i].alive)
      end_one(unit, END_LOCK, i);
  for (int i = 0; i < FILES_MAX; i++)
    if (scene->file[i].alive)
      end_one(unit, FILE_CLOSE, i);
  for (int i = 0; i < RANGES_MAX; i++)
    if (scene->range[i].alive)
      end_one(unit, END_RANGE, i);
  for (int i = TEAMS_MAX - 1; i > 0; i--)
    if (scene->team[i].alive)
      end_one(unit, END_TEAM, i);
}
