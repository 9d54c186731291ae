#ifndef DART__SHMEM_WIRE_H
#define DART__SHMEM_WIRE_H
/* The simulated network between units that share memory for their inboxes (inbox.h): messages of net.h (mail.c), puts and
 * gets (moves.c), and the progress of both (wire.c). */
#include "requests.h"

/** This unit's end; its inbox can be written to. NULL: no memory. Nothing is under way when it is closed. */
dart__net_comm_t *dart__wire_open(const dart__link_config_t *config);
void              dart__wire_close(dart__net_comm_t *comm);

/** Start a put or get as `model` has it: the peer copies, when it makes progress; or, if the memory is mapped, or in a
 *  process that the kernel reaches, this unit, when the time has come. `request_out` as in net.h. Waits for the oldest of
 *  this peer if DART__OPS_MOST are under way. */
void dart__wire_move(dart__net_comm_t *comm, const dart__request_t *model,
                     dart__net_request_t *request_out);

/** Complete all puts and gets to a peer that were started; false: there was nothing. */
bool dart__wire_flush(dart__net_comm_t *comm, int32_t peer, bool at_target);

/* ---- puts and gets ------------------------------------------------------------------------------ */

/* Memory of this unit that peers ask it to access. */
typedef struct dart__region {
  LIST_ENTRY(dart__region) next;
  uint64_t id; /* the same on all units of a team, and the unit has no other of it */
  char    *base;
  size_t   nbytes;
} dart__region_t;

/** Let peers access a region; and no more. */
void dart__region_enter(dart__net_comm_t *comm, dart__region_t *region);
void dart__region_leave(dart__net_comm_t *comm, dart__region_t *region);

/** Start one; the lock is held, as for the next two. */
void dart__move_start(dart__net_comm_t *c, const dart__request_t *model,
                      dart__net_request_t *request_out);

/** A peer puts or gets. */
void dart__move_serve(dart__net_comm_t *c, const dart__packet_t *packet);

/** The copy of a put or get whose memory is mapped, here or in another process. False: the kernel refuses, as a line
 *  says, so the peer is to copy. */
bool dart__move_here(dart__request_t *r);

/** What a put, get or fetch of this unit has waited for has come: an answer, or the time to copy. */
void dart__move_finish(dart__net_comm_t *c, const dart__packet_t *packet);

/* ---- messages: which receive takes which; the lock is held ---------------------------------------- */

/** A message, or its offer, has come; it is freed when a receive has taken it. */
void dart__mail_take(dart__net_comm_t *c, dart__envelope_t *e);

/** The bytes of a message that was offered are asked for. */
void dart__mail_fetch(dart__net_comm_t *c, const dart__packet_t *packet);

/** The first such message that has arrived and no receive has taken; NULL: none. `removes`: from their list, too. */
dart__envelope_t *dart__mail_find(dart__net_comm_t *c, dart__channel_t channel, int32_t peer,
                                  int tag, bool removes);

#endif
