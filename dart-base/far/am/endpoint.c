/* Endpoints: collecting requests and sending batches. See endpoint.h. */
#include "far/am/endpoint.h"

#include "base/counters.h"
#include "far/am/instance.h"
#include "far/am/receive.h"
#include "far/am/retire.h"

#define EAGER_MOST 8192 /* bytes of data that a transport most likely sends eagerly */

void dart__am_endpoint_open(dart__am_endpoint_t *ep, uint64_t first_batch)
{
  ep->sent = ep->asked = ep->acked = first_batch;
  dart__am_number_set(&ep->newest, first_batch);
  dart__am_number_set(&ep->local, first_batch);
  dart__am_number_set(&ep->done, first_batch);
}

/* What another unit has sent ends a wait for a relay. */
static void wait_for_turn(dart__am_t *am, dart__am_relay_t *relay, dart__turns_t *turns)
{
  uint32_t seen = relay == NULL ? 0 : dart__event_count(&relay->changed);

  if (relay != NULL && dart__am_relay_is_busy(relay))
    dart__event_wait(&relay->changed, seen, am->config.wait);
  else
    dart__wait_turn(turns, am->config.wait);
}

void dart__am_endpoint_wait(dart__am_t *am, dart__am_endpoint_t *ep, dart__turns_t *turns)
{
  dart__am_spin_unlock(&ep->lock);
  if (!dart__am_receive(am, DART__LOOKS, DART__LOOKS, NULL).replies)
    wait_for_turn(am, ep->relay, turns);
  dart__am_spin_lock(&ep->lock);
  dart__am_endpoint_drop_lost(am, (int32_t)(ep - am->endpoint), ep);
}

/* ---- collecting ---------------------------------------------------------------------------- */

/* All batches are under way, perhaps to peers that were not asked for a reply: ask all busy peers. */
static void ask_for_batches(dart__am_t *am)
{
  for (int32_t index = dart__am_peers_count(&am->busy); index-- > 0;) {
    int32_t              peer = dart__am_peers_at(&am->busy, index);
    dart__am_endpoint_t *ep   = peer < 0 ? NULL : &am->endpoint[peer];

    if (ep == NULL || !dart__am_spin_try(&ep->lock))
      continue;
    dart__am_endpoint_retire(am, ep); /* its last data may have come after the answer */
    dart__am_endpoint_ask(am, peer, ep, ep->sent);
    dart__am_spin_unlock(&ep->lock);
  }
}

/* A batch of the pool, allocated now if need be, with the lock released. NULL: not now. */
static dart__am_batch_t *take_batch(dart__am_t *am, dart__am_endpoint_t *ep)
{
  dart__am_batch_t *batch = dart__am_batch_take(&am->pool, false);

  if (batch != NULL)
    return batch;
  dart__am_spin_unlock(&ep->lock);
  batch = dart__am_batch_take(&am->pool, true);
  dart__am_spin_lock(&ep->lock);
  return batch;
}

/* relaxed, both: threads that are first at a time tell it twice */
static void tell_first(dart__am_t *am)
{
  const dart__am_host_t *host = &am->config.host;

  if (__builtin_expect(atomic_load_explicit(&am->has_requested, memory_order_relaxed), 1))
    return;
  atomic_store_explicit(&am->has_requested, true, memory_order_relaxed);
  if (host->first != NULL)
    host->first(host->context);
}

/* Open a batch; the lock may be released. False: there is none. */
static bool try_open(dart__am_t *am, int32_t peer, dart__am_endpoint_t *ep)
{
  dart__am_batch_t *batch = take_batch(am, ep);

  tell_first(am);
  if (batch == NULL)
    return false;
  if (ep->open != NULL) { /* another thread was faster */
    dart__am_batch_give(&am->pool, batch);
    return true;
  }
  ep->open = batch;
  dart__am_peers_add(&am->busy, peer, &ep->busy_index);
  dart__am_peers_add(&am->open, peer, &ep->open_index);
  return true;
}

/* Open a batch, if that is possible now; the lock may be released. */
static void open_batch(dart__am_t *am, int32_t peer, dart__am_endpoint_t *ep, dart__turns_t *turns)
{
  if (try_open(am, peer, ep))
    return;
  dart__am_spin_unlock(&ep->lock);
  ask_for_batches(am);
  dart__wait_turn(turns, am->config.wait);
  dart__am_spin_lock(&ep->lock);
}

void dart__am_endpoint_reserve(dart__am_t *am, int32_t peer, dart__am_endpoint_t *ep, size_t nwords,
                               size_t result_words)
{
  dart__turns_t turns = { 0 };

  for (;;) {
    if (ep->open == NULL)
      open_batch(am, peer, ep, &turns);
    else if (dart__am_endpoint_has_room(am, ep, nwords, result_words))
      return;
    else if (!dart__am_endpoint_send(am, peer, ep, false))
      dart__am_endpoint_wait(am, ep, &turns);
  }
}

/* dart__am_endpoint_reserve without waiting. False: there is no room now. */
static bool try_reserve(dart__am_t *am, int32_t peer, dart__am_endpoint_t *ep, size_t nwords)
{
  if (ep->open != NULL && !dart__am_endpoint_has_room(am, ep, nwords, 0) &&
      !dart__am_endpoint_send(am, peer, ep, false))
    return false;
  return (ep->open != NULL || try_open(am, peer, ep)) &&
         dart__am_endpoint_has_room(am, ep, nwords, 0);
}

void dart__am_endpoint_append(dart__am_endpoint_t *ep, const dart__am_address_t *at,
                              const dart__am_record_t *r)
{
  if (at != NULL)
    dart__am_batch_select(ep->open, at->team, at->segid, at->offset);
  else
    ep->open->nown++;
  dart__am_batch_append(ep->open, r);
  dart__am_number_set(&ep->newest, ep->sent + 1);
  if (r->result_bytes > 0 && !r->is_internal)
    dart__am_number_set(&ep->local, ep->sent + 1);
}

/* Local completion includes it. */
void dart__am_endpoint_add_arrival(dart__am_t *am, int32_t peer, dart__am_endpoint_t *ep,
                                   const dart__am_arrival_t *arrival)
{
  ep->open->arrival[ep->open->narrivals++] = *arrival;
  ep->open->is_full |= ep->open->narrivals == DART__AM_ARRIVALS;
  ep->narrivals++;
  dart__am_number_set(&ep->local, ep->sent + 1);
  dart__am_peers_add(&am->arriving, peer, &ep->arriving_index);
}

/* ---- sending ------------------------------------------------------------------------------- */

/* Send those of a batch's data that were not sent yet. No lock is held, but is_sending. */
static void send_data(dart__am_t *am, int32_t peer, dart__am_batch_t *batch, size_t ndata)
{
  for (; batch->ndata_sent < ndata; batch->ndata_sent++) {
    size_t nbytes = batch->data[batch->ndata_sent].nbytes;

    if (batch->data[batch->ndata_sent].is_got)
      continue;
    dart__count_operation(DART__COUNT_DATA, nbytes);
    dart__net_send(am->config.comm, peer, DART__CHANNEL_DATA, 0, batch->src[batch->ndata_sent],
                   nbytes, NULL);
  }
}

/* Post the receives of data that it asks for: batches are sent one after the other, and so their data come back. */
static void receive_got(dart__am_t *am, int32_t peer, dart__am_batch_t *batch)
{
  for (size_t i = 0; i < batch->ndata; i++)
    if (batch->data[i].is_got)
      dart__net_recv(am->config.comm, peer, DART__CHANNEL_GOT, 0, NULL, batch->dst[i],
                     batch->data[i].nbytes, &batch->got[i]);
}

/* It is not complete, at either end, before the batch is done. */
static void announce(dart__am_endpoint_t *ep, const dart__am_data_t *data)
{
  ep->open->data[ep->open->ndata++] = *data;
  ep->open->is_full |= ep->open->ndata == DART__AM_DATA;
  dart__am_number_set(&ep->newest, ep->sent + 1);
  dart__am_number_set(&ep->local, ep->sent + 1);
}

void dart__am_endpoint_add_got(dart__am_endpoint_t *ep, const dart__am_data_t *data, void *dst)
{
  ep->open->dst[ep->open->ndata] = dst;
  announce(ep, data);
}

void dart__am_endpoint_add_data(dart__am_t *am, int32_t peer, dart__am_endpoint_t *ep,
                                const dart__am_data_t *data, const void *src)
{
  dart__am_batch_t *batch = ep->open;
  size_t            ndata;

  batch->src[batch->ndata] = src;
  announce(ep, data);
  /* Large data are sent at once. Eager data are sent after the batch, so that they find their receive
   * posted and are not copied twice; so are all data while another thread is sending. */
  if (data->nbytes <= EAGER_MOST || ep->is_sending)
    return;
  ndata          = batch->ndata;
  ep->is_sending = true;
  dart__am_spin_unlock(&ep->lock);
  send_data(am, peer, batch, ndata);
  dart__am_spin_lock(&ep->lock);
  ep->is_sending = false;
}

/* Take the open batch and make it the newest under way. */
static dart__am_batch_t *close_batch(dart__am_t *am, dart__am_endpoint_t *ep, bool wants_reply)
{
  dart__am_batch_t  *batch  = ep->open;
  dart__am_header_t *header = &batch->message.header;
  uint64_t           number = ++ep->sent, done = dart__am_number(&ep->done);
  unsigned often = (am->config.window + 1) / 2; /* so that replies come before the window is full */

  dart__am_peers_remove(&am->open, &ep->open_index);
  ep->open            = NULL;
  batch->number       = number;
  *header             = (dart__am_header_t){ .ndata = (uint16_t)batch->ndata, .batch = number };
  header->wants_reply = wants_reply || batch->nresults > 0 || batch->narrivals > 0 ||
                        (number - ep->asked >= often && number - done >= often);
  memcpy(batch->message.words + batch->nwords, batch->data, batch->ndata * sizeof batch->data[0]);
  if (header->wants_reply) {
    ep->asked = number;
    ep->nasked++;
  }
  if (ep->last != NULL)
    ep->last->next = batch;
  else
    ep->first = batch;
  ep->last = batch;
  return batch;
}

static void count_batch(const dart__am_batch_t *batch, size_t nwords)
{
  dart__count_operation(DART__COUNT_BATCH, nwords * sizeof(uint64_t));
  dart__count_by(DART__COUNT_REQUEST, batch->nrequests);
  if (nwords > DART__AM_WORDS / 4 * 3)
    dart__count(DART__COUNT_BATCH_FULL);
}

/* Send the open batch; no other thread is sending. */
static void send_batch(dart__am_t *am, int32_t peer, dart__am_endpoint_t *ep, bool wants_reply)
{
  dart__am_batch_t *batch = close_batch(am, ep, wants_reply);
  size_t            nwords;

  ep->is_sending = true;
  dart__am_spin_unlock(&ep->lock);

  nwords = batch->nwords + batch->ndata * DART__AM_DATA_WORDS;
  count_batch(batch, nwords);
  receive_got(am, peer, batch);
  dart__am_ack_write(&am->ack[peer], &batch->message.header);
  dart__net_send(am->config.comm, peer, DART__CHANNEL_AM, 0, &batch->message,
                 sizeof batch->message.header + nwords * sizeof(uint64_t), NULL);
  send_data(am, peer, batch, batch->ndata);

  dart__am_spin_lock(&ep->lock);
  ep->is_sending   = false;
  batch->is_posted = true; /* now the batch may be released */
}

/* ---- relays -------------------------------------------------------------------------------- */

/* Append the open batch, which has requests, to the relay. False: there is no room. */
static bool append_to_relay(dart__am_t *am, int32_t peer, dart__am_endpoint_t *ep)
{
  dart__am_batch_t *batch  = ep->open;
  uint64_t          number = dart__am_relay_add(ep->relay, am->relays.words, batch);

  if (number == 0)
    return false;
  dart__am_peers_remove(&am->open, &ep->open_index);
  dart__am_peers_add(&am->relayed, peer, &ep->relayed_index);
  ep->open       = NULL;
  ep->relayed    = number;
  ep->relayed_ns = 0;
  ep->sent++;
  dart__am_batch_give(&am->pool, batch);
  return true;
}

/* Append the open batch to the relay, which is sent if there is no room, or with `now`, if that is possible. */
static bool send_by_relay(dart__am_t *am, int32_t peer, dart__am_endpoint_t *ep, bool now)
{
  bool has_left = ep->open == NULL || append_to_relay(am, peer, ep);

  if (has_left && (!now || ep->relayed <= dart__am_relay_sent(ep->relay)))
    return true;
  dart__am_spin_unlock(&ep->lock);
  dart__am_endpoint_send_relay(am, ep->relay);
  dart__am_spin_lock(&ep->lock);
  return has_left || ep->open == NULL || append_to_relay(am, peer, ep);
}

/* Its requests become those of a batch of this unit's, whose arrival says to all units of the node that they were
 * applied. If it cannot be sent now, progress sends it. */
void dart__am_endpoint_send_relay(dart__am_t *am, dart__am_relay_t *relay)
{
  int32_t              partner = am->relays.partner(relay->node);
  dart__am_endpoint_t *ep      = &am->endpoint[partner];
  size_t               nwords  = dart__am_relay_claim(relay, am->relays.me);
  uint64_t             number;

  if (nwords == 0)
    return;
  dart__am_spin_lock(&ep->lock);
  if (!try_reserve(am, partner, ep, nwords)) {
    dart__am_spin_unlock(&ep->lock);
    dart__am_relay_release(relay);
    return;
  }
  number = dart__am_relay_take(relay, am->relays.me, ep->open);
  if (number != 0) {
    dart__am_number_set(&ep->newest, ep->sent + 1);
    dart__am_endpoint_add_arrival(
        am, partner, ep,
        &(dart__am_arrival_t){ &relay->applied, number, DART_OP_REPLACE, &relay->changed });
    dart__am_endpoint_send(am, partner, ep, false);
  }
  dart__am_spin_unlock(&ep->lock);
}

bool dart__am_endpoint_send(dart__am_t *am, int32_t peer, dart__am_endpoint_t *ep, bool wants_reply)
{
  dart__am_endpoint_retire(am, ep);
  if (__builtin_expect(ep->relay != NULL, 0))
    return send_by_relay(am, peer, ep, wants_reply);
  if (ep->open == NULL)
    return true;
  if (__builtin_expect(ep->is_lost, 0))
    dart__am_endpoint_drop_lost(am, peer, ep);
  if (ep->open == NULL)
    return true;
  if (ep->is_sending || ep->sent - dart__am_number(&ep->done) >= am->config.window)
    return false;
  send_batch(am, peer, ep, wants_reply);
  return true;
}

/* The peer may stop making progress as soon as it has the batch. Where no agent makes it instead, only what was asked
 * for until then is answered. An acknowledgement tells whether data that were sent beside the batch have left their
 * source. (Other requests are locally complete already.) */
static bool must_ask_now(const dart__am_t *am, const dart__am_endpoint_t *ep)
{
  return !am->config.is_sent_later && dart__am_number(&ep->local) > dart__am_number(&ep->done);
}

void dart__am_endpoint_send_now(dart__am_t *am, int32_t peer, dart__am_endpoint_t *ep)
{
  uint64_t      number = ep->sent + 1;
  dart__turns_t turns  = { 0 };

  while (ep->sent < number && ep->is_sending)
    dart__am_endpoint_wait(am, ep, &turns);
  dart__am_endpoint_retire(am, ep);
  if (ep->sent < number && ep->is_lost)
    dart__am_endpoint_drop_lost(am, peer, ep);
  if (ep->sent < number)
    send_batch(am, peer, ep, must_ask_now(am, ep));
}

/* Ask for an acknowledgement of all that was sent, by a message without a batch. One is on its way at a time, for its
 * memory must not change until it is acknowledged. */
static void send_ack_request(dart__am_t *am, int32_t peer, dart__am_endpoint_t *ep)
{
  if (ep->is_sending || ep->is_ack_requested || ep->is_lost)
    return;
  ep->ack_request      = (dart__am_header_t){ .wants_reply = true };
  ep->is_ack_requested = true;
  ep->is_sending       = true;
  ep->asked            = ep->sent;
  ep->nasked++;
  dart__am_spin_unlock(&ep->lock);
  dart__count(DART__COUNT_ACK_REQUEST);
  dart__am_ack_write(&am->ack[peer], &ep->ack_request);
  dart__net_send(am->config.comm, peer, DART__CHANNEL_AM, 0, &ep->ack_request,
                 sizeof ep->ack_request, NULL);
  dart__am_spin_lock(&ep->lock);
  ep->is_sending = false;
}

void dart__am_endpoint_ask(dart__am_t *am, int32_t peer, dart__am_endpoint_t *ep, uint64_t number)
{
  dart__am_endpoint_drop_lost(am, peer, ep);
  if (ep->asked >= number || dart__am_number(&ep->done) >= number)
    return;
  if (number <= ep->sent && ep->relay == NULL) {
    send_ack_request(am, peer, ep);
    return;
  }
  ep->is_alone = ep->first == NULL && ep->open != NULL && ep->open->nrequests == 1;
  dart__am_endpoint_send(am, peer, ep, true);
}

void dart__am_endpoint_wake(dart__am_t *am, int32_t peer, dart__am_endpoint_t *ep)
{
  if (ep->is_lost)
    return;
  dart__am_peers_add(&am->busy, peer, &ep->busy_index); /* replies are taken of busy peers */
  send_ack_request(am, peer, ep);
}
