/* See traffic.h. */
#include "traffic.h"

#include "net.h"

dart__traffic_t dart__traffic;

enum { MESSAGES, TAKEN, BYTES, CHAIN, COUNTS };

static const dart_stats_info_t infos[COUNTS] = {
  [MESSAGES] = { "net_messages", "messages that this unit sent over the simulated network",
                 DART_STATS_EVENTS },
  [TAKEN]    = { "net_taken", "messages that this unit took from the simulated network",
                 DART_STATS_EVENTS },
  [BYTES]    = { "net_bytes", "bytes of the messages that this unit sent", DART_STATS_EVENTS },
  [CHAIN]    = { "net_chain", "messages of the longest chain that has ended at this unit",
                 DART_STATS_EVENTS }
};

static _Atomic uint64_t start[COUNTS]; /* what was counted at the last reset; of CHAIN its number */

static size_t traffic_size(void)
{
  return atomic_load_explicit(&dart__traffic.is_used, memory_order_relaxed) ? COUNTS : 0;
}

static dart_stats_info_t traffic_describe(size_t index)
{
  return infos[index];
}

static uint64_t count(size_t index)
{
  uint64_t copied = atomic_load_explicit(&dart__traffic.copied, memory_order_relaxed);

  switch (index) {
  case MESSAGES: return copied + atomic_load_explicit(&dart__traffic.sent, memory_order_relaxed);
  case TAKEN: return copied + atomic_load_explicit(&dart__traffic.taken, memory_order_relaxed);
  case BYTES: return atomic_load_explicit(&dart__traffic.bytes, memory_order_relaxed);
  default: return dart__traffic_clock(&dart__traffic);
  }
}

static uint64_t traffic_read(size_t index)
{
  uint64_t before = atomic_load_explicit(&start[index], memory_order_relaxed);

  return index == CHAIN ? (uint32_t)count(index) : count(index) - before;
}

static void traffic_reset(void)
{
  for (size_t i = 0; i < CHAIN; i++)
    atomic_store_explicit(&start[i], count(i), memory_order_relaxed);
  /* A unit that has begun anew may have sent to this one, which has that clock already. */
  dart__traffic_raise(&dart__traffic.clock,
                      (atomic_fetch_add_explicit(&start[CHAIN], 1, memory_order_relaxed) + 1)
                          << 32);
}

const dart__net_stats_t dart__traffic_stats = {
  .size = traffic_size, .describe = traffic_describe, .read = traffic_read, .reset = traffic_reset
};
