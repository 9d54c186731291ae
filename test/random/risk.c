/* See risk.h. */
#include "risk.h"

#include <stdlib.h>
#include <string.h>

#include "contract.h"
#include "need.h"

/* How far an actor follows the list. */
typedef enum {
  FIRM,  /* it executes all */
  SHAKY, /* it may have waited in vain */
  CUT    /* it leaves out what it does alone */
} footing_t;

typedef struct {
  risks_t       *risks;
  const scene_t *scene;
  footing_t      of[ACTORS_MAX];
} walk_t;

static const knowledge_t nobody_knows[ACTORS_MAX];

/* ---- what an operation needs ------------------------------------------------------------------- */

bool risks_have_team(const risks_t *risks, const scene_t *scene, int team)
{
  return (scene->team[team].members & risks->doomed) != 0;
}

static bool has_segment(const risks_t *risks, const scene_t *scene, int seg)
{
  return risks_have_team(risks, scene, scene->segment[seg].team);
}

bool risks_may_drop(const risks_t *risks, const scene_t *scene, const op_t *op)
{
  if (op_has(op, HAS_TO) &&
      (units_have(risks->doomed, op->to) ||
       (scene->segment[op->seg].epoch != 0 && has_segment(risks, scene, op->seg))))
    return true;
  return op_raises(op) && units_have(risks->doomed, scene->counter[op->counter].unit);
}

static bool is_spoiled(const risks_t *risks, const access_t *access)
{
  for (size_t i = 0; i < risks->nspoiled; i++)
    if (access_overlap(&risks->spoiled[i], access))
      return true;
  return false;
}

static bool has_key(const risks_t *risks, access_class_t class, int key)
{
  for (size_t i = 0; i < risks->nspoiled; i++)
    if (risks->spoiled[i].class == class && risks->spoiled[i].key == key)
      return true;
  return false;
}

bool risks_have_word(const risks_t *risks, int word)
{
  return has_key(risks, SHARES, word);
}

bool risks_have_file(const risks_t *risks, int file)
{
  for (size_t i = 0; i < risks->nspoiled; i++) {
    const access_t *a = &risks->spoiled[i];

    if (a->memory >= SEGMENTS_MAX && a->key == file)
      return true;
  }
  return false;
}

/* Whether the actor may wait in vain: for a value, a counter, or a lock that is gone with its unit. */
static bool waits_in_vain(const walk_t *walk, const op_t *op)
{
  const risks_t      *risks = walk->risks;
  const scene_t      *scene = walk->scene;
  const scene_lock_t *lock  = &scene->lock[op->lock];
  static touches_t    touches;

  switch (op->kind) {
  case AWAIT:
    return has_key(risks, RAISES, op->counter) ||
           units_have(risks->doomed, scene->counter[op->counter].unit);
  case POLL:
    access_find(scene, nobody_knows, op, &touches);
    return is_spoiled(risks, &touches.touch[0]) || risks_may_drop(risks, scene, op);
  case LOCKED:
    return lock->is_word
               ? units_have(risks->doomed, lock->unit)
               : risks->has_nodes && units_have(risks->doomed, scene_unit(scene, lock->team, 0));
  case RANGED:
    return risks->has_nodes && risks_have_team(risks, scene, scene->range[op->range].team);
  case SECTION: return has_segment(risks, scene, op->seg);
  case FILE_APPEND:
  case FILE_TAKE: return risks_have_team(risks, scene, scene->file[op->file].team);
  case FILE_READ:
  case FILE_WRITE:
    return scene->file[op->file].atomic &&
           risks_have_team(risks, scene, scene->file[op->file].team);
  default: return false;
  }
}

/* Whether it is a wait for what nobody does: while no unit is lost, it would be for ever. */
static bool waits_for_left_out(const walk_t *walk, const op_t *op)
{
  const risks_t   *risks = walk->risks;
  static touches_t touches;
  bool             found = false;

  if (op->kind == POLL)
    access_find(walk->scene, nobody_knows, op, &touches);
  for (size_t i = 0; i < risks->nspoiled && !found; i++) {
    const access_t *a = &risks->spoiled[i];

    found = a->before != 0 && ((op->kind == AWAIT && a->class == RAISES && a->key == op->counter) ||
                               (op->kind == POLL && access_overlap(a, &touches.touch[0])));
  }
  return found;
}

/* Whether it completes what may be dropped. A wait for a counter does not: it is raised, or waited for in vain. */
static bool may_fail(const walk_t *walk, const op_t *op)
{
  return (contract_is_completion(op) && op->kind != AWAIT) ||
         risks_may_drop(walk->risks, walk->scene, op);
}

/* ---- the walk ---------------------------------------------------------------------------------------- */

static risk_t risk_alone(walk_t *walk, const op_t *op)
{
  footing_t *footing = &walk->of[actor_number(op->unit, op->thread)];

  if (*footing != CUT && waits_for_left_out(walk, op))
    *footing = CUT;
  if (*footing == CUT)
    return RISK_LEFT_OUT;
  if (waits_in_vain(walk, op))
    *footing = SHAKY;
  return *footing != FIRM || may_fail(walk, op) ? RISK_FAILS : RISK_NONE;
}

/* In a ring a survivor could wait for one that has not come to its call, for the partner on its other side was lost. A ring
 * that is left out orders nothing, so its members do nothing alone after it: not even those that will be lost. */
static risk_t risk_together(walk_t *walk, const op_t *op, const actors_t *who)
{
  bool      is_firm = true, has_doomed = false;
  footing_t then;

  for (int i = actors_next(who, 0); i < ACTORS_MAX; i = actors_next(who, i + 1)) {
    is_firm &= walk->of[i] == FIRM;
    has_doomed |= units_have(walk->risks->doomed, actor_unit(i));
  }
  if (is_firm)
    return RISK_NONE;
  has_doomed &= op->kind != RING;
  then = has_doomed ? SHAKY : CUT;
  for (int i = actors_next(who, 0); i < ACTORS_MAX; i = actors_next(who, i + 1))
    if (walk->of[i] < then)
      walk->of[i] = then;
  return has_doomed ? RISK_FAILS : RISK_LEFT_OUT;
}

/* `before`, which nobody else uses here: 1 if the operation is left out. True: its accesses are there. */
static bool has_spoiled(risks_t *risks, const op_t *op, risk_t risk)
{
  bool found = false;

  for (size_t i = 0; i < risks->nspoiled; i++)
    if (risks->spoiled[i].op == op->id) {
      risks->spoiled[i].before = risk == RISK_LEFT_OUT;
      found                    = true;
    }
  return found;
}

static void spoil(walk_t *walk, const op_t *op, risk_t risk)
{
  risks_t         *risks = walk->risks;
  static touches_t touches;

  if (op->kind == AWAIT || has_spoiled(risks, op, risk))
    return;
  access_find(walk->scene, nobody_knows, op, &touches);
  for (int i = 0; i < touches.n; i++) {
    if (touches.touch[i].class == READS)
      continue;
    risks->spoiled =
        need_more(risks->spoiled, risks->nspoiled, &risks->room, sizeof risks->spoiled[0]);
    risks->spoiled[risks->nspoiled]        = touches.touch[i];
    risks->spoiled[risks->nspoiled].before = risk == RISK_LEFT_OUT;
    risks->nspoiled++;
  }
}

/* The scene moves on with the operations. */
static void walk_once(risks_t *risks, scene_t *scene, const op_t *op, size_t n)
{
  walk_t walk = { .risks = risks, .scene = scene };

  for (int i = 0; i < ACTORS_MAX; i++)
    walk.of[i] = units_have(risks->doomed, actor_unit(i)) ? SHAKY : FIRM;
  for (size_t i = 0; i < n; i++) {
    actors_t who = scene_who(scene, &op[i]);

    if (op[i].kind == ROUND)
      risks->of[i] = RISK_FAILS;
    else
      risks->of[i] = op_kinds[op[i].kind].who == WHO_ACTOR ? risk_alone(&walk, &op[i])
                                                           : risk_together(&walk, &op[i], &who);
    if (risks->of[i] != RISK_NONE)
      spoil(&walk, &op[i], risks->of[i]);
    scene_apply(scene, &op[i]);
  }
}

static size_t count_risks(const risks_t *risks, size_t n)
{
  size_t count = 0;

  for (size_t i = 0; i < n; i++)
    count += (size_t)risks->of[i];
  return count;
}

/* What stands later in the list may happen earlier. So all that is spoiled counts from the beginning, until nothing more is. */
void risks_find(risks_t *risks, const scene_t *scene, const op_t *op, size_t n)
{
  scene_t *moving = need(sizeof *moving);
  size_t   before, now = 0;

  risks->of = need(n * sizeof risks->of[0]);
  do {
    before  = now;
    *moving = *scene;
    walk_once(risks, moving, op, n);
    now = count_risks(risks, n);
  } while (now != before);
  free(moving);
}
