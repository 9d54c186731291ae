#ifndef DART__FAR_AM_RECEIVE_H
#define DART__FAR_AM_RECEIVE_H
/* Receiving: messages of all peers are handled in the order in which they came. Batches are applied and replied to, and
 * replies are delivered.
 *
 * Receives are posted in one ring, behind one lock, so the transport finds the receive of a message first in its list, and
 * a look at the oldest one tells of all. Batches of a peer are applied in order, as the transport delivers them. A thread
 * that finds the lock taken returns: the holder is making progress already. When there is no memory, messages stay in the
 * ring until some is released: one reply and one pending batch are allocated at the start, so this ends. That reply has a
 * channel of its own. The peers' windows bound the number of messages. */
#include <stdbool.h>

#include "far/am/am.h"

/** False: no memory. */
bool dart__am_receiver_open(dart__am_t *am);
void dart__am_receiver_close(dart__am_t *am);

typedef struct {
  bool requests;
  bool replies;
} dart__am_handled_t;

/** Look `looks` times whether messages have come, and handle at most `most`. Returns at once if another thread
 *  is receiving. `own`, if not NULL, is a request of the caller's, for which it looks as well. */
dart__am_handled_t dart__am_receive(dart__am_t *am, int most, int looks, dart__net_request_t *own);

#endif
