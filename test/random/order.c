/* See order.h. */
#include "order.h"

#include <string.h>

void knowledge_learn(knowledge_t *to, const knowledge_t *from)
{
  for (int i = 0; i < ACTORS_MAX; i++)
    if (to->clock[i] < from->clock[i])
      to->clock[i] = from->clock[i];
}

void knowledge_tell(knowledge_t know[ACTORS_MAX], uint32_t writers, uint32_t readers)
{
  knowledge_t all = { { 0 } };

  for (int i = 0; i < ACTORS_MAX; i++)
    if ((writers >> i & 1) != 0)
      knowledge_learn(&all, &know[i]);
  for (int i = 0; i < ACTORS_MAX; i++)
    if ((readers >> i & 1) != 0)
      knowledge_learn(&know[i], &all);
}

void knowledge_event(knowledge_t know[ACTORS_MAX], uint32_t actors)
{
  for (int i = 0; i < ACTORS_MAX; i++)
    if ((actors >> i & 1) != 0)
      know[i].clock[i]++;
}

static void ring(const scene_t *scene, knowledge_t know[ACTORS_MAX], const op_t *op)
{
  int         n = scene_members(scene, op->team), thread = scene_thread(scene, op->team);
  knowledge_t before[ACTORS_MAX];

  memcpy(before, know, sizeof before);
  for (int i = 0; i < n; i++) {
    int from = scene_unit(scene, op->team, i);
    int to   = scene_unit(scene, op->team, (i + op->shift) % n);

    knowledge_learn(&know[actor_number(to, thread)], &before[actor_number(from, thread)]);
  }
}

void order_apply(const scene_t *scene, knowledge_t know[ACTORS_MAX], const op_t *op)
{
  uint32_t all  = scene_who(scene, op);
  uint32_t root = 0;

  if (op_has(op, HAS_ROOT))
    root = UINT32_C(1) << actor_number(scene_unit(scene, op->team, op->root),
                                       scene_thread(scene, op->team));
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
  case CHURN: knowledge_tell(know, all, all); break;
  case ALLGATHER:
  case ALLREDUCE:
  case ALLTOALL:
    if (op->n > 0)
      knowledge_tell(know, all, all);
    break;
  case BCAST:
  case SCATTER:
    if (op->n > 0)
      knowledge_tell(know, root, all);
    break;
  case GATHER:
  case REDUCE:
    if (op->n > 0)
      knowledge_tell(know, all, root);
    break;
  case MESSAGE:
    knowledge_tell(know, UINT32_C(1) << actor_number(op->unit, op->thread),
                   UINT32_C(1) << actor_number(op->peer, op->peer_thread));
    break;
  case RING: ring(scene, know, op); break;
  default: break;
  }
}
