/* Epochs: opened before the operations of a round, closed after them. What is not complete by then is completed
 * by the close. Which assertions are given is drawn from the schedule; all are true: that nobody puts to a
 * portion is found out by looking ahead. Beside them some are false that builds with assertions verify: their
 * calls are refused, and change nothing that the rest of the round would see. */
#include <dash/dart/ext/dart_epoch.h>
#include <dash/dart/ext/dart_near.h>

#include "draw.h"
#include "run_common.h"

static bool chance(const unit_t *unit, const op_t *op, int seg)
{
  return mix(unit->shape.salt, op->id, (uint64_t)seg) % 2 == 0;
}

static dart_gptr_t own(const unit_t *unit, int seg)
{
  return run_gptr(unit, seg, unit->me, 0);
}

/* ---- true assertions --------------------------------------------------------------------------- */

/* Whether it may write to memory of which `seg` is a name. */
static bool may_write(const unit_t *unit, const op_t *op, int seg)
{
  uint64_t at = 0;

  if (!op_has(op, HAS_TO) || op_is_get(op) || op->to != unit->me)
    return false;
  return scene_memory(&unit->model.scene, op->seg, &at) ==
         scene_memory(&unit->model.scene, seg, &at);
}

/* Nobody puts to this unit's portion before the segment's next fence, or the end of the round. */
int run_epoch_noput(const unit_t *unit, const op_t *op, int seg)
{
  const scene_t *scene = &unit->model.scene;

  if (!chance(unit, op, 40))
    return 0;
  for (op++; op->kind != ROUND; op++) {
    if (op->kind == FENCE && scene_same_memory(scene, op->seg, seg))
      break;
    for (int i = 0; i < SEGMENTS_MAX; i++)
      if (scene_same_memory(scene, i, seg) && may_write(unit, op, i))
        return 0;
  }
  return DART_EPOCH_NOPUT;
}

/* Since the units met, nobody has stored anything. */
static int nostore(const unit_t *unit, const op_t *op)
{
  const op_t *before = op;

  while (before->kind == EPOCH)
    before--;
  return before->kind == MEET && chance(unit, op, 41) ? DART_EPOCH_NOSTORE : 0;
}

/* ---- false ones -------------------------------------------------------------------------------- */

#ifdef DART_ENABLE_ASSERTIONS
static void expect_found(const unit_t *unit, const op_t *op, const char *what, dart_ret_t ret)
{
  if (ret != DART_ERR_INVAL && (ret != DART_ERR_UNIT_LOST || !run_may_lose(unit, op)))
    run_fail(unit, op, "%s returned %d, though the promise is not kept", what, (int)ret);
}

/* This unit's portion, which nobody puts to, is put to after all. */
static void break_noput(const unit_t *unit, const op_t *op, int seg)
{
  char byte = 0x5a;

  if (scene_size(&unit->model.scene, seg, unit->me) > 0)
    expect_found(unit, op, "a put against NOPUT",
                 dart_put(own(unit, seg), &byte, 1, DART_TYPE_BYTE, DART_TYPE_BYTE));
}

/* This unit's portion is started that was not posted yet. */
static void break_nocheck(const unit_t *unit, const op_t *op)
{
  const scene_t   *scene = &unit->model.scene;
  dart_team_unit_t self  = { scene_team_id(scene, scene->segment[op->seg].team, unit->me) };

  if (self.id >= 0 && chance(unit, op, 45))
    expect_found(unit, op, "a start without a post",
                 dart_epoch_start(own(unit, op->seg), 1, &self, DART_EPOCH_NOCHECK));
}

/* The fence that ends the epoch is given different assertions. */
static void break_common(const unit_t *unit, const op_t *round, int seg)
{
  const scene_t *scene  = &unit->model.scene;
  int            nunits = 0, team = scene->segment[seg].team;
  int            flag = chance(unit, round, 60 + seg) ? DART_EPOCH_NOSUCCEED : DART_EPOCH_LAZY;

  for (int i = 0; i < unit->shape.units; i++)
    nunits += scene_team_id(scene, team, i) >= 0;
  if (nunits > 1 && chance(unit, round, 46 + seg))
    expect_found(
        unit, round, "a fence",
        dart_epoch_fence(own(unit, seg), scene_team_id(scene, team, unit->me) == 0 ? flag : 0));
}

/* The first and the second unit of this unit's node in a team, as units of the job; -1: there is none. */
static void first_near_units(const unit_t *unit, const op_t *op, int team, int found[2])
{
  dart_team_unit_t near[UNITS_MAX];
  size_t           n = 0;

  RUN_OK(unit, op, dart_team_near_units(unit->team[team], UNITS_MAX, near, &n));
  for (size_t k = 0; k < 2; k++) {
    found[k] = -1;
    for (int i = 0; k < n && i < unit->shape.units; i++)
      if (scene_team_id(&unit->model.scene, team, i) == near[k].id)
        found[k] = i;
  }
}

/* On each node the first unit holds its portion while the second reads it without asking for the lock: the read waits
 * all the same, and its unlock says so. */
static void break_free_lock(const unit_t *unit, const op_t *op)
{
  const scene_t *scene = &unit->model.scene;
  int            team  = scene->segment[op->seg].team, near[2];
  dart_gptr_t    held;
  char           byte;
  bool           holds, reads;

  if (!chance(unit, op, 47) || !chance(unit, op, 48))
    return;
  first_near_units(unit, op, team, near);
  held  = run_gptr(unit, op->seg, near[0], 0);
  holds = unit->me == near[0] && scene_size(scene, op->seg, near[0]) > 0;
  reads = unit->me == near[1] && scene_size(scene, op->seg, near[0]) > 0;
  if (holds)
    RUN_OK(unit, op, dart_epoch_lock(held, DART_EPOCH_EXCLUSIVE, 0));
  RUN_OK(unit, op, dart_barrier(unit->team[team]));
  if (reads) {
    RUN_OK(unit, op, dart_epoch_lock(held, DART_EPOCH_SHARED, DART_EPOCH_NOCHECK));
    RUN_OK(unit, op, dart_get(&byte, held, 1, DART_TYPE_BYTE, DART_TYPE_BYTE));
  }
  RUN_OK(unit, op, dart_barrier(unit->team[team]));
  if (holds)
    RUN_OK(unit, op, dart_epoch_unlock(held, 0));
  if (reads)
    expect_found(unit, op, "an unlock of what another held", dart_epoch_unlock(held, 0));
  RUN_OK(unit, op, dart_barrier(unit->team[team])); /* or it would find the next locks not free */
}
#else
static void break_noput(const unit_t *unit, const op_t *op, int seg)
{
  (void)unit, (void)op, (void)seg;
}
static void break_nocheck(const unit_t *unit, const op_t *op)
{
  (void)unit, (void)op;
}
static void break_common(const unit_t *unit, const op_t *round, int seg)
{
  (void)unit, (void)round, (void)seg;
}
static void break_free_lock(const unit_t *unit, const op_t *op)
{
  (void)unit, (void)op;
}
#endif

/* ---- pairs ------------------------------------------------------------------------------------- */

/* Team units with which this one is paired: its targets, or its origins. */
static size_t find_partners(const unit_t *unit, int seg, bool targets,
                            dart_team_unit_t partners[UNITS_MAX])
{
  const scene_segment_t *segment = &unit->model.scene.segment[seg];
  size_t                 n       = 0;

  for (int other = 0; other < unit->shape.units; other++)
    if (targets ? units_have(segment->pairs[unit->me], other)
                : units_have(segment->pairs[other], unit->me))
      partners[n++].id = scene_team_id(&unit->model.scene, segment->team, other);
  return n;
}

static bool is_only_origin(const unit_t *unit, int seg, int target)
{
  for (int other = 0; other < unit->shape.units; other++)
    if (other != unit->me && units_have(unit->model.scene.segment[seg].pairs[other], target))
      return false;
  return true;
}

/* Without checks, all have posted before any starts. */
static void begin_pscw(unit_t *unit, const op_t *op)
{
  dart_team_unit_t partners[UNITS_MAX];
  dart_gptr_t      gptr    = own(unit, op->seg);
  int              nocheck = chance(unit, op, 42) ? DART_EPOCH_NOCHECK : 0;
  size_t           n       = find_partners(unit, op->seg, false, partners);
  int              noput   = run_epoch_noput(unit, op, op->seg);

  break_nocheck(unit, op);
  if (n > 0)
    RUN_OK(unit, op, dart_epoch_post(gptr, n, partners, nocheck | nostore(unit, op) | noput));
  if (nocheck != 0)
    RUN_OK(unit, op, dart_barrier(unit->team[unit->model.scene.segment[op->seg].team]));
  n = find_partners(unit, op->seg, true, partners);
  if (n > 0)
    RUN_OK(unit, op, dart_epoch_start(gptr, n, partners, nocheck));
  if (noput != 0 && scene_covers(&unit->model.scene, op->seg, unit->me, unit->me))
    break_noput(unit, op, op->seg);
}

/* No lock waits for another: several origins of a target share it. So none need be asked for. */
static void begin_locks(unit_t *unit, const op_t *op)
{
  dart_epoch_lock_t kind;

  for (int to = 0; to < unit->shape.units; to++) {
    if (!units_have(op->pairs[unit->me], to))
      continue;
    kind = is_only_origin(unit, op->seg, to) && chance(unit, op, to) ? DART_EPOCH_EXCLUSIVE
                                                                     : DART_EPOCH_SHARED;
    RUN_OK(unit, op,
           dart_epoch_lock(run_gptr(unit, op->seg, to, 0), kind,
                           chance(unit, op, 43) ? DART_EPOCH_NOCHECK : 0));
  }
}

/* Units meet before: nothing of the rounds before is under way. */
void run_epoch(unit_t *unit, const op_t *op)
{
  dart_gptr_t gptr  = own(unit, op->seg);
  int         noput = run_epoch_noput(unit, op, op->seg);

  switch (op->how) {
  case EPOCH_FENCE:
    RUN_OK(unit, op,
           dart_epoch_fence(gptr, (chance(unit, op, op->seg) ? DART_EPOCH_NOPRECEDE : 0) |
                                      nostore(unit, op) | noput));
    if (noput != 0)
      break_noput(unit, op, op->seg);
    break;
  case EPOCH_LOCK_ALL:
    break_free_lock(unit, op);
    RUN_OK(unit, op, dart_epoch_lock_all(gptr, chance(unit, op, 44) ? DART_EPOCH_NOCHECK : 0));
    break;
  case EPOCH_PSCW: begin_pscw(unit, op); break;
  case EPOCH_LOCK:
    break_free_lock(unit, op);
    begin_locks(unit, op);
    break;
  default: break; /* each section opens its own */
  }
}

/* ---- ends -------------------------------------------------------------------------------------- */

static void end_fence(unit_t *unit, const op_t *round, int seg)
{
  dart_gptr_t gptr = own(unit, seg);

  break_common(unit, round, seg);
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

static void end_pscw(unit_t *unit, const op_t *round, int seg)
{
  dart_team_unit_t partners[UNITS_MAX];
  dart_gptr_t      gptr  = own(unit, seg);
  int32_t          ended = 0;

  if (find_partners(unit, seg, true, partners) > 0)
    RUN_OK(unit, round, dart_epoch_complete(gptr));
  if (find_partners(unit, seg, false, partners) == 0)
    return;
  if (chance(unit, round, seg)) {
    RUN_OK(unit, round, dart_epoch_wait(gptr));
    return;
  }
  run_go_on();
  while (ended == 0 && !run_has_lost()) {
    RUN_OK(unit, round, dart_epoch_test(gptr, &ended));
    run_yield();
  }
}

static void end_locks(unit_t *unit, const op_t *round, int seg)
{
  for (int to = 0; to < unit->shape.units; to++)
    if (scene_covers(&unit->model.scene, seg, unit->me, to))
      RUN_OK(unit, round,
             dart_epoch_unlock(run_gptr(unit, seg, to, 0),
                               chance(unit, round, to) ? DART_EPOCH_LAZY : 0));
  RUN_OK(unit, round, dart_flush_all(own(unit, seg)));
}

static void end_epoch(unit_t *unit, const op_t *round, int seg)
{
  switch (unit->model.scene.segment[seg].epoch) {
  case 1 + EPOCH_FENCE: end_fence(unit, round, seg); break;
  case 1 + EPOCH_LOCK_ALL: end_lock_all(unit, round, seg); break;
  case 1 + EPOCH_PSCW: end_pscw(unit, round, seg); break;
  case 1 + EPOCH_LOCK: end_locks(unit, round, seg); break;
  default: RUN_OK(unit, round, dart_flush_all(own(unit, seg))); break; /* sections may be lazy */
  }
}

void run_end_epochs(unit_t *unit, const op_t *round)
{
  scene_t *scene = &unit->model.scene;

  for (int seg = 0; seg < SEGMENTS_MAX; seg++)
    if (scene->segment[seg].epoch != 0 && scene->segment[seg].lead == seg &&
        scene_team_id(scene, scene->segment[seg].team, unit->me) >= 0) {
      unit->object_team = scene->segment[seg].team;
      unit->in_epochs |= run_may_lose(unit, round) ? UINT64_C(1) << seg : 0;
      run_go_on();
      end_epoch(unit, round, seg);
    }
  scene_end_epochs(scene);
}
