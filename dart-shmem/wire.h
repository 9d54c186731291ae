#ifndef DART__SHMEM_WIRE_H
#define DART__SHMEM_WIRE_H
/* The simulated network: messages of net.h, and puts and gets, between units that share memory for their inboxes
 * (inbox.h). What it needs is passed in, so that it also runs between threads. */
#include <sys/queue.h>

#include "inbox.h"
#include "net.h"
#include "net_model.h"
#include "traffic.h"

/* Messages of the backend itself; a team's id is the tag. */
#define DART__CHANNEL_TEAMS ((dart__channel_t)DART__CHANNELS)

typedef struct {
  char                      *inboxes; /* of all peers, dart__wire_bytes each, zeroed */
  int32_t                    npeers;
  int32_t                    me;
  dart__net_model_t          model;
  const dart__wait_policy_t *wait; /* of flushes */
  dart__traffic_t           *traffic;
} dart__wire_config_t;

/* Memory of this unit that its peers cannot access by themselves. */
typedef struct dart__region {
  LIST_ENTRY(dart__region) next;
  uint64_t id; /* the same on all units of a team, and the unit has no other of it */
  char    *base;
  size_t   nbytes;
} dart__region_t;

typedef LIST_HEAD(dart__regions, dart__region) dart__regions_t;

/* One put or get. */
typedef struct {
  int32_t  peer;
  bool     is_put;
  char    *data;
  size_t   nbytes;
  uint64_t region; /* the peer's, ... */
  uint64_t offset; /* ... and where in it */
  char    *mapped; /* where that is mapped here; NULL: it is not */
} dart__move_t;

/** Bytes of an inbox with its slots, in a job of `npeers`: whole pages. */
size_t dart__wire_bytes(int32_t npeers);

/** This unit's end; its inbox can be written to. NULL: no memory. Nothing is under way when it is closed. */
dart__net_comm_t *dart__wire_open(const dart__wire_config_t *config);
void              dart__wire_close(dart__net_comm_t *comm);

void dart__wire_enter(dart__net_comm_t *comm, dart__region_t *region);
void dart__wire_leave(dart__net_comm_t *comm, dart__region_t *region);

/** As net.h has it, for this unit. */
dart__event_t *dart__wire_arrivals(dart__net_comm_t *comm);
uint32_t       dart__wire_idle_us(dart__net_comm_t *comm, uint32_t most_us);

/** Start a put or get: the peer copies, when it makes progress; or, if the memory is mapped, this unit, when the time
 *  has come. `request_out` as in net.h. */
void dart__wire_move(dart__net_comm_t *comm, const dart__move_t *move,
                     dart__net_request_t *request_out);

/** Complete all that was started towards a peer; false: there was nothing. */
bool dart__wire_flush(dart__net_comm_t *comm, int32_t peer, bool at_target);

#endif
