/* See wire.h.
 *
 * A message of at most a slot's size travels with its bytes. A longer one is offered first, and its bytes follow in
 * pieces when a receive has taken it. The receiver keeps a message that no receive takes, up to KEPT_MOST bytes of each
 * peer; beyond that the message is left in its slot. When no slot will soon be free, the next messages are offered,
 * too. Pieces have slots of their own, which are free as soon as the receiver has made progress. So puts, gets, and
 * messages that are wanted never wait for a message that is not. (Cells of the sender and queues of the receiver are as
 * in Buntinas, Mercier, Gropp: Design and evaluation of Nemesis, CCGrid 2006.)
 *
 * A request that finds no slot, or its peer's inbox full, waits in the peer's queue `out`, and so does all that is sent
 * to this peer later. Every test, probe and flush goes on with it. A put or get waits while OPS_MOST others to its peer
 * are not complete.
 *
 * With delays a packet carries the time at which it arrives. The receiver takes packets out of its inbox at once, and
 * holds them in the order of these times. The contract orders packets of a few classes: messages of one channel and
 * tag, all of the program's, and small puts to one place. Within a class the times do not decrease; all else is as
 * jitter has it.
 *
 * One lock for all: calls are short, and the agent is the only other thread of most programs. */
#include "wire.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/sanitizer.h"
#include "wait/near.h"

#define CHANNELS  (DART__CHANNELS + 1)
#define REGIONS   64                /* lists of regions, by their hash */
#define KEPT_MOST ((size_t)1 << 20) /* bytes of messages of a peer that no receive takes */
#define OPS_MOST  4096              /* puts and gets to a peer that are not complete */
#define RETRY_US  50                /* until a full inbox, or slots, are looked at again */
#define SPARES    64                /* requests that can be made where there is no memory */

/* Classes of packets to one peer that keep their order. */
#define TAGS        4 /* classes of tags of a channel; all of the program's are one class */
#define LINES       4 /* classes of small puts, by cache line */
#define CLASSES     (CHANNELS * TAGS + LINES)
#define SMALL_BYTES 8

typedef enum {
  STAGE_SEND,    /* a message waits in `out` */
  STAGE_OFFERED, /* the peer has the message, or its offer */
  STAGE_DATA,    /* the peer wants the bytes: in `out` until all are sent */
  STAGE_RECV,    /* a receive is posted, or its bytes are coming */
  STAGE_WANT,    /* a receive has an offer; its answer waits in `out` */
  STAGE_PUT,     /* in `out` until all pieces are sent */
  STAGE_GET,     /* in `out` until all pieces are asked for */
  STAGE_LATER    /* this unit copies when the time has come */
} stage_t;

typedef struct request {
  TAILQ_ENTRY(request) next; /* in `out` or `posted` */
  TAILQ_ENTRY(request) op;   /* of the puts and gets to a peer */
  stage_t      stage;
  bool         is_done;   /* for its caller: sent, received, or locally complete */
  bool         is_wanted; /* its caller will test it */
  bool         is_op;     /* in the peer's list of these */
  uint64_t     partner;   /* of a message: the peer's request */
  uint64_t     number;    /* of a put or get */
  int          channel;
  int          tag;
  size_t       started; /* bytes in packets */
  size_t       landed;  /* bytes that have come, or were put */
  dart__move_t move;    /* peer, data and nbytes also of a message */
} request_t;

/* A packet that this unit has taken out of its inbox, and that waits for its time, or for a receive. */
typedef struct envelope {
  TAILQ_ENTRY(envelope) next;
  char          *kept; /* a copy of its bytes, which freed the slot; NULL: they are in the slot */
  dart__packet_t packet;
} envelope_t;

typedef TAILQ_HEAD(requests, request) requests_t;
typedef TAILQ_HEAD(envelopes, envelope) envelopes_t;

typedef struct {
  requests_t       out;
  requests_t       ops; /* puts and gets that are not complete, in the order of their numbers */
  request_t       *first_not_local; /* the first of these that is not locally complete */
  uint64_t         nops;            /* ever started */
  _Atomic uint32_t nlisted;         /* in `ops` */
  uint32_t         npieces;         /* under way to it */
  size_t           kept;            /* bytes of its messages that are kept */
  int64_t          last_due[CLASSES];
} peer_t;

/* A piece under way: what its slot is used for. */
typedef struct {
  request_t *op; /* NULL: bytes of a message */
  int32_t    peer;
  char      *data;
  size_t     nbytes;
} piece_t;

struct dart__net_comm {
  dart__wire_config_t config;
  uint32_t            nslots;      /* for messages; as many are for pieces */
  uint32_t            most_pieces; /* under way to a peer */
  pthread_mutex_t     lock;
  dart__inbox_t      *inbox;
  uint64_t            head;          /* packets taken out of it */
  uint32_t            rotor;         /* where the search for a free slot starts */
  int32_t             slot_peer[64]; /* the peer to which a message in the slot goes */
  uint64_t            busy;          /* slots for pieces in use, a bit each */
  piece_t             piece[64];
  int64_t             now;        /* with delays: when progress was made last */
  int64_t             sends_from; /* with a bandwidth: when the link of this unit is free */
  uint64_t            random;
  requests_t          posted[CHANNELS];
  envelopes_t         arrived[CHANNELS]; /* messages that no receive has taken */
  envelopes_t         held;              /* packets, by the time at which they arrive */
  peer_t             *peer;
  int32_t             nwaiting; /* peers with something in `out` */
  uint64_t            spares;   /* of these the requests in use, a bit each */
  request_t           spare[SPARES];
  dart__regions_t     regions[REGIONS];
};

static uint32_t nslots_for(int32_t npeers)
{
  int32_t n = 1024 / npeers;

  return n > 32 ? 32 : n < 8 ? 8 : (uint32_t)n;
}

size_t dart__wire_bytes(int32_t npeers)
{
  return dart__inbox_bytes(2 * nslots_for(npeers));
}

static dart__inbox_t *inbox_of(const dart__net_comm_t *c, int32_t peer)
{
  return (void *)(c->config.inboxes + (size_t)peer * dart__wire_bytes(c->config.npeers));
}

/* ---- requests and envelopes ------------------------------------------------------------------- */

static void end_job(const char *why)
{
  dart__error("the simulated network fails: %s", why);
  dart__net_abort(EXIT_FAILURE, false);
}

static request_t *make_request(dart__net_comm_t *c, stage_t stage, const dart__move_t *move,
                               bool is_wanted)
{
  request_t *r      = malloc(sizeof *r);
  uint64_t   unused = ~c->spares;

  if (r == NULL && unused == 0)
    end_job("no memory for a request");
  if (r == NULL) {
    r = &c->spare[__builtin_ctzll(unused)];
    c->spares |= unused & -unused;
  }
  *r = (request_t){ .stage = stage, .is_wanted = is_wanted, .move = *move };
  return r;
}

/* Free a request that is done, unless its caller or a list still needs it. */
static void drop_request(dart__net_comm_t *c, request_t *r)
{
  if (r->is_wanted || r->is_op)
    return;
  if (r >= c->spare && r < c->spare + SPARES)
    c->spares &= ~(UINT64_C(1) << (r - c->spare));
  else
    free(r);
}

static uint64_t id_of(const void *request)
{
  return (uint64_t)(uintptr_t)request;
}

static request_t *request_of(uint64_t id)
{
  return (request_t *)(uintptr_t)id;
}

/* Give the caller the id of its request; one that is done already is dropped instead. */
static void return_request(dart__net_comm_t *c, request_t *r, dart__net_request_t *request_out)
{
  if (request_out == NULL)
    return;
  request_out->id = r->is_done ? DART__NET_DONE.id : id_of(r);
  r->is_wanted    = !r->is_done;
  drop_request(c, r);
}

/* NULL: no memory. */
static envelope_t *new_envelope(const dart__packet_t *packet)
{
  envelope_t *e = malloc(sizeof *e);

  if (e != NULL)
    *e = (envelope_t){ .packet = *packet };
  return e;
}

/* ---- time --------------------------------------------------------------------------------------- */

/* The classes of a packet; NULL: none. A small put may lie on two lines. */
static void find_classes(peer_t *peer, const dart__packet_t *p, int64_t *classes_out[2])
{
  bool     is_message = p->kind == DART__PACKET_MESSAGE || p->kind == DART__PACKET_OFFER;
  bool     is_small   = p->kind == DART__PACKET_PUT && p->nbytes <= SMALL_BYTES;
  unsigned tag        = p->channel == DART__CHANNEL_PROGRAM ? 0 : (unsigned)p->tag % TAGS;

  for (int i = 0; i < 2; i++) {
    uint64_t line = (p->offset + (uint64_t)i * (p->nbytes - 1)) / DART__CACHE_LINE % LINES;

    classes_out[i] = is_message ? &peer->last_due[p->channel * TAGS + tag]
                     : is_small ? &peer->last_due[CHANNELS * TAGS + (int)line]
                                : NULL;
  }
}

/* The time at which a packet arrives that is sent now. */
static int64_t due_of(dart__net_comm_t *c, int32_t peer, const dart__packet_t *packet)
{
  const dart__net_model_t *model = &c->config.model;
  int64_t *class[2], now, due;

  if (!model->has_delays)
    return 0;
  now           = dart__now_ns();
  c->sends_from = now > c->sends_from ? now : c->sends_from;
  if (packet->kind != DART__PACKET_GET)
    c->sends_from += (int64_t)(packet->nbytes * model->ns_per_byte);
  due = c->sends_from + model->latency_ns +
        (int64_t)dart__net_model_draw(&c->random, (uint64_t)model->jitter_ns);
  find_classes(&c->peer[peer], packet, class);
  for (int i = 0; i < 2 && class[i] != NULL; i++)
    due = due > *class[i] ? due : *class[i];
  for (int i = 0; i < 2 && class[i] != NULL; i++)
    *class[i] = due;
  return due;
}

/* ---- slots -------------------------------------------------------------------------------------- */

static char *bytes_of(const dart__net_comm_t *c, int32_t peer, uint32_t slot)
{
  return dart__slot_bytes(inbox_of(c, peer), 2 * c->nslots, slot);
}

/* Take one of nslots slots from `first` on. DART__NO_SLOT: none is free. */
static uint16_t take_slot(dart__net_comm_t *c, uint32_t first)
{
  for (uint32_t i = 0; i < c->nslots; i++) {
    uint32_t      slot = first + c->rotor++ % c->nslots;
    dart__slot_t *s    = &c->inbox->slot[slot];

    /* acquire: pairs with the release in set_slot, whose caller has read the bytes */
    if (atomic_load_explicit(&s->state, memory_order_acquire) != DART__SLOT_FREE)
      continue;
    atomic_store_explicit(&s->state, DART__SLOT_BUSY, memory_order_relaxed); /* for this unit */
    return (uint16_t)slot;
  }
  return DART__NO_SLOT;
}

/* Whether a slot will be free as soon as the peer makes progress: it has a message that the peer has not yet seen. */
static bool awaits_slot(const dart__net_comm_t *c, int32_t peer)
{
  for (uint32_t slot = 0; slot < c->nslots; slot++)
    if (c->slot_peer[slot] == peer &&
        atomic_load_explicit(&c->inbox->slot[slot].state, memory_order_relaxed) == DART__SLOT_BUSY)
      return true;
  return false;
}

/* Set the state of a slot of `peer`. */
static void set_slot(const dart__net_comm_t *c, int32_t peer, uint32_t slot, uint32_t state)
{
  dart__tsan_tell();
  /* release: pairs with the acquire in take_slot, or in is_piece_done */
  atomic_store_explicit(&inbox_of(c, peer)->slot[slot].state, state, memory_order_release);
}

/* Wake a peer that sleeps until something comes, after it has come. */
static void nudge(const dart__net_comm_t *c, int32_t peer)
{
  /* seq_cst: between what has come and the look at the sleepers; pairs with the fence of who goes to sleep */
  atomic_thread_fence(memory_order_seq_cst);
  dart__event_nudge(&inbox_of(c, peer)->arrivals);
}

/* Tell the sender of a piece that its slot is done with. */
static void end_piece(const dart__net_comm_t *c, const dart__packet_t *packet)
{
  set_slot(c, packet->peer, packet->slot, DART__SLOT_DONE);
  nudge(c, packet->peer);
}

/* ---- sending ------------------------------------------------------------------------------------ */

/* Send a packet; `bytes`, unless NULL, go into its slot. False: the peer's inbox is full; the slot is free again. */
static bool send_packet(dart__net_comm_t *c, int32_t peer, dart__packet_t *packet,
                        const char *bytes)
{
  dart__cell_t *cell = dart__inbox_claim(inbox_of(c, peer));

  if (cell == NULL) {
    if (packet->slot != DART__NO_SLOT)
      set_slot(c, c->config.me, packet->slot, DART__SLOT_FREE);
    return false;
  }
  if (bytes != NULL)
    memcpy(bytes_of(c, c->config.me, packet->slot), bytes, packet->nbytes);
  packet->peer  = c->config.me;
  packet->due   = due_of(c, peer, packet);
  packet->clock = dart__traffic_send(c->config.traffic, 1, bytes != NULL ? packet->nbytes : 0);
  cell->packet  = *packet;
  dart__inbox_publish(cell);
  nudge(c, peer);
  return true;
}

/* Send a message with its bytes, or as an offer. */
static bool send_message(dart__net_comm_t *c, request_t *r)
{
  size_t         nbytes = r->move.nbytes;
  dart__packet_t packet = { .kind    = DART__PACKET_OFFER,
                            .slot    = DART__NO_SLOT,
                            .channel = (uint8_t)r->channel,
                            .tag     = r->tag,
                            .total   = nbytes,
                            .from    = id_of(r) };

  if (nbytes <= DART__SLOT_BYTES) {
    packet.slot = take_slot(c, 0);
    if (packet.slot == DART__NO_SLOT && awaits_slot(c, r->move.peer))
      return false;
  }
  if (packet.slot != DART__NO_SLOT) {
    packet.kind               = DART__PACKET_MESSAGE;
    packet.nbytes             = (uint32_t)nbytes;
    c->slot_peer[packet.slot] = r->move.peer;
  }
  if (!send_packet(c, r->move.peer, &packet, packet.nbytes > 0 ? r->move.data : NULL))
    return false;
  r->is_done = packet.kind == DART__PACKET_MESSAGE;
  r->stage   = STAGE_OFFERED;
  return true;
}

static bool send_want(dart__net_comm_t *c, request_t *r)
{
  dart__packet_t packet = {
    .kind = DART__PACKET_WANT, .slot = DART__NO_SLOT, .from = id_of(r), .to = r->partner
  };

  if (!send_packet(c, r->move.peer, &packet, NULL))
    return false;
  r->stage   = STAGE_RECV;
  r->is_done = r->move.nbytes == 0; /* no bytes follow */
  return true;
}

/* Send the next bytes of a message or put, or ask for the next ones of a get. */
static bool send_piece(dart__net_comm_t *c, request_t *r)
{
  peer_t        *peer   = &c->peer[r->move.peer];
  bool           is_op  = r->stage != STAGE_DATA;
  char          *data   = r->move.data + r->started;
  size_t         left   = r->move.nbytes - r->started;
  dart__packet_t packet = { .kind   = !is_op                  ? DART__PACKET_DATA
                                      : r->stage == STAGE_PUT ? DART__PACKET_PUT
                                                              : DART__PACKET_GET,
                            .nbytes = (uint32_t)(left < DART__SLOT_BYTES ? left : DART__SLOT_BYTES),
                            .to     = is_op ? r->move.region : r->partner,
                            .offset = r->move.offset + r->started };
  uint32_t       piece;

  if (peer->npieces == c->most_pieces || (packet.slot = take_slot(c, c->nslots)) == DART__NO_SLOT ||
      !send_packet(c, r->move.peer, &packet, r->stage == STAGE_GET ? NULL : data))
    return false;
  piece           = packet.slot - c->nslots;
  c->piece[piece] = (piece_t){ is_op ? r : NULL, r->move.peer, data, packet.nbytes };
  c->busy |= UINT64_C(1) << piece;
  peer->npieces++;
  r->started += packet.nbytes;
  return true;
}

/* Send the remaining packets of a request. False: there is no room for all of them. */
static bool send_rest(dart__net_comm_t *c, request_t *r)
{
  if (r->stage == STAGE_SEND)
    return send_message(c, r);
  if (r->stage == STAGE_WANT)
    return send_want(c, r);
  while (r->started < r->move.nbytes)
    if (!send_piece(c, r))
      return false;
  r->is_done = r->stage != STAGE_GET;
  return true;
}

/* Remove puts and gets from the list up to the first that is not complete. */
static void retire(dart__net_comm_t *c, peer_t *peer)
{
  request_t *r;

  while (peer->first_not_local != NULL && peer->first_not_local->is_done)
    peer->first_not_local = TAILQ_NEXT(peer->first_not_local, op);
  while ((r = TAILQ_FIRST(&peer->ops)) != NULL && r->landed == r->move.nbytes) {
    TAILQ_REMOVE(&peer->ops, r, op);
    /* release: pairs with the acquire in dart__wire_flush */
    atomic_fetch_sub_explicit(&peer->nlisted, 1, memory_order_release);
    r->is_op = false;
    drop_request(c, r);
  }
}

/* Send what waits in `out`, as far as there is room. */
static void pump(dart__net_comm_t *c, peer_t *peer)
{
  request_t *r;

  while ((r = TAILQ_FIRST(&peer->out)) != NULL && send_rest(c, r)) {
    TAILQ_REMOVE(&peer->out, r, next);
    c->nwaiting -= TAILQ_EMPTY(&peer->out);
    if (r->is_op)
      retire(c, peer);
    else if (r->is_done)
      drop_request(c, r);
  }
}

static void send_in_turn(dart__net_comm_t *c, request_t *r)
{
  peer_t *peer     = &c->peer[r->move.peer];
  bool    is_first = TAILQ_EMPTY(&peer->out);

  TAILQ_INSERT_TAIL(&peer->out, r, next);
  c->nwaiting += is_first;
  if (is_first)
    pump(c, peer);
}

/* ---- messages that come ------------------------------------------------------------------------- */

static bool matches(const dart__packet_t *packet, int32_t peer, int tag)
{
  return (peer == packet->peer || peer == DART__ANY_PEER) &&
         (tag == packet->tag || tag == DART__ANY_TAG);
}

/* A receive takes a message. Its bytes are in the slot, or in `kept`. */
static void take_message(dart__net_comm_t *c, request_t *r, const dart__packet_t *packet,
                         const char *kept)
{
  if (packet->total > r->move.nbytes)
    end_job("a message is longer than its receive");
  r->move.peer   = packet->peer;
  r->move.nbytes = packet->total;
  r->tag         = packet->tag;
  if (packet->kind == DART__PACKET_OFFER) {
    r->partner = packet->from;
    r->stage   = STAGE_WANT;
    send_in_turn(c, r);
    return;
  }
  r->is_done = true;
  if (packet->nbytes > 0) /* else there may be no buffer */
    memcpy(r->move.data, kept != NULL ? kept : bytes_of(c, packet->peer, packet->slot),
           packet->nbytes);
  if (kept == NULL)
    set_slot(c, packet->peer, packet->slot, DART__SLOT_FREE);
}

/* A receive takes a message that has arrived. The caller has removed it from its list. */
static void take_arrived(dart__net_comm_t *c, request_t *r, envelope_t *e)
{
  take_message(c, r, &e->packet, e->kept);
  if (e->kept != NULL)
    c->peer[e->packet.peer].kept -= sizeof *e + e->packet.nbytes;
  free(e->kept);
  free(e);
}

/* Copy the bytes of a message, and free its slot. They stay there if too many are kept, or there is no memory. */
static void keep_bytes(dart__net_comm_t *c, envelope_t *e)
{
  const dart__packet_t *packet = &e->packet;
  size_t               *kept   = &c->peer[packet->peer].kept;

  if (packet->slot == DART__NO_SLOT)
    return;
  if (*kept + packet->nbytes <= KEPT_MOST)
    e->kept = malloc(packet->nbytes + 1); /* a message may have no bytes */
  if (e->kept == NULL) {
    set_slot(c, packet->peer, packet->slot, DART__SLOT_LEFT);
    return;
  }
  memcpy(e->kept, bytes_of(c, packet->peer, packet->slot), packet->nbytes);
  set_slot(c, packet->peer, packet->slot, DART__SLOT_FREE);
  *kept += sizeof *e + packet->nbytes;
}

/* Pass a message to a receive, or note it. False: no memory for the note. */
static bool handle_message(dart__net_comm_t *c, const dart__packet_t *packet)
{
  requests_t *posted = &c->posted[packet->channel];
  request_t  *r;
  envelope_t *e;

  TAILQ_FOREACH (r, posted, next)
    if (matches(packet, r->move.peer, r->tag)) {
      TAILQ_REMOVE(posted, r, next);
      take_message(c, r, packet, NULL);
      return true;
    }
  e = new_envelope(packet);
  if (e == NULL)
    return false;
  keep_bytes(c, e);
  TAILQ_INSERT_TAIL(&c->arrived[packet->channel], e, next);
  return true;
}

static envelope_t *find_arrived(dart__net_comm_t *c, dart__channel_t channel, int32_t peer, int tag)
{
  envelope_t *e;

  TAILQ_FOREACH (e, &c->arrived[channel], next)
    if (matches(&e->packet, peer, tag))
      break;
  return e;
}

static void handle_want(dart__net_comm_t *c, const dart__packet_t *packet)
{
  request_t *r = request_of(packet->to);

  r->stage   = STAGE_DATA;
  r->partner = packet->from;
  send_in_turn(c, r);
}

static void handle_data(dart__net_comm_t *c, const dart__packet_t *packet)
{
  request_t *r = request_of(packet->to);

  memcpy(r->move.data + packet->offset, bytes_of(c, packet->peer, packet->slot), packet->nbytes);
  end_piece(c, packet);
  r->landed += packet->nbytes;
  r->is_done = r->landed == r->move.nbytes;
}

/* ---- puts and gets ------------------------------------------------------------------------------ */

static dart__regions_t *regions_like(dart__net_comm_t *c, uint64_t id)
{
  return &c->regions[id * UINT64_C(0x9E3779B97F4A7C15) >> 58];
}

/* The memory that a put or get of a peer accesses. NULL: the program has deregistered it too early. */
static char *find_memory(dart__net_comm_t *c, const dart__packet_t *packet)
{
  dart__region_t *region;

  LIST_FOREACH (region, regions_like(c, packet->to), next)
    if (region->id == packet->to)
      break;
  if (region != NULL && packet->offset + packet->nbytes <= region->nbytes)
    return region->base + packet->offset;
  dart__error("unit %d accesses memory that this unit does not share any more", packet->peer);
  return NULL;
}

static void copy_near(bool is_put, char *memory, char *data, size_t nbytes)
{
  if (is_put)
    dart__near_put_bytes(memory, data, nbytes);
  else
    dart__near_get_bytes(data, memory, nbytes);
}

static void handle_access(dart__net_comm_t *c, const dart__packet_t *packet)
{
  bool           is_put = packet->kind == DART__PACKET_PUT;
  char          *memory = find_memory(c, packet);
  dart__slot_t  *slot   = &inbox_of(c, packet->peer)->slot[packet->slot];
  dart__packet_t answer = { .kind = DART__PACKET_DATA, .nbytes = is_put ? 0 : packet->nbytes };

  if (memory != NULL)
    copy_near(is_put, memory, bytes_of(c, packet->peer, packet->slot), packet->nbytes);
  slot->due   = due_of(c, packet->peer, &answer);
  slot->clock = is_put ? dart__traffic_clock(c->config.traffic) + 1
                       : dart__traffic_send(c->config.traffic, 1, packet->nbytes);
  end_piece(c, packet);
}

static void note_landed(dart__net_comm_t *c, request_t *r, size_t nbytes)
{
  r->landed += nbytes;
  if (r->landed < r->move.nbytes)
    return;
  r->is_done = true;
  retire(c, &c->peer[r->move.peer]);
}

/* Copy what this unit copies itself: the time has come. */
static void handle_later(dart__net_comm_t *c, const dart__packet_t *packet)
{
  request_t *r = request_of(packet->from);

  copy_near(r->move.is_put, r->move.mapped, r->move.data, r->move.nbytes);
  dart__traffic_take(c->config.traffic, r->move.is_put ? 0 : 1, packet->clock);
  note_landed(c, r, r->move.nbytes);
}

/* Whether the receiver of a piece is done; `*due_out`: when that is to be seen. */
static bool is_piece_done(const dart__net_comm_t *c, uint32_t piece, int64_t *due_out)
{
  const dart__slot_t *slot = &c->inbox->slot[c->nslots + piece];

  /* acquire: pairs with the release in set_slot */
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
    uint32_t i = (uint32_t)__builtin_ctzll(left);
    piece_t  p = c->piece[i];

    if (!is_piece_done(c, i, &due) || due > c->now)
      continue;
    if (p.op != NULL && p.op->stage == STAGE_GET)
      memcpy(p.data, bytes_of(c, c->config.me, c->nslots + i), p.nbytes);
    /* relaxed: this unit takes it next */
    atomic_store_explicit(&c->inbox->slot[c->nslots + i].state, DART__SLOT_FREE,
                          memory_order_relaxed);
    c->busy &= ~(UINT64_C(1) << i);
    c->peer[p.peer].npieces--;
    if (p.op == NULL)
      continue;
    dart__traffic_take(c->config.traffic, p.op->move.is_put ? 0 : 1,
                       c->inbox->slot[c->nslots + i].clock);
    note_landed(c, p.op, p.nbytes);
  }
  return c->busy != busy;
}

/* ---- progress ----------------------------------------------------------------------------------- */

/* False: there is no memory; the packet has to wait. */
static bool handle_packet(dart__net_comm_t *c, const dart__packet_t *packet)
{
  dart__traffic_take(c->config.traffic, 0,
                     packet->clock); /* what is sent from here on comes after */
  switch (packet->kind) {
  case DART__PACKET_MESSAGE:
  case DART__PACKET_OFFER:
    if (!handle_message(c, packet))
      return false;
    break;
  case DART__PACKET_WANT: handle_want(c, packet); break;
  case DART__PACKET_DATA: handle_data(c, packet); break;
  case DART__PACKET_LATER: handle_later(c, packet); break;
  default: handle_access(c, packet); break;
  }
  dart__traffic_take(c->config.traffic, 1, packet->clock);
  return true;
}

/* Hold a packet until its time. False: no memory. */
static bool hold_packet(dart__net_comm_t *c, const dart__packet_t *packet)
{
  envelope_t *e = new_envelope(packet), *before = TAILQ_LAST(&c->held, envelopes);

  if (e == NULL)
    return false;
  while (before != NULL && before->packet.due > packet->due)
    before = TAILQ_PREV(before, envelopes, next);
  if (before != NULL)
    TAILQ_INSERT_AFTER(&c->held, before, e, next);
  else
    TAILQ_INSERT_HEAD(&c->held, e, next);
  return true;
}

/* False: it was empty. */
static bool empty_inbox(dart__net_comm_t *c)
{
  bool                  has_delays = c->config.model.has_delays;
  uint64_t              start      = c->head;
  const dart__packet_t *packet;

  while (c->head - start < DART__INBOX_CELLS &&
         (packet = dart__inbox_peek(c->inbox, c->head)) != NULL &&
         (has_delays ? hold_packet : handle_packet)(c, packet))
    dart__inbox_pop(c->inbox, c->head++);
  return c->head != start;
}

/* False: nothing was due. */
static bool handle_due(dart__net_comm_t *c)
{
  bool        any = false;
  envelope_t *e;

  while ((e = TAILQ_FIRST(&c->held)) != NULL && e->packet.due <= c->now &&
         handle_packet(c, &e->packet)) {
    TAILQ_REMOVE(&c->held, e, next);
    free(e);
    any = true;
  }
  return any;
}

static void move_on(dart__net_comm_t *c)
{
  bool any;

  if (c->config.model.has_delays)
    c->now = dart__now_ns();
  any = c->busy != 0 && take_pieces_back(c);
  any = empty_inbox(c) || any;
  any = handle_due(c) || any;
  for (int32_t peer = 0; c->nwaiting > 0 && peer < c->config.npeers; peer++)
    pump(c, &c->peer[peer]);
  if (any)
    dart__wait_tell(c->config.wait->pace);
}

/* ---- sleeping ----------------------------------------------------------------------------------- */

dart__event_t *dart__wire_arrivals(dart__net_comm_t *comm)
{
  return &comm->inbox->arrivals;
}

/* Until `due`, if that is sooner. */
static int64_t sooner(int64_t left_ns, int64_t due)
{
  int64_t ns = due == 0 ? 0 : due - dart__now_ns();

  return ns < left_ns ? ns : left_ns;
}

static int64_t idle_ns(dart__net_comm_t *c, int64_t most)
{
  const envelope_t *first = TAILQ_FIRST(&c->held);
  int64_t           due;

  if (dart__inbox_peek(c->inbox, c->head) != NULL)
    return 0;
  if (first != NULL)
    most = sooner(most, first->packet.due);
  for (uint64_t left = c->busy; left != 0; left &= left - 1)
    if (is_piece_done(c, (uint32_t)__builtin_ctzll(left), &due))
      most = sooner(most, due);
  return c->nwaiting > 0 && most > RETRY_US * 1000 ? RETRY_US * 1000 : most;
}

/* While another thread has the lock there is something to do. */
uint32_t dart__wire_idle_us(dart__net_comm_t *comm, uint32_t most_us)
{
  int64_t ns;

  if (pthread_mutex_trylock(&comm->lock) != 0)
    return 0;
  ns = idle_ns(comm, most_us * INT64_C(1000));
  pthread_mutex_unlock(&comm->lock);
  return ns <= 0 ? 0 : (uint32_t)((ns + 999) / 1000);
}

/* ---- messages of net.h -------------------------------------------------------------------------- */

int32_t dart__net_npeers(const dart__net_comm_t *comm)
{
  return comm->config.npeers;
}

void dart__net_send(dart__net_comm_t *comm, int32_t peer, dart__channel_t channel, int tag,
                    const void *data, size_t nbytes, dart__net_request_t *request_out)
{
  dart__move_t move = { .peer = peer, .data = (char *)(uintptr_t)data, .nbytes = nbytes };
  request_t   *r;

  pthread_mutex_lock(&comm->lock);
  r          = make_request(comm, STAGE_SEND, &move, request_out != NULL);
  r->channel = channel;
  r->tag     = tag;
  send_in_turn(comm, r);
  return_request(comm, r, request_out);
  pthread_mutex_unlock(&comm->lock);
}

void dart__net_recv(dart__net_comm_t *comm, int32_t peer, dart__channel_t channel, int tag,
                    void *buffer, size_t nbytes, dart__net_request_t *request_out)
{
  request_t  *r;
  envelope_t *e;

  pthread_mutex_lock(&comm->lock);
  r               = make_request(comm, STAGE_RECV,
                                 &(dart__move_t){ .peer = peer, .data = buffer, .nbytes = nbytes }, true);
  r->channel      = channel;
  r->tag          = tag;
  request_out->id = id_of(r);
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
  envelope_t *e;

  pthread_mutex_lock(&comm->lock);
  move_on(comm);
  e = find_arrived(comm, channel, peer, tag);
  if (e != NULL)
    *found_out = (dart__net_message_t){ e->packet.peer, e->packet.tag, e->packet.total, id_of(e) };
  if (e != NULL && claims)
    TAILQ_REMOVE(&comm->arrived[channel], e, next);
  pthread_mutex_unlock(&comm->lock);
  return e != NULL;
}

void dart__net_recv_claimed(dart__net_comm_t *comm, dart__net_message_t *found, void *buffer,
                            dart__net_request_t *request_out)
{
  request_t *r;

  pthread_mutex_lock(&comm->lock);
  r = make_request(comm, STAGE_RECV, &(dart__move_t){ .data = buffer, .nbytes = found->nbytes },
                   true);
  request_out->id = id_of(r);
  take_arrived(comm, r, (envelope_t *)(uintptr_t)found->id);
  pthread_mutex_unlock(&comm->lock);
}

/* The index of a request that is done; -1: none is. With jitter the first to be tested is drawn. */
static int find_done(dart__net_comm_t *c, dart__net_request_t *const requests[], int count)
{
  int first = c->config.model.jitter_ns == 0
                  ? 0
                  : (int)dart__net_model_draw(&c->random, (uint64_t)count - 1);

  for (int i = 0; i < count; i++)
    if (request_of(requests[(first + i) % count]->id)->is_done)
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
    move_on(comm);
    index = find_done(comm, requests, count);
  }
  if (index >= 0) {
    request_t *r = request_of(requests[index]->id);

    if (message_out != NULL)
      *message_out =
          (dart__net_message_t){ .peer = r->move.peer, .tag = r->tag, .nbytes = r->move.nbytes };
    return_request(comm, r, requests[index]);
  }
  pthread_mutex_unlock(&comm->lock);
  return index;
}

void dart__net_cancel(dart__net_comm_t *comm, dart__net_request_t *request)
{
  request_t *r = request_of(request->id);

  if (request->id == DART__NET_DONE.id)
    return;
  pthread_mutex_lock(&comm->lock);
  if (!r->is_done)
    TAILQ_REMOVE(&comm->posted[r->channel], r, next);
  r->is_done = true;
  return_request(comm, r, request);
  pthread_mutex_unlock(&comm->lock);
}

/* ---- puts, gets, flushes ------------------------------------------------------------------------ */

void dart__wire_enter(dart__net_comm_t *comm, dart__region_t *region)
{
  pthread_mutex_lock(&comm->lock);
  LIST_INSERT_HEAD(regions_like(comm, region->id), region, next);
  pthread_mutex_unlock(&comm->lock);
}

void dart__wire_leave(dart__net_comm_t *comm, dart__region_t *region)
{
  pthread_mutex_lock(&comm->lock);
  LIST_REMOVE(region, next);
  pthread_mutex_unlock(&comm->lock);
}

/* Hold a put or get that this unit copies itself: a put for one latency, a get for two. */
static void start_later(dart__net_comm_t *c, request_t *r)
{
  const dart__move_t *move   = &r->move;
  dart__packet_t      packet = { .kind   = move->is_put ? DART__PACKET_PUT : DART__PACKET_DATA,
                                 .nbytes = (uint32_t)move->nbytes,
                                 .offset = move->offset,
                                 .from   = id_of(r) };

  packet.due  = due_of(c, move->peer, &packet) + (move->is_put ? 0 : c->config.model.latency_ns);
  packet.kind = DART__PACKET_LATER;
  dart__traffic_send(c->config.traffic, move->is_put ? 1 : 2, move->nbytes);
  packet.clock = dart__traffic_clock(c->config.traffic) + 2;
  if (!hold_packet(c, &packet)) /* no memory: it arrives early */
    handle_later(c, &packet);
}

void dart__wire_move(dart__net_comm_t *comm, const dart__move_t *move,
                     dart__net_request_t *request_out)
{
  peer_t    *peer  = &comm->peer[move->peer];
  stage_t    stage = move->mapped != NULL ? STAGE_LATER : move->is_put ? STAGE_PUT : STAGE_GET;
  request_t *r;

  if (atomic_load_explicit(&peer->nlisted, memory_order_relaxed) >= OPS_MOST)
    dart__wire_flush(comm, move->peer, true);
  pthread_mutex_lock(&comm->lock);
  r         = make_request(comm, stage, move, request_out != NULL);
  r->number = ++peer->nops;
  r->is_op  = true;
  TAILQ_INSERT_TAIL(&peer->ops, r, op);
  if (peer->first_not_local == NULL)
    peer->first_not_local = r;
  /* relaxed: a thread sees what it has started itself */
  atomic_fetch_add_explicit(&peer->nlisted, 1, memory_order_relaxed);
  if (stage == STAGE_LATER)
    start_later(comm, r);
  else
    send_in_turn(comm, r);
  return_request(comm, r, request_out);
  pthread_mutex_unlock(&comm->lock);
}

static bool is_flushed(const peer_t *peer, uint64_t last, bool at_target)
{
  const request_t *r = at_target ? TAILQ_FIRST(&peer->ops) : peer->first_not_local;

  return r == NULL || r->number > last;
}

bool dart__wire_flush(dart__net_comm_t *comm, int32_t peer, bool at_target)
{
  peer_t       *p     = &comm->peer[peer];
  dart__turns_t turns = { 0 };
  uint64_t      last;

  /* acquire: pairs with the release in retire, perhaps of another thread */
  if (atomic_load_explicit(&p->nlisted, memory_order_acquire) == 0)
    return false;
  pthread_mutex_lock(&comm->lock);
  for (last = p->nops; !is_flushed(p, last, at_target);) {
    move_on(comm);
    if (is_flushed(p, last, at_target))
      break;
    pthread_mutex_unlock(&comm->lock);
    dart__wait_pause(&turns, comm->config.wait);
    pthread_mutex_lock(&comm->lock);
  }
  pthread_mutex_unlock(&comm->lock);
  return true;
}

/* ---- life --------------------------------------------------------------------------------------- */

dart__net_comm_t *dart__wire_open(const dart__wire_config_t *config)
{
  dart__net_comm_t *c = calloc(1, sizeof *c);

  if (c == NULL || (c->peer = calloc((size_t)config->npeers, sizeof *c->peer)) == NULL) {
    free(c);
    return NULL;
  }
  c->config      = *config;
  c->nslots      = nslots_for(config->npeers);
  c->most_pieces = c->nslots / 4;
  c->inbox       = inbox_of(c, config->me);
  c->random      = config->model.seed * 4096 + (uint64_t)config->me;
  pthread_mutex_init(&c->lock, NULL);
  for (int32_t peer = 0; peer < config->npeers; peer++) {
    TAILQ_INIT(&c->peer[peer].out);
    TAILQ_INIT(&c->peer[peer].ops);
  }
  for (int channel = 0; channel < CHANNELS; channel++) {
    TAILQ_INIT(&c->posted[channel]);
    TAILQ_INIT(&c->arrived[channel]);
  }
  TAILQ_INIT(&c->held);
  return c;
}

static void free_all(envelopes_t *list)
{
  envelope_t *e;

  while ((e = TAILQ_FIRST(list)) != NULL) {
    TAILQ_REMOVE(list, e, next);
    free(e->kept);
    free(e);
  }
}

/* The program may leave messages behind that it has not received. */
void dart__wire_close(dart__net_comm_t *comm)
{
  for (int channel = 0; channel < CHANNELS; channel++)
    free_all(&comm->arrived[channel]);
  free_all(&comm->held);
  pthread_mutex_destroy(&comm->lock);
  free(comm->peer);
  free(comm);
}
