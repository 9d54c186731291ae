/* See retire.h. */
#include "far/am/retire.h"

#include "base/counters.h"
#include "wait/atomic.h"

static bool is_idle(const dart__am_endpoint_t *ep)
{
  return ep->open == NULL && ep->first == NULL && ep->relayed == 0 && ep->nasked == ep->nreplies &&
         dart__am_number(&ep->refused) == dart__am_number(&ep->reported);
}

/* Whether the data that it has asked for are here. They may come after the acknowledgement, which says that they were
 * sent: then the thread that waits for them comes here again. */
static bool has_got(dart__am_t *am, dart__am_batch_t *batch)
{
  bool all = true;

  for (size_t i = 0; i < batch->ndata; i++)
    if (batch->data[i].is_got)
      all = dart__net_is_done(am->config.comm, &batch->got[i]) && all;
  return all;
}

static void end_arrivals(dart__am_t *am, dart__am_endpoint_t *ep, const dart__am_batch_t *batch)
{
  ep->narrivals -= batch->narrivals;
  if (ep->narrivals == 0)
    dart__am_peers_remove(&am->arriving, &ep->arriving_index);
}

/* The batch is done. The updates release its results to the thread that waits, as those of a peer would; acq_rel. */
static void update_flags(dart__am_t *am, dart__am_endpoint_t *ep, const dart__am_batch_t *batch)
{
  for (size_t i = 0; i < batch->narrivals; i++) {
    dart__atomic_accumulate(batch->arrival[i].flag, &batch->arrival[i].value, 1, DART_TYPE_ULONG,
                            batch->arrival[i].op);
    if (batch->arrival[i].event != NULL)
      dart__event_add(batch->arrival[i].event);
  }
  end_arrivals(am, ep, batch);
  am->config.host.notified(am->config.host.context);
}

/* ---- peers that are lost ------------------------------------------------------------------------ */

/* Its requests are not applied, or nobody will know. Flags stay as they are. */
static void drop_batch(dart__am_t *am, dart__am_endpoint_t *ep, dart__am_batch_t *batch)
{
  size_t n = batch->nrequests + batch->ndata;

  for (size_t i = 0; batch->is_posted && i < batch->ndata; i++)
    if (batch->data[i].is_got)
      dart__net_cancel(am->config.comm, &batch->got[i]);
  for (size_t i = 0; !batch->has_results && i < batch->nscatters; i++)
    dart__type_forget(&batch->scatter[i].type);
  if (batch->narrivals > 0)
    end_arrivals(am, ep, batch);
  dart__count_by(DART__COUNT_DROPPED, n);
  dart__am_number_set(&ep->refused, dart__am_number(&ep->refused) + n - batch->nown);
  dart__am_batch_give(&am->pool, batch);
}

static void drop_all(dart__am_t *am, dart__am_endpoint_t *ep)
{
  dart__am_batch_t *batch;

  while ((batch = ep->first) != NULL) {
    ep->first = batch->next;
    drop_batch(am, ep, batch);
  }
  ep->last = NULL;
  if (ep->open != NULL) {
    batch    = ep->open;
    ep->open = NULL;
    ep->sent++;
    dart__am_peers_remove(&am->open, &ep->open_index);
    drop_batch(am, ep, batch);
  }
  ep->nreplies = ep->nasked;
  ep->asked = ep->acked = ep->sent;
  /* release: as in dart__am_endpoint_retire */
  atomic_store_explicit(&ep->done, ep->sent, memory_order_release);
}

void dart__am_endpoint_drop_lost(dart__am_t *am, int32_t peer, dart__am_endpoint_t *ep)
{
  if (__builtin_expect(am->config.is_lost == NULL, 1) || peer >= am->npeers ||
      (!ep->is_lost && !am->config.is_lost(peer)))
    return;
  if (!ep->is_lost && dart__net.drop_lost != NULL)
    dart__net.drop_lost(am->config.comm); /* it does not look at batches any more */
  ep->is_lost = true;
  if (ep->is_sending)
    return;
  drop_all(am, ep);
  if (is_idle(ep))
    dart__am_peers_remove(&am->busy, &ep->busy_index);
}

/* ---- batches that are done ---------------------------------------------------------------------- */

/* What was appended to the relay was applied, if the message was that has the newest of it. */
static void retire_relayed(dart__am_t *am, dart__am_endpoint_t *ep)
{
  if (ep->relayed == 0 || dart__am_relay_applied(ep->relay) < ep->relayed)
    return;
  ep->relayed = 0;
  /* release: as in dart__am_endpoint_retire */
  atomic_store_explicit(&ep->done, ep->sent, memory_order_release);
  dart__am_peers_remove(&am->relayed, &ep->relayed_index);
}

void dart__am_endpoint_retire(dart__am_t *am, dart__am_endpoint_t *ep)
{
  if (ep->relay != NULL)
    retire_relayed(am, ep);
  while (ep->first != NULL && ep->first->number <= ep->acked && ep->first->is_posted &&
         (ep->first->nresults == 0 || ep->first->has_results) && has_got(am, ep->first)) {
    dart__am_batch_t *batch = ep->first;

    ep->first = batch->next;
    if (ep->first == NULL)
      ep->last = NULL;
    if (batch->narrivals > 0)
      update_flags(am, ep, batch);
    /* release: the results come before it; pairs with the acquire of a flush */
    atomic_store_explicit(&ep->done, batch->number, memory_order_release);
    dart__am_batch_give(&am->pool, batch);
  }
  if (is_idle(ep))
    dart__am_peers_remove(&am->busy, &ep->busy_index);
}

/* After an acknowledgement what is missing are data that were asked for, which come by themselves, or the end of the
 * call that sent the batch. */
void dart__am_endpoints_retire_arriving(dart__am_t *am)
{
  for (int32_t index = dart__am_peers_count(&am->arriving); index-- > 0;) {
    int32_t              peer = dart__am_peers_at(&am->arriving, index);
    dart__am_endpoint_t *ep   = peer < 0 ? NULL : &am->endpoint[peer];

    if (ep == NULL || !dart__am_spin_try(&ep->lock))
      continue;
    dart__am_endpoint_retire(am, ep);
    dart__am_spin_unlock(&ep->lock);
  }
}

static void deliver(dart__am_endpoint_t *ep, uint64_t number, const uint64_t *results)
{
  dart__am_batch_t *batch = ep->first;

  while (batch != NULL && batch->number != number)
    batch = batch->next;
  if (batch == NULL)
    return; /* the batch had no results, and another message has acknowledged it */
  for (size_t i = 0; i < batch->nresults; i++) {
    dart__am_batch_deliver(batch, &batch->results[i], results);
    results += dart__am_words(batch->results[i].nbytes);
  }
  batch->has_results = true;
}

/* Messages of a peer's several threads may come out of order; but the counts in them only grow. */
static void raise_to(uint64_t *known, uint64_t received)
{
  if (received > *known)
    *known = received;
}

/* Whether a message can tell of nothing new: all that was sent is done. (If another thread has sent more meanwhile, a later
 * message tells of that.) */
static bool knows_all(const dart__am_endpoint_t *ep, const dart__am_header_t *header)
{
  return dart__am_number(&ep->done) >= dart__am_number(&ep->newest) &&
         header->refused <= dart__am_number(&ep->refused);
}

void dart__am_endpoint_acknowledge(dart__am_t *am, dart__am_endpoint_t *ep,
                                   const dart__am_header_t *header, const uint64_t *results)
{
  uint64_t refused;

  if (results == NULL && knows_all(ep, header))
    return;
  dart__am_spin_lock(&ep->lock);
  if (__builtin_expect(ep->is_lost, 0)) { /* it comes too late */
    dart__am_spin_unlock(&ep->lock);
    return;
  }
  refused = dart__am_number(&ep->refused);
  raise_to(&refused, header->refused);
  dart__am_number_set(&ep->refused, refused);
  raise_to(&ep->acked, header->acked);
  if (results != NULL) {
    ep->nreplies++;
    if (header->batch == 0)
      ep->is_ack_requested = false;
    else
      deliver(ep, header->batch, results);
  }
  dart__am_endpoint_retire(am, ep);
  dart__am_spin_unlock(&ep->lock);
}
