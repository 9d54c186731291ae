#ifndef DART__SHMEM_WIRE_H
#define DART__SHMEM_WIRE_H
/* The simulated network: messages of net.h, and puts and gets, between units that share memory for their inboxes
 * (inbox.h). */
#include "link.h"
#include "moves.h"

/** This unit's end; its inbox can be written to. NULL: no memory. Nothing is under way when it is closed. */
dart__net_comm_t *dart__wire_open(const dart__link_config_t *config);
void              dart__wire_close(dart__net_comm_t *comm);

/** As net.h has it, for this unit. */
dart__event_t *dart__wire_arrivals(dart__net_comm_t *comm);

#endif
