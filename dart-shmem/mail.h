#ifndef DART__SHMEM_MAIL_H
#define DART__SHMEM_MAIL_H
/* Messages of net.h over the simulated network: which receive takes which. */
#include "requests.h"

/** A message, or its offer, has come. False: there is no memory to note it. */
bool dart__mail_take(dart__net_comm_t *c, const dart__packet_t *packet);

/** The bytes of a message that was offered are asked for. */
void dart__mail_fetch(dart__net_comm_t *c, const dart__packet_t *packet);

/** The first such message that has arrived and no receive has taken; NULL: none. `removes`: from their list, too. */
dart__envelope_t *dart__mail_find(dart__net_comm_t *c, dart__channel_t channel, int32_t peer,
                                  int tag, bool removes);

#endif
