/* See rules.h. */
#include "rules.h"

#include <stdlib.h>
#include <string.h>

#include <dash/dart/if/dart_types.h>

#include "need.h"
#include "order.h"
#include "rules_state.h"

enum {
  HOLD_MOST = 1024
}; /* bytes of a notification that leave for certain when its call returns */

rules_t *rules_new(shape_t shape)
{
  rules_t *rules = need(sizeof *rules);

  scene_open(&rules->scene, shape);
  return rules;
}

void rules_delete(rules_t *rules)
{
  free(rules->access);
  free(rules->pending);
  free(rules);
}

const scene_t *rules_scene(const rules_t *rules)
{
  return &rules->scene;
}

/* ---- what conflicts ------------------------------------------------------------------------ */

/* What an actor does after its order, to the same unit, comes after what it did before. */
static bool is_in_order(const rules_t *rules, const access_t *old, const access_t *new)
{
  return new->is_ours &&access_is_ordered(&rules->scene, old, new->actor, UINT32_MAX, new->unit,
                                          new->name);
}

static bool conflicts(const rules_t *rules, const access_t *old, const access_t *new)
{
  return !access_agree(old, new) && !access_is_known(old, &rules->know[new->actor], new->actor) &&
         !access_is_fenced(old, new) && !is_in_order(rules, old, new) &&
         !access_is_program_ordered(old, new) && access_overlap(old, new);
}

static bool is_free(const rules_t *rules, const access_t *new)
{
  for (size_t i = 0; i < rules->naccesses; i++)
    if (conflicts(rules, &rules->access[i], new))
      return false;
  return true;
}

/* The write that a poll waits for: the only one it does not know to be over. NULL: it need not wait;
 * *good_out: it may. An atomic is polled by gets or atomics, a put by gets. What is not fresh may be what was there
 * before, and the poll ends too early. */
static access_t *polled(const rules_t *rules, const op_t *op, const access_t *new, bool *good_out)
{
  access_t *found = NULL;

  *good_out = true;
  for (size_t i = 0; i < rules->naccesses; i++) {
    access_t *old = &rules->access[i];

    if (!conflicts(rules, old, new))
      continue;
    if (found != NULL || old->from != new->from || old->to != new->to || old->name != new->name ||
        !old->is_fresh || old->counter >= 0 || old->is_here ||
        (old->class != UPDATES && (old->class != WRITES || op->how == POLL_FETCH)))
      *good_out = false;
    found = old;
  }
  if (found != NULL && found->class == WRITES &&
      rules->scene.segment[op->seg].kind == SEGMENT_REGISTERED)
    *good_out = false;
  /* one element of the same size, or type: others arrive byte by byte */
  if (found != NULL &&
      (found->class == WRITES ? type_size(found->layout.basic) != type_size(op->type)
                              : found->key != op->type))
    *good_out = false;
  return found;
}

/* A counter tells that it was raised so often, not by whom: who waited must know of all others. Notifications of one
 * actor arrive in their order, so that one may do more than add; those of its gets do not, so one alone may. */
static bool may_raise(const rules_t *rules, const op_t *op)
{
  const counter_t *c     = &rules->counter[op->counter];
  int              actor = actor_number(op->unit, op->thread);

  if (actors_are_none(&c->raisers) ||
      (actors_are_one(&c->raisers, actor) && !c->is_unordered && op->kind == NOTIFY))
    return true;
  if (c->is_set || op->oper != 0)
    return false;
  for (int i = 0; i < ACTORS_MAX; i++)
    if (c->awaited[i] != 0 && rules->know[actor].clock[i] < c->awaited[i])
      return false;
  return true;
}

/* Tags tell apart messages between different threads of the same units. */
static bool good_tag(const rules_t *rules, const op_t *op)
{
  int from = op->kind == RING ? scene_thread(&rules->scene, op->team) : op->thread;
  int to   = op->kind == MESSAGE ? op->peer_thread : from;

  return op->tag % 16 == from * THREADS_MAX + to;
}

/* Whether the actor may stay outside of DART until its peer has done what it does last: wait for what this
 * actor told it last. Both must have met just before, for an actor that is outside of DART may hold up whoever
 * needs its memory. */
static bool may_hold(const rules_t *rules, const op_t *op)
{
  int         actor = actor_number(op->unit, op->thread);
  const op_t *mine  = rules->last[actor];
  const op_t *peers = rules->last[actor_number(op->peer, op->peer_thread)];
  const op_t *told = &mine[0], *waits = &peers[0];

  if (mine[1].kind != MESSAGE || mine[1].id != peers[1].id || waits->id != op->value)
    return false;
  if (told->kind == NOTIFY)
    return waits->kind == AWAIT && waits->how != AWAIT_FETCH && waits->counter == told->counter &&
           actors_are_one(&rules->counter[told->counter].raisers, actor) &&
           told->local.kind == LAYOUT_RUN && told->remote.kind == LAYOUT_RUN &&
           layout_span(&told->remote, told->n) <= HOLD_MOST;
  return (told->kind == PUT || told->kind == PUT_HANDLE || told->kind == PUT_BLOCKING) &&
         waits->kind == POLL && waits->seg == told->seg && waits->to == told->to &&
         waits->at == told->at && told->to == op->peer;
}

static bool good_for_kind(const rules_t *rules, const op_t *op)
{
  switch (op->kind) {
  case NOTIFY:
  case GET_NOTIFY: return may_raise(rules, op);
  case HOLD: return may_hold(rules, op);
  case FILE_WAIT:
  case WAIT:
  case WAIT_LOCAL:
  case TEST:
  case TEST_LOCAL:
  case HANDLE_FREE: return rules_has_handles(rules, op);
  case MESSAGE:
  case LETTERS:
  case RING: return good_tag(rules, op);
  default: return true;
  }
}

/* The accesses of one operation do not get into each other's way either. */
static bool touches_are_free(const rules_t *rules, const op_t *op, const touches_t *touches)
{
  bool good;

  if (op->kind == POLL) {
    polled(rules, op, &touches->touch[0], &good);
    return good;
  }
  for (int i = 0; i < touches->n; i++) {
    if (!is_free(rules, &touches->touch[i]))
      return false;
    for (int j = 0; j < i; j++)
      if (access_overlap(&touches->touch[i], &touches->touch[j]) &&
          !access_agree(&touches->touch[i], &touches->touch[j]))
        return false;
  }
  return true;
}

/* ---- what an operation changes ------------------------------------------------------------- */

static void add_accesses(rules_t *rules, const op_t *op, const touches_t *touches)
{
  complete_t how = contract_on_return(op);
  actors_t   who = scene_who(&rules->scene, op);

  for (int i = 0; i < touches->n; i++) {
    rules->access =
        need_more(rules->access, rules->naccesses, &rules->access_room, sizeof rules->access[0]);
    rules->access[rules->naccesses] = touches->touch[i];
    rules->access[rules->naccesses].event =
        rules->know[touches->touch[i].actor].clock[touches->touch[i].actor];
    rules->naccesses++;
    if (op_is_file_access(op) &&
        op_kinds[op->kind].who == WHO_TEAM) /* done on all when it returns on one */
      actors_join(&rules->access[rules->naccesses - 1].seen, &who);
    rules_finish(rules, touches->touch[i].actor, op->id, how, touches->touch[i].actor);
  }
}

/* What its unit did to another before, as far as the actor knows: its own operations there come after that from now
 * on. The headers say nothing of later ones of other threads. */
static void order(rules_t *rules, const op_t *op)
{
  int actor = actor_number(op->unit, op->thread);

  for (size_t i = 0; i < rules->naccesses; i++) {
    access_t *a = &rules->access[i];

    if (!a->is_ours || actor_unit(a->actor) != op->unit || a->unit != op->to || a->ordered != 0 ||
        rules->know[actor].clock[a->actor] < a->event || rules->scene.segment[a->name].epoch != 0 ||
        !contract_same_scope(&rules->scene, op->seg, a->name))
      continue;
    a->ordered_by = actor;
    a->ordered    = rules->know[actor].clock[actor];
  }
}

/* Who sees the last of operations in order sees them all. */
static void see_in_order(rules_t *rules, const access_t *last, int by)
{
  for (size_t i = 0; i < rules->naccesses; i++) {
    access_t *a = &rules->access[i];

    if (access_is_ordered(&rules->scene, a, last->actor, last->event, last->unit, last->name))
      actors_add(&a->seen, by);
  }
}

static void raise(rules_t *rules, const op_t *op)
{
  const scene_counter_t *place = &rules->scene.counter[op->counter];
  int                    actor = actor_number(op->unit, op->thread);
  counter_t             *c     = &rules->counter[op->counter];

  actors_add(&c->raisers, actor);
  c->is_set |= op->oper != 0;
  c->is_unordered |= op->kind == GET_NOTIFY;
  for (size_t i = 0; i < rules->naccesses; i++)
    if (access_is_ordered(&rules->scene, &rules->access[i], actor, UINT32_MAX, place->unit,
                          place->seg))
      rules->access[i].before |= UINT32_C(1) << op->counter;
  knowledge_learn(&c->then, &rules->know[actor]);
}

static void await(rules_t *rules, const op_t *op)
{
  int        actor = actor_number(op->unit, op->thread);
  counter_t *c     = &rules->counter[op->counter];

  knowledge_learn(&rules->know[actor], &c->then);
  c->awaited[actor] = rules->know[actor].clock[actor];
  for (size_t i = 0; i < rules->naccesses; i++)
    if (rules->access[i].counter == op->counter ||
        (rules->access[i].before >> op->counter & 1) != 0)
      actors_add(&rules->access[i].seen, actor);
}

static void poll(rules_t *rules, const op_t *op, const access_t *new)
{
  bool      good;
  access_t *old = polled(rules, op, new, &good);

  if (old == NULL)
    return;
  actors_add(&old->seen, new->actor);
  if (old->is_ours)
    see_in_order(rules, old, new->actor);
  knowledge_learn(&rules->know[new->actor], &old->then);
}

/* What was done in the epoch that a fence ends is over for all that begin the next, as far as they go on there. */
static void fence(rules_t *rules, const op_t *op)
{
  actors_t who = scene_who(&rules->scene, op);
  op_t     by  = *op;

  for (int unit = 0; unit < rules->scene.shape.units; unit++)
    if (actors_have(&who, actor_number(unit, 0))) {
      by.unit = unit;
      rules_complete(rules, &by);
    }
  for (size_t i = 0; i < rules->naccesses && op->how == FENCE_PLAIN; i++)
    if (rules->access[i].lead == rules->scene.segment[op->seg].lead)
      actors_join(&rules->access[i].fenced, &who);
}

static void note_last(rules_t *rules, const op_t *op)
{
  actors_t who = scene_who(&rules->scene, op);

  for (int i = actors_next(&who, 0); i < ACTORS_MAX; i = actors_next(&who, i + 1)) {
    rules->last[i][1] = rules->last[i][0];
    rules->last[i][0] = *op;
  }
}

static void end_round(rules_t *rules)
{
  actors_t all = scene_actors(&rules->scene);

  memset(rules->last, 0, sizeof rules->last);
  knowledge_tell(rules->know, &all, &all);
  memset(rules->counter, 0, sizeof rules->counter);
  rules->naccesses = rules->npending = 0;
  rules->in_body                     = false;
  scene_end_epochs(&rules->scene);
  scene_end_contests(&rules->scene);
}

/* The threads of a unit start with what the first one knows. */
static void begin_body(rules_t *rules)
{
  if (rules->in_body)
    return;
  rules->in_body = true;
  for (int unit = 0; unit < rules->scene.shape.units; unit++)
    for (int thread = 1; thread < rules->scene.shape.threads; thread++)
      knowledge_learn(&rules->know[actor_number(unit, thread)],
                      &rules->know[actor_number(unit, 0)]);
}

static bool may_come(rules_t *rules, const op_t *op)
{
  if (!scene_valid(&rules->scene, op))
    return false;
  if (op_kinds[op->kind].who == WHO_UNITS)
    return !rules->in_body;
  return good_for_kind(rules, op);
}

bool rules_take(rules_t *rules, const op_t *op)
{
  bool      was_in_body = rules->in_body;
  actors_t  who;
  touches_t touches;

  if (!may_come(rules, op))
    return false;
  if (op_kinds[op->kind].who != WHO_UNITS)
    begin_body(rules);
  who = scene_who(&rules->scene, op);
  access_find(&rules->scene, rules->know, op, &touches);
  if (!touches_are_free(rules, op, &touches)) {
    rules->in_body = was_in_body;
    return false;
  }

  if (op->kind == ROUND) {
    end_round(rules);
    return true;
  }
  knowledge_event(rules->know, &who);
  if (op->kind == POLL)
    poll(rules, op, &touches.touch[0]);
  order_apply(&rules->scene, rules->know, op);
  if (op_kinds[op->kind].who == WHO_TEAM) /* others know that it began, not what it did */
    knowledge_event(rules->know, &who);
  note_last(rules, op);
  if (op_raises(op))
    raise(rules, op);
  if (op->kind == AWAIT)
    await(rules, op);
  if (op->kind == FENCE)
    fence(rules, op);
  if (op->kind == ORDER)
    order(rules, op);
  scene_apply(&rules->scene, op);
  add_accesses(rules, op, &touches);
  if (op_kinds[op->kind].who == WHO_ACTOR) {
    rules_start(rules, op);
    if (contract_is_completion(op))
      rules_complete(rules, op);
  }
  return true;
}

/* ---- lists --------------------------------------------------------------------------------- */

void rules_filter(list_t *list)
{
  rules_t *rules = rules_new(list->shape);
  size_t   kept  = 0;

  for (size_t i = 0; i < list->n; i++) {
    op_t op = list->op[i];

    if (op_has(&op, HAS_OPS))
      rules_drop_missing(rules, &op);
    if (rules_take(rules, &op))
      list->op[kept++] = op;
  }
  list->n = kept;
  rules_delete(rules);
}
