/* Flushes of far memory: of requests, then of transfers by MPI, then of handles that were given up; and the wait for a handle. */
#include "base/last_call.h"
#include "far/completion.h"
#include "far/engine.h"
#include "far/far_handle.h"
#include "far/far_ops.h"
#include "far/far_team.h"
#include "far/relayed.h"
#include "far/way.h"
#include "model/lost.h"
#include "model/team.h"
#include "model/world.h"
#include "wait/timed.h"
#include "wait/waiting.h"

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

static __attribute__((noinline)) dart_ret_t wait_for_unit(dart__team_t *team, int32_t unit,
                                                          dart__am_scope_t scope, bool transfers)
{
  bool    at_target = scope == DART__AM_REMOTE;
  int32_t peer      = dart__team_member(team, unit);
  bool    requests  = dart__am_peers_count(dart__engine.busy) > 0 &&
                  !dart__am_is_flushed(dart__engine.am, peer, scope);
  bool       relayed = at_target && dart__are_relayed(peer);
  dart_ret_t ret     = DART_OK;
  flush_t    flush;

  if (!requests && !transfers && !relayed) {
    dart__count(DART__COUNT_FLUSH_IDLE);
    return DART_OK;
  }
  flush = begin_flush(team, peer);
  if (requests)
    ret = dart__am_flush(dart__engine.am, peer, scope);
  if (transfers && !dart__completion_flush(team, unit, at_target))
    ret = DART_ERR_UNIT_LOST;
  if (relayed)
    dart__relayed_settle(peer);
  end_flush(flush);
  return ret;
}

static inline dart_ret_t flush(dart__team_t *team, int32_t unit, dart__am_scope_t scope)
{
  bool       transfers = !dart__completion_is_flushed(team, unit, scope == DART__AM_REMOTE);
  dart_ret_t ret       = DART_OK;

  if (!transfers && dart__am_peers_count(dart__engine.busy) == 0)
    dart__count(DART__COUNT_FLUSH_IDLE);
  else
    ret = wait_for_unit(team, unit, scope, transfers);
  dart__burst_end(&dart__far_team(team)->unit[unit].burst);
  if (scope == DART__AM_REMOTE)
    dart__handles_flushed(team, unit);
  return ret;
}

dart_ret_t dart__far_outcome(dart__team_t *team, int32_t unit, dart_ret_t ret)
{
  if (!dart__outlives(dart__team_member(team, unit)))
    return ret;
  if (!dart__world.many_threads)
    flush(team, unit, DART__AM_REMOTE);
  return DART_ERR_UNIT_LOST;
}

dart_ret_t dart__far_wait(dart_handle_t *handle)
{
  dart_handle_t h = *handle;
  dart_ret_t    ret;

  if (!h->has_request)
    dart__far_settle_to(h->team, h->unit, &h->mark, true);
  else
    dart__engine_wait(&h->request);
  /* a get that is locally complete is complete; only a put needs completion at the target */
  if (h->has_request && h->is_put)
    dart__completion_settle(h->team, h->unit, true);
  ret     = dart__far_outcome(h->team, h->unit, DART_OK);
  *handle = DART_HANDLE_NULL;
  dart__handle_delete(h);
  return ret;
}

void dart__far_settle(dart__team_t *team, int32_t unit)
{
  if (team->nnodes == 1)
    return;
  dart__am_settle(dart__engine.am, dart__team_member(team, unit));
  dart__completion_settle(team, unit, true);
  dart__relayed_settle(dart__team_member(team, unit));
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
  return flush(team, unit, DART__AM_REMOTE);
}

dart_ret_t dart__far_flush_local(dart__team_t *team, int32_t unit)
{
  return flush(team, unit, DART__AM_LOCAL);
}

dart_ret_t dart__far_flush_all(dart__team_t *team)
{
  return flush_all(team, DART__AM_REMOTE);
}

dart_ret_t dart__far_flush_local_all(dart__team_t *team)
{
  return flush_all(team, DART__AM_LOCAL);
}
