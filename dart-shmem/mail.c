/* See mail.h.
 *
 * A message of at most a slot's size travels with its bytes. A longer one is offered first, and its bytes follow in
 * pieces when a receive has taken it. The receiver keeps a message that no receive takes, up to KEPT_MOST bytes of each
 * peer; beyond that the message is left in its slot. When no slot will soon be free, the next messages are offered,
 * too. (Cells of the sender and queues of the receiver are as in Buntinas, Mercier, Gropp: Design and evaluation of
 * Nemesis, CCGrid 2006.) */
#include "mail.h"

#include <stdlib.h>
#include <string.h>

#include "requests.h"
#include "wire_comm.h"

#define KEPT_MOST ((size_t)1 << 20) /* bytes of messages of a peer that no receive takes */

/* ---- messages that come ------------------------------------------------------------------------- */

static bool matches(const dart__packet_t *packet, int32_t peer, int tag)
{
  return (peer == packet->peer || peer == DART__ANY_PEER) &&
         (tag == packet->tag || tag == DART__ANY_TAG);
}

/* A receive takes a message. Its bytes are in the slot, or in `kept`. */
static void take_message(dart__net_comm_t *c, dart__request_t *r, const dart__packet_t *packet,
                         const char *kept)
{
  if (packet->total > r->move.nbytes)
    dart__link_fail("a message is longer than its receive");
  r->move.peer   = packet->peer;
  r->move.nbytes = packet->total;
  r->tag         = packet->tag;
  if (packet->kind == DART__PACKET_OFFER) {
    r->partner = packet->from;
    r->stage   = DART__STAGE_WANT;
    dart__request_send(c, r);
    return;
  }
  r->is_done = true;
  if (packet->nbytes > 0) /* else there may be no buffer */
    memcpy(r->move.data, kept != NULL ? kept : dart__link_slot_bytes(c, packet->peer, packet->slot),
           packet->nbytes);
  if (kept == NULL)
    dart__link_set_slot(c, packet->peer, packet->slot, DART__SLOT_FREE);
}

/* A receive takes a message that has arrived. The caller has removed it from its list. */
static void take_arrived(dart__net_comm_t *c, dart__request_t *r, dart__envelope_t *e)
{
  take_message(c, r, &e->packet, e->kept);
  if (e->kept != NULL)
    c->peer[e->packet.peer].kept -= sizeof *e + e->packet.nbytes;
  free(e->kept);
  free(e);
}

/* Copy the bytes of a message, and free its slot. They stay there if too many are kept, or there is no memory. */
static void keep_bytes(dart__net_comm_t *c, dart__envelope_t *e)
{
  const dart__packet_t *packet = &e->packet;
  size_t               *kept   = &c->peer[packet->peer].kept;

  if (packet->slot == DART__NO_SLOT)
    return;
  if (*kept + packet->nbytes <= KEPT_MOST)
    e->kept = malloc(packet->nbytes + 1); /* a message may have no bytes */
  if (e->kept == NULL) {
    dart__link_set_slot(c, packet->peer, packet->slot, DART__SLOT_LEFT);
    return;
  }
  memcpy(e->kept, dart__link_slot_bytes(c, packet->peer, packet->slot), packet->nbytes);
  dart__link_set_slot(c, packet->peer, packet->slot, DART__SLOT_FREE);
  *kept += sizeof *e + packet->nbytes;
}

/* Pass a message to a receive, or note it. False: no memory for the note. */
bool dart__mail_take(dart__net_comm_t *c, const dart__packet_t *packet)
{
  dart__requests_t *posted = &c->posted[packet->channel];
  dart__request_t  *r;
  dart__envelope_t *e;

  TAILQ_FOREACH (r, posted, next)
    if (matches(packet, r->move.peer, r->tag)) {
      TAILQ_REMOVE(posted, r, next);
      take_message(c, r, packet, NULL);
      return true;
    }
  e = dart__envelope_new(packet);
  if (e == NULL)
    return false;
  keep_bytes(c, e);
  TAILQ_INSERT_TAIL(&c->arrived[packet->channel], e, next);
  return true;
}

static dart__envelope_t *find_arrived(dart__net_comm_t *c, dart__channel_t channel, int32_t peer,
                                      int tag)
{
  dart__envelope_t *e;

  TAILQ_FOREACH (e, &c->arrived[channel], next)
    if (matches(&e->packet, peer, tag))
      break;
  return e;
}

void dart__mail_take_want(dart__net_comm_t *c, const dart__packet_t *packet)
{
  dart__request_t *r = dart__request_of(packet->to);

  r->stage   = DART__STAGE_DATA;
  r->partner = packet->from;
  dart__request_send(c, r);
}

void dart__mail_take_data(dart__net_comm_t *c, const dart__packet_t *packet)
{
  dart__request_t *r = dart__request_of(packet->to);

  memcpy(r->move.data + packet->offset, dart__link_slot_bytes(c, packet->peer, packet->slot),
         packet->nbytes);
  dart__link_end_piece(c, packet);
  r->landed += packet->nbytes;
  r->is_done = r->landed == r->move.nbytes;
}

/* ---- messages of net.h -------------------------------------------------------------------------- */

int32_t dart__net_npeers(const dart__net_comm_t *comm)
{
  return comm->config.npeers;
}

void dart__net_send(dart__net_comm_t *comm, int32_t peer, dart__channel_t channel, int tag,
                    const void *data, size_t nbytes, dart__net_request_t *request_out)
{
  dart__move_t     move = { .peer = peer, .data = (char *)(uintptr_t)data, .nbytes = nbytes };
  dart__request_t *r;

  pthread_mutex_lock(&comm->lock);
  r          = dart__request_new(comm, DART__STAGE_SEND, &move, request_out != NULL);
  r->channel = channel;
  r->tag     = tag;
  dart__request_send(comm, r);
  dart__request_return(comm, r, request_out);
  pthread_mutex_unlock(&comm->lock);
}

void dart__net_recv(dart__net_comm_t *comm, int32_t peer, dart__channel_t channel, int tag,
                    void *buffer, size_t nbytes, dart__net_request_t *request_out)
{
  dart__request_t  *r;
  dart__envelope_t *e;

  pthread_mutex_lock(&comm->lock);
  r               = dart__request_new(comm, DART__STAGE_RECV,
                                      &(dart__move_t){ .peer = peer, .data = buffer, .nbytes = nbytes }, true);
  r->channel      = channel;
  r->tag          = tag;
  request_out->id = dart__id_of(r);
  e               = find_arrived(comm, channel, peer, tag);
  if (e != NULL) {
    TAILQ_REMOVE(&comm->arrived[channel], e, next);
    take_arrived(comm, r, e);
  } else {
    TAILQ_INSERT_TAIL(&comm->posted[channel], r, next);
  }
  pthread_mutex_unlock(&comm->lock);
}

bool dart__net_probe(dart__net_comm_t *comm, int32_t peer, dart__channel_t channel, int tag,
                     bool claims, dart__net_message_t *found_out)
{
  dart__envelope_t *e;

  pthread_mutex_lock(&comm->lock);
  dart__requests_progress(comm);
  e = find_arrived(comm, channel, peer, tag);
  if (e != NULL)
    *found_out =
        (dart__net_message_t){ e->packet.peer, e->packet.tag, e->packet.total, dart__id_of(e) };
  if (e != NULL && claims)
    TAILQ_REMOVE(&comm->arrived[channel], e, next);
  pthread_mutex_unlock(&comm->lock);
  return e != NULL;
}

void dart__net_recv_claimed(dart__net_comm_t *comm, dart__net_message_t *found, void *buffer,
                            dart__net_request_t *request_out)
{
  dart__request_t *r;

  pthread_mutex_lock(&comm->lock);
  r               = dart__request_new(comm, DART__STAGE_RECV,
                                      &(dart__move_t){ .data = buffer, .nbytes = found->nbytes }, true);
  request_out->id = dart__id_of(r);
  take_arrived(comm, r, (dart__envelope_t *)(uintptr_t)found->id);
  pthread_mutex_unlock(&comm->lock);
}

/* The index of a request that is done; -1: none is. With jitter the first to be tested is drawn. */
static int find_done(dart__net_comm_t *c, dart__net_request_t *const requests[], int count)
{
  int first = c->config.model.jitter_ns == 0
                  ? 0
                  : (int)dart__net_model_draw(&c->random, (uint64_t)count - 1);

  for (int i = 0; i < count; i++)
    if (dart__request_of(requests[(first + i) % count]->id)->is_done)
      return (first + i) % count;
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
      *message_out =
          (dart__net_message_t){ .peer = r->move.peer, .tag = r->tag, .nbytes = r->move.nbytes };
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
  if (!r->is_done)
    TAILQ_REMOVE(&comm->posted[r->channel], r, next);
  r->is_done = true;
  dart__request_return(comm, r, request);
  pthread_mutex_unlock(&comm->lock);
}
