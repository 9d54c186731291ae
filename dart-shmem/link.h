#ifndef DART__SHMEM_LINK_H
#define DART__SHMEM_LINK_H
/* A unit's end of the simulated network: packets that it sends and receives, and their times. */
#include <sys/queue.h>

#include "base/random.h"
#include "inbox.h"
#include "net.h"
#include "net_model.h"
#include "traffic.h"

/* What a unit is given, so that the network also runs between threads. */
typedef struct {
  char                      *inboxes; /* of all peers, dart__inbox_bytes each, zeroed */
  int32_t                    npeers;
  int32_t                    me;
  dart__net_model_t          model;
  const dart__wait_policy_t *wait; /* of flushes */
  dart__traffic_t           *traffic;
} dart__link_config_t;

/* A packet that was taken out of the inbox. Its bytes follow. */
typedef struct dart__envelope {
  TAILQ_ENTRY(dart__envelope) next;
  dart__packet_t packet;
} dart__envelope_t;

typedef TAILQ_HEAD(dart__envelopes, dart__envelope) dart__envelopes_t;

typedef struct {
  dart__link_config_t config;
  dart__inbox_t      *inbox;
  int64_t             sends_from; /* with a bandwidth: when the link is free */
  uint64_t            random;
  dart__envelopes_t   held;  /* by the time at which they arrive ... */
  size_t              nheld; /* ... and their bytes */
} dart__link_t;

static inline dart__inbox_t *dart__link_inbox(const dart__link_t *link, int32_t peer)
{
  return (void *)(link->config.inboxes + (size_t)peer * dart__inbox_bytes(link->config.npeers));
}

/** The time at which `nbytes` arrive that are sent now, in the last of messages that follow one another. */
int64_t dart__link_due(dart__link_t *link, size_t nbytes, int nmessages);

/** Send a packet, of which `peer`, `due` and `clock` are filled in here, with bytes of `data`. `head_seen` as for
 *  dart__inbox_claim. False: the peer's inbox is full. */
bool dart__link_send(dart__link_t *link, int32_t peer, uint64_t *head_seen, dart__packet_t *packet,
                     const char *data);

/** Hold a packet until its time, and until those have come that it must not overtake. False: no memory. */
bool dart__link_hold(dart__link_t *link, const dart__packet_t *packet);

/** The next packet that has arrived and whose time has come; it is the caller's to free. NULL: there is none. */
dart__envelope_t *dart__link_next(dart__link_t *link);

/** When there will be one, if nothing comes. */
int64_t dart__link_next_due(const dart__link_t *link);

#endif
