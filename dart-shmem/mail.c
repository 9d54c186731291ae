/* See wire.h.
 *
 * A message of one packet travels with its bytes, unless the receiver has too many. Else it is offered, and the receive
 * that takes it fetches its bytes. (Queues of the receiver are as in Buntinas, Mercier, Gropp: Design and evaluation of
 * Nemesis, CCGrid 2006.) */
#include "wire.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"

static bool matches(const dart__packet_t *packet, int32_t peer, int tag)
{
  return (peer == packet->peer || peer == DART__ANY_PEER) &&
         (tag == packet->tag || tag == DART__ANY_TAG);
}

/* A receive takes a message. */
static void take_message(dart__net_comm_t *c, dart__request_t *r, dart__envelope_t *e)
{
  const dart__packet_t *packet = &e->packet;

  if (packet->total > r->nbytes) {
    dart__error("the simulated network fails: a message is longer than its receive");
    dart__net_abort(EXIT_FAILURE, false);
  }
  r->is_of_any = r->peer == DART__ANY_PEER;
  r->peer      = packet->peer;
  r->nbytes    = packet->total;
  r->tag       = packet->tag;
  r->clock     = packet->clock;
  if (packet->kind == DART__PACKET_OFFER) {
    dart__traffic_hear(c->link.config.traffic, packet->clock);
    r->there = packet->from;
    dart__request_send(c, r);
  } else {
    if (r->nbytes > 0) /* else there may be no buffer */
      memcpy(r->data, dart__packet_bytes(packet), r->nbytes);
    /* relaxed: a number alone, which this unit writes, for may_be_kept */
    atomic_fetch_add_explicit(&c->link.inbox->received[r->peer], dart__inbox_extent(r->nbytes),
                              memory_order_relaxed);
    dart__request_land(c, r, r->nbytes);
  }
  free(e);
}

void dart__mail_take(dart__net_comm_t *c, dart__envelope_t *e)
{
  dart__requests_t *posted = &c->posted[e->packet.channel];
  dart__request_t  *r;

  TAILQ_FOREACH (r, posted, next)
    if (matches(&e->packet, r->peer, r->tag)) {
      dart__request_unlist(c, r);
      take_message(c, r, e);
      return;
    }
  TAILQ_INSERT_TAIL(&c->arrived[e->packet.channel], e, next);
}

void dart__mail_fetch(dart__net_comm_t *c, const dart__packet_t *packet)
{
  dart__request_t *r = dart__request_of(packet->to);

  dart__traffic_hear(c->link.config.traffic, packet->clock);
  if (r->is_abandoned) /* nobody waits for it who does not know that a unit is lost */
    return;
  dart__request_unlist(c, r);
  r->kind   = DART__PACKET_DATA;
  r->there  = packet->from;
  r->offset = 0;
  r->sent   = 0;
  dart__request_send(c, r);
}

dart__envelope_t *dart__mail_find(dart__net_comm_t *c, dart__channel_t channel, int32_t peer,
                                  int tag, bool removes)
{
  dart__envelope_t *e;

  TAILQ_FOREACH (e, &c->arrived[channel], next)
    if (matches(&e->packet, peer, tag))
      break;
  if (e != NULL && removes)
    TAILQ_REMOVE(&c->arrived[channel], e, next);
  return e;
}

/* ---- net.h -------------------------------------------------------------------------------------- */

void dart__net_send(dart__net_comm_t *comm, int32_t peer, dart__channel_t channel, int tag,
                    const void *data, size_t nbytes, dart__net_request_t *request_out)
{
  dart__request_t  model = { .kind    = DART__PACKET_MESSAGE,
                             .channel = channel,
                             .tag     = tag,
                             .peer    = peer,
                             .data    = (char *)(uintptr_t)data,
                             .nbytes  = nbytes,
                             .offset  = nbytes };
  dart__request_t *r;

  pthread_mutex_lock(&comm->lock);
  r = dart__request_new(comm, &model, request_out != NULL);
  dart__request_send(comm, r);
  dart__request_return(comm, r, request_out);
  pthread_mutex_unlock(&comm->lock);
}

void dart__net_recv(dart__net_comm_t *comm, int32_t peer, dart__channel_t channel, int tag,
                    const dart__net_message_t *claimed, void *buffer, size_t nbytes,
                    dart__net_request_t *request_out)
{
  dart__request_t   model = { .kind    = DART__PACKET_FETCH,
                              .channel = channel,
                              .tag     = tag,
                              .peer    = claimed != NULL ? claimed->peer : peer,
                              .data    = buffer,
                              .nbytes  = nbytes };
  dart__request_t  *r;
  dart__envelope_t *e;

  pthread_mutex_lock(&comm->lock);
  r               = dart__request_new(comm, &model, true);
  request_out->id = dart__id_of(r);
  e               = claimed != NULL ? (dart__envelope_t *)(uintptr_t)claimed->id
                                    : dart__mail_find(comm, channel, peer, tag, true);
  if (e != NULL)
    take_message(comm, r, e);
  else
    dart__request_list(r, &comm->posted[channel]);
  pthread_mutex_unlock(&comm->lock);
}

void dart__net_cancel(dart__net_comm_t *comm, dart__net_request_t *request)
{
  dart__request_t *r = dart__request_of(request->id);

  if (request->id == DART__NET_DONE.id)
    return;
  pthread_mutex_lock(&comm->lock);
  if (!r->is_done && r->peer >= 0 && r->list == &comm->peer[r->peer].away) {
    r->is_abandoned = true; /* its peer has its number, and may answer */
  } else if (!r->is_done) {
    r->nbytes = 0;
    dart__request_land(comm, r, 0);
  }
  dart__request_return(comm, r, request);
  pthread_mutex_unlock(&comm->lock);
}
