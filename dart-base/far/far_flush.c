/* Waiting for far operations: whatever waits does so for numbers (dart__mark_t), by dart__far_complete_to. A flush waits for
 * those of all that was started, and then for handles that were given up; contexts, handles and epochs for those of theirs;
 * an order for what is not in order by itself. */
#include "base/last_call.h"
#include "far/completion.h"
#include "far/engine.h"
#include "far/far_handle.h"
#include "far/far_ops.h"
#include "far/far_team.h"
#include "far/order.h"
#include "far/relayed.h"
#include "far/way.h"
#include "model/lost.h"
#include "model/team.h"
#include "model/world.h"
#include "wait/timed.h"
#include "wait/waiting.h"

#define INLINED static inline __attribute__((always_inline))

/* The newest batch that completion up to the mark waits for. */
static uint64_t batch_of(const dart__mark_t *mark, int32_t peer, bool at_target)
{
  return at_target ? mark->requests : dart__am_local_to(dart__engine.am, peer, mark->requests);
}

/* Without requests if none are outstanding to any peer: then none have been refused, either. */
INLINED dart__mark_t started_to(const dart__team_t *team, int32_t unit, int32_t peer)
{
  const dart__outstanding_t *o    = &dart__far_team(team)->unit[unit].outstanding;
  dart__mark_t               mark = { .transfers = dart__outstanding_number(&o->started) };

  if (dart__am_peers_count(dart__engine.busy) == 0)
    return mark;
  mark.requests = dart__am_newest(dart__engine.am, peer);
  if (__builtin_expect(dart__engine.by_relays, 0))
    mark.relayed = dart__am_newest(dart__engine.am, dart__relayed_peer(peer));
  return mark;
}

INLINED bool complete_to(dart__team_t *team, int32_t unit, int32_t peer, const dart__mark_t *mark,
                         bool at_target)
{
  bool is_done = true;

  if (mark->requests > 0)
    dart__am_settle_to(dart__engine.am, peer, batch_of(mark, peer, at_target));
  if (!dart__completion_is_flushed_to(team, unit, at_target, mark->transfers))
    is_done = dart__completion_flush(team, unit, at_target);
  if (at_target && mark->relayed > 0)
    dart__am_settle_to(dart__engine.am, dart__relayed_peer(peer), mark->relayed);
  return is_done;
}

bool dart__far_complete_to(dart__team_t *team, int32_t unit, const dart__mark_t *mark,
                           bool at_target)
{
  return complete_to(team, unit, dart__team_member(team, unit), mark, at_target);
}

/* ---- flush ---------------------------------------------------------------------------------- */

/* A flush that has something to wait for: it is counted, timed, and noted. MPI may be what waits, and it does not
 * sleep, so the time is noted at once. */
typedef struct {
  dart__timed_t    timed;
  dart__waiting_t *waiting;
} flush_t;

static flush_t begin_flush(const dart__team_t *team, int32_t peer)
{
  flush_t flush = { dart__timed_begin(DART__COUNT_FLUSH),
                    dart__waiting_begin(
                        dart__call, (dart__wait_for_t){ DART__WAIT_FLUSH, team->id, peer, 0, 0 }) };

  dart__waiting_stamp();
  return flush;
}

static void end_flush(flush_t flush)
{
  dart__timed_end(DART__COUNT_FLUSH, flush.timed);
  dart__waiting_end(flush.waiting);
}

/* Whether nothing is outstanding towards any unit: what most flushes find. Their way is short, so what waits is out of
 * line. */
static inline bool is_idle(const dart__team_t *team)
{
  /* acquire: pairs with the release of the thread that takes the last unit off the list */
  return dart__am_peers_count(dart__engine.busy) == 0 &&
         atomic_load_explicit(&dart__far_team(team)->ntouched, memory_order_acquire) == 0;
}

/* Whether all requests up to the mark are known to be complete. */
static bool are_requests_done(int32_t peer, const dart__mark_t *mark, bool at_target)
{
  return (mark->requests == 0 ||
          dart__am_is_done(dart__engine.am, peer, batch_of(mark, peer, at_target))) &&
         (!at_target || mark->relayed == 0 ||
          dart__am_is_done(dart__engine.am, dart__relayed_peer(peer), mark->relayed));
}

static __attribute__((noinline)) dart_ret_t wait_for_unit(dart__team_t *team, int32_t unit,
                                                          bool at_target)
{
  int32_t      peer    = dart__team_member(team, unit);
  dart__mark_t started = started_to(team, unit, peer);
  bool         is_over = dart__completion_is_flushed_to(team, unit, at_target, started.transfers) &&
                 are_requests_done(peer, &started, at_target);
  bool       is_done = true;
  dart_ret_t refused = DART_OK;
  flush_t    flush;

  if (is_over) {
    dart__count(DART__COUNT_FLUSH_IDLE);
  } else {
    flush   = begin_flush(team, peer);
    is_done = complete_to(team, unit, peer, &started, at_target);
    end_flush(flush);
  }
  if (started.requests > 0)
    refused = dart__am_report(dart__engine.am, peer);
  return is_done ? refused : DART_ERR_UNIT_LOST;
}

static inline dart_ret_t flush(dart__team_t *team, int32_t unit, bool at_target)
{
  dart_ret_t ret = DART_OK;

  if (dart__completion_is_flushed(team, unit, at_target) &&
      dart__am_peers_count(dart__engine.busy) == 0)
    dart__count(DART__COUNT_FLUSH_IDLE);
  else
    ret = wait_for_unit(team, unit, at_target);
  dart__burst_end(&dart__far_team(team)->unit[unit].burst);
  if (at_target)
    dart__handles_flushed(team, unit);
  return ret;
}

dart_ret_t dart__far_outcome(dart__team_t *team, int32_t unit, dart_ret_t ret)
{
  if (!dart__outlives(dart__team_member(team, unit)))
    return ret;
  if (!dart__world.many_threads)
    flush(team, unit, true);
  return DART_ERR_UNIT_LOST;
}

bool dart__far_test(dart_handle_t handle)
{
  bool done = handle->has_request ? dart__net_is_done(dart__net.messages, &handle->request)
                                  : dart__far_test_to(handle->team, handle->unit, &handle->mark);

  dart__engine_poll();
  return done;
}

dart_ret_t dart__far_wait(dart_handle_t *handle)
{
  dart_handle_t h = *handle;
  dart_ret_t    ret;

  if (h->has_request)
    dart__engine_wait(&h->request);
  /* a get that is locally complete is complete; only a put needs completion at the target, too */
  if (!h->has_request || h->is_put)
    dart__far_settle_to(h->team, h->unit, &h->mark, true);
  ret     = dart__far_outcome(h->team, h->unit, DART_OK);
  *handle = DART_HANDLE_NULL;
  dart__handle_delete(h);
  return ret;
}

/* What stands for a node is behind all units: what is relayed there may be for any of them. */
static bool is_member(const void *team, int32_t unit)
{
  return unit >= dart__world.nunits || dart__team_unit_of(team, unit) >= 0;
}

static __attribute__((noinline)) dart_ret_t wait_for_members(dart__team_t    *team,
                                                             dart__am_scope_t scope)
{
  flush_t    flush = begin_flush(team, -1);
  dart_ret_t ret   = dart__am_flush_members(dart__engine.am, is_member, team, scope);

  if (!dart__completion_flush_all(team, scope == DART__AM_REMOTE, true))
    ret = DART_ERR_UNIT_LOST;
  end_flush(flush);
  return ret;
}

static inline dart_ret_t flush_all(dart__team_t *team, dart__am_scope_t scope)
{
  dart_ret_t ret = DART_OK;

  if (team->nnodes == 1)
    return DART_OK;
  if (is_idle(team))
    dart__count(DART__COUNT_FLUSH_IDLE);
  else
    ret = wait_for_members(team, scope);
  if (scope == DART__AM_REMOTE)
    dart__handles_flushed(team, -1);
  return ret;
}

dart_ret_t dart__far_flush(dart__team_t *team, int32_t unit)
{
  return flush(team, unit, true);
}

dart_ret_t dart__far_flush_local(dart__team_t *team, int32_t unit)
{
  return flush(team, unit, false);
}

dart_ret_t dart__far_flush_all(dart__team_t *team)
{
  return flush_all(team, DART__AM_REMOTE);
}

dart_ret_t dart__far_flush_local_all(dart__team_t *team)
{
  return flush_all(team, DART__AM_LOCAL);
}

/* ---- marks, and order without completion ------------------------------------------------------ */

/* Of MPI's transfers nothing can be asked for: only a flush waits for them. */
void dart__far_ask_to(dart__team_t *team, int32_t unit, const dart__mark_t *mark, bool at_target)
{
  int32_t peer = dart__team_member(team, unit);

  dart__am_ask_to(dart__engine.am, peer, batch_of(mark, peer, at_target));
  if (at_target && mark->relayed > 0)
    dart__am_ask_to(dart__engine.am, dart__relayed_peer(peer), mark->relayed);
}

void dart__far_ask(dart__team_t *team, int32_t unit)
{
  int32_t peer = dart__team_member(team, unit);

  dart__am_ask_to(dart__engine.am, peer, dart__am_newest(dart__engine.am, peer));
}

/* A transfer that is none stays outstanding in place of those that were dropped. */
static void settle_mark(dart__team_t *team, int32_t unit, const dart__mark_t *mark, bool at_target)
{
  if (!dart__far_complete_to(team, unit, mark, at_target))
    dart__completion_count(team, unit, true);
}

void dart__far_settle_to(dart__team_t *team, int32_t unit, const dart__mark_t *mark, bool at_target)
{
  settle_mark(team, unit, mark, at_target);
  if (at_target)
    dart__burst_end(&dart__far_team(team)->unit[unit].burst);
}

/* MPI cannot be asked whether transfers on a window are complete, and a flush of them may need progress of a target that
 * computes for long. A target that has answered a ping sent after them makes progress, and has them behind it. */
bool dart__far_test_to(dart__team_t *team, int32_t unit, dart__mark_t *mark)
{
  int32_t peer = dart__team_member(team, unit);

  dart__far_ask_to(team, unit, mark, true);
  if (!dart__am_is_settled_to(dart__engine.am, peer, mark->requests) ||
      (mark->relayed > 0 &&
       !dart__am_is_settled_to(dart__engine.am, dart__relayed_peer(peer), mark->relayed)))
    return false;
  if (!dart__completion_is_flushed_to(team, unit, true, mark->transfers) &&
      mark->pinged < mark->transfers) {
    dart__am_ping(dart__engine.am, peer);
    mark->requests = dart__am_newest(dart__engine.am, peer);
    mark->pinged   = mark->transfers;
    return false;
  }
  dart__far_settle_to(team, unit, mark, true);
  return true;
}

void dart__far_settle(dart__team_t *team, int32_t unit)
{
  dart__mark_t started;

  if (team->nnodes == 1)
    return;
  started = started_to(team, unit, dart__team_member(team, unit));
  settle_mark(team, unit, &started, true);
}

/* Requests are in order. */
void dart__far_complete(dart__team_t *team, int32_t unit)
{
  dart__mark_t started = started_to(team, unit, dart__team_member(team, unit));

  settle_mark(team, unit, &(dart__mark_t){ .transfers = started.transfers }, true);
}

void dart__far_order(dart__team_t *team, int32_t unit)
{
  dart__mark_t started = started_to(team, unit, dart__team_member(team, unit));

  started.requests = 0;
  settle_mark(team, unit, &started, true);
  dart__order_note(team, unit);
  dart__burst_order(&dart__far_team(team)->unit[unit].burst);
}
