#ifndef DART__SHMEM_MAIL_H
#define DART__SHMEM_MAIL_H
/* Messages of net.h over the simulated network: which receive takes which. The lock is held. */
#include "inbox.h"
#include "net.h"

/** A message, or its offer, has come: pass it to a receive, or note it. False: no memory for the note. */
bool dart__mail_take(dart__net_comm_t *c, const dart__packet_t *packet);

/** The peer wants the bytes of a message that was offered to it. */
void dart__mail_take_want(dart__net_comm_t *c, const dart__packet_t *packet);

/** Some bytes of a message that was wanted. */
void dart__mail_take_data(dart__net_comm_t *c, const dart__packet_t *packet);

#endif
