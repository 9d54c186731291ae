#ifndef DART__FAR_AM_ENDPOINT_H
#define DART__FAR_AM_ENDPOINT_H
/* An endpoint: the origin's side of the communication with one peer.
 *
 * It has one open batch, in which requests are collected, and a queue of batches under way. `newest`,
 * `local` and `done` say in batch numbers what is outstanding, so that a flush of a peer that has nothing
 * outstanding is a look at three words, without a lock; all else is behind the endpoint's lock. A zeroed
 * endpoint is ready for use, so peers that a unit never uses cost address space only.
 *
 * Behind those of the peers there is an endpoint for each node (dart__am_node_peer), whose batches go by a relay. */
#include "far/am/instance.h"

/** Number the first batch to the peer. */
void dart__am_endpoint_open(dart__am_endpoint_t *ep, uint64_t first_batch);

/* ---- the lock is held; functions that say so release it meanwhile -------------------------- */

/** Make room for so many words of requests and of results in the open batch; may wait, with the lock
 *  released. */
void dart__am_endpoint_reserve(dart__am_t *am, int32_t peer, dart__am_endpoint_t *ep, size_t nwords,
                               size_t result_words);

/** Append a record for which there is room; `at` NULL: it accesses no memory. */
void dart__am_endpoint_append(dart__am_endpoint_t *ep, const dart__am_address_t *at,
                              const dart__am_record_t *r);

/** Announce a message of data in the open batch, which has room for it. The data are sent now, or with the
 *  batch; releases the lock. */
void dart__am_endpoint_add_data(dart__am_t *am, int32_t peer, dart__am_endpoint_t *ep,
                                const dart__am_data_t *data, const void *src);

/** Ask for a message of data in the open batch, which has room for it. */
void dart__am_endpoint_add_got(dart__am_endpoint_t *ep, const dart__am_data_t *data, void *dst);

/** Add an arrival to the open batch, which has requests, and room for it. */
void dart__am_endpoint_add_arrival(dart__am_t *am, int32_t peer, dart__am_endpoint_t *ep,
                                   const dart__am_arrival_t *arrival);

/** Send the open batch, releasing the lock. False: not now, too many are under way, or another thread
 *  is sending. */
bool dart__am_endpoint_send(dart__am_t *am, int32_t peer, dart__am_endpoint_t *ep,
                            bool wants_reply);

/** Send the open batch, which has requests, though more than a window may be under way; waits only for a
 *  thread that is sending, with the lock released. Local completion of all until then needs no progress of a
 *  peer that has received the batch. */
void dart__am_endpoint_send_now(dart__am_t *am, int32_t peer, dart__am_endpoint_t *ep);

/** Ask for a reply to a batch, open or sent, releasing the lock; may take more than one call. */
void dart__am_endpoint_ask(dart__am_t *am, int32_t peer, dart__am_endpoint_t *ep, uint64_t number);

/** Send the peer a message that only asks for an acknowledgement, unless one is on its way; releases the lock.
 *  Nobody waits for the reply. */
void dart__am_endpoint_wake(dart__am_t *am, int32_t peer, dart__am_endpoint_t *ep);

/** Send what a relay has, unless it is not its turn, or the partner's endpoint takes nothing now. No lock is held. */
void dart__am_endpoint_send_relay(dart__am_t *am, dart__am_relay_t *relay);

/** Give up the lock for a turn of waiting, in which progress is made. */
void dart__am_endpoint_wait(dart__am_t *am, dart__am_endpoint_t *ep, dart__turns_t *turns);

#endif
