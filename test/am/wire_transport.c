/* The transport of thread_transport.h by dart-shmem's simulated network, between threads. */
#include <stdlib.h>
#include <string.h>

#include "thread_transport.h"
#include "wire.h"

struct test_net {
  int32_t           npeers;
  char             *inboxes;
  dart__traffic_t  *traffic;
  dart__net_comm_t *comm[8];
};

dart__net_t dart__net;

/* The library's own allocations may fail in these tests, those of the network may not. */
void *test_wire_malloc(size_t nbytes);
void *test_wire_malloc(size_t nbytes)
{
  return aligned_alloc(64, (nbytes + 63) / 64 * 64);
}

void dart__net_abort(int code, bool is_asked)
{
  (void)code, (void)is_asked;
  abort();
}

static const dart__wait_policy_t wait_policy = { .pace = &(const dart__wait_pace_t){
                                                     .spins = 64, .nap_us = 1 } };

/* A look takes about a microsecond. */
test_net_t *test_net_new(int32_t npeers, unsigned delay, uint64_t seed)
{
  test_net_t *net    = calloc(1, sizeof *net);
  size_t      nbytes = (size_t)npeers * dart__inbox_bytes(npeers);

  net->npeers  = npeers;
  net->inboxes = aligned_alloc(4096, nbytes);
  net->traffic = calloc((size_t)npeers, sizeof *net->traffic);
  memset(net->inboxes, 0, nbytes);
  for (int32_t peer = 0; peer < npeers; peer++)
    net->comm[peer] = dart__wire_open(&(dart__link_config_t){
        .inboxes = net->inboxes,
        .npeers  = npeers,
        .me      = peer,
        .model   = { .has_delays = delay > 0, .jitter_ns = delay * INT64_C(1000), .seed = seed },
        .wait    = &wait_policy,
        .traffic = &net->traffic[peer] });
  return net;
}

void test_net_delete(test_net_t *net)
{
  for (int32_t peer = 0; peer < net->npeers; peer++)
    dart__wire_close(net->comm[peer]);
  free(net->inboxes);
  free(net->traffic);
  free(net);
}

dart__net_comm_t *test_net_transport(test_net_t *net, int32_t peer)
{
  return net->comm[peer];
}
