#ifndef DART__SHMEM_WIRE_H
#define DART__SHMEM_WIRE_H
/* The simulated network between units that share memory for their inboxes (inbox.h): messages of net.h (mail.c), puts and
 * gets (moves.h), and the progress of both. */
#include "moves.h"

/** This unit's end; its inbox can be written to. NULL: no memory. Nothing is under way when it is closed. */
dart__net_comm_t *dart__wire_open(const dart__link_config_t *config);
void              dart__wire_close(dart__net_comm_t *comm);

/** How long progress has nothing to do, as net.h has it. */
uint32_t dart__wire_idle_us(dart__net_comm_t *comm, uint32_t most_us);

/** Complete all puts and gets to a peer that were started; false: there was nothing. */
bool dart__wire_flush(dart__net_comm_t *comm, int32_t peer, bool at_target);

#endif
