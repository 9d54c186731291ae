/* See wire.h.
 *
 * A request that finds its peer's inbox full waits in a queue of the peer, and so does what is sent to this peer later.
 * Every test, probe and flush goes on with it. The receiver takes all packets out of its inbox, whether or not it can
 * answer them at once, for answers are requests. So no unit waits for more than progress of its peer.
 *
 * A unit that starts more than DART__OPS_MOST puts and gets to a peer waits for the oldest, with progress. So units that
 * put to one another all go on, and neither their requests nor the answers of the peer take memory without bound.
 *
 * Messages that no receive takes stay with the receiver, up to KEPT_MOST bytes of each peer. When so much is with it,
 * or on its way there, the next ones are offered, as are those of more than one packet. */
#include "wire.h"

#include <stdlib.h>

#include "base/counters.h"
#include "base/log.h"
#include "model/lost.h"

#define KEPT_MOST ((uint64_t)1 << 20)

dart__request_t *dart__request_new(dart__net_comm_t *c, const dart__request_t *model,
                                   bool is_tested)
{
  dart__request_t *r = malloc(sizeof *r);

  for (int i = 0; r == NULL && i < DART__SPARES; i++)
    r = c->spare[i].uses == 0 ? &c->spare[i] : NULL;
  if (r == NULL) {
    dart__error("the simulated network fails: no memory for a request");
    dart__net_abort(EXIT_FAILURE, false);
  }
  *r      = *model;
  r->uses = is_tested ? 2 : 1;
  return r;
}

static void release_request(dart__net_comm_t *c, dart__request_t *r)
{
  bool is_spare = r >= c->spare && r < c->spare + DART__SPARES;

  if (--r->uses == 0 && !is_spare)
    free(r);
}

void dart__request_list(dart__request_t *r, dart__requests_t *list)
{
  TAILQ_INSERT_TAIL(list, r, next);
  r->list = list;
}

void dart__request_unlist(dart__net_comm_t *c, dart__request_t *r)
{
  if (r->list == NULL)
    return;
  c->nwaiting -= r->peer >= 0 && r->list == &c->peer[r->peer].out;
  TAILQ_REMOVE(r->list, r, next);
  r->list = NULL;
}

void dart__request_land(dart__net_comm_t *c, dart__request_t *r, size_t nbytes)
{
  r->landed += nbytes;
  if (r->landed < r->nbytes)
    return;
  dart__request_unlist(c, r);
  if (r->number > 0) {
    dart__peer_t *peer = &c->peer[r->peer];

    TAILQ_REMOVE(r->is_done ? &peer->done : &peer->ops, r, op);
    dart__traffic_raise(&peer->clock, r->clock);
    /* release: pairs with the acquire in dart__wire_flush */
    atomic_fetch_sub_explicit(&peer->nlisted, 1, memory_order_release);
  }
  r->is_done = true;
  release_request(c, r);
}

void dart__request_return(dart__net_comm_t *c, dart__request_t *r, dart__net_request_t *request_out)
{
  if (request_out == NULL)
    return;
  request_out->id = dart__id_of(r);
  if (!r->is_done && !r->is_abandoned)
    return;
  *request_out = DART__NET_DONE;
  dart__traffic_hear(c->link.config.traffic, r->clock);
  release_request(c, r);
}

/* ---- sending ------------------------------------------------------------------------------------ */

/* Whether the peer has room to keep one message more. */
static bool may_be_kept(const dart__net_comm_t *c, dart__peer_t *peer, const dart__request_t *r)
{
  const dart__inbox_t *inbox  = dart__link_inbox(&c->link, r->peer);
  uint64_t             nbytes = peer->messages + dart__inbox_extent(r->nbytes);

  /* relaxed: a number alone */
  if (nbytes - peer->received > KEPT_MOST)
    peer->received =
        atomic_load_explicit(&inbox->received[c->link.config.me], memory_order_relaxed);
  return nbytes - peer->received <= KEPT_MOST;
}

/* Send the remaining packets of a request. False: there is no room for all of them. */
static bool send_rest(dart__net_comm_t *c, dart__request_t *r)
{
  dart__peer_t *peer = &c->peer[r->peer];

  if (r->kind == DART__PACKET_MESSAGE &&
      (r->nbytes > DART__PACKET_MOST || !may_be_kept(c, peer, r)))
    r->kind = DART__PACKET_OFFER;
  do {
    const char    *data   = r->sent > 0 ? r->data + r->sent : r->data;
    size_t         left   = r->nbytes - r->sent;
    dart__packet_t packet = { .kind    = r->kind,
                              .channel = (uint8_t)r->channel,
                              .tag     = r->tag,
                              .from    = dart__id_of(r),
                              .to      = r->there,
                              .offset  = r->offset + r->sent };

    if (r->kind <= DART__PACKET_DATA && left > DART__PACKET_MOST)
      left = DART__PACKET_MOST;
    packet.nbytes = (uint32_t)left;
    if (!dart__link_send(&c->link, r->peer, &peer->head_seen, &packet, data))
      return false;
    r->sent += left;
  } while (r->sent < r->nbytes);
  if (r->kind == DART__PACKET_MESSAGE)
    peer->messages += dart__inbox_extent(r->nbytes);
  return true;
}

void dart__requests_pump(dart__net_comm_t *c, dart__peer_t *peer)
{
  dart__request_t *r;

  while ((r = TAILQ_FIRST(&peer->out)) != NULL && send_rest(c, r)) {
    dart__request_unlist(c, r);
    if (r->kind == DART__PACKET_PUT) {
      r->is_done = true;
      TAILQ_REMOVE(&peer->ops, r, op);
      TAILQ_INSERT_TAIL(&peer->done, r, op);
    } else if (r->kind == DART__PACKET_OFFER || r->kind == DART__PACKET_FETCH) {
      dart__request_list(r, &peer->away);
    } else if (r->kind != DART__PACKET_GET) { /* nothing comes for it */
      dart__request_land(c, r, r->nbytes);
    }
  }
}

/* What is sent counts as sent; but a receive never has its bytes. Its caller cancels it, since that knows the peer; or,
 * of any peer, done without a byte. */
static void end_at_lost(dart__net_comm_t *c, dart__request_t *r)
{
  dart__request_unlist(c, r);
  if (r->kind == DART__PACKET_FETCH && !r->is_abandoned && !r->is_of_any)
    return;
  if (r->kind == DART__PACKET_FETCH)
    r->nbytes = r->landed = 0;
  dart__count_by(DART__COUNT_DROPPED, r->number > 0);
  dart__request_land(c, r, r->nbytes - r->landed);
}

/* A put or get that this unit copies itself comes to its end by itself. */
void dart__requests_drop(dart__net_comm_t *c, dart__peer_t *peer)
{
  dart__request_t *r, *next;

  peer->is_lost = true;
  for (r = TAILQ_FIRST(&peer->ops); r != NULL; r = next) {
    next = TAILQ_NEXT(r, op);
    if (r->mapped == NULL)
      end_at_lost(c, r);
  }
  while ((r = TAILQ_FIRST(&peer->done)) != NULL || (r = TAILQ_FIRST(&peer->out)) != NULL ||
         (r = TAILQ_FIRST(&peer->away)) != NULL)
    end_at_lost(c, r);
}

void dart__requests_drop_lost(dart__net_comm_t *c)
{
  uint32_t nlost = dart__lost_count();

  for (int32_t peer = 0; peer < c->link.config.npeers && nlost != c->nlost; peer++) {
    if (c->peer[peer].is_lost || !dart__is_lost(peer))
      continue;
    dart__requests_drop(c, dart__peer_use(c, peer));
    dart__inbox_close_hole(c->link.inbox, peer);
  }
  c->nlost = nlost;
}

void dart__request_send(dart__net_comm_t *c, dart__request_t *r)
{
  dart__peer_t *peer     = dart__peer_use(c, r->peer);
  bool          is_first = TAILQ_EMPTY(&peer->out);

  if (__builtin_expect(peer->is_lost, 0)) {
    end_at_lost(c, r);
    return;
  }
  dart__request_list(r, &peer->out);
  c->nwaiting++;
  if (is_first)
    dart__requests_pump(c, peer);
}
