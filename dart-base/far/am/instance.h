#ifndef DART__FAR_AM_INSTANCE_H
#define DART__FAR_AM_INSTANCE_H
/* What the files of far/am/ share: the instance. */
#include "far/am/ack.h"
#include "far/am/am.h"
#include "far/am/endpoint.h"
#include "far/am/peers.h"
#include "far/am/receive.h"

struct dart__am {
  dart__am_config_t config;
  size_t            words; /* config.batch_bytes in words */
  int32_t           npeers;

  dart__am_endpoint_t *endpoint; /* [2 * npeers], of peers, then of nodes */
  dart__am_ack_t      *ack;      /* [npeers] */
  dart__am_pool_t      pool;
  dart__am_peers_t     busy;     /* peers with something outstanding */
  dart__am_peers_t     open;     /* peers with an open batch */
  dart__am_peers_t     arriving; /* peers with arrivals outstanding */
  dart__am_peers_t
      relayed; /* nodes whose relays have something of this unit that was not applied */
  dart__am_relays_t relays;
  _Atomic bool      has_relays;
  _Atomic uint64_t  waits; /* how often the unit has waited */

  dart__am_receiver_t receiver;
};

/** Whether an endpoint's open batch can take so many words more; its lock is held.
 *
 *  Keeps the requests in all open batches together about within config.collected: a peer with many is sent
 *  them, one with few keeps them while more peers get some, so it may be ln(peers) times as many. */
static inline bool dart__am_endpoint_has_room(const dart__am_t *am, const dart__am_endpoint_t *ep,
                                              size_t nwords, size_t result_words)
{
  const dart__am_batch_t *batch = ep->open;
  size_t                  nopen = (size_t)dart__am_peers_count(&am->open);
  size_t                  most  = ep->relay == NULL ? am->words : am->relays.words;

  return dart__am_batch_fits(batch, nwords, result_words, most) &&
         (batch->nrequests == 0 || (batch->nrequests + 1) * nopen <= am->config.collected);
}

#endif
