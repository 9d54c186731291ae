#ifndef TEST_AM_THREADS_H
#define TEST_AM_THREADS_H
/* A transport between threads of one process, for tests of am/: as unfriendly as a transport may be.
 *
 * Messages take their time, and of two peers' messages the later may come first. A message is copied from
 * where it lies when it is received, not when it is sent: whoever touches it in between is found out by
 * what arrives. Sends that are waited for take their time to be done, too. */
#include "transport/transport.h"

typedef struct test_net test_net_t;

/** `npeers` peers. `delay`: looks that a message is not seen for, at most; 0: none. */
test_net_t *test_net_new(int32_t npeers, unsigned delay, uint64_t seed);
void        test_net_delete(test_net_t *net); /* nothing may be under way */

/** The transport of one peer; any of its threads may use it. */
dart__transport_t *test_net_transport(test_net_t *net, int32_t peer);

/** From now on no message of `peer` is seen by anyone, or no longer so. */
void test_net_hold(test_net_t *net, int32_t peer, bool held);

#endif
