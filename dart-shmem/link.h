#ifndef DART__SHMEM_LINK_H
#define DART__SHMEM_LINK_H
/* Packets between units: where they and their bytes are, when they arrive, and in which order. All calls are made with
 * the unit's lock held. */
#include "inbox.h"
#include "net.h"
#include "net_model.h"
#include "traffic.h"

/* Messages of the backend itself; a team's id is the tag. */
#define DART__CHANNEL_TEAMS ((dart__channel_t)DART__CHANNELS)

typedef struct {
  char                      *inboxes; /* of all peers, dart__inbox_bytes each, zeroed */
  int32_t                    npeers;
  int32_t                    me;
  dart__net_model_t          model;
  const dart__wait_policy_t *wait; /* of flushes */
  dart__traffic_t           *traffic;
} dart__link_config_t;

struct dart__envelope;

/** A failure of the network: end the job. */
void dart__link_fail(const char *why);

/** NULL: no memory. */
struct dart__envelope *dart__envelope_new(const dart__packet_t *packet);

/** The time at which a packet arrives that is sent now. */
int64_t dart__link_due(dart__net_comm_t *c, int32_t peer, const dart__packet_t *packet);

/** Take one of nslots slots from `first` on. DART__NO_SLOT: none is free. */
uint16_t dart__link_take_slot(dart__net_comm_t *c, uint32_t first);

/** Whether a slot will be free as soon as the peer makes progress: it has a message that the peer has not yet seen. */
bool dart__link_awaits_slot(const dart__net_comm_t *c, int32_t peer);

/** A slot of `peer`. */
dart__slot_t *dart__link_slot(const dart__net_comm_t *c, int32_t peer, uint32_t slot);

/** The bytes of a slot of `peer`. */
char *dart__link_slot_bytes(const dart__net_comm_t *c, int32_t peer, uint32_t slot);

/** Set the state of a slot of `peer`. */
void dart__link_set_slot(const dart__net_comm_t *c, int32_t peer, uint32_t slot, uint32_t state);

/** Tell the sender of a piece that its slot is done with: `clock` as in traffic.h, `due` when it is to be seen. */
void dart__link_end_piece(const dart__net_comm_t *c, const dart__packet_t *packet);

/** Send a packet; `bytes`, unless NULL, go into its slot. False: the peer's inbox is full; the slot is free again. */
bool dart__link_send(dart__net_comm_t *c, int32_t peer, dart__packet_t *packet, const char *bytes);

/** Hold a packet until its time. False: no memory. */
bool dart__link_hold(dart__net_comm_t *c, const dart__packet_t *packet);

/** Handle the packets that have come, and whose time has. False: there were none. */
bool dart__link_receive(dart__net_comm_t *c);

#endif
