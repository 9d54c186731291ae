/* See traffic.h. */
#include "traffic.h"

#include "net.h"

dart__traffic_t dart__traffic;

static const dart_stats_info_t infos[] = {
  { "net_messages", "messages that this unit sent over the simulated network", DART_STATS_EVENTS },
  { "net_taken", "messages that this unit took from the simulated network", DART_STATS_EVENTS },
  { "net_bytes", "bytes of the messages that this unit sent", DART_STATS_EVENTS },
  { "net_chain", "messages of the longest chain that has ended at this unit", DART_STATS_EVENTS }
};

static size_t traffic_size(void)
{
  return atomic_load_explicit(&dart__traffic.is_used, memory_order_relaxed) ? DART__TRAFFIC_COUNTS
                                                                            : 0;
}

static dart_stats_info_t traffic_describe(size_t index)
{
  return infos[index];
}

static uint64_t traffic_read(size_t index)
{
  uint64_t count = atomic_load_explicit(&dart__traffic.count[index], memory_order_relaxed);

  return index == DART__TRAFFIC_CLOCK ? (uint32_t)count : count;
}

/* A unit that has begun anew may have sent to this one, which has the clock of this reset already. */
static void traffic_reset(void)
{
  static _Atomic uint64_t number;

  for (int i = 0; i < DART__TRAFFIC_CLOCK; i++)
    atomic_store_explicit(&dart__traffic.count[i], 0, memory_order_relaxed);
  dart__traffic_hear(&dart__traffic,
                     (atomic_fetch_add_explicit(&number, 1, memory_order_relaxed) + 1) << 32);
}

const dart__net_stats_t dart__traffic_stats = {
  .size = traffic_size, .describe = traffic_describe, .read = traffic_read, .reset = traffic_reset
};
