#ifndef TEST_AM_INSTANCES_H
#define TEST_AM_INSTANCES_H
/* Instances of active messages in one process, each with memory of its own; shared by the tests. */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "far/am/am.h"
#include "thread_transport.h"

enum { TEST_SENT_BACK = 99 }; /* what an answer to dart__am_epoch is about */

enum { TEST_TEAM = 7, TEST_PLAIN = 1, TEST_BY_MUTEX = 2 }; /* two segments, the same memory */

typedef struct {
  dart__am_t   *am;
  char         *memory;
  size_t        nbytes;
  dart__mutex_t mutex;    /* of segment TEST_BY_MUTEX */
  bool          is_alone; /* nobody else updates the memory */
  _Atomic int   notified; /* calls of the host's notified() */
  int32_t       informer; /* the last peer that sent a word by dart__am_inform */
  uint64_t      informed; /* the sum of these words, and of the values of dart__am_epoch */

  dart__am_epoch_t back; /* to be sent back to the informer, if has_answer */
  bool             has_answer;
  size_t           called;     /* bytes of operands of dart__am_call */
  bool             has_grants; /* each call lets somebody in */
} test_peer_t;

/** The host functions of a peer, for dart__am_open. */
dart__am_host_t test_host(test_peer_t *peer);

/** An address in the plain segment. */
static inline dart__am_address_t test_address(int peer, uint64_t offset)
{
  return (
      dart__am_address_t){ .peer = peer, .team = TEST_TEAM, .segid = TEST_PLAIN, .offset = offset };
}

/** Complete what was requested of a peer until now, as dart_flush does. Other threads may go on requesting. */
static inline dart_ret_t test_flush(dart__am_t *am, int32_t peer, dart__am_scope_t scope)
{
  uint64_t newest = dart__am_newest(am, peer);

  dart__am_settle_to(am, peer,
                     scope == DART__AM_REMOTE ? newest : dart__am_local_to(am, peer, newest));
  return dart__am_report(am, peer);
}

/** Random numbers that depend on the seed alone (splitmix64). */
uint64_t test_draw(uint64_t *state);

/* ---- allocations that fail, in the calling thread ------------------------------------------- */

/** One in `often` allocations of this thread fails from now on; 0: none. */
void test_fail_allocations(unsigned often);

#endif
