#ifndef DART__AM_INSTANCE_H
#define DART__AM_INSTANCE_H
/* What the files of am/ share: the instance. */
#include "am/ack.h"
#include "am/am.h"
#include "am/endpoint.h"
#include "am/peers.h"
#include "am/receive.h"

struct dart__am {
  dart__am_config_t config;
  size_t            words; /* config.batch_bytes in words */
  int32_t           npeers;

  dart__am_endpoint_t *endpoint; /* [npeers] */
  dart__am_ack_t      *ack;      /* [npeers] */
  dart__am_pool_t      pool;
  dart__am_peers_t     busy;  /* peers with something outstanding */
  dart__am_peers_t     open;  /* peers with an open batch */
  _Atomic uint64_t     waits; /* how often the unit has waited */

  dart__am_receiver_t receiver;
};

#endif
