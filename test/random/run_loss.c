/* Schedules in which units are lost. In one round, that is drawn, one or two units or all of a node are killed, each at a drawn
 * operation or shortly after it. What may fail by that, and what may not, is derived from the list (risk.h). The others make a
 * team of those that are left, compare what is not spoiled, end all that there was, and go on with the next schedule in the
 * new team. */
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <dash/dart/ext/dart_near.h>
#include <dash/dart/ext/dart_survive.h>

#include "draw.h"
#include "rules.h"
#include "run_common.h"

enum { MOST_US = 3000 }; /* from an operation to the death of its unit */

/* What a thread does when a call has failed. */
static _Thread_local struct {
  jmp_buf *back; /* the end of the operation; NULL: it goes on */
  bool     lost;
} now;

/* ---- who, and when ------------------------------------------------------------------------------- */

void run_name_units(unit_t *unit)
{
  dart_team_unit_t near[UNITS_MAX];
  size_t           n;
  int              mine;

  RUN_OK(unit, NULL, dart_team_near_units(DART_TEAM_ALL, UNITS_MAX, near, &n));
  mine = near[0].id;
  RUN_OK(unit, NULL, dart_allgather(&mine, unit->node, 1, DART_TYPE_INT, DART_TEAM_ALL));
  for (int i = 0; i < unit->shape.units; i++) {
    unit->global[i] = i;
    unit->risks.has_nodes |= unit->node[i] != unit->node[0];
  }
}

static bool is_doomed(const unit_t *unit, int of)
{
  return units_have(unit->doomed, of);
}

/* One unit, two, or all of a node. */
static uint64_t draw_doomed(const unit_t *unit, draw_t *draw)
{
  size_t   n = (size_t)unit->shape.units, how = draw_below(draw, 4), first = draw_below(draw, n);
  size_t   second = draw_below(draw, n);
  uint64_t doomed = unit_set((int)first);

  if (how == 0 && unit->risks.has_nodes)
    for (int i = 0; i < (int)n; i++)
      doomed |= unit->node[unit->global[i]] == unit->node[unit->global[first]] ? unit_set(i) : 0;
  else if (how == 1 && n > 2)
    doomed |= unit_set((int)second);
  return doomed != units_below((int)n) ? doomed : unit_set((int)first);
}

/* A job that has lost units is not started again. */
static void leave_out_restarts(list_t *list)
{
  size_t kept = 0;

  for (size_t i = 0; i < list->n; i++) {
    const op_t *op = &list->op[i];

    if (op->kind != RESTART)
      list->op[kept++] = *op;
    if (op->kind == ALLOC && kept > 0)
      list->op[kept - 1].how = ALLOC_FILLED; /* so polls know what they wait for */
  }
  list->n = kept;
  rules_filter(list);
}

/* The epochs of the pool are those of DART_TEAM_ALL, which may be broken. What is in the pool is known when the rules have
 * left out what the restarts would have ended. */
static void leave_out_pool_epochs(list_t *list)
{
  bool   is_pool[SEGMENTS_MAX] = { false };
  size_t kept                  = 0;

  for (size_t i = 0; i < list->n; i++) {
    const op_t *op = &list->op[i];

    if (op->kind == POOL || op->kind == BLOCK || op->kind == ALLOC || op->kind == REGISTER)
      is_pool[op->seg] = op->kind == POOL;
    if (op->kind != EPOCH || !is_pool[op->seg])
      list->op[kept++] = *op;
  }
  list->n = kept;
  rules_filter(list);
}

void run_leave_out(const unit_t *unit, list_t *list)
{
  leave_out_restarts(list);
  if (unit->team[0] != DART_TEAM_ALL)
    leave_out_pool_epochs(list);
}

static bool is_end(const list_t *list, size_t i)
{
  return list->op[i].kind == ROUND;
}

void run_plan_losses(unit_t *unit, const list_t *list)
{
  draw_t draw   = { mix(list->shape.salt, 8, 8) };
  size_t rounds = 0, from = 0, body, to;

  unit->all         = list->op;
  unit->doomed      = 0;
  unit->death_round = SIZE_MAX;
  if (!unit->kills || unit->shape.units == 1)
    return;
  for (size_t i = 0; i < list->n; i++)
    rounds += is_end(list, i);
  unit->death_round = draw_below(&draw, rounds);
  for (size_t i = unit->death_round; i > 0; from++)
    i -= is_end(list, from);
  for (to = body = from; !is_end(list, to); to++)
    body += op_kinds[list->op[to].kind].who == WHO_UNITS;
  unit->doomed = draw_doomed(unit, &draw);
  for (int i = 0; i < unit->shape.units; i++) {
    size_t   at = draw_range(&draw, draw_chance(&draw, 70) ? body : from, to);
    uint64_t us = draw_chance(&draw, 50) ? 0 : draw_log(&draw, 1, MOST_US);

    if (i == unit->me) {
      unit->death_at = at;
      unit->death_us = us;
    }
  }
}

bool run_begin_losses(unit_t *unit, size_t round)
{
  uint64_t all = 1;

  if (round != unit->death_round)
    return false;
  RUN_OK(unit, NULL, dart_team_agree(unit->team[0], &all)); /* others may be in the last barrier */
  unit->risks.doomed = unit->doomed;
  unit->in_epochs    = 0;
  return true;
}

static void die(unit_t *unit)
{
  struct sigevent   how  = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGKILL };
  struct itimerspec when = { .it_value = { 0, (long)unit->death_us * 1000 } };
  timer_t           timer;

  unit->is_dying = true;
  if (unit->death_us == 0)
    raise(SIGKILL);
  if (timer_create(CLOCK_MONOTONIC, &how, &timer) != 0 || timer_settime(timer, 0, &when, NULL) != 0)
    run_fail(unit, NULL, "no timer");
}

static void die_at(unit_t *unit, const op_t *op)
{
  if (is_doomed(unit, unit->me) && !unit->is_dying && (size_t)(op - unit->all) >= unit->death_at)
    die(unit);
}

/* ---- calls that fail ------------------------------------------------------------------------------- */

static bool is_wait(const op_t *op)
{
  return op->kind == AWAIT || (op->kind == POLL && op->how >= POLL_WORD);
}

/* A wait for what anybody could do ends by any loss. */
bool run_may_lose(const unit_t *unit, const op_t *op)
{
  if (unit->risks.doomed == 0 || op == NULL)
    return false;
  if (unit->risks.of == NULL || op < unit->op || op >= unit->op + unit->nops)
    return risks_have_team(&unit->risks, &unit->model.scene, unit->object_team);
  return unit->risks.of[op - unit->op] == RISK_FAILS || is_wait(op);
}

void run_lose(void)
{
  now.lost = true;
  if (now.back != NULL)
    longjmp(*now.back, 1);
}

void run_go_on(void)
{
  now.back = NULL;
  now.lost = false;
}

bool run_has_lost(void)
{
  return now.lost;
}

static dart_unit_status_t status_of(const unit_t *unit, int of)
{
  dart_unit_status_t status = DART_UNIT_RUNNING;

  RUN_OK(unit, NULL, dart_unit_status(DART_GLOBAL_UNIT_ID(unit->global[of]), &status));
  return status;
}

/* Whether what the operation waits for may have been left out. */
static bool is_any_lost(const unit_t *unit)
{
  for (int i = 0; i < unit->shape.units; i++)
    if (is_doomed(unit, i) && status_of(unit, i) != DART_UNIT_RUNNING)
      return true;
  return false;
}

bool run_all_are_lost(const unit_t *unit)
{
  for (int i = 0; i < unit->shape.units; i++)
    if (is_doomed(unit, i) && status_of(unit, i) == DART_UNIT_RUNNING)
      return false;
  return true;
}

bool run_is_at_risk(const unit_t *unit, const op_t *op)
{
  return unit->risks.doomed != 0 && unit->risks.of[op - unit->op] == RISK_FAILS;
}

void run_look_for_losses(const unit_t *unit, const op_t *op)
{
  if (run_is_at_risk(unit, op) && is_any_lost(unit))
    run_lose();
}

/* ---- operations ------------------------------------------------------------------------------------ */

void run_drop(thread_t *thread, const op_t *by)
{
  const scene_t *scene = &thread->unit->model.scene;

  for (under_way_t *u = thread->under_way; u != NULL; u = u->next)
    if (risks_may_drop(&thread->unit->risks, scene, u->op) &&
        contract_completes(scene, by, u->op) != COMPLETE_NOT)
      u->is_lost = true;
}

bool run_is_untold(const unit_t *unit, const op_t *op)
{
  return unit->risks.doomed != 0 && unit->shape.threads > 1 &&
         risks_may_drop(&unit->risks, &unit->model.scene, op);
}

/* It may hold a handle, or not; nothing of it is under way any more. */
static void end_start(thread_t *thread, const op_t *op)
{
  under_way_t *u = run_find(thread, op->id);

  if (u == NULL)
    return;
  u->is_lost = true;
  u->has_handle &= !contract_is_request(op);
  run_complete(thread, u, COMPLETE_THERE);
  u->is_there = true;
}

static void end_handles(thread_t *thread, const op_t *op)
{
  for (int i = 0; i < op->nops; i++) {
    under_way_t *u = run_find(thread, op->ops[i]);

    if (u != NULL)
      u->has_handle = false;
  }
}

static bool waits_for_others(const op_t *op)
{
  return op_kinds[op->kind].who != WHO_ACTOR || is_wait(op) || op->kind == POLL ||
         op->kind == LOCKED || op->kind == RANGED || op->kind == SECTION || op_is_file_access(op);
}

/* A wait for a counter was given up: a flush completes the gets that would have raised it. */
static void flush_awaited(thread_t *thread, const op_t *by)
{
  unit_t        *unit  = thread->unit;
  const scene_t *scene = &unit->model.scene;

  for (under_way_t *u = thread->under_way; u != NULL; u = u->next)
    if (by->kind == AWAIT && u->op->kind == GET_NOTIFY &&
        contract_completes(scene, by, u->op) != COMPLETE_NOT)
      dart_flush(run_gptr(unit, u->op->seg, u->op->to, u->op->at));
}

/* The call has told of all that was dropped so far. */
static void end_failed(thread_t *thread, const op_t *op)
{
  for (under_way_t *u = thread->under_way; u != NULL; u = u->next)
    u->is_lost |= risks_may_drop(&thread->unit->risks, &thread->unit->model.scene, u->op);
  flush_awaited(thread, op);
  if (contract_is_completion(op)) {
    end_handles(thread, op);
    run_completed(thread, op);
  } else
    end_start(thread, op);
  thread->has_failed |= waits_for_others(op);
}

static double seconds(void)
{
  struct timespec t;

  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Of what began then. */
static void note_time(unit_t *unit, double begin)
{
  double took = seconds() - begin;

  unit->longest = took > unit->longest ? took : unit->longest;
}

/* Until it ends well, or in vain. A wait that nothing but the news has ended is made again. */
static bool succeeds(thread_t *thread, const op_t *op, run_op_t *run)
{
  jmp_buf back;
  size_t  none;

  now.lost = false;
  if (setjmp(back) != 0) {
    now.back = NULL;
    if (!is_wait(op) || thread->unit->risks.of[op - thread->unit->op] != RISK_NONE)
      return false;
    none = 0;
    RUN_OK(thread->unit, op, dart_team_lost(DART_TEAM_ALL, NULL, &none));
  }
  now.back = op->kind == ROUND ? NULL : &back;
  run(thread, op);
  now.back = NULL;
  return true;
}

void run_at_risk(thread_t *thread, const op_t *op, run_op_t *run)
{
  unit_t *unit = thread->unit;
  risk_t  risk = unit->risks.of[op - unit->op];
  double  begin;

  die_at(unit, op);
  if (risk == RISK_LEFT_OUT || (thread->has_failed && op_kinds[op->kind].who == WHO_ACTOR))
    return;
  begin = seconds();
  if (!succeeds(thread, op, run))
    end_failed(thread, op);
  note_time(unit, begin);
  if (risk == RISK_NONE)
    unit->firm++;
  else
    unit->at_risk++;
}

static bool is_kept(const op_t *op)
{
  switch (op->kind) {
  case FREE:
  case DEREGISTER:
  case END_POOL:
  case END_BLOCK:
  case END_ALLOCATOR:
  case END_LOCK:
  case END_RANGE:
  case END_TEAM:
  case FILE_CLOSE: return false;
  default: return true;
  }
}

/* What was to be made is not there, and what was to go is gone; of a file that was to change nothing is known. */
static void forget(unit_t *unit, const scene_t *before, const op_t *op)
{
  unit->model.scene = *before;
  if (!is_kept(op))
    scene_apply(&unit->model.scene, op);
  if (op->kind == REGISTER)
    run_end_block(unit, op->seg);
  if (op_has(op, HAS_FILE))
    unit->model.scene.file[op->file].alive = false;
}

/* All agree on it: what was made by some alone is as if it was made by none. */
bool run_object_at_risk(unit_t *unit, const op_t *op)
{
  scene_t  before = unit->model.scene;
  uint64_t done   = 1;
  double   begin;
  jmp_buf  back;

  die_at(unit, op);
  begin    = seconds();
  now.lost = false;
  now.back = &back;
  if (setjmp(back) == 0)
    run_object(unit, op);
  now.back = NULL;
  note_time(unit, begin);
  done = !now.lost;
  if (dart_team_agree(unit->team[0], &done) == DART_OK && done != 0)
    return true;
  forget(unit, &before, op);
  return false;
}

/* ---- the end of a round ------------------------------------------------------------------------------ */

static void set_vague(memory_t *memory, const access_t *access)
{
  if (memory->nbytes < access->to || access->n == 0)
    return;
  if (memory->vague == NULL)
    memory->vague = calloc(memory->nbytes, 1);
  if (memory->vague != NULL)
    layout_mark(&access->layout, access->n, memory->vague + access->from, 1);
}

void run_find_risks(unit_t *unit)
{
  risks_find(&unit->risks, &unit->model.scene, unit->op, unit->nops);
  run_spoil(unit, NULL);
}

/* Of an access to a segment, or to the bytes of a file; NULL: to something else. */
static memory_t *memory_of(unit_t *unit, const access_t *access)
{
  if (access->memory < SEGMENTS_MAX)
    return &unit->model.memory[access->memory][access->unit];
  return access->memory < SEGMENTS_MAX + FILES_MAX && access->class != TAKES
             ? &unit->model.file[access->memory - SEGMENTS_MAX]
             : NULL;
}

/* NULL: of all operations. */
void run_spoil(unit_t *unit, const op_t *op)
{
  for (size_t i = 0; i < unit->risks.nspoiled; i++) {
    const access_t *access = &unit->risks.spoiled[i];

    if (memory_of(unit, access) != NULL && (op == NULL || access->op == op->id))
      set_vague(memory_of(unit, access), access);
  }
}

/* Units that are yet to die take part until they do. */
static bool has_doomed(const unit_t *unit, dart_team_t team)
{
  size_t size;

  RUN_OK(unit, NULL, dart_team_size(team, &size));
  for (size_t i = 0; i < size; i++) {
    dart_global_unit_t global;

    RUN_OK(unit, NULL, dart_team_unit_l2g(team, DART_TEAM_UNIT_ID((int)i), &global));
    for (int u = 0; u < unit->shape.units; u++)
      if (is_doomed(unit, u) && unit->global[u] == global.id)
        return true;
  }
  return false;
}

void run_shrink(unit_t *unit)
{
  dart_team_t next;
  double      begin;

  run_phase(unit, "dart_team_shrink");
  if (is_doomed(unit, unit->me) && !unit->is_dying)
    die(unit);
  unit->left = unit->team[0];
  do {
    begin = seconds();
    RUN_OK(unit, NULL, dart_team_shrink(unit->left, &next));
    note_time(unit, begin);
    if (unit->left != unit->team[0])
      RUN_OK(unit, NULL, dart_team_destroy(&unit->left));
    unit->left = next;
  } while (has_doomed(unit, unit->left));
  if (!run_all_are_lost(unit))
    run_fail(unit, NULL, "a unit that is not in the new team is not lost");
}

void run_take_team(unit_t *unit)
{
  dart_team_unit_t me;
  size_t           size;

  free(unit->risks.of);
  free(unit->risks.spoiled);
  unit->risks = (risks_t){ .has_nodes = unit->risks.has_nodes };
  if (unit->team[0] != DART_TEAM_ALL)
    RUN_OK(unit, NULL, dart_team_destroy(&unit->team[0]));
  unit->team[0] = unit->left;
  RUN_OK(unit, NULL, dart_team_myid(unit->left, &me));
  RUN_OK(unit, NULL, dart_team_size(unit->left, &size));
  unit->losses += (uint64_t)__builtin_popcountll(unit->doomed);
  if (size + (size_t)__builtin_popcountll(unit->doomed) != (size_t)unit->shape.units)
    run_fail(unit, NULL, "%zu units are left of %d", size, unit->shape.units);
  for (size_t i = 0; i < size; i++) {
    dart_global_unit_t global;

    RUN_OK(unit, NULL, dart_team_unit_l2g(unit->left, DART_TEAM_UNIT_ID((int)i), &global));
    unit->global[i] = global.id;
  }
  unit->me          = me.id;
  unit->shape.units = (int)size;
  unit->doomed      = 0;
}
