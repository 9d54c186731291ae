#ifndef DART__SHMEM_REQUESTS_H
#define DART__SHMEM_REQUESTS_H
/* Requests: what a unit has started. The lock is held in all calls. */
#include "wire_comm.h"

/** Never NULL: without memory the job ends. */
dart__request_t *dart__request_new(dart__net_comm_t *c, dart__stage_t stage,
                                   const dart__move_t *move, bool is_wanted);

/** Give the caller the id of its request; one that is done already is dropped instead. */
void dart__request_return(dart__net_comm_t *c, dart__request_t *r,
                          dart__net_request_t *request_out);

/** Send the packets of a request, when all that were sent to its peer before have left. */
void dart__request_send(dart__net_comm_t *c, dart__request_t *r);

/** Bytes of a put or get have landed. */
void dart__request_landed(dart__net_comm_t *c, dart__request_t *r, size_t nbytes);

/** Take what has come, and send what waits, as far as there is room. */
void dart__requests_progress(dart__net_comm_t *c);

/** How long there is nothing to do if nothing comes: at most `most`, in ns. */
int64_t dart__requests_idle_ns(dart__net_comm_t *c, int64_t most);

#endif
