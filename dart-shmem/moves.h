#ifndef DART__SHMEM_MOVES_H
#define DART__SHMEM_MOVES_H
/* Puts and gets over the simulated network. */
#include "requests.h"

/* Memory of this unit that its peers cannot access by themselves. */
typedef struct dart__region {
  LIST_ENTRY(dart__region) next;
  uint64_t id; /* the same on all units of a team, and the unit has no other of it */
  char    *base;
  size_t   nbytes;
} dart__region_t;

/** Let peers access a region; and no more. */
void dart__region_enter(dart__net_comm_t *comm, dart__region_t *region);
void dart__region_leave(dart__net_comm_t *comm, dart__region_t *region);

/** Start a put or get as `model` has it: the peer copies, when it makes progress; or, if the memory is mapped, this
 *  unit, when the time has come. `request_out` as in net.h. */
void dart__move_start(dart__net_comm_t *comm, const dart__request_t *model,
                      dart__net_request_t *request_out);

/** A peer puts or gets. The lock is held. */
void dart__move_serve(dart__net_comm_t *c, const dart__packet_t *packet);

/** What a put, get or fetch of this unit has waited for has come: an answer, or the time to copy. The lock is held. */
void dart__move_finish(dart__net_comm_t *c, const dart__packet_t *packet);

#endif
