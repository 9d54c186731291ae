#ifndef TEST_AM_FEW_PEERS_H
#define TEST_AM_FEW_PEERS_H
/* A few peers in one thread, which all make progress where one waits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/counters.h"
#include "far/am/batch.h"
#include "instances.h"

enum { PEERS = 5, BYTES = 1 << 16 };

static test_peer_t peer[PEERS];
static test_net_t *net;
static int         npeers;

/* Progress of a peer that waits is progress of all peers, except stopped ones. */
static bool is_stopped[PEERS];

static inline void progress(void)
{
  for (int p = 0; p < npeers; p++)
    if (!is_stopped[p])
      dart__am_progress(peer[p].am, true);
}

static const dart__wait_policy_t wait_policy = {
  .pace = &(const dart__wait_pace_t){ .spins = 1 << 20, .nap_us = 1, .progress = progress }
};

static inline void open_with(int count, dart__am_config_t config)
{
  npeers = count;
  net    = test_net_new(count, 0, 1);
  for (int p = 0; p < count; p++) {
    peer[p]       = (test_peer_t){ .memory = aligned_alloc(64, BYTES), .nbytes = BYTES };
    is_stopped[p] = false;
    config.comm   = test_net_transport(net, p);
    config.npeers = count;
    config.host   = test_host(&peer[p]);
    config.wait   = &wait_policy;
    memset(peer[p].memory, 0, BYTES);
    peer[p].am = dart__am_open(&config);
    assert_non_null(peer[p].am);
  }
}

static inline dart__am_config_t usual(void)
{
  return DART__AM_CONFIG(NULL, 0, NULL, (dart__am_host_t){ 0 });
}

static inline void close_all(void)
{
  for (int p = 0; p < npeers; p++)
    dart__am_quiesce(peer[p].am);
  for (int p = 0; p < npeers; p++) {
    dart__am_close(peer[p].am);
    free(peer[p].memory);
  }
  test_net_delete(net);
}

static inline uint64_t since(dart__counter_t counter)
{
  static uint64_t before[DART__NCOUNTERS];
  uint64_t        now = dart__counted(counter), by = now - before[counter];

  before[counter] = now;
  return by;
}

static inline uint64_t *word_of(int p, size_t index)
{
  return (uint64_t *)(void *)peer[p].memory + index;
}

static inline void add(int from, int to, size_t index, uint64_t by)
{
  dart__am_address_t at = test_address(to, index * 8);

  dart__am_accumulate(peer[from].am, &at, &by, 1, DART_TYPE_ULONG, DART_OP_SUM);
}

static inline void flush(int from, int to)
{
  assert_int_equal(test_flush(peer[from].am, to, DART__AM_REMOTE), DART_OK);
}

static inline bool is_any(const void *set, int32_t p)
{
  (void)set, (void)p;
  return true;
}

#endif
