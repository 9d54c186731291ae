/* See mail.h.
 *
 * A message of at most a slot's size travels with its bytes. A longer one is offered, and a receive that takes it
 * fetches its bytes in pieces. The receiver keeps a message that no receive takes, up to KEPT_MOST bytes of each peer;
 * beyond that the message is left in its slot. When no slot will soon be free, the next messages are offered, too.
 * (Cells of the sender and queues of the receiver are as in Buntinas, Mercier, Gropp: Design and evaluation of Nemesis,
 * CCGrid 2006.) */
#include "mail.h"

#include <stdlib.h>
#include <string.h>

#include "requests.h"

#define KEPT_MOST ((size_t)1 << 20) /* bytes of messages of a peer that no receive takes */

static bool matches(const dart__packet_t *packet, int32_t peer, int tag)
{
  return (peer == packet->peer || peer == DART__ANY_PEER) &&
         (tag == packet->tag || tag == DART__ANY_TAG);
}

/* A receive takes a message. Its bytes are in its slot, if it has one, or in `kept`. */
static void take_message(dart__net_comm_t *c, dart__request_t *r, const dart__packet_t *packet,
                         const char *kept)
{
  dart__slot_t *slot = dart__link_slot(&c->link, packet);

  if (packet->total > r->nbytes)
    dart__link_fail("a message is longer than its receive");
  r->peer   = packet->peer;
  r->nbytes = packet->total;
  r->tag    = packet->tag;
  if (packet->kind == DART__PACKET_OFFER) {
    dart__traffic_hear(c->link.config.traffic, packet->clock);
    r->there = packet->from;
    dart__request_send(c, r);
    return;
  }
  if (packet->nbytes > 0) /* else there may be no buffer */
    memcpy(r->data, slot != NULL ? slot->bytes : kept, packet->nbytes);
  if (slot != NULL)
    dart__slot_set(slot, DART__SLOT_FREE);
  r->clock = packet->clock;
  dart__request_land(c, r, r->nbytes);
}

/* Note a message, and copy its bytes, so that its slot is free. They stay there if too many are kept, or there is no
 * memory. False: none for the note. */
static bool keep_message(dart__net_comm_t *c, const dart__packet_t *packet)
{
  dart__slot_t     *slot = dart__link_slot(&c->link, packet);
  size_t           *kept = &c->peer[packet->peer].kept;
  dart__envelope_t *e    = NULL;

  if (slot != NULL && *kept + packet->nbytes <= KEPT_MOST)
    e = dart__envelope_new(packet, packet->nbytes);
  if (e != NULL) {
    memcpy(e->bytes, slot->bytes, packet->nbytes);
    e->packet.slot = DART__NO_SLOT;
    *kept += sizeof *e + packet->nbytes;
    dart__slot_set(slot, DART__SLOT_FREE);
  } else if ((e = dart__envelope_new(packet, 0)) == NULL) {
    return false;
  } else if (slot != NULL) {
    dart__slot_set(slot, DART__SLOT_LEFT);
  }
  TAILQ_INSERT_TAIL(&c->arrived[packet->channel], e, next);
  return true;
}

bool dart__mail_take(dart__net_comm_t *c, const dart__packet_t *packet)
{
  dart__requests_t *posted = &c->posted[packet->channel];
  dart__request_t  *r;

  TAILQ_FOREACH (r, posted, next)
    if (matches(packet, r->peer, r->tag)) {
      TAILQ_REMOVE(posted, r, next);
      take_message(c, r, packet, NULL);
      return true;
    }
  return keep_message(c, packet);
}

/* A receive takes a message that has arrived, and is in no list any more. */
static void take_arrived(dart__net_comm_t *c, dart__request_t *r, dart__envelope_t *e)
{
  if (e->packet.kind == DART__PACKET_MESSAGE && e->packet.slot == DART__NO_SLOT)
    c->peer[e->packet.peer].kept -= sizeof *e + e->packet.nbytes;
  take_message(c, r, &e->packet, e->bytes);
  free(e);
}

/* The first such message that has arrived; NULL: none. `removes`: from its list, too. */
static dart__envelope_t *find_arrived(dart__net_comm_t *c, dart__channel_t channel, int32_t peer,
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
                          .nbytes  = nbytes };
  dart__request_send(comm, r);
  dart__request_return(comm, r, request_out);
  pthread_mutex_unlock(&comm->lock);
}

/* A receive, which its caller will test. */
static dart__request_t *new_receive(dart__net_comm_t *c, void *buffer, size_t nbytes,
                                    dart__net_request_t *request_out)
{
  dart__request_t *r = dart__request_new(c);

  *r = (dart__request_t){ .kind = DART__PACKET_FETCH, .uses = 2, .data = buffer, .nbytes = nbytes };
  request_out->id = dart__id_of(r);
  return r;
}

void dart__net_recv(dart__net_comm_t *comm, int32_t peer, dart__channel_t channel, int tag,
                    void *buffer, size_t nbytes, dart__net_request_t *request_out)
{
  dart__request_t  *r;
  dart__envelope_t *e;

  pthread_mutex_lock(&comm->lock);
  r          = new_receive(comm, buffer, nbytes, request_out);
  r->channel = channel;
  r->tag     = tag;
  r->peer    = peer;
  e          = find_arrived(comm, channel, peer, tag, true);
  if (e != NULL)
    take_arrived(comm, r, e);
  else
    TAILQ_INSERT_TAIL(&comm->posted[channel], r, next);
  pthread_mutex_unlock(&comm->lock);
}

bool dart__net_probe(dart__net_comm_t *comm, int32_t peer, dart__channel_t channel, int tag,
                     bool claims, dart__net_message_t *found_out)
{
  dart__envelope_t *e;

  pthread_mutex_lock(&comm->lock);
  dart__requests_progress(comm);
  e = find_arrived(comm, channel, peer, tag, claims);
  if (e != NULL)
    *found_out =
        (dart__net_message_t){ e->packet.peer, e->packet.tag, e->packet.total, dart__id_of(e) };
  pthread_mutex_unlock(&comm->lock);
  return e != NULL;
}

void dart__net_recv_claimed(dart__net_comm_t *comm, dart__net_message_t *found, void *buffer,
                            dart__net_request_t *request_out)
{
  pthread_mutex_lock(&comm->lock);
  take_arrived(comm, new_receive(comm, buffer, found->nbytes, request_out),
               (dart__envelope_t *)(uintptr_t)found->id);
  pthread_mutex_unlock(&comm->lock);
}

/* The index of a request that is done; -1: none is. With jitter the first to be tested is drawn. */
static int find_done(dart__net_comm_t *c, dart__net_request_t *const requests[], int count)
{
  int i = 0;

  if (c->link.config.model.jitter_ns > 0)
    i = (int)dart__net_model_draw(&c->link.random, (uint64_t)count - 1);
  for (int n = 0; n < count; n++, i = i + 1 < count ? i + 1 : 0)
    if (dart__request_of(requests[i]->id)->is_done)
      return i;
  return -1;
}

int dart__net_test(dart__net_comm_t *comm, dart__net_request_t *const requests[], int count,
                   dart__net_message_t *message_out)
{
  int index;

  pthread_mutex_lock(&comm->lock);
  index = find_done(comm, requests, count);
  if (index < 0) {
    dart__requests_progress(comm);
    index = find_done(comm, requests, count);
  }
  if (index >= 0) {
    dart__request_t *r = dart__request_of(requests[index]->id);

    if (message_out != NULL)
      *message_out = (dart__net_message_t){ .peer = r->peer, .tag = r->tag, .nbytes = r->nbytes };
    dart__request_return(comm, r, requests[index]);
  }
  pthread_mutex_unlock(&comm->lock);
  return index;
}

void dart__net_cancel(dart__net_comm_t *comm, dart__net_request_t *request)
{
  dart__request_t *r = dart__request_of(request->id);

  if (request->id == DART__NET_DONE.id)
    return;
  pthread_mutex_lock(&comm->lock);
  if (!r->is_done) {
    TAILQ_REMOVE(&comm->posted[r->channel], r, next);
    r->nbytes = 0;
    dart__request_land(comm, r, 0);
  }
  dart__request_return(comm, r, request);
  pthread_mutex_unlock(&comm->lock);
}
