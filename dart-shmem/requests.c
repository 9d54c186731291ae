/* See requests.h.
 *
 * A request that finds no slot, or its peer's inbox full, waits in a queue of the peer, and so does all of its kind that
 * is sent to this peer later: messages are one kind, and what travels in pieces the other. Every test, probe and flush
 * goes on with it.
 *
 * Puts, gets, and what is fetched of a message travel in pieces. These have slots of their own, which are free as soon
 * as the receiver has made progress, and a peer has a quarter of them at most. So they never wait for a message that no
 * receive takes, nor for another peer. */
#include "requests.h"

#include <stdlib.h>
#include <string.h>

#include "base/sanitizer.h"

#define RETRY_NS 50000 /* until a full inbox, or slots, are looked at again */

/* ---- life --------------------------------------------------------------------------------------- */

dart__request_t *dart__request_new(dart__net_comm_t *c)
{
  dart__request_t *r      = malloc(sizeof *r);
  uint64_t         unused = ~c->spares;

  if (r == NULL && unused == 0)
    dart__link_fail("no memory for a request");
  if (r == NULL) {
    r = &c->spare[__builtin_ctzll(unused)];
    c->spares |= unused & -unused;
  }
  return r;
}

static void release_request(dart__net_comm_t *c, dart__request_t *r)
{
  if (--r->uses > 0)
    return;
  if (r >= c->spare && r < c->spare + DART__SPARES)
    c->spares &= ~(UINT64_C(1) << (r - c->spare));
  else
    free(r);
}

void dart__request_land(dart__net_comm_t *c, dart__request_t *r, size_t nbytes)
{
  r->landed += nbytes;
  if (r->landed < r->nbytes)
    return;
  r->is_done = true;
  if (r->number > 0) {
    TAILQ_REMOVE(&c->peer[r->peer].ops, r, op);
    dart__traffic_raise(&c->peer[r->peer].clock, r->clock);
    /* release: pairs with the acquire in dart__move_flush */
    atomic_fetch_sub_explicit(&c->peer[r->peer].nlisted, 1, memory_order_release);
  }
  release_request(c, r);
}

void dart__request_return(dart__net_comm_t *c, dart__request_t *r, dart__net_request_t *request_out)
{
  if (request_out == NULL)
    return;
  request_out->id = r->is_done ? DART__NET_DONE.id : dart__id_of(r);
  if (!r->is_done)
    return;
  dart__traffic_hear(c->link.config.traffic, r->clock);
  release_request(c, r);
}

/* ---- sending ------------------------------------------------------------------------------------ */

/* Send a message with its bytes, or as an offer. */
static bool send_message(dart__net_comm_t *c, dart__request_t *r)
{
  dart__packet_t packet = { .kind    = DART__PACKET_OFFER,
                            .slot    = DART__NO_SLOT,
                            .channel = (uint8_t)r->channel,
                            .tag     = r->tag,
                            .total   = r->nbytes,
                            .from    = dart__id_of(r) };
  bool           soon   = false;

  if (r->nbytes <= DART__SLOT_BYTES)
    packet.slot = dart__link_take_slot(&c->link, 0, r->peer, &soon);
  if (packet.slot != DART__NO_SLOT) {
    packet.kind   = DART__PACKET_MESSAGE;
    packet.nbytes = (uint32_t)r->nbytes;
  } else if (soon) {
    return false;
  }
  if (!dart__link_send(&c->link, r->peer, &packet, r->data))
    return false;
  r->kind = packet.kind;
  return true;
}

/* Send the next bytes of a put, or ask for the next ones of a get or message. */
static bool send_piece(dart__net_comm_t *c, dart__request_t *r)
{
  dart__peer_t  *peer   = &c->peer[r->peer];
  char          *data   = r->data + r->started;
  size_t         left   = r->nbytes - r->started;
  dart__packet_t packet = { .kind   = r->kind,
                            .nbytes = (uint32_t)(left < DART__SLOT_BYTES ? left : DART__SLOT_BYTES),
                            .to     = r->there,
                            .offset = r->offset + r->started };
  uint32_t       nslots = c->link.nslots, i;
  bool           soon;

  if (peer->npieces == nslots / 4)
    return false;
  packet.slot = dart__link_take_slot(&c->link, nslots, r->peer, &soon);
  if (packet.slot == DART__NO_SLOT ||
      !dart__link_send(&c->link, r->peer, &packet, r->kind == DART__PACKET_PUT ? data : NULL))
    return false;
  i                   = packet.slot - nslots;
  c->piece[i].request = r;
  c->piece[i].data    = data;
  c->piece[i].nbytes  = packet.nbytes;
  c->busy |= UINT64_C(1) << i;
  peer->npieces++;
  r->started += packet.nbytes;
  return true;
}

/* Send the remaining packets of a request. False: there is no room for all of them. */
static bool send_rest(dart__net_comm_t *c, dart__request_t *r)
{
  if (r->kind == DART__PACKET_MESSAGE)
    return send_message(c, r);
  do {
    if (!send_piece(c, r))
      return false;
  } while (r->started < r->nbytes);
  r->is_done = r->kind == DART__PACKET_PUT;
  return true;
}

/* Send what waits in `out`, as far as there is room. */
static void pump(dart__net_comm_t *c, dart__requests_t *out)
{
  dart__request_t *r;

  while ((r = TAILQ_FIRST(out)) != NULL && send_rest(c, r)) {
    TAILQ_REMOVE(out, r, next);
    c->nwaiting -= TAILQ_EMPTY(out);
    if (r->kind == DART__PACKET_MESSAGE) /* its bytes are in the slot */
      dart__request_land(c, r, r->nbytes);
  }
}

void dart__request_send(dart__net_comm_t *c, dart__request_t *r)
{
  dart__requests_t *out      = &c->peer[r->peer].out[r->kind != DART__PACKET_MESSAGE];
  bool              is_first = TAILQ_EMPTY(out);

  TAILQ_INSERT_TAIL(out, r, next);
  c->nwaiting += is_first;
  if (is_first)
    pump(c, out);
}

/* ---- progress ----------------------------------------------------------------------------------- */

static dart__slot_t *slot_of_piece(const dart__net_comm_t *c, uint32_t piece)
{
  return &c->link.inbox->slot[c->link.nslots + piece];
}

/* Whether the receiver of a piece is done. The result is to be seen from slot->due on. */
static bool is_piece_done(const dart__slot_t *slot)
{
  /* acquire: pairs with the release in dart__slot_set */
  if (atomic_load_explicit(&slot->state, memory_order_acquire) != DART__SLOT_DONE)
    return false;
  dart__tsan_hear();
  return true;
}

/* Free the slots of pieces whose receivers are done. False: there is none. */
static bool take_pieces_back(dart__net_comm_t *c)
{
  bool any = false;

  for (uint64_t left = c->busy; left != 0; left &= left - 1) {
    uint32_t         i    = (uint32_t)__builtin_ctzll(left);
    dart__slot_t    *slot = slot_of_piece(c, i);
    dart__request_t *r    = c->piece[i].request;
    dart__peer_t    *peer = &c->peer[r->peer];

    if (!is_piece_done(slot) || slot->due > c->link.now)
      continue;
    if (r->kind != DART__PACKET_PUT && c->piece[i].nbytes > 0)
      memcpy(c->piece[i].data, slot->bytes, c->piece[i].nbytes);
    /* relaxed: this unit takes it next */
    atomic_store_explicit(&slot->state, DART__SLOT_FREE, memory_order_relaxed);
    c->busy &= ~(UINT64_C(1) << i);
    any = true;
    peer->npieces--;
    dart__traffic_add(&c->link.config.traffic->taken, r->kind == DART__PACKET_PUT ? 0 : 1);
    r->clock = slot->clock > r->clock ? slot->clock : r->clock;
    dart__request_land(c, r, c->piece[i].nbytes);
    pump(c, &peer->out[1]); /* the peer works on the next piece meanwhile */
  }
  return any;
}

void dart__requests_progress(dart__net_comm_t *c)
{
  bool any = dart__link_receive(&c->link);

  any = take_pieces_back(c) || any;
  for (int32_t peer = 0; c->nwaiting > 0 && peer < c->link.config.npeers; peer++)
    for (int kind = 0; kind < 2; kind++)
      pump(c, &c->peer[peer].out[kind]);
  if (any)
    dart__wait_tell(c->link.config.wait->pace);
}

/* While another thread has the lock there is something to do. */
uint32_t dart__requests_idle_us(dart__net_comm_t *c, uint32_t most_us)
{
  const dart__envelope_t *first;
  int64_t                 ns = most_us * INT64_C(1000), now = dart__now_ns(), due;

  if (pthread_mutex_trylock(&c->lock) != 0)
    return 0;
  if (c->nwaiting > 0 && ns > RETRY_NS)
    ns = RETRY_NS;
  first = TAILQ_FIRST(&c->link.held);
  due   = dart__inbox_peek(c->link.inbox, c->link.head) != NULL ? 0
          : first != NULL                                       ? first->packet.due
                                                                : now + ns;
  for (uint64_t left = c->busy; left != 0; left &= left - 1) {
    const dart__slot_t *slot = slot_of_piece(c, (uint32_t)__builtin_ctzll(left));

    if (is_piece_done(slot) && slot->due < due)
      due = slot->due;
  }
  pthread_mutex_unlock(&c->lock);
  ns = due - now < ns ? due - now : ns;
  return ns <= 0 ? 0 : (uint32_t)((ns + 999) / 1000);
}
