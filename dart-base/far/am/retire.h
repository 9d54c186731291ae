#ifndef DART__FAR_AM_RETIRE_H
#define DART__FAR_AM_RETIRE_H
/* Endpoints: what acknowledgements say, batches that are done, and peers that are lost. Where nothing else is said, the
 * endpoint's lock is held. */
#include "far/am/instance.h"

/** Note what a message of the peer acknowledges; `results` are those of batch header->batch, NULL: the
 *  message is no reply. Takes the lock itself. */
void dart__am_endpoint_acknowledge(dart__am_t *am, dart__am_endpoint_t *ep,
                                   const dart__am_header_t *header, const uint64_t *results);

/** Retire the batches under way that are done, update the flags of their arrivals, and leave the set of busy peers if
 *  nothing is outstanding. */
void dart__am_endpoint_retire(dart__am_t *am, dart__am_endpoint_t *ep);

/** dart__am_endpoint_retire for all peers with arrivals; takes the locks that are free. Others do so when they flush. */
void dart__am_endpoints_retire_arriving(dart__am_t *am);

/** Where peers may be lost: drop what is outstanding towards one that is, as if all was done and refused, as far as no
 *  thread is sending it. In every turn of a wait. */
void dart__am_endpoint_drop_lost(dart__am_t *am, int32_t peer, dart__am_endpoint_t *ep);

#endif
