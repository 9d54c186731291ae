/* See requests.h.
 *
 * A request that finds no slot, or its peer's inbox full, waits in the peer's queue `out`, and so does all that is sent
 * to this peer later. Every test, probe and flush goes on with it. Pieces have slots of their own, which are free as
 * soon as the receiver has made progress. So puts, gets, and messages that are wanted never wait for a message that is
 * not. */
#include "requests.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/sanitizer.h"
#include "wire_comm.h"

#define RETRY_US 50 /* until a full inbox, or slots, are looked at again */

/* ---- requests and envelopes ------------------------------------------------------------------- */

dart__request_t *dart__request_new(dart__net_comm_t *c, dart__stage_t stage,
                                   const dart__move_t *move, bool is_wanted)
{
  dart__request_t *r      = malloc(sizeof *r);
  uint64_t         unused = ~c->spares;

  if (r == NULL && unused == 0)
    dart__link_fail("no memory for a request");
  if (r == NULL) {
    r = &c->spare[__builtin_ctzll(unused)];
    c->spares |= unused & -unused;
  }
  *r = (dart__request_t){ .stage = stage, .is_wanted = is_wanted, .move = *move };
  return r;
}

/* Free a request that is done, unless its caller or a list still needs it. */
static void drop_request(dart__net_comm_t *c, dart__request_t *r)
{
  if (r->is_wanted || r->is_op)
    return;
  if (r >= c->spare && r < c->spare + DART__WIRE_SPARES)
    c->spares &= ~(UINT64_C(1) << (r - c->spare));
  else
    free(r);
}

/* Give the caller the id of its request; one that is done already is dropped instead. */
void dart__request_return(dart__net_comm_t *c, dart__request_t *r, dart__net_request_t *request_out)
{
  if (request_out == NULL)
    return;
  request_out->id = r->is_done ? DART__NET_DONE.id : dart__id_of(r);
  r->is_wanted    = !r->is_done;
  drop_request(c, r);
}

/* Send a message with its bytes, or as an offer. */
static bool send_message(dart__net_comm_t *c, dart__request_t *r)
{
  size_t         nbytes = r->move.nbytes;
  dart__packet_t packet = { .kind    = DART__PACKET_OFFER,
                            .slot    = DART__NO_SLOT,
                            .channel = (uint8_t)r->channel,
                            .tag     = r->tag,
                            .total   = nbytes,
                            .from    = dart__id_of(r) };

  if (nbytes <= DART__SLOT_BYTES) {
    packet.slot = dart__link_take_slot(c, 0);
    if (packet.slot == DART__NO_SLOT && dart__link_awaits_slot(c, r->move.peer))
      return false;
  }
  if (packet.slot != DART__NO_SLOT) {
    packet.kind               = DART__PACKET_MESSAGE;
    packet.nbytes             = (uint32_t)nbytes;
    c->slot_peer[packet.slot] = r->move.peer;
  }
  if (!dart__link_send(c, r->move.peer, &packet, packet.nbytes > 0 ? r->move.data : NULL))
    return false;
  r->is_done = packet.kind == DART__PACKET_MESSAGE;
  r->stage   = DART__STAGE_OFFERED;
  return true;
}

static bool send_want(dart__net_comm_t *c, dart__request_t *r)
{
  dart__packet_t packet = {
    .kind = DART__PACKET_WANT, .slot = DART__NO_SLOT, .from = dart__id_of(r), .to = r->partner
  };

  if (!dart__link_send(c, r->move.peer, &packet, NULL))
    return false;
  r->stage   = DART__STAGE_RECV;
  r->is_done = r->move.nbytes == 0; /* no bytes follow */
  return true;
}

/* Send the next bytes of a message or put, or ask for the next ones of a get. */
static bool send_piece(dart__net_comm_t *c, dart__request_t *r)
{
  dart__peer_t  *peer   = &c->peer[r->move.peer];
  bool           is_op  = r->stage != DART__STAGE_DATA;
  char          *data   = r->move.data + r->started;
  size_t         left   = r->move.nbytes - r->started;
  dart__packet_t packet = { .kind   = !is_op                        ? DART__PACKET_DATA
                                      : r->stage == DART__STAGE_PUT ? DART__PACKET_PUT
                                                                    : DART__PACKET_GET,
                            .nbytes = (uint32_t)(left < DART__SLOT_BYTES ? left : DART__SLOT_BYTES),
                            .to     = is_op ? r->move.region : r->partner,
                            .offset = r->move.offset + r->started };
  uint32_t       piece;

  if (peer->npieces == c->most_pieces ||
      (packet.slot = dart__link_take_slot(c, c->nslots)) == DART__NO_SLOT ||
      !dart__link_send(c, r->move.peer, &packet, r->stage == DART__STAGE_GET ? NULL : data))
    return false;
  piece           = packet.slot - c->nslots;
  c->piece[piece] = (dart__piece_t){ is_op ? r : NULL, r->move.peer, data, packet.nbytes };
  c->busy |= UINT64_C(1) << piece;
  peer->npieces++;
  r->started += packet.nbytes;
  return true;
}

/* Send the remaining packets of a request. False: there is no room for all of them. */
static bool send_rest(dart__net_comm_t *c, dart__request_t *r)
{
  if (r->stage == DART__STAGE_SEND)
    return send_message(c, r);
  if (r->stage == DART__STAGE_WANT)
    return send_want(c, r);
  while (r->started < r->move.nbytes)
    if (!send_piece(c, r))
      return false;
  r->is_done = r->stage != DART__STAGE_GET;
  return true;
}

/* Remove puts and gets from the list up to the first that is not complete. */
static void retire(dart__net_comm_t *c, dart__peer_t *peer)
{
  dart__request_t *r;

  while (peer->first_not_local != NULL && peer->first_not_local->is_done)
    peer->first_not_local = TAILQ_NEXT(peer->first_not_local, op);
  while ((r = TAILQ_FIRST(&peer->ops)) != NULL && r->landed == r->move.nbytes) {
    TAILQ_REMOVE(&peer->ops, r, op);
    /* release: pairs with the acquire in dart__move_flush */
    atomic_fetch_sub_explicit(&peer->nlisted, 1, memory_order_release);
    r->is_op = false;
    drop_request(c, r);
  }
}

/* Send what waits in `out`, as far as there is room. */
static void pump(dart__net_comm_t *c, dart__peer_t *peer)
{
  dart__request_t *r;

  while ((r = TAILQ_FIRST(&peer->out)) != NULL && send_rest(c, r)) {
    TAILQ_REMOVE(&peer->out, r, next);
    c->nwaiting -= TAILQ_EMPTY(&peer->out);
    if (r->is_op)
      retire(c, peer);
    else if (r->is_done)
      drop_request(c, r);
  }
}

void dart__request_send(dart__net_comm_t *c, dart__request_t *r)
{
  dart__peer_t *peer     = &c->peer[r->move.peer];
  bool          is_first = TAILQ_EMPTY(&peer->out);

  TAILQ_INSERT_TAIL(&peer->out, r, next);
  c->nwaiting += is_first;
  if (is_first)
    pump(c, peer);
}
void dart__request_landed(dart__net_comm_t *c, dart__request_t *r, size_t nbytes)
{
  r->landed += nbytes;
  if (r->landed < r->move.nbytes)
    return;
  r->is_done = true;
  retire(c, &c->peer[r->move.peer]);
}

/* Whether the receiver of a piece is done; `*due_out`: when that is to be seen. */
static bool is_piece_done(const dart__net_comm_t *c, uint32_t piece, int64_t *due_out)
{
  const dart__slot_t *slot = &c->inbox->slot[c->nslots + piece];

  /* acquire: pairs with the release in dart__link_set_slot */
  if (atomic_load_explicit(&slot->state, memory_order_acquire) != DART__SLOT_DONE)
    return false;
  dart__tsan_hear();
  *due_out = c->piece[piece].op != NULL ? slot->due : 0;
  return true;
}

/* Free the slots of pieces whose receivers are done, and note that these have landed. False: there is none. */
static bool take_pieces_back(dart__net_comm_t *c)
{
  uint64_t busy = c->busy;
  int64_t  due;

  for (uint64_t left = busy; left != 0; left &= left - 1) {
    uint32_t      i = (uint32_t)__builtin_ctzll(left);
    dart__piece_t p = c->piece[i];

    if (!is_piece_done(c, i, &due) || due > c->now)
      continue;
    if (p.op != NULL && p.op->stage == DART__STAGE_GET)
      memcpy(p.data, dart__link_slot_bytes(c, c->config.me, c->nslots + i), p.nbytes);
    /* relaxed: this unit takes it next */
    atomic_store_explicit(&c->inbox->slot[c->nslots + i].state, DART__SLOT_FREE,
                          memory_order_relaxed);
    c->busy &= ~(UINT64_C(1) << i);
    c->peer[p.peer].npieces--;
    if (p.op == NULL)
      continue;
    dart__traffic_take(c->config.traffic, p.op->move.is_put ? 0 : 1,
                       c->inbox->slot[c->nslots + i].clock);
    dart__request_landed(c, p.op, p.nbytes);
  }
  return c->busy != busy;
}

void dart__requests_progress(dart__net_comm_t *c)
{
  bool any;

  if (c->config.model.has_delays)
    c->now = dart__now_ns();
  any = c->busy != 0 && take_pieces_back(c);
  any = dart__link_receive(c) || any;
  for (int32_t peer = 0; c->nwaiting > 0 && peer < c->config.npeers; peer++)
    pump(c, &c->peer[peer]);
  if (any)
    dart__wait_tell(c->config.wait->pace);
}

/* ---- sleeping */

/* Until `due`, if that is sooner. */
static int64_t sooner(int64_t left_ns, int64_t due)
{
  int64_t ns = due == 0 ? 0 : due - dart__now_ns();

  return ns < left_ns ? ns : left_ns;
}

int64_t dart__requests_idle_ns(dart__net_comm_t *c, int64_t most)
{
  const dart__envelope_t *first = TAILQ_FIRST(&c->held);
  int64_t                 due;

  if (dart__inbox_peek(c->inbox, c->head) != NULL)
    return 0;
  if (first != NULL)
    most = sooner(most, first->packet.due);
  for (uint64_t left = c->busy; left != 0; left &= left - 1)
    if (is_piece_done(c, (uint32_t)__builtin_ctzll(left), &due))
      most = sooner(most, due);
  return c->nwaiting > 0 && most > RETRY_US * 1000 ? RETRY_US * 1000 : most;
}
