/* See order.h. */
#include "order.h"

void knowledge_learn(knowledge_t *to, const knowledge_t *from)
{
  for (int i = 0; i < ACTORS_MAX; i++)
    if (to->clock[i] < from->clock[i])
      to->clock[i] = from->clock[i];
}

void knowledge_tell(knowledge_t know[ACTORS_MAX], const actors_t *writers, const actors_t *readers)
{
  knowledge_t all = { { 0 } };

  for (int i = actors_next(writers, 0); i < ACTORS_MAX; i = actors_next(writers, i + 1))
    knowledge_learn(&all, &know[i]);
  for (int i = actors_next(readers, 0); i < ACTORS_MAX; i = actors_next(readers, i + 1))
    knowledge_learn(&know[i], &all);
}

void knowledge_event(knowledge_t know[ACTORS_MAX], const actors_t *actors)
{
  for (int i = actors_next(actors, 0); i < ACTORS_MAX; i = actors_next(actors, i + 1))
    know[i].clock[i]++;
}

static void ring(const scene_t *scene, knowledge_t know[ACTORS_MAX], const op_t *op)
{
  int         n = scene_members(scene, op->team), thread = scene_thread(scene, op->team);
  knowledge_t before[UNITS_MAX]; /* by place in the team */

  for (int i = 0; i < n; i++)
    before[i] = know[actor_number(scene_unit(scene, op->team, i), thread)];
  for (int i = 0; i < n; i++) {
    int to = scene_unit(scene, op->team, (i + op->shift) % n);

    knowledge_learn(&know[actor_number(to, thread)], &before[i]);
  }
}

void order_apply(const scene_t *scene, knowledge_t know[ACTORS_MAX], const op_t *op)
{
  actors_t all = scene_who(scene, op), root = { { 0 } }, from, to;

  if (op_has(op, HAS_ROOT))
    root = actor_set(
        actor_number(scene_unit(scene, op->team, op->root), scene_thread(scene, op->team)));
  switch (op->kind) {
  case MEET:
  case RESTART:
  case POOL:
  case FILE_OPEN:
  case FILE_CLOSE:
  case FILE_RESIZE:
  case FILE_SYNC:
  case FILE_MODE:
  case FILE_VIEW:
  case FILE_SEEK: /* the tester has a barrier after each */
  case BARRIER:
  case CHURN: knowledge_tell(know, &all, &all); break;
  case ALLGATHER:
  case ALLREDUCE:
  case ALLTOALL:
    if (op->n > 0)
      knowledge_tell(know, &all, &all);
    break;
  case BCAST:
  case SCATTER:
    if (op->n > 0)
      knowledge_tell(know, &root, &all);
    break;
  case GATHER:
  case REDUCE:
    if (op->n > 0)
      knowledge_tell(know, &all, &root);
    break;
  case MESSAGE:
    from = actor_set(actor_number(op->unit, op->thread));
    to   = actor_set(actor_number(op->peer, op->peer_thread));
    knowledge_tell(know, &from, &to);
    break;
  case RING: ring(scene, know, op); break;
  default: break;
  }
}
