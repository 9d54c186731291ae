/* Operations that are under way: see rules.h. */
#include <string.h>

#include "need.h"
#include "rules.h"
#include "rules_state.h"

void rules_finish(rules_t *rules, int actor, uint32_t id, complete_t how, int by)
{
  if (how == COMPLETE_NOT)
    return;
  for (size_t i = 0; i < rules->naccesses; i++) {
    access_t *a = &rules->access[i];

    if (a->op == id && a->actor == actor && a->done == 0 && (how == COMPLETE_THERE || a->is_here)) {
      a->done_by = by;
      a->done    = rules->know[by].clock[by];
    }
  }
}

static pending_t *find_pending(const rules_t *rules, int actor, uint32_t id)
{
  for (size_t i = 0; i < rules->npending; i++)
    if (rules->pending[i].actor == actor && rules->pending[i].op.id == id)
      return &rules->pending[i];
  return NULL;
}

bool rules_has_handles(const rules_t *rules, const op_t *op)
{
  for (int i = 0; i < op->nops; i++) {
    pending_t *p = find_pending(rules, actor_number(op->unit, op->thread), op->ops[i]);

    if (p == NULL || !p->has_handle || contract_is_request(&p->op) != (op->kind == FILE_WAIT))
      return false;
    for (int j = 0; j < i; j++)
      if (op->ops[j] == op->ops[i])
        return false;
  }
  return op->nops > 0;
}

void rules_start(rules_t *rules, const op_t *op)
{
  int actor = actor_number(op->unit, op->thread);

  if (contract_on_return(op) == COMPLETE_THERE)
    return;
  rules->pending =
      need_more(rules->pending, rules->npending, &rules->pending_room, sizeof rules->pending[0]);
  rules->pending[rules->npending++] =
      (pending_t){ *op,   actor, rules->know[actor].clock[actor], contract_has_handle(op),
                   false, false };
}

/* Gets are over when they are complete here; a handle that nobody waited for stays. */
static bool is_over(const pending_t *p)
{
  return !p->has_handle && (p->is_there || (p->is_here && op_is_get(&p->op)));
}

/* How far `by` brings it. A flush is for all threads of its unit, if they started before it. */
static complete_t completed(const rules_t *rules, const op_t *by, const pending_t *p)
{
  int actor = actor_number(by->unit, by->thread);

  if (p->op.unit != by->unit || rules->know[actor].clock[p->actor] < p->event)
    return COMPLETE_NOT;
  return contract_completes(&rules->scene, by, &p->op);
}

void rules_complete(rules_t *rules, const op_t *by)
{
  int    actor = actor_number(by->unit, by->thread);
  size_t kept  = 0;

  for (size_t i = 0; i < rules->npending; i++) {
    pending_t *p   = &rules->pending[i];
    complete_t how = completed(rules, by, p);

    rules_finish(rules, p->actor, p->op.id, how, actor);
    if (p->actor == actor) {
      p->is_here |= how != COMPLETE_NOT;
      p->is_there |= how == COMPLETE_THERE;
      p->has_handle &= !contract_names(by, p->op.id);
    }
    if (!is_over(p))
      rules->pending[kept++] = *p;
  }
  rules->npending = kept;
}

size_t rules_pending(const rules_t *rules, int actor)
{
  size_t n = 0;

  for (size_t i = 0; i < rules->npending; i++)
    n += rules->pending[i].actor == actor;
  return n;
}

const op_t *rules_pending_op(const rules_t *rules, int actor, size_t index, bool *has_handle_out)
{
  for (size_t i = 0; i < rules->npending; i++)
    if (rules->pending[i].actor == actor && index-- == 0) {
      *has_handle_out = rules->pending[i].has_handle;
      return &rules->pending[i].op;
    }
  return NULL;
}

/* Of a wait for several handles those count that are still there. */
void rules_drop_missing(const rules_t *rules, op_t *op)
{
  int kept = 0;

  for (int i = 0; i < op->nops; i++) {
    pending_t *p = find_pending(rules, actor_number(op->unit, op->thread), op->ops[i]);

    if (p != NULL && p->has_handle)
      op->ops[kept++] = op->ops[i];
  }
  op->nops = kept;
}
