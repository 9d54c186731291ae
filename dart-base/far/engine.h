#ifndef DART__FAR_ENGINE_H
#define DART__FAR_ENGINE_H
/* The progress engine: the active messages of the job, and their progress, which the unit makes in its own
 * calls, and its agent. */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "far/am/am.h"
#include "model/address.h"
#include "net.h"

typedef struct {
  dart__am_t             *am;   /* NULL: the job has one node */
  const dart__am_peers_t *busy; /* dart__am_busy */
  bool   by_agents;  /* every unit has an agent: requests are served whatever their target does */
  bool   by_relays;  /* updates of one element travel by relays, see far/relayed.h */
  size_t aggregate;  /* puts and gets of up to so many bytes are collected as requests */
  size_t got_by_net; /* gets of epochs of up to so many bytes go by the network, not as messages */
  /* Calls of the unit itself that made progress; while it makes them, the agent does not poll. */
  _Atomic uint32_t own_calls;
} dart__engine_t;

extern dart__engine_t dart__engine;

/** Progress for callers that wait: handle what has come, and send what was collected; never blocks. */
void dart__engine_poll(void);

/** Wait for a request of the network, with progress, by the job's wait policy. The engine is open. */
void dart__engine_wait(dart__net_request_t *request);

/** The same, by `policy`, of a request that is not soon done. False: the check of the policy has given the wait up, and the
 *  request, of a message, is cancelled. */
bool dart__engine_wait_by(const dart__wait_policy_t *policy, dart__net_request_t *request);

/** A few tests of the request alone, which take the least time: each look of a longer wait also tells what else has come. */
bool dart__engine_is_soon_done(dart__net_request_t *request);

/** A little progress in some of the calls: for functions that are called often and do not wait. */
void dart__engine_poke(void);

/** A little progress in every call. */
void dart__engine_look(void);

/** While held, no request is applied to this unit's memory. False: not now. */
bool dart__engine_try_hold(void);
/** Wait until it is held; on one node nothing has to be. */
void dart__engine_hold(void);
void dart__engine_release(void);

/** Send what was collected; handles nothing. */
void dart__engine_push(void);

/** The target of a request, for a resolved address. */
static inline dart__am_address_t dart__am_address(const dart__address_t *at)
{
  return (dart__am_address_t){ .peer   = dart__team_member(at->team, at->unit),
                               .team   = at->team->id,
                               .segid  = at->segment->id,
                               .offset = at->offset };
}

#endif
