/* See start.h. */
#include "progress/start.h"

#include "base/config.h"
#include "base/log.h"
#include "model/world.h"
#include "mpi/comm.h"
#include "port.h"
#include "progress/agent.h"
#include "progress/engine.h"
#include "progress/host.h"
#include "progress/latency.h"
#include "transport/mpi.h"

#define AGGREGATE_BYTES 256 /* larger ones gain little: copying is what takes the time then */

#define AWAKE_NS (10 * 1000 * 1000) /* a unit with a core stays awake for so long after a request */
#define NAP_US   20                 /* the shortest nap of one without */

/* How long a unit that waits may sleep: while others ask it for something, it gives its core away but
 * stays awake, if it has one; if not, it sleeps an eighth of the time since they last did. */
static uint32_t pause_us(void)
{
  int64_t quiet = dart__engine.am == NULL ? INT64_MAX : dart__am_quiet_ns(dart__engine.am);

  if (dart__world.wait.yields > 0)
    return quiet < AWAKE_NS ? 0 : dart__world.wait.nap_us;
  quiet /= 8 * 1000;
  if (quiet >= dart__world.wait.nap_us)
    return dart__world.wait.nap_us;
  return quiet < NAP_US ? NAP_US : (uint32_t)quiet;
}

dart_ret_t dart__engine_open(void)
{
  dart__am_config_t config;
  dart_ret_t        ret;

  dart__comm_dup(&dart__comm.requests);
  config = DART__AM_CONFIG(dart__transport_over(dart__comm.requests), &dart__world.wait,
                           dart__am_host());
  dart__world.wait.pause_us = pause_us;
  dart__engine.am           = dart__am_open(&config);
  ret                       = dart__engine.am == NULL ? DART_ERR_NOMEM : dart__latency_open();
  ret                       = (dart_ret_t)dart__mpi_most(dart__comm.world, (int)ret);
  if (ret != DART_OK) {
    dart__error("dart_init: no memory for the requests of some unit");
    dart__engine_close();
  }
  return ret;
}

void dart__engine_start(bool mpi_has_threads)
{
  bool own = dart__agent_open(mpi_has_threads);

  /* a unit alone cannot know who serves it */
  dart__engine.by_agents = dart__mpi_most(dart__comm.world, !own) == 0;
  /* A put that is collected waits for its unit's next call, and for its target's. With agents on both
   * sides it arrives by itself, so only then is it collected without having been asked for. */
  if (dart__settings.aggregate >= 0)
    dart__engine.aggregate = (size_t)dart__settings.aggregate;
  else
    dart__engine.aggregate = dart__engine.by_agents ? AGGREGATE_BYTES : 0;
  dart__am_rely_on_progress(dart__engine.am, dart__engine.by_agents);
}

void dart__engine_close(void)
{
  if (dart__engine.am == NULL)
    return;
  dart__agent_close();
  dart__am_quiesce(dart__engine.am);
  dart__port_agree(DART_OK); /* nobody has anything to say any more */
  dart__am_close(dart__engine.am);
  dart__latency_close();
  dart__engine.am = NULL;
}
