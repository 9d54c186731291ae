#ifndef DART__SHMEM_LINK_H
#define DART__SHMEM_LINK_H
/* A unit's end of the simulated network: packets that it sends and receives, their bytes, and their times. */
#include <sys/queue.h>

#include "inbox.h"
#include "net.h"
#include "net_model.h"
#include "traffic.h"

/* Messages of the backend itself; a team's id is the tag. */
#define DART__CHANNEL_TEAMS ((dart__channel_t)DART__CHANNELS)
#define DART__LINK_CHANNELS (DART__CHANNELS + 1)

/* What a unit is given, so that the network also runs between threads. */
typedef struct {
  char                      *inboxes; /* of all peers, dart__inbox_bytes each, zeroed */
  int32_t                    npeers;
  int32_t                    me;
  dart__net_model_t          model;
  const dart__wait_policy_t *wait; /* of flushes */
  dart__traffic_t           *traffic;
} dart__link_config_t;

/* A packet that was taken out of the inbox, and waits for its time, or for a receive. */
typedef struct dart__envelope {
  TAILQ_ENTRY(dart__envelope) next;
  dart__packet_t packet;
  char           bytes[]; /* of a message that is kept */
} dart__envelope_t;

typedef TAILQ_HEAD(dart__envelopes, dart__envelope) dart__envelopes_t;

/* Handles a packet that has arrived. False: there is no memory, so it has to wait. */
typedef bool (*dart__link_handler_t)(dart__net_comm_t *comm, const dart__packet_t *packet);

typedef struct {
  dart__link_config_t  config;
  dart__link_handler_t handle;
  dart__net_comm_t    *comm;
  dart__inbox_t       *inbox;
  size_t               nbytes;        /* of an inbox */
  uint64_t             head;          /* packets taken out of it */
  uint32_t             nslots;        /* for messages: the first ones */
  uint32_t             rotor;         /* where the search for a free slot starts */
  int32_t              slot_peer[64]; /* the peer that the slot is for */
  int64_t              now;           /* with delays: when packets were received last */
  int64_t              sends_from;    /* with a bandwidth: when the link is free */
  uint64_t             random;
  int64_t             *last_due; /* of each peer and class of packets */
  dart__envelopes_t    held;     /* packets, by the time at which they arrive */
} dart__link_t;

/** False: no memory; nothing is open. */
bool dart__link_open(dart__link_t *link, const dart__link_config_t *config,
                     dart__link_handler_t handle, dart__net_comm_t *comm);
void dart__link_close(dart__link_t *link);

/** A failure of the network: end the job. */
void dart__link_fail(const char *why);

/** With room for `nbytes`. NULL: no memory. */
dart__envelope_t *dart__envelope_new(const dart__packet_t *packet, size_t nbytes);
void              dart__envelopes_free(dart__envelopes_t *list);

static inline dart__inbox_t *dart__link_inbox(const dart__link_t *link, int32_t peer)
{
  return (void *)(link->config.inboxes + (size_t)peer * link->nbytes);
}

/** The slot of a packet that has come. NULL: it has none. */
static inline dart__slot_t *dart__link_slot(const dart__link_t *link, const dart__packet_t *packet)
{
  return packet->slot == DART__NO_SLOT ? NULL
                                       : &dart__link_inbox(link, packet->peer)->slot[packet->slot];
}

/** Take one of nslots slots from `first` on. DART__NO_SLOT: none is free; `*soon_out`: one will be as soon as the peer
 *  makes progress, for it has bytes that the peer has not yet seen. */
uint16_t dart__link_take_slot(dart__link_t *link, uint32_t first, int32_t peer, bool *soon_out);

/** The time at which `nbytes` arrive that are sent now, in the order that the packet asks for; NULL: in none. */
int64_t dart__link_due(dart__link_t *link, int32_t peer, const dart__packet_t *packet,
                       size_t nbytes);

/** Send a packet; its bytes, unless NULL, go into its slot. False: the peer's inbox is full; the slot is free again. */
bool dart__link_send(dart__link_t *link, int32_t peer, const dart__packet_t *packet,
                     const char *bytes);

/** Tell the sender of a piece that its slot has been read, or filled. */
void dart__link_answer(dart__link_t *link, const dart__packet_t *piece);

/** Hold a packet until its time. False: no memory. */
bool dart__link_hold(dart__link_t *link, const dart__packet_t *packet);

/** Handle the packets that have come and whose time has. False: there was none. */
bool dart__link_receive(dart__link_t *link);

#endif
