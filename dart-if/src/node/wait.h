#ifndef DART__NODE_WAIT_H
#define DART__NODE_WAIT_H
/* The one way to wait in DART: look, spin only while a core is likely free, make progress, sleep.
 *
 * Units may outnumber cores, so a waiting unit must get out of the way of the one it waits for.
 * An event is a counter that only its owner's peers raise; a waiter sleeps on it with a futex.
 * `sleepers` spares the waker the system call while nobody sleeps. The race between going to
 * sleep and waking is Dekker's: the waiter writes `sleepers` and then reads `count`, the waker
 * writes `count` and then reads `sleepers`, all four seq_cst, so at least one sees the other; and
 * the kernel compares `count` once more before it suspends.
 * (Franke, Russell, Kirkwood: Fuss, Futexes and Furwocks, Ottawa Linux Symposium 2002.)
 *
 * The state lies in shared memory or between threads of one process alike. */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#define DART__CACHE_LINE 64

typedef struct {
  _Atomic uint32_t count;
  _Atomic uint32_t sleepers;
} dart__event_t;

/* How this process waits; one per job, passed to every wait. */
typedef struct {
  uint32_t spins;  /* looks before sleeping */
  uint32_t yields; /* with `progress`: after that, more looks that only give the core away */
  uint32_t nap_us; /* with `progress`: how long to sleep between two looks at other nodes, > 0 */
  void (*progress)(
      void); /* serve other nodes meanwhile; NULL on a single node: sleep until woken */
  uint32_t (*pause_us)(
      void); /* how long to sleep instead of nap_us, by what other nodes do; 0: do not
                               * sleep, give the core away. NULL: nap_us */
  void (*check)(
      void *subject); /* after a sleep, which then has an end: whether what is waited for can
                                   * still come; if not, it does not return. NULL: nothing is checked */
  void *subject;
} dart__wait_policy_t;

static inline uint32_t dart__event_count(const dart__event_t *event)
{
  /* acquire: pairs with the release in dart__event_raise */
  return atomic_load_explicit((_Atomic uint32_t *)&event->count, memory_order_acquire);
}

/** Set the counter to `count`, and wake who waits for it to change. Everything the caller did
 *  before is visible to whoever sees the new value. */
void dart__event_raise(dart__event_t *event, uint32_t count);

/** The same by one, where several raise the same event. */
void dart__event_add(dart__event_t *event);

/** Wait until the counter differs from `old`; returns the new value. */
uint32_t dart__event_wait(dart__event_t *event, uint32_t old, const dart__wait_policy_t *policy);

/** One sleep, after so many looks, of a loop that waits for more than an event: while the counter is
 *  `old`, at most `most_us` (0: no limit) and, with policy->progress, at most a nap. May return early. */
void dart__event_doze(dart__event_t *event, uint32_t old, uint64_t looks, uint32_t most_us,
                      const dart__wait_policy_t *policy);

/** Wait until the counter is `count`. */
static inline void dart__event_wait_for(dart__event_t *event, uint32_t count,
                                        const dart__wait_policy_t *policy)
{
  uint32_t seen = dart__event_count(event);

  while (seen != count)
    seen = dart__event_wait(event, seen, policy);
}

/** One turn of a loop that waits for something no event tells of (another node): progress, and
 *  give the core away more and more. `turns` starts at 0. */
void dart__wait_turn(uint32_t *turns, const dart__wait_policy_t *policy);

/** Sleep while `*word` is `expected`, until woken, at most `most_us` (0: no limit). May return early.
 *  `word` may be shared between processes. */
void dart__futex_wait(_Atomic uint32_t *word, uint32_t expected, uint32_t most_us);
void dart__futex_wake(_Atomic uint32_t *word, int count);

/** A clock that only goes forward. */
static inline int64_t dart__now_ns(void)
{
  struct timespec now;

  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

/** Tell the CPU that this is a spin loop. */
static inline void dart__cpu_pause(void)
{
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#else
  atomic_signal_fence(memory_order_seq_cst);
#endif
}

#endif
