/* Steps: the node's barrier, whole or, where leaders communicate in between, in two halves. */
#include "coll/step.h"

#include "base/counters.h"
#include "far/progress.h"
#include "wait/waiting.h"

/* True at the leader of a node of a team over several nodes, whose units have arrived and wait. */
static inline bool arrive_at_step(dart__team_t *team)
{
  dart__exchange_t *x       = &team->exchange;
  dart__barrier_t  *barrier = &x->shared->barrier;

  dart__progress(); /* a unit may wait for deferred updates of this one before it enters the step */
  if (team->nnodes > 1 && dart__team_is_leader(team)) {
    dart__barrier_collect(barrier, &x->episode, &team->wait);
    return true;
  }
  if (team->nnodes > 1)
    dart__barrier_follow(barrier, &x->episode, &team->wait);
  else
    dart__barrier_wait(barrier, &x->episode, &team->wait);
  return false;
}

bool dart__step_end(dart__team_t *team)
{
  if (!arrive_at_step(team))
    return false;
  dart__count(DART__COUNT_COLL_NODES);
  team->waiting = dart__team_note_wait(team); /* it waits for other leaders now */
  return true;
}

void dart__step_end_on_node(dart__team_t *team)
{
  if (arrive_at_step(team))
    dart__barrier_open(&team->exchange.shared->barrier, &team->exchange.episode);
}

void dart__step_release(dart__team_t *team)
{
  dart__waiting_end(team->waiting);
  dart__barrier_open(&team->exchange.shared->barrier, &team->exchange.episode);
}

const size_t *dart__step_blocks(dart__team_t *team, size_t nbytes)
{
  for (int32_t k = 0; k <= team->nnodes; k++)
    team->node_bytes[k] = (size_t)team->node_start[k] * nbytes;
  return team->node_bytes;
}
