#ifndef TEST_AM_THREAD_TRANSPORT_H
#define TEST_AM_THREAD_TRANSPORT_H
/* The messages of net.h between threads of one process, for tests of far/am: as adverse as a transport may be.
 *
 * Messages are delayed, and of two peers' messages the later may come first. A message is copied from the
 * sender's buffer when it is received, not when it is sent, so a sender that changes the buffer in between
 * is found out by the contents. Sends with a request are delayed before they are done, too. */
#include "net.h"

typedef struct test_net test_net_t;

/** `npeers` peers. `delay`: looks at a queue before its first message is seen, at most; 0: none. */
test_net_t *test_net_new(int32_t npeers, unsigned delay, uint64_t seed);
void        test_net_delete(test_net_t *net); /* nothing may be under way */

/** The transport of one peer; any of its threads may use it. */
dart__net_comm_t *test_net_transport(test_net_t *net, int32_t peer);

#endif
