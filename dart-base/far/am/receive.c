/* See receive.h. */
#include "far/am/receive.h"

#include <stdlib.h>
#include <string.h>

#include "base/counters.h"
#include "base/sparse.h"
#include "far/am/instance.h"
#include "far/am/retire.h"
#include "far/am/target.h"

/* A batch that is applied when its data are here, or were sent, and those of earlier batches of its peer. */
struct dart__am_pending {
  dart__am_pending_t *next; /* in the order in which they came */
  dart__am_pending_t *next_of_peer;
  int32_t             peer;
  size_t              nbytes;
  uint32_t            refused; /* messages of data whose target memory does not exist */
  dart__am_message_t *message;
  dart__net_request_t data[DART__AM_DATA];
  void               *dropped[DART__AM_DATA]; /* buffers for these messages; NULL: in place */
};

/* A reply that the transport may still read, or a spare one. */
struct dart__am_reply {
  dart__am_reply_t   *next;
  bool                is_reserve;
  dart__net_request_t sent;
  dart__am_message_t  message;
};

/* Batches with notifications that are applied before the caller can see whether its wait is over: as many as a unit of a
 * plane has neighbours, which often come together. */
#define NOTIFIED_MOST 4

/* What became of a message. GRANTED: it was handled, and somebody is to be told before the next one is. */
typedef enum { HANDLED, GRANTED, NOT_NOW } handled_t;

/* ---- replies ------------------------------------------------------------------------------- */

static void recycle_replies(dart__am_t *am)
{
  dart__am_receiver_t *r = &am->receiver;

  for (dart__am_reply_t **link = &r->replying; *link != NULL;) {
    dart__am_reply_t *reply = *link;

    if (!dart__net_is_done(am->config.comm, &reply->sent)) {
      link = &reply->next;
      continue;
    }
    *link = reply->next;
    if (reply->is_reserve) {
      r->reserve = reply;
      continue;
    }
    reply->next = r->spare;
    r->spare    = reply;
  }
}

/* NULL: there is no memory, and the transport still reads the one in reserve. */
static dart__am_reply_t *take_reply(dart__am_receiver_t *r)
{
  dart__am_reply_t *reply = r->spare;

  if (__builtin_expect(reply != NULL, 1)) {
    r->spare = reply->next;
    return reply;
  }
  reply = malloc(sizeof *reply);
  if (reply != NULL) {
    reply->is_reserve = false;
    return reply;
  }
  reply      = r->reserve;
  r->reserve = NULL;
  return reply;
}

static void send_reply(dart__am_t *am, int32_t peer, dart__am_reply_t *reply, uint64_t batch,
                       size_t nwords)
{
  dart__am_receiver_t *r = &am->receiver;

  reply->message.header = (dart__am_header_t){ .is_reply = true, .batch = batch };
  dart__am_ack_write(&am->ack[peer], &reply->message.header);
  dart__count_operation(DART__COUNT_REPLY, nwords * sizeof(uint64_t));
  dart__net_send(am->config.comm, peer, reply->is_reserve ? DART__CHANNEL_REPLY : DART__CHANNEL_AM,
                 0, &reply->message, sizeof reply->message.header + nwords * sizeof(uint64_t),
                 &reply->sent);
  reply->next = r->replying;
  r->replying = reply;
}

/* ---- applying ------------------------------------------------------------------------------ */

/* Words of requests in a batch of `nbytes` bytes; the announcements of data are behind them. */
static size_t request_words(const dart__am_message_t *message, size_t nbytes)
{
  return (nbytes - sizeof message->header) / sizeof message->words[0] -
         message->header.ndata * DART__AM_DATA_WORDS;
}

/* Apply a batch, and reply if it wants a reply. `refused`: messages of its data. */
static handled_t serve_batch(dart__am_t *am, int32_t peer, const dart__am_message_t *message,
                             size_t nbytes, uint32_t refused, bool *notified_out)
{
  dart__am_receiver_t *r     = &am->receiver;
  dart__am_reply_t    *reply = NULL;
  dart__am_applied_t   applied;

  if (message->header.wants_reply) {
    reply = take_reply(r);
    if (reply == NULL)
      return NOT_NOW;
  }
  applied = dart__am_apply_batch(&am->config.host, &r->updates, &r->source[peer].known, peer,
                                 message->words, request_words(message, nbytes),
                                 reply == NULL ? NULL : reply->message.words);
  if (message->header.batch > 0)
    dart__am_ack_note(&am->ack[peer], refused + applied.refused);
  *notified_out |= applied.notified;
  if (reply != NULL)
    send_reply(am, peer, reply, message->header.batch, applied.nresults);
  return applied.granted ? GRANTED : HANDLED;
}

/* ---- batches that wait for their data ------------------------------------------------------- */

/* Send what a batch asks for; without a byte, if there is no such memory. */
static void send_got(dart__am_t *am, dart__am_pending_t *pending, const dart__am_data_t *data,
                     dart__net_request_t *sent_out)
{
  const void *from   = dart__am_find(&am->config.host, data);
  size_t      nbytes = from == NULL ? 0 : data->nbytes;

  pending->refused += from == NULL;
  dart__count_operation(DART__COUNT_DATA, nbytes);
  dart__net_send(am->config.comm, pending->peer, DART__CHANNEL_GOT, 0,
                 from == NULL ? pending : from, nbytes, sent_out);
}

/* Post receives for the data of a batch, in place, and send what it asks for. */
static void move_data(dart__am_t *am, dart__am_pending_t *pending)
{
  const uint64_t *words =
      pending->message->words + request_words(pending->message, pending->nbytes);

  for (int i = 0; i < pending->message->header.ndata; i++) {
    dart__am_data_t data;
    void           *to;

    memcpy(&data, words + i * DART__AM_DATA_WORDS, sizeof data);
    if (data.is_got) {
      send_got(am, pending, &data, &pending->data[i]);
      continue;
    }
    to = dart__am_find(&am->config.host, &data);
    if (to == NULL) {
      to = pending->dropped[i] = malloc(data.nbytes);
      pending->refused++;
    }
    if (to == NULL) /* no memory: nobody reads what is received there, perhaps several at a time */
      to = am->receiver.dropped;
    dart__net_recv(am->config.comm, pending->peer, DART__CHANNEL_DATA, 0, NULL, to, data.nbytes,
                   &pending->data[i]);
  }
}

static void queue(dart__am_receiver_t *r, dart__am_pending_t *pending)
{
  dart__am_source_t   *source = &r->source[pending->peer];
  dart__am_pending_t **link   = &r->pending;

  while (*link != NULL)
    link = &(*link)->next;
  *link = pending;
  if (source->last != NULL)
    source->last->next_of_peer = pending;
  else
    source->first = pending;
  source->last = pending;
}

static dart__am_message_t *new_message(dart__am_receiver_t *r)
{
  dart__am_message_t *message = r->unused;

  if (message == NULL)
    return malloc(sizeof *message);
  memcpy(&r->unused, (const void *)message, sizeof r->unused);
  return message;
}

static bool is_of_ring(const dart__am_ring_t *ring, const dart__am_message_t *message)
{
  return message >= ring->messages && message < ring->messages + ring->nslots;
}

static void delete_message(dart__am_receiver_t *r, dart__am_message_t *message)
{
  if (is_of_ring(&r->ring, message)) {
    memcpy((void *)message, &r->unused, sizeof r->unused);
    r->unused = message;
  } else {
    free(message);
  }
}

/* A pending batch with room for a message. NULL: no memory. */
static dart__am_pending_t *new_pending(dart__am_receiver_t *r)
{
  dart__am_pending_t *pending = malloc(sizeof *pending);

  if (pending == NULL)
    return NULL;
  pending->message = new_message(r);
  if (pending->message != NULL)
    return pending;
  free(pending);
  return NULL;
}

static void delete_pending(dart__am_receiver_t *r, dart__am_pending_t *pending)
{
  if (pending == NULL)
    return;
  delete_message(r, pending->message);
  free(pending);
}

/* NULL: there is none until another batch was applied; there is at least one. */
static dart__am_pending_t *take_pending(dart__am_receiver_t *r)
{
  dart__am_pending_t *pending = new_pending(r);

  if (pending == NULL) {
    pending          = r->spare_pending;
    r->spare_pending = NULL;
  }
  return pending;
}

static void give_pending(dart__am_receiver_t *r, dart__am_pending_t *pending)
{
  for (int i = 0; i < DART__AM_DATA; i++)
    free(pending->dropped[i]);
  if (r->spare_pending != NULL)
    delete_pending(r, pending);
  else
    r->spare_pending = pending;
}

/* Keep the batch in a slot for later, and give the slot room for another message. Data of a peer are
 * received in the order in which they are sent. */
static handled_t keep(dart__am_t *am, dart__am_slot_t *slot)
{
  dart__am_pending_t *pending = take_pending(&am->receiver);
  dart__am_message_t *room;

  if (pending == NULL)
    return NOT_NOW;
  room = pending->message;
  *pending =
      (dart__am_pending_t){ .peer = slot->peer, .nbytes = slot->nbytes, .message = slot->message };
  slot->message = room;
  queue(&am->receiver, pending);
  move_data(am, pending);
  return HANDLED;
}

static bool has_data(dart__am_t *am, dart__am_pending_t *pending)
{
  bool all = true;

  for (int i = 0; i < pending->message->header.ndata; i++)
    all = dart__net_is_done(am->config.comm, &pending->data[i]) && all;
  return all;
}

/* Take the first batch of its peer out of the list. */
static void unqueue(dart__am_receiver_t *r, dart__am_pending_t **link)
{
  dart__am_pending_t *pending = *link;
  dart__am_source_t  *source  = &r->source[pending->peer];

  *link         = pending->next;
  source->first = pending->next_of_peer;
  if (source->first == NULL)
    source->last = NULL;
  give_pending(r, pending);
}

/* Whether the batch waits for data that will never come. */
static bool is_void(dart__am_t *am, dart__am_pending_t *pending)
{
  return am->config.is_lost != NULL && am->config.is_lost(pending->peer) && !has_data(am, pending);
}

static void drop_pending(dart__am_t *am, dart__am_pending_t **link)
{
  for (int i = 0; i < (*link)->message->header.ndata; i++)
    dart__net_cancel(am->config.comm, &(*link)->data[i]);
  unqueue(&am->receiver, link);
}

/* Apply pending batches whose data are here, at most `most`. Of a peer that is lost none is applied behind one that is
 * dropped: it may say that this one's data are here. */
static void apply_pending(dart__am_t *am, int most, bool *notified_out)
{
  for (dart__am_pending_t **link = &am->receiver.pending; *link != NULL && most > 0;) {
    dart__am_pending_t *pending = *link;
    dart__am_source_t  *source  = &am->receiver.source[pending->peer];

    if (source->first == pending && (source->is_cut || is_void(am, pending))) {
      source->is_cut = true;
      drop_pending(am, link);
      continue;
    }
    if (source->first != pending || !has_data(am, pending) ||
        serve_batch(am, pending->peer, pending->message, pending->nbytes, pending->refused,
                    notified_out) == NOT_NOW) {
      link = &pending->next;
      continue;
    }
    most--;
    unqueue(&am->receiver, link);
  }
}

/* ---- the ring --------------------------------------------------------------------------------- */

static dart__am_slot_t *reserve_slot(const dart__am_ring_t *ring)
{
  return &ring->slot[DART__AM_RING];
}

static void post(dart__am_t *am, dart__am_slot_t *slot)
{
  bool is_reserve = slot == reserve_slot(&am->receiver.ring);

  slot->has_come = false;
  dart__net_recv(am->config.comm, DART__ANY_PEER,
                 is_reserve ? DART__CHANNEL_REPLY : DART__CHANNEL_AM, 0, NULL, slot->message,
                 sizeof *slot->message, &slot->request);
}

static bool open_ring(dart__am_t *am, dart__am_ring_t *ring)
{
  ring->slot     = calloc(DART__AM_RING + 1, sizeof *ring->slot);
  ring->messages = dart__sparse_new(DART__AM_RING + 1, sizeof *ring->messages);
  if (ring->slot == NULL || ring->messages == NULL)
    return false;
  ring->nslots = DART__AM_RING + 1;
  for (unsigned i = 0; i < ring->nslots; i++) {
    ring->slot[i].message = &ring->messages[i];
    post(am, &ring->slot[i]);
  }
  return true;
}

static void close_ring(dart__am_t *am, dart__am_ring_t *ring)
{
  for (unsigned i = 0; i < ring->nslots; i++) {
    dart__net_cancel(am->config.comm, &ring->slot[i].request);
    if (!is_of_ring(ring, ring->slot[i].message))
      free(ring->slot[i].message);
  }
  free(ring->slot);
  dart__sparse_delete(ring->messages);
}

static dart__am_slot_t *oldest_slot(const dart__am_ring_t *ring)
{
  return &ring->slot[ring->head % DART__AM_RING];
}

static void note_message(dart__am_slot_t *slot, const dart__net_message_t *came)
{
  slot->has_come = true;
  slot->peer     = came->peer;
  slot->nbytes   = came->nbytes;
}

static bool look_for(dart__am_t *am, dart__am_slot_t *slot)
{
  dart__net_request_t *const request[] = { &slot->request };
  dart__net_message_t        came;

  if (!slot->has_come && dart__net_test(am->config.comm, request, 1, &came) == 0)
    note_message(slot, &came);
  return slot->has_come;
}

/* Post the receives of slots that were handled. */
static void post_free(dart__am_t *am)
{
  dart__am_ring_t *ring = &am->receiver.ring;

  for (; ring->free > 0; ring->free--)
    post(am, &ring->slot[(ring->head - ring->free) % DART__AM_RING]);
}

/* ---- progress ------------------------------------------------------------------------------ */

static handled_t handle(dart__am_t *am, dart__am_slot_t *slot, bool *notified_out)
{
  const dart__am_header_t *header = &slot->message->header;

  dart__am_endpoint_acknowledge(am, &am->endpoint[slot->peer], header,
                                header->is_reply ? slot->message->words : NULL);
  if (header->is_reply || __builtin_expect(am->receiver.source[slot->peer].is_cut, 0))
    return HANDLED;
  if (header->ndata > 0 || am->receiver.source[slot->peer].first != NULL)
    return keep(am, slot);
  return serve_batch(am, slot->peer, slot->message, slot->nbytes, 0, notified_out);
}

/* Whether a reply may come: peers are busy for as long as one is awaited of them. */
static bool awaits_reply(const dart__am_t *am)
{
  return dart__am_peers_count(&am->busy) > 0;
}

/* Handle the messages that have arrived, in order, at most `most`. It returns after the last reply that is awaited, and
 * after data and notifications, so that the caller can see whether its wait is over. Otherwise, of two units that exchange
 * data, one would go on receiving all that the other sends ahead, while the other waits for it. And it returns after a grant:
 * a unit that releases a lock often asks for it again at once, and to answer that takes longer than to tell the next holder. A
 * thread may wait for what a message brought, so its receive is posted again at the next look, unless none is left. */
static dart__am_handled_t take(dart__am_t *am, int most, bool *notified_out)
{
  dart__am_ring_t   *ring     = &am->receiver.ring;
  dart__am_handled_t handled  = { 0 };
  bool               is_over  = false;
  int                notified = 0;
  dart__am_slot_t   *slot;
  handled_t          became;

  for (; !is_over && most > 0 && look_for(am, slot = oldest_slot(ring)); most--) {
    bool is_lost  = __builtin_expect(slot->nbytes == 0, 0); /* its peer is */
    bool is_reply = !is_lost && slot->message->header.is_reply;
    bool brings   = !is_lost && slot->message->header.ndata > 0;

    handled.requests |= !is_reply;
    handled.replies |= is_reply;
    became = is_lost ? HANDLED : handle(am, slot, notified_out);
    if (became == NOT_NOW)
      break;
    notified += *notified_out;
    is_over =
        became == GRANTED || notified == NOTIFIED_MOST || (is_reply && !awaits_reply(am)) || brings;
    ring->head++;
    if (++ring->free == DART__AM_RING)
      post_free(am);
  }
  return handled;
}

/* Look now and then for a reply of a unit that has no memory. False: there is none. */
static bool take_reserve(dart__am_t *am)
{
  dart__am_receiver_t *r    = &am->receiver;
  dart__am_slot_t     *slot = reserve_slot(&r->ring);

  if (++r->calls % DART__LOOKS != 0 || !awaits_reply(am) || !look_for(am, slot))
    return false;
  if (slot->nbytes > 0) /* else its peer is lost */
    dart__am_endpoint_acknowledge(am, &am->endpoint[slot->peer], &slot->message->header,
                                  slot->message->words);
  post(am, slot);
  return true;
}

/* Look for the next message, and whether `own` is complete. While a unit waits it does little else, so both cost one test.
 * False: no message has come. */
static bool test_messages(dart__am_t *am, int looks, dart__net_request_t *own)
{
  dart__am_slot_t     *slot      = oldest_slot(&am->receiver.ring);
  dart__net_request_t *request[] = { &slot->request, own };
  dart__net_message_t  came;
  int                  index = -1;

  post_free(am);
  if (slot->has_come)
    return true;
  for (; looks > 0 && index < 0; looks--)
    index = dart__net_test(am->config.comm, request, own == NULL ? 1 : 2, &came);
  if (index != 0)
    return false;
  note_message(slot, &came);
  return true;
}

/* Handle what has come; the lock is held. */
static dart__am_handled_t drain(dart__am_t *am, int most, bool has_come, void **answers_out)
{
  dart__am_receiver_t *r        = &am->receiver;
  dart__am_handled_t   handled  = { 0 };
  bool                 notified = false;

  if (has_come)
    handled = take(am, most, &notified);
  handled.replies |= take_reserve(am);
  if (r->pending != NULL)
    apply_pending(am, most, &notified);
  if (r->replying != NULL)
    recycle_replies(am);
  if (am->config.host.turns != NULL)
    *answers_out = am->config.host.turns(&am->config.host, &r->updates);
  if (notified)
    am->config.host.notified(am->config.host.context);
  if (handled.requests) /* relaxed: a hint for how long to sleep */
    atomic_store_explicit(&r->last_ns, dart__now_ns(), memory_order_relaxed);
  return handled;
}

/* After messages `own` is tested alone, so that a stream of them cannot hide that it is complete. */
dart__am_handled_t dart__am_receive(dart__am_t *am, int most, int looks, dart__net_request_t *own)
{
  dart__am_handled_t handled  = { 0 };
  void              *answers  = NULL;
  bool               has_come = true;

  if (dart__am_spin_try(&am->receiver.lock)) {
    has_come = test_messages(am, am->receiver.pending != NULL ? 1 : looks, own); /* or data come */
    handled  = drain(am, most, has_come, &answers);
    dart__am_spin_unlock(&am->receiver.lock);
  }
  if (dart__am_peers_count(&am->arriving) > 0)
    dart__am_endpoints_retire_arriving(am);
  if (am->config.host.answer != NULL) /* without the lock: sending may wait for what is received */
    am->config.host.answer(am, answers);
  if (own != NULL && has_come)
    dart__net_is_done(am->config.comm, own);
  if (handled.requests || handled.replies)
    dart__wait_tell(am->config.wait->pace);
  return handled;
}

bool dart__am_hold(dart__am_t *am)
{
  return dart__am_spin_try(&am->receiver.lock);
}

void dart__am_release(dart__am_t *am)
{
  dart__am_spin_unlock(&am->receiver.lock);
}

void dart__am_refuse(dart__am_t *am, int32_t peer)
{
  atomic_fetch_add_explicit(&am->ack[peer].refused, 1, memory_order_relaxed);
}

/* ---- life ---------------------------------------------------------------------------------- */

bool dart__am_receiver_open(dart__am_t *am)
{
  dart__am_receiver_t *r = &am->receiver;
  bool                 has_memory;

  r->source        = dart__sparse_new((size_t)am->npeers, sizeof *r->source);
  r->reserve       = malloc(sizeof *r->reserve);
  r->spare_pending = new_pending(r);
  r->dropped       = malloc(DART__AM_DATA_MOST);
  has_memory =
      r->source != NULL && r->reserve != NULL && r->spare_pending != NULL && r->dropped != NULL;
  if (r->reserve != NULL)
    r->reserve->is_reserve = true;
  return open_ring(am, &r->ring) && has_memory;
}

void dart__am_receiver_close(dart__am_t *am)
{
  dart__am_receiver_t *r = &am->receiver;

  while (r->replying != NULL)
    recycle_replies(am);
  delete_pending(r, r->spare_pending);
  close_ring(am, &r->ring);
  while (r->spare != NULL) {
    dart__am_reply_t *reply = r->spare;

    r->spare = reply->next;
    free(reply);
  }
  free(r->reserve);
  for (int32_t peer = 0; r->source != NULL && peer < am->npeers; peer++)
    dart__am_known_delete(r->source[peer].known);
  free(r->dropped);
  dart__sparse_delete(r->source);
}
