/* See engine_start.h. */
#include "far/engine_start.h"

#include "base/config.h"
#include "base/log.h"
#include "far/agent.h"
#include "far/engine.h"
#include "far/host.h"
#include "far/latency.h"
#include "model/lost.h"
#include "model/tell.h"
#include "model/world.h"
#include "net.h"

/* Transfers of so many bytes are collected. Where the network reaches memory by itself, its calls are about as fast as a
 * copy of 2 KiB at each end; else it sends messages, which cost much more than copies do. */
#define AGGREGATE_REACHED 1024
#define AGGREGATE_SENT    DART__AM_PUT_MOST

/* Where it sends messages, they wait for each other before such a message of data: below it the network's get is
 * faster. */
#define GOT_BY_NET ((size_t)128 << 10)

/* How long a unit that waits may sleep. While requests come, a unit that has a core yields it but stays
 * awake; a unit that shares its core sleeps a part of the time since the last request. */
static uint32_t pause_us(void)
{
  int64_t quiet = dart__engine.am == NULL ? INT64_MAX : dart__am_quiet_ns(dart__engine.am) / 1000;

  if (dart__world.pace.yields > 0)
    return quiet < DART__LATE_US ? 0 : dart__world.pace.nap_us;
  quiet /= DART__PART;
  if (quiet >= dart__world.pace.nap_us)
    return dart__world.pace.nap_us;
  return quiet < DART__AGENT_US / 2 ? DART__AGENT_US / 2 : (uint32_t)quiet;
}

/* What this unit has of it. */
static void delete_engine(void)
{
  if (dart__engine.am != NULL)
    dart__am_close(dart__engine.am);
  dart__latency_close();
  dart__engine.am           = NULL;
  dart__world.pace.arrivals = NULL;
}

dart_ret_t dart__engine_prepare(void)
{
  dart__am_config_t config;

  dart__world.pace.progress = dart__engine_poll;
  config =
      DART__AM_CONFIG(dart__net.messages, dart__world.nunits, &dart__world.wait, dart__am_host());
  config.types              = (unsigned)dart__settings.types;
  config.is_lost            = dart__survives() ? dart__is_lost : NULL;
  config.nlost              = dart__survives() ? dart__lost_count : NULL;
  dart__world.pace.pause_us = pause_us;
  dart__world.pace.arrivals = dart__net.arrivals;
  dart__world.pace.idle_us  = dart__net.idle_us;
  dart__engine.am           = dart__am_open(&config);
  if (dart__engine.am != NULL)
    dart__engine.busy = dart__am_busy(dart__engine.am);
  return dart__engine.am == NULL ? DART_ERR_NOMEM : dart__latency_open();
}

dart_ret_t dart__engine_open(dart_ret_t mine)
{
  bool has_agent = mine == DART_OK && dart__agent_open(dart__net.any_thread, dart__net.sends_alone);
  int32_t most[2] = { (int32_t)mine, !has_agent };

  /* a unit cannot know by itself whether all others have agents */
  dart__net_agree(most, 2);
  if (most[0] != DART_OK) {
    if (dart__tells_first(DART__TELL_INIT))
      dart__error("dart_init: no memory for the requests of some unit");
    dart__agent_close();
    delete_engine(); /* no unit has sent anything yet */
    return (dart_ret_t)most[0];
  }
  dart__engine.by_agents = !most[1];
  /* A put that is collected waits for progress of its origin and of its target. Agents on both sides make
   * that progress, so only then are puts collected by default. */
  dart__engine.aggregate = 0;
  if (dart__settings.aggregate >= 0)
    dart__engine.aggregate = (size_t)dart__settings.aggregate;
  else if (dart__engine.by_agents)
    dart__engine.aggregate = dart__net.reaches_memory ? AGGREGATE_REACHED : AGGREGATE_SENT;
  dart__engine.got_by_net = dart__net.reaches_memory ? 0 : GOT_BY_NET;
  dart__am_rely_on_progress(dart__engine.am, dart__engine.by_agents);
  return DART_OK;
}

void dart__engine_close(void)
{
  if (dart__engine.am == NULL)
    return;
  dart__agent_close();
  dart__am_quiesce(dart__engine.am);
  dart__net_agree_on_result(DART_OK); /* a barrier: no message is under way after it */
  delete_engine();
}
