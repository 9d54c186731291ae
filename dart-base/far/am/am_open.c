/* The instance: open and close, and progress. See am.h. */
#include "far/am/am.h"

#include <stdlib.h>

#include "base/sparse.h"
#include "far/am/endpoint.h"
#include "far/am/instance.h"
#include "far/am/receive.h"
#include "far/am/retire.h"
#include "wait/tuning.h"

/* An open batch is sent when progress first found it open so long ago. */
#define AGE_NS (DART__NAP_US * INT64_C(1000))

/* For tests: as if `batch` batches had been exchanged already. */
static void start_at(dart__am_t *am, int32_t peer, uint64_t batch)
{
  dart__am_endpoint_open(&am->endpoint[peer], batch);
  atomic_store_explicit(&am->ack[peer].applied, batch, memory_order_relaxed);
}

dart__am_t *dart__am_open(const dart__am_config_t *config)
{
  dart__am_t *am = calloc(1, sizeof *am);

  if (am == NULL)
    return NULL;
  am->config   = *config;
  am->words    = config->batch_bytes / sizeof(uint64_t);
  am->npeers   = config->npeers;
  am->endpoint = dart__sparse_new((size_t)am->npeers * 2, sizeof *am->endpoint);
  am->ack      = dart__sparse_new((size_t)am->npeers, sizeof *am->ack);
  if (!dart__am_receiver_open(am) || am->endpoint == NULL || am->ack == NULL ||
      !dart__am_peers_open(&am->busy, am->npeers * 2) ||
      !dart__am_peers_open(&am->open, am->npeers * 2) ||
      !dart__am_peers_open(&am->arriving, am->npeers) ||
      !dart__am_peers_open(&am->relayed, am->npeers) || !dart__am_pool_fill(&am->pool)) {
    dart__am_close(am);
    return NULL;
  }
  for (int32_t peer = 0; config->first_batch > 0 && peer < am->npeers; peer++)
    start_at(am, peer, config->first_batch);
  return am;
}

void dart__am_close(dart__am_t *am)
{
  dart__am_receiver_close(am);
  dart__am_pool_clear(&am->pool);
  dart__am_peers_close(&am->relayed);
  dart__am_peers_close(&am->arriving);
  dart__am_peers_close(&am->open);
  dart__am_peers_close(&am->busy);
  /* relaxed: no other thread is there. Without a request none has anything, and their pages stay untouched */
  if (atomic_load_explicit(&am->has_requested, memory_order_relaxed))
    for (int32_t peer = 0; peer < am->npeers; peer++)
      dart__am_known_delete(am->endpoint[peer].known);
  dart__sparse_delete(am->ack);
  dart__sparse_delete(am->endpoint);
  free(am);
}

void dart__am_rely_on_progress(dart__am_t *am, bool is_sent_later)
{
  am->config.is_sent_later = is_sent_later;
}

/* Whether the open batch may leave now. */
static bool is_due(dart__am_batch_t *batch, bool waits, int64_t now)
{
  if (batch == NULL || waits)
    return batch != NULL;
  if (batch->seen_ns == 0)
    batch->seen_ns = now;
  return now - batch->seen_ns > AGE_NS;
}

static void send_open(dart__am_t *am, bool waits)
{
  int32_t index = dart__am_peers_count(&am->open);
  int64_t now   = index > 0 && !waits ? dart__now_ns() : 0;

  while (index-- > 0) {
    int32_t              peer = dart__am_peers_at(&am->open, index);
    dart__am_endpoint_t *ep   = peer < 0 ? NULL : &am->endpoint[peer];

    if (ep == NULL || !dart__am_spin_try(&ep->lock))
      continue; /* another thread uses this endpoint */
    if (is_due(ep->open, waits, now))
      dart__am_endpoint_send(am, peer, ep, false);
    dart__am_spin_unlock(&ep->lock);
  }
}

void dart__am_use_relays(dart__am_t *am, const dart__am_relays_t *relays)
{
  if (relays != NULL)
    am->relays = *relays;
  /* release: pairs with the acquire in send_collected, perhaps of the agent */
  atomic_store_explicit(&am->has_relays, relays != NULL, memory_order_release);
}

bool dart__am_has_relay(const dart__am_t *am, int32_t peer)
{
  return am->endpoint[peer].relay != NULL;
}

void dart__am_use_relay(dart__am_t *am, int32_t peer, struct dart__am_relay *relay)
{
  dart__am_endpoint_t *ep = &am->endpoint[peer];

  dart__am_spin_lock(&ep->lock);
  ep->relay = relay;
  dart__am_spin_unlock(&ep->lock);
}

int32_t dart__am_node_peer(const dart__am_t *am, int32_t node)
{
  return am->npeers + node;
}

/* Whether something of this unit's is in the relay and may leave now. */
static bool is_relay_due(dart__am_t *am, dart__am_endpoint_t *ep, bool waits, int64_t now)
{
  dart__am_endpoint_retire(am, ep);
  if (ep->relayed <= dart__am_relay_sent(ep->relay))
    return false;
  if (ep->relayed_ns == 0)
    ep->relayed_ns = now;
  return waits || now - ep->relayed_ns > AGE_NS;
}

/* What was appended to relays, and nobody has sent since. */
static void send_relayed(dart__am_t *am, bool waits)
{
  int32_t index = dart__am_peers_count(&am->relayed);
  int64_t now   = index > 0 && !waits ? dart__now_ns() : 0;

  while (index-- > 0) {
    int32_t              peer = dart__am_peers_at(&am->relayed, index);
    dart__am_endpoint_t *ep   = peer < 0 ? NULL : &am->endpoint[peer];
    bool                 due;

    if (ep == NULL || !dart__am_spin_try(&ep->lock))
      continue; /* another thread uses this endpoint */
    due = is_relay_due(am, ep, waits, now);
    dart__am_spin_unlock(&ep->lock);
    if (due)
      dart__am_endpoint_send_relay(am, ep->relay);
  }
}

static void send_collected(dart__am_t *am, bool waits)
{
  send_open(am, waits);
  /* acquire: pairs with the release in dart__am_use_relays */
  if (atomic_load_explicit(&am->has_relays, memory_order_acquire))
    send_relayed(am, waits);
}

/* relaxed, and not one atomic step: only compared with an older value, for the guess in is_last_of_burst */
void dart__am_count_wait(dart__am_t *am)
{
  atomic_store_explicit(&am->waits, atomic_load_explicit(&am->waits, memory_order_relaxed) + 1,
                        memory_order_relaxed);
}

bool dart__am_progress(dart__am_t *am, bool waits)
{
  bool any = dart__am_receive(am, waits ? DART__LOOKS : DART__FEW, 1, NULL).requests;

  if (waits)
    dart__am_count_wait(am);
  send_collected(am, waits);
  return any;
}

bool dart__am_progress_on(dart__am_t *am, dart__net_request_t *own)
{
  dart__am_receive(am, DART__LOOKS, DART__LOOKS, own);
  dart__am_count_wait(am);
  send_collected(am, true);
  return own->id == DART__NET_DONE.id;
}

void dart__am_push(dart__am_t *am)
{
  send_collected(am, true);
}

int64_t dart__am_quiet_ns(const dart__am_t *am)
{
  return dart__now_ns() - atomic_load_explicit(&am->receiver.last_ns, memory_order_relaxed);
}
