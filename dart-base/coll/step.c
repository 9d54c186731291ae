/* Steps: the node's barrier, whole or, where leaders communicate in between, in two halves. */
#include "coll/step.h"

#include <stdio.h>
#include <string.h>

#include "base/counters.h"
#include "base/last_call.h"
#include "base/log.h"
#include "far/progress.h"
#include "model/lost.h"
#include "net.h"
#include "wait/waiting.h"

/* ---- units that are in different collectives ------------------------------------------------------ */

void dart__step_write_call(dart_unit_t unit, const char *is, const char *function,
                           const dart__collective_t *call, char *text, size_t nbytes)
{
  char size[32] = "", root[32] = "";

  if (call != NULL && call->nbytes > 0)
    snprintf(size, sizeof size, " of %zu bytes", call->nbytes);
  if (call != NULL && call->root >= 0)
    snprintf(root, sizeof root, " with root %d", (int)call->root);
  snprintf(text, nbytes, "unit %d %s in %s%s%s", (int)unit, is, function, size, root);
}

const char *dart__step_call(const dart__team_t *team, const dart__collective_t **data_out)
{
  const char *function = dart__call != NULL ? dart__call : "DART";

  *data_out = team->call.function == function ? &team->call : NULL;
  return function;
}

void dart__step_describe(const dart__team_t *team, char *text, size_t nbytes)
{
  const dart__collective_t *data;
  const char               *function = dart__step_call(team, &data);

  dart__step_write_call(dart__team_member(team, team->me), "is", function, data, text, nbytes);
}

/* Behind the number and name of the unit. */
static const char *call_of(const char *text)
{
  return strstr(text, " is in ");
}

/* The first unit of the node tells what it is in, and the first one that is in something else. */
static void tell_difference(const dart__team_t *team, const char *slots)
{
  uint32_t u = 1;

  while (u + 1 < team->exchange.nunits &&
         strcmp(call_of(slots), call_of(slots + u * team->exchange.slot_bytes)) == 0)
    u++;
  dart__error("collective calls of team %d do not match: %s, %s", (int)team->id, slots,
              slots + u * team->exchange.slot_bytes);
}

static void open_step(const dart__exchange_t *x)
{
  if (x->tree.barriers != NULL)
    dart__tree_release(&x->tree, &x->episode);
  else
    dart__barrier_open(&x->shared->barrier, &x->episode);
}

/* All units of the node come here. Their buffers are of no use any more, so slots take what each is in. */
static __attribute__((cold, noinline)) void end_different(dart__team_t *team, bool leads)
{
  dart__exchange_t *x    = &team->exchange;
  const char       *all  = dart__exchange_slot(x, 0);
  char             *slot = dart__exchange_slot(x, x->me);

  dart__step_describe(team, slot, x->slot_bytes);
  if (leads)
    open_step(x);
  dart__exchange_wait(x, &team->wait);
  if (x->me == 0 && !dart__team_is_broken(team)) {
    tell_difference(team, all);
    dart__net_abort(DART_EXIT_ABORT, false);
  }
  dart__exchange_wait(x, &team->wait); /* until the job ends */
}

/* ---- steps ------------------------------------------------------------------------------------------ */

/* Where units differ: whether one of them has left a call because of a loss. */
static bool has_left_by_loss(dart__team_t *team)
{
  return dart__team_is_broken(team) || (dart__survives() && dart__team_look(team));
}

/* What most steps have nothing to do with: units that differ, and a loss. Returns whether this unit leads, and the step was
 * passed. */
static __attribute__((cold, noinline)) bool end_rarely(dart__team_t *team, bool leads)
{
  if (dart__barrier_differs(dart__exchange_barrier(&team->exchange)) && !has_left_by_loss(team)) {
    end_different(team, leads);
    dart__team_break(team); /* a unit was lost meanwhile */
  }
  if (!dart__team_is_broken(team))
    return leads;
  dart__team_step_aside(team);
  return false;
}

static inline bool end_arrival(dart__team_t *team, const dart__barrier_t *barrier, bool leads)
{
  bool is_rare = dart__barrier_differs(barrier) || dart__team_is_broken(team);

  return __builtin_expect(is_rare, 0) ? end_rarely(team, leads) : leads;
}

/* Where steps have a tree, or the team is broken. */
static __attribute__((noinline)) bool arrive_at_tree(dart__team_t            *team,
                                                     const dart__tree_data_t *data)
{
  dart__exchange_t *x = &team->exchange;
  bool              leads;

  if (dart__team_is_broken(team))
    return false;
  leads = dart__tree_arrive(&x->tree, &x->episode, team->call.kind,
                            team->nnodes > 1 || data != NULL, data, &team->wait);
  return end_arrival(team, dart__tree_last(&x->tree), leads);
}

/* True at the leader of a node, whose units have arrived and wait: of a team over several nodes, or with data. */
static inline bool arrive_at_step(dart__team_t *team, const dart__tree_data_t *data)
{
  dart__exchange_t *x       = &team->exchange;
  dart__barrier_t  *barrier = &x->shared->barrier;
  bool              leads   = team->nnodes > 1 && dart__team_is_leader(team);
  uint32_t          kind    = team->call.kind;

  dart__progress(); /* a unit may wait for deferred updates of this one before it enters the step */
  if (__builtin_expect(dart__team_is_special(team), 0))
    return arrive_at_tree(team, data);
  if (leads)
    dart__barrier_collect(barrier, &x->episode, kind, &team->wait);
  else if (team->nnodes > 1)
    dart__barrier_follow(barrier, &x->episode, kind, &team->wait);
  else
    dart__barrier_wait(barrier, &x->episode, kind, &team->wait);
  return end_arrival(team, barrier, leads);
}

/* The leader waits for other leaders now. */
static void begin_nodes(dart__team_t *team)
{
  dart__count(DART__COUNT_COLL_NODES);
  team->waiting = dart__team_note_wait(team);
}

bool dart__step_end(dart__team_t *team)
{
  if (!arrive_at_step(team, NULL))
    return false;
  begin_nodes(team);
  return true;
}

bool dart__step_join(dart__team_t *team, const dart__tree_data_t *data)
{
  if (!arrive_at_step(team, data))
    return false;
  if (team->nnodes > 1)
    begin_nodes(team);
  return true;
}

void dart__step_end_on_node(dart__team_t *team)
{
  if (arrive_at_step(team, NULL))
    open_step(&team->exchange);
}

void dart__step_release(dart__team_t *team)
{
  dart__waiting_end(team->waiting);
  if (dart__team_is_broken(team))
    return; /* the leader has no result: others are to see by themselves that a unit is lost */
  open_step(&team->exchange);
}

const size_t *dart__step_blocks(dart__team_t *team, size_t nbytes)
{
  for (int32_t k = 0; k <= team->nnodes; k++)
    team->node_bytes[k] = (size_t)dart__team_node_start(team, k) * nbytes;
  return team->node_bytes;
}
