#ifndef DART__SHMEM_MAIL_H
#define DART__SHMEM_MAIL_H
/* Messages of net.h over the simulated network: which receive takes which. */
#include "inbox.h"
#include "net.h"

/** A message, or its offer, has come. False: there is no memory to note it. */
bool dart__mail_take(dart__net_comm_t *c, const dart__packet_t *packet);

#endif
