/* Steps: the node's barrier, whole or, where leaders communicate in between, in two halves. */
#include "api/coll/step.h"

#include "api/progress/progress.h"
#include "base/call.h"
#include "base/counters.h"
#include "node/waiting.h"

static dart__waiting_t *begin_waiting(const dart__team_t *team)
{
  return dart__waiting_begin(dart__call,
                             (dart__wait_for_t){ DART__WAIT_COLLECTIVE, team->id, team->members[0],
                                                 team->exchange.episode, (uint64_t)team->nunits });
}

bool dart__step_end(dart__team_t *team)
{
  dart__exchange_t *x       = &team->exchange;
  dart__barrier_t  *barrier = &x->shared->barrier;
  dart__waiting_t  *waiting;

  dart__progress(); /* a unit may wait for deferred updates of this one before it enters the step */
  waiting = begin_waiting(team);
  if (team->nnodes > 1 && dart__team_is_leader(team)) {
    dart__barrier_collect(barrier, &x->episode, &team->wait);
    dart__count(DART__COUNT_COLL_NODES);
    team->waiting = waiting; /* it waits for other leaders now */
    return true;
  }
  if (team->nnodes > 1)
    dart__barrier_follow(barrier, &x->episode, &team->wait);
  else
    dart__barrier_wait(barrier, &x->episode, &team->wait);
  dart__waiting_end(waiting);
  return false;
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
