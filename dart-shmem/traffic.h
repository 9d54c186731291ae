#ifndef DART__SHMEM_TRAFFIC_H
#define DART__SHMEM_TRAFFIC_H
/* What a unit sends over the simulated network: messages, their bytes, and the longest chain of them.
 *
 * Each unit has a clock as Lamport has it (CACM 21(7), 1978), which counts messages alone. A message carries the clock
 * of its sender plus 1, and its receiver's clock becomes at least that. So the clock is the number of messages of the
 * longest chain that has ended at the unit: what a call costs in latencies.
 *
 * A receive, put or get raises the clock when its caller is told that it is done, by a test or a flush, and not when a
 * packet happens to come. So a message that is early, or a unit that is late, changes no chain.
 *
 * Clocks begin anew at each reset of the statistics. The upper half of a clock is the number of the reset, so that a
 * message sent before it raises no clock after it. This needs as many resets on all units.
 *
 * Chains through memory are not seen: neither near memory, nor puts that their target finds by looking. */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct dart__net_stats; /* net.h */

enum {
  DART__TRAFFIC_SENT,
  DART__TRAFFIC_TAKEN, /* messages that have come; answers of its own puts and gets */
  DART__TRAFFIC_BYTES, /* sent */
  DART__TRAFFIC_CLOCK,
  DART__TRAFFIC_COUNTS
};

/* All are written by relaxed operations of any thread. */
typedef struct {
  _Atomic uint64_t count[DART__TRAFFIC_COUNTS];
  _Atomic uint64_t copied_clock; /* when a flush has completed what was copied at once */
  _Atomic bool     is_used;      /* there is a network; from then on */
} dart__traffic_t;

/* Of this unit. */
extern dart__traffic_t dart__traffic;

/* Statistics of the network (net.h): net_messages, net_taken, net_bytes, net_chain. None in a job of one node. */
extern const struct dart__net_stats dart__traffic_stats;

static inline uint64_t dart__traffic_clock(const dart__traffic_t *traffic)
{
  return atomic_load_explicit(&traffic->count[DART__TRAFFIC_CLOCK], memory_order_relaxed);
}

static inline void dart__traffic_raise(_Atomic uint64_t *clock, uint64_t least)
{
  uint64_t now = atomic_load_explicit(clock, memory_order_relaxed);

  while (now < least && !atomic_compare_exchange_weak_explicit(
                            clock, &now, least, memory_order_relaxed, memory_order_relaxed))
    ;
}

static inline void dart__traffic_add(dart__traffic_t *traffic, int index, uint64_t by)
{
  atomic_fetch_add_explicit(&traffic->count[index], by, memory_order_relaxed);
}

/** Count messages that leave, one after the other, with `nbytes` in all. Returns the clock that the last one carries. */
static inline uint64_t dart__traffic_send(dart__traffic_t *traffic, uint64_t nmessages,
                                          uint64_t nbytes)
{
  dart__traffic_add(traffic, DART__TRAFFIC_SENT, nmessages);
  dart__traffic_add(traffic, DART__TRAFFIC_BYTES, nbytes);
  return dart__traffic_clock(traffic) + nmessages;
}

/** The unit acts on a message, or learns of an answer, that carries `clock`. */
static inline void dart__traffic_hear(dart__traffic_t *traffic, uint64_t clock)
{
  dart__traffic_raise(&traffic->count[DART__TRAFFIC_CLOCK], clock);
}

/** Count a put or get that is copied at once. */
static inline void dart__traffic_copy(dart__traffic_t *traffic, int is_put, uint64_t nbytes)
{
  dart__traffic_raise(&traffic->copied_clock,
                      dart__traffic_send(traffic, is_put ? 1 : 2, nbytes) + is_put);
}

/** All puts and gets that were copied at once are complete. */
static inline void dart__traffic_flush(dart__traffic_t *traffic)
{
  dart__traffic_hear(traffic, atomic_load_explicit(&traffic->copied_clock, memory_order_relaxed));
}

#endif
