/* Completion: waiting for what was requested until now, while other threads may go on requesting. */
#include "base/last_call.h"
#include "base/log.h"
#include "far/am/endpoint.h"
#include "far/am/instance.h"
#include "far/am/retire.h"
#include "wait/waiting.h"

static uint64_t done(const dart__am_endpoint_t *ep)
{
  /* acquire: pairs with the release in dart__am_endpoint_retire, so results are visible */
  return atomic_load_explicit(&ep->done, memory_order_acquire);
}

/* The newest batch that has to be done to complete what was requested until now. */
static uint64_t last_of(const dart__am_endpoint_t *ep, dart__am_scope_t scope)
{
  return dart__am_number(scope == DART__AM_REMOTE ? &ep->newest : &ep->local);
}

/* Report what the peer refused since the last report. Releases the lock. */
static dart_ret_t report(dart__am_t *am, int32_t peer, dart__am_endpoint_t *ep)
{
  uint64_t refused = dart__am_number(&ep->refused) - dart__am_number(&ep->reported);

  if (refused == 0)
    return DART_OK;
  dart__am_number_set(&ep->reported, dart__am_number(&ep->refused));
  dart__am_endpoint_retire(am, ep); /* the report may have been the last thing outstanding */
  if (am->config.nlost != NULL && am->config.nlost() > 0)
    return DART_ERR_UNIT_LOST;
  dart__am_spin_unlock(&ep->lock);
  dart__error("unit %d refused %llu requests: the memory is gone", peer,
              (unsigned long long)refused);
  dart__am_spin_lock(&ep->lock);
  return DART_ERR_INVAL;
}

/* Wait until all batches up to `last` are done; the lock is released. */
static void wait_for(dart__am_t *am, int32_t peer, dart__am_endpoint_t *ep, uint64_t last)
{
  dart__waiting_t *waiting = NULL;
  dart__turns_t    turns   = { 0 };

  dart__am_endpoint_retire(am, ep);
  if (done(ep) < last)
    waiting =
        dart__waiting_begin(dart__call, (dart__wait_for_t){ DART__WAIT_FLUSH, -1, peer, 0, 0 });
  while (done(ep) < last) {
    dart__am_endpoint_ask(am, peer, ep, last);
    dart__am_endpoint_wait(am, ep, &turns);
    dart__am_endpoint_retire(am, ep);
  }
  dart__waiting_end(waiting);
}

const dart__am_peers_t *dart__am_busy(const dart__am_t *am)
{
  return &am->busy;
}

bool dart__am_is_flushed(const dart__am_t *am, int32_t peer)
{
  const dart__am_endpoint_t *ep = &am->endpoint[peer];

  return done(ep) >= last_of(ep, DART__AM_REMOTE) &&
         dart__am_number(&ep->refused) == dart__am_number(&ep->reported);
}

dart_ret_t dart__am_report(dart__am_t *am, int32_t peer)
{
  dart__am_endpoint_t *ep  = &am->endpoint[peer];
  dart_ret_t           ret = DART_OK;

  if (dart__am_number(&ep->refused) == dart__am_number(&ep->reported))
    return DART_OK;
  dart__am_spin_lock(&ep->lock);
  ret = report(am, peer, ep);
  dart__am_spin_unlock(&ep->lock);
  return ret;
}

uint64_t dart__am_newest(const dart__am_t *am, int32_t peer)
{
  return last_of(&am->endpoint[peer], DART__AM_REMOTE);
}

uint64_t dart__am_local_to(const dart__am_t *am, int32_t peer, uint64_t number)
{
  uint64_t local = last_of(&am->endpoint[peer], DART__AM_LOCAL);

  return local < number ? local : number;
}

bool dart__am_is_done(const dart__am_t *am, int32_t peer, uint64_t number)
{
  return done(&am->endpoint[peer]) >= number;
}

bool dart__am_is_settled_to(dart__am_t *am, int32_t peer, uint64_t number)
{
  dart__am_endpoint_t *ep = &am->endpoint[peer];

  if (done(ep) >= number)
    return true;
  dart__am_spin_lock(&ep->lock);
  dart__am_endpoint_retire(am, ep);
  dart__am_spin_unlock(&ep->lock);
  return done(ep) >= number;
}

void dart__am_ask_to(dart__am_t *am, int32_t peer, uint64_t number)
{
  dart__am_endpoint_t *ep = &am->endpoint[peer];

  if (done(ep) >= number)
    return;
  dart__am_spin_lock(&ep->lock);
  dart__am_endpoint_ask(am, peer, ep, number);
  dart__am_spin_unlock(&ep->lock);
}

void dart__am_settle_to(dart__am_t *am, int32_t peer, uint64_t number)
{
  dart__am_endpoint_t *ep = &am->endpoint[peer];

  if (done(ep) >= number)
    return;
  dart__am_spin_lock(&ep->lock);
  wait_for(am, peer, ep, number);
  dart__am_spin_unlock(&ep->lock);
}

void dart__am_settle(dart__am_t *am, int32_t peer)
{
  dart__am_settle_to(am, peer, dart__am_newest(am, peer));
}

void dart__am_ping_blocking(dart__am_t *am, int32_t peer)
{
  dart__am_endpoint_t *ep    = &am->endpoint[peer];
  dart__turns_t        turns = { 0 };
  uint64_t             last;

  dart__am_spin_lock(&ep->lock);
  dart__am_endpoint_wake(am, peer, ep);
  for (last = ep->nasked; ep->nreplies < last;)
    dart__am_endpoint_wait(am, ep, &turns);
  dart__am_endpoint_retire(am, ep);
  dart__am_spin_unlock(&ep->lock);
}

/* ---- many peers ---------------------------------------------------------------------------- */

/* What is done about one of them. Its lock is held, and may be released meanwhile. */
typedef dart_ret_t action_t(dart__am_t *am, int32_t peer, dart__am_endpoint_t *ep, uint64_t last);

static dart_ret_t ask(dart__am_t *am, int32_t peer, dart__am_endpoint_t *ep, uint64_t last)
{
  dart__am_endpoint_ask(am, peer, ep, last);
  return DART_OK;
}

static dart_ret_t wait_and_report(dart__am_t *am, int32_t peer, dart__am_endpoint_t *ep,
                                  uint64_t last)
{
  wait_for(am, peer, ep, last);
  return report(am, peer, ep);
}

/* For the busy peers that `is_member` accepts; from the end, see peers.h. A peer that takes the place of one that left the
 * set comes from the end, so it is not left out. */
static dart_ret_t for_members(dart__am_t *am, bool (*is_member)(const void *set, int32_t peer),
                              const void *set, dart__am_scope_t scope, action_t *action)
{
  dart_ret_t ret = DART_OK;

  for (int32_t index = dart__am_peers_count(&am->busy); index-- > 0;) {
    int32_t              peer = dart__am_peers_at(&am->busy, index);
    dart__am_endpoint_t *ep   = peer < 0 ? NULL : &am->endpoint[peer];
    dart_ret_t           one;

    if (ep == NULL || !is_member(set, peer))
      continue;
    dart__am_spin_lock(&ep->lock);
    one = action(am, peer, ep, last_of(ep, scope));
    dart__am_spin_unlock(&ep->lock);
    ret = ret == DART_OK ? one : ret;
  }
  return ret;
}

/* Every peer is asked for a reply before any is waited for; each is waited for until what was requested by then is
 * complete: other threads, which may go on requesting, cannot make this thread wait for more. */
dart_ret_t dart__am_flush_members(dart__am_t *am, bool (*is_member)(const void *set, int32_t peer),
                                  const void *set, dart__am_scope_t scope)
{
  for_members(am, is_member, set, scope, ask);
  return for_members(am, is_member, set, scope, wait_and_report);
}

/* ---- the end ------------------------------------------------------------------------------- */

static bool is_anyone(const void *set, int32_t peer)
{
  (void)set, (void)peer;
  return true;
}

/* Peers that were lost meanwhile send no reply. */
static dart_ret_t look_whether_lost(dart__am_t *am, int32_t peer, dart__am_endpoint_t *ep,
                                    uint64_t last)
{
  (void)last;
  dart__am_endpoint_drop_lost(am, peer, ep);
  return report(am, peer, ep);
}

static bool is_quiet(void *context)
{
  dart__am_t *am = context;

  if (am->config.is_lost != NULL && dart__am_peers_count(&am->busy) > 0)
    for_members(am, is_anyone, NULL, DART__AM_REMOTE, look_whether_lost);
  return dart__am_peers_count(&am->busy) == 0;
}

void dart__am_quiesce(dart__am_t *am)
{
  dart__am_flush_members(am, is_anyone, NULL, DART__AM_REMOTE);
  /* replies still under way, though other messages have acknowledged their batches already */
  dart__wait_for(is_quiet, am, am->config.wait);
}
