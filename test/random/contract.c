/* See contract.h. */
#include "contract.h"

complete_t contract_on_return(const op_t *op)
{
  switch (op->kind) {
  case FILE_READ:
  case FILE_WRITE: return op->how == ACCESS_REQUEST ? COMPLETE_NOT : COMPLETE_THERE;
  case PUT:
  case PUT_VALUE:
  case ACCUMULATE:
  case NOTIFY: return op_is_copied(op) ? COMPLETE_HERE : COMPLETE_NOT;
  case GET:
  case GET_NOTIFY:
  case PUT_HANDLE:
  case GET_HANDLE:
  case FETCH:
  case SWAP: return COMPLETE_NOT;
  case STREAM:
  case ACCUMULATE_LOCAL: return COMPLETE_HERE;
  case SECTION: return op->how == SECTION_LAZY ? COMPLETE_HERE : COMPLETE_THERE;
  default: return COMPLETE_THERE;
  }
}

bool contract_is_completion(const op_t *op)
{
  return (op->kind >= FLUSH && op->kind <= HANDLE_FREE && op->kind != ORDER) ||
         op->kind == FILE_WAIT || op->kind == AWAIT;
}

bool contract_is_request(const op_t *op)
{
  return (op->kind == FILE_READ || op->kind == FILE_WRITE) && op->how == ACCESS_REQUEST;
}

bool contract_has_handle(const op_t *op)
{
  return op->kind == PUT_HANDLE || op->kind == GET_HANDLE || contract_is_request(op);
}

bool contract_names(const op_t *by, uint32_t id)
{
  for (int i = 0; i < by->nops; i++)
    if (by->ops[i] == id)
      return true;
  return false;
}

bool contract_same_scope(const scene_t *scene, int a, int b)
{
  const scene_segment_t *one = &scene->segment[a], *other = &scene->segment[b];

  return one->team == other->team && (one->kind == SEGMENT_POOL) == (other->kind == SEGMENT_POOL);
}

/* A notification is flushed where its counter is, a notified get where its data are. */
static bool in_scope(const scene_t *scene, const op_t *by, const op_t *op)
{
  int                    seg = op->kind == NOTIFY ? scene->counter[op->counter].seg : op->seg;
  const scene_segment_t *a = &scene->segment[by->seg], *b = &scene->segment[seg];

  if (b->epoch != 0 && (a->epoch == 0 || a->lead != b->lead) && !op_raises(op))
    return false; /* what an epoch deferred is started by flushes of its own segment */
  return contract_same_scope(scene, by->seg, seg);
}

/* A fence is for operations in its epochs. On return they are complete here, and there where that is this unit's portion:
 * another target may still be on its way through the fence, by which it waits for them. */
static complete_t fenced(const scene_t *scene, const op_t *by, const op_t *op)
{
  if (op_raises(op) || !scene_same_memory(scene, by->seg, op->seg) || by->how == FENCE_NOPRECEDE)
    return COMPLETE_NOT;
  return by->how == FENCE_PLAIN && op->to == op->unit ? COMPLETE_THERE : COMPLETE_HERE;
}

/* A synchronisation waits for lazy unlocks, of any memory, if its unit has no lock epoch open. Another thread of the
 * unit may have one at any time. */
static complete_t unlocked(const scene_t *scene, const op_t *by)
{
  bool is_for_all =
      by->kind == FLUSH || by->kind == FLUSH_ALL || (by->kind == FENCE && by->how == FENCE_PLAIN);

  return is_for_all && scene->shape.threads == 1 && !scene_has_lock(scene, by->unit)
             ? COMPLETE_THERE
             : COMPLETE_NOT;
}

/* Who has seen a counter of its unit has the data of its notified gets. */
static complete_t arrived(const scene_t *scene, const op_t *by, const op_t *op)
{
  return op->kind == GET_NOTIFY && op->counter == by->counter &&
                 scene->counter[op->counter].unit == op->unit
             ? COMPLETE_HERE
             : COMPLETE_NOT;
}

complete_t contract_completes(const scene_t *scene, const op_t *by, const op_t *op)
{
  if (op->kind == SECTION && by->kind != ROUND)
    return unlocked(scene, by);
  if (contract_is_request(op) != (by->kind == FILE_WAIT) && by->kind != ROUND)
    return COMPLETE_NOT;
  switch (by->kind) {
  case FLUSH: return in_scope(scene, by, op) && by->to == op->to ? COMPLETE_THERE : COMPLETE_NOT;
  case FLUSH_LOCAL:
    return in_scope(scene, by, op) && by->to == op->to ? COMPLETE_HERE : COMPLETE_NOT;
  case FLUSH_ALL: return in_scope(scene, by, op) ? COMPLETE_THERE : COMPLETE_NOT;
  case FLUSH_LOCAL_ALL: return in_scope(scene, by, op) ? COMPLETE_HERE : COMPLETE_NOT;
  case FILE_WAIT:
  case WAIT:
  case TEST: return contract_names(by, op->id) ? COMPLETE_THERE : COMPLETE_NOT;
  case WAIT_LOCAL:
  case TEST_LOCAL: return contract_names(by, op->id) ? COMPLETE_HERE : COMPLETE_NOT;
  case AWAIT: return arrived(scene, by, op);
  case FENCE: return fenced(scene, by, op);
  case ROUND: return COMPLETE_THERE;
  default: return COMPLETE_NOT;
  }
}
