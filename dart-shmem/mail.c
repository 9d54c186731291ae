/* See mail.h.
 *
 * A message of one packet travels with its bytes, unless the receiver has too many. Else it is offered, and the receive
 * that takes it fetches its bytes. (Queues of the receiver are as in Buntinas, Mercier, Gropp: Design and evaluation of
 * Nemesis, CCGrid 2006.) */
#include "mail.h"

#include <stdlib.h>
#include <string.h>

static bool matches(const dart__packet_t *packet, int32_t peer, int tag)
{
  return (peer == packet->peer || peer == DART__ANY_PEER) &&
         (tag == packet->tag || tag == DART__ANY_TAG);
}

/* A receive takes a message. */
static void take_message(dart__net_comm_t *c, dart__request_t *r, const dart__packet_t *packet)
{
  uint64_t received;

  if (packet->total > r->nbytes)
    dart__link_fail("a message is longer than its receive");
  r->is_of_any = r->peer == DART__ANY_PEER;
  r->peer      = packet->peer;
  r->nbytes    = packet->total;
  r->tag       = packet->tag;
  r->clock     = packet->clock;
  if (packet->kind == DART__PACKET_OFFER) {
    dart__traffic_hear(c->link.config.traffic, packet->clock);
    r->there = packet->from;
    dart__request_send(c, r);
    return;
  }
  if (r->nbytes > 0) /* else there may be no buffer */
    memcpy(r->data, dart__packet_bytes(packet), r->nbytes);
  /* relaxed: a number alone, which this unit writes, for may_be_kept */
  received = atomic_load_explicit(&c->link.inbox->received[r->peer], memory_order_relaxed);
  atomic_store_explicit(&c->link.inbox->received[r->peer], received + dart__request_cost(r->nbytes),
                        memory_order_relaxed);
  dart__request_land(c, r, r->nbytes);
}

bool dart__mail_take(dart__net_comm_t *c, const dart__packet_t *packet)
{
  dart__requests_t *posted = &c->posted[packet->channel];
  dart__request_t  *r;
  dart__envelope_t *e;

  TAILQ_FOREACH (r, posted, next)
    if (matches(packet, r->peer, r->tag)) {
      dart__request_unlist(c, r);
      take_message(c, r, packet);
      return true;
    }
  e = dart__envelope_new(packet);
  if (e != NULL)
    TAILQ_INSERT_TAIL(&c->arrived[packet->channel], e, next);
  return e != NULL;
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

int32_t dart__net_npeers(const dart__net_comm_t *comm)
{
  return comm->link.config.npeers;
}

void dart__net_send(dart__net_comm_t *comm, int32_t peer, dart__channel_t channel, int tag,
                    const void *data, size_t nbytes, dart__net_request_t *request_out)
{
  dart__request_t *r;

  pthread_mutex_lock(&comm->lock);
  r  = dart__request_new(comm);
  *r = (dart__request_t){ .kind    = DART__PACKET_MESSAGE,
                          .uses    = request_out != NULL ? 2 : 1,
                          .channel = channel,
                          .tag     = tag,
                          .peer    = peer,
                          .data    = (char *)(uintptr_t)data,
                          .nbytes  = nbytes,
                          .offset  = nbytes };
  dart__request_send(comm, r);
  dart__request_return(comm, r, request_out);
  pthread_mutex_unlock(&comm->lock);
}

static void post_receive(dart__net_comm_t *c, dart__request_t *r)
{
  TAILQ_INSERT_TAIL(&c->posted[r->channel], r, next);
  r->list = DART__IN_POSTED;
}

/* Start a receive, which its caller will test: of a message that has arrived, and is in no list any more, or NULL. */
static void receive(dart__net_comm_t *c, dart__envelope_t *e, const dart__request_t *model,
                    dart__net_request_t *request_out)
{
  dart__request_t *r = dart__request_new(c);

  *r              = *model;
  r->kind         = DART__PACKET_FETCH;
  r->uses         = 2;
  request_out->id = dart__id_of(r);
  if (e != NULL)
    take_message(c, r, &e->packet);
  else
    post_receive(c, r);
  free(e);
}

void dart__net_recv(dart__net_comm_t *comm, int32_t peer, dart__channel_t channel, int tag,
                    void *buffer, size_t nbytes, dart__net_request_t *request_out)
{
  dart__request_t model = {
    .channel = channel, .tag = tag, .peer = peer, .data = buffer, .nbytes = nbytes
  };

  pthread_mutex_lock(&comm->lock);
  receive(comm, dart__mail_find(comm, channel, peer, tag, true), &model, request_out);
  pthread_mutex_unlock(&comm->lock);
}

void dart__net_recv_claimed(dart__net_comm_t *comm, dart__net_message_t *found, void *buffer,
                            dart__net_request_t *request_out)
{
  dart__request_t model = { .data = buffer, .nbytes = found->nbytes };

  pthread_mutex_lock(&comm->lock);
  receive(comm, (dart__envelope_t *)(uintptr_t)found->id, &model, request_out);
  pthread_mutex_unlock(&comm->lock);
}

/* Its peer has its number, and may answer. */
static void abandon(dart__request_t *r, dart__net_request_t *request)
{
  r->is_abandoned = true;
  r->uses--;
  request->id = DART__NET_DONE.id;
}

void dart__net_drop_lost(dart__net_comm_t *comm)
{
  pthread_mutex_lock(&comm->lock);
  dart__requests_drop_lost(comm, true);
  pthread_mutex_unlock(&comm->lock);
}

void dart__net_cancel(dart__net_comm_t *comm, dart__net_request_t *request)
{
  dart__request_t *r = dart__request_of(request->id);

  if (request->id == DART__NET_DONE.id)
    return;
  pthread_mutex_lock(&comm->lock);
  if (!r->is_done && r->list == DART__IN_AWAY) {
    abandon(r, request);
  } else {
    if (!r->is_done) {
      dart__request_unlist(comm, r);
      r->nbytes = 0;
      dart__request_land(comm, r, 0);
    }
    dart__request_return(comm, r, request);
  }
  pthread_mutex_unlock(&comm->lock);
}
