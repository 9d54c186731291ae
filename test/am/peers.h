#ifndef TEST_AM_PEERS_H
#define TEST_AM_PEERS_H
/* Instances of active messages in one process, each with memory of its own: what the tests have in common. */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "am/am.h"
#include "threads.h"

enum { TEST_TEAM = 7, TEST_PLAIN = 1, TEST_BY_MUTEX = 2 }; /* two segments, the same memory */

typedef struct {
  dart__am_t   *am;
  char         *memory;
  size_t        nbytes;
  dart__mutex_t mutex;    /* of segment TEST_BY_MUTEX */
  _Atomic int   notified; /* calls of the host's notified() */
  int32_t       teller;   /* the last peer that told something, */
  uint64_t      told;     /* and the sum of what peers told */
} test_peer_t;

/** What dart__am_open asks of the surroundings of a peer. */
dart__am_host_t test_host(test_peer_t *peer);

/** An address in the plain segment. */
static inline dart__am_address_t test_address(int peer, uint64_t offset)
{
  return (
      dart__am_address_t){ .peer = peer, .team = TEST_TEAM, .segid = TEST_PLAIN, .offset = offset };
}

/** Numbers that depend on the seed alone (splitmix64). */
uint64_t test_draw(uint64_t *state);

/* ---- allocations that fail, in the thread that asks for it ---------------------------------- */

/** One in `often` allocations of this thread fails from now on; 0: none. */
void test_fail_allocations(unsigned often);

#endif
