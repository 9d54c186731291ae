#ifndef DART__SHMEM_MOVES_H
#define DART__SHMEM_MOVES_H
/* Puts and gets over the simulated network. */
#include "requests.h"
#include "wait/near.h"

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

/** Complete all that was started towards a peer; false: there was nothing. */
bool dart__move_flush(dart__net_comm_t *comm, int32_t peer, bool at_target);

/** Handle a packet of a put, a get or a fetch of a peer, or of a held put or get of this unit. The lock is held. */
void dart__move_take(dart__net_comm_t *c, const dart__packet_t *packet);

/** Copy bytes of a put or get. */
static inline void dart__move_copy(bool is_put, char *memory, char *data, size_t nbytes)
{
  if (is_put)
    dart__near_put_bytes(memory, data, nbytes);
  else
    dart__near_get_bytes(data, memory, nbytes);
}

#endif
