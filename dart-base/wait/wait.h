#ifndef DART__WAIT_WAIT_H
#define DART__WAIT_WAIT_H
/* How all waits in DART are made: poll, spin only while a core is likely free, make progress, sleep.
 *
 * Units may outnumber cores, so a waiting unit must yield the core to the unit it waits for. To yield it takes less
 * than half a microsecond. To sleep and to be woken takes several, and the waker a system call. So where units
 * outnumber cores a wait yields the core for a while before it sleeps. But a unit that yields to somebody who computes
 * gets the core back after a time slice, where one that sleeps is woken earlier: then it sleeps. Between nodes a unit
 * that shares its core sleeps until something comes, where the network raises an event then; else it naps, and looks.
 * An event is a counter that other units or threads raise; its waiters sleep on it with a futex. `sleepers` spares the
 * raiser the system call while nobody sleeps. The race between going to sleep and waking is Dekker's: the waiter writes
 * `sleepers` and then reads `count`, the raiser writes `count` and then reads `sleepers`. All four are seq_cst, so at
 * least one sees the other's write. The kernel compares `count` once more before it suspends the waiter. (Franke,
 * Russell, Kirkwood: Fuss, Futexes and Furwocks, Ottawa Linux Symposium 2002.)
 *
 * The state may lie in memory shared by processes, or in one process for its threads. */
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>

#include "base/clock.h"
#include "base/counters.h"
#include "wait/tuning.h"

#define DART__CACHE_LINE 64

typedef struct {
  _Atomic uint32_t count;
  _Atomic uint32_t sleepers;
} dart__event_t;

/* How long a process spins, yields and sleeps in its waits. There is one for the whole process (dart__world.pace); the
 * policies of its waits refer to it, so a change reaches all of them. Numbers are atomic, for dart_init sets them once
 * more while the agent may wait. */
typedef struct {
  _Atomic uint32_t spins;    /* polls before sleeping */
  _Atomic uint32_t yields;   /* more polls, which yield: with `progress`, or for a mutex */
  _Atomic uint32_t nap_us;   /* with `progress`: how long to sleep between two calls of it, > 0 */
  _Atomic uint32_t per_core; /* units that share a core, rounded up */
  _Atomic uint32_t check_us; /* the longest sleep of a wait with a check; 0: as of all others */

  /* How long a wait yields the core at most, before all else, where units share it; 0: they do not. */
  _Atomic uint32_t yield_us;

  /* Serve other nodes during the wait. NULL on a single node: sleep until woken. */
  void (*progress)(void);

  /* How long to sleep instead of nap_us, by recent traffic; 0: do not sleep, yield the core. NULL: nap_us. */
  uint32_t (*pause_us)(void);

  /* Raised when something comes for this unit from another node; NULL: the network raises nothing. Units that share
   * their core sleep on it, as long as `idle_us` says: at most `most_us`, 0 if progress has something to do. */
  dart__event_t *arrivals;
  uint32_t (*idle_us)(uint32_t most_us);
} dart__wait_pace_t;

/* The event that waits of this pace sleep on between two calls of `progress`. NULL: they only nap. */
static inline dart__event_t *dart__wait_arrivals(const dart__wait_pace_t *pace)
{
  return pace->yields == 0 ? pace->arrivals : NULL;
}

/* How far a wait has come. Zero before the first turn. */
typedef struct {
  uint32_t count;     /* turns */
  uint32_t seen;      /* the count of `arrivals` before the last look, ... */
  uint32_t word_seen; /* ... and the word of the wait; ... */
  bool     has_seen;  /* ... else neither was read yet */
  bool     yields_first;
  uint32_t spun;      /* polls, or what takes as long */
  uint32_t doubled;   /* how often the pauses of a wait that backs off */
  int64_t  start_ns;  /* when it first looked at the clock; 0: it has not */
  int64_t  waited_ns; /* from then to when it last did */

  struct dart__waiting *waiting; /* what the policy has noted */
} dart__turns_t;

/* The policy of one wait, or of the waits of one kind; passed to every wait. */
typedef struct {
  const dart__wait_pace_t *pace;

  /* Called after sleeps, which are bounded then: true if the wait is to be given up, for what it waits for can never
   * come. NULL: nothing is checked. */
  bool (*check)(void *subject);
  void *subject;

  /* Notes what is waited for (wait/waiting.h), in waits for an event, once they have spun in vain. What it returns is
   * ended with the wait. NULL: the caller has noted it. */
  struct dart__waiting *(*note)(void *subject);
} dart__wait_policy_t;

/** Of waits for a thread that waits for nothing itself, and of threads that make no progress meanwhile: to serve a request
 *  may take the same mutex. */
extern const dart__wait_policy_t dart__wait_briefly;

static inline uint32_t dart__event_count(const dart__event_t *event)
{
  /* acquire: pairs with the release in dart__event_raise */
  return atomic_load_explicit((_Atomic uint32_t *)&event->count, memory_order_acquire);
}

/** Set the counter to `count`, and wake all waiters. Everything the caller did before is visible to a
 *  waiter that sees the new value. */
void dart__event_raise(dart__event_t *event, uint32_t count);

/** Increment the counter, for events that several units or threads raise. */
void dart__event_add(dart__event_t *event);

/** Wake those that sleep in dart__wait_until, after a change of what they look at. Cheaper than
 *  dart__event_add while nobody sleeps, for the counter's cache line stays where it is. The change, and the look at
 *  it, are seq_cst. */
static inline void dart__event_nudge(dart__event_t *event)
{
  /* seq_cst: after the change in the total order, so that it is seen by a waiter that is not seen here */
  if (atomic_load_explicit(&event->sleepers, memory_order_seq_cst) != 0)
    dart__event_add(event);
}

/** Wake waits that sleep on arrivals, for this thread has handled what came and they may look at the result. */
static inline void dart__wait_tell(const dart__wait_pace_t *pace)
{
  dart__event_t *arrivals = dart__wait_arrivals(pace);

  if (arrivals != NULL)
    dart__event_add(arrivals);
}

/* A wait that a look ends, and what it sleeps on. Before it sleeps it yields its core for a while, for to be woken
 * takes longer than a few units of the node take to run in turns. The while is measured by the clock: a yield that
 * takes long, because somebody computes on this core, ends it, and a sleeper is woken ahead of a thread that
 * computes. */
typedef struct dart__wait {
  bool (*look)(void *context); /* whether it is there; it may take it. Called often */
  void   *context;
  int64_t limit_ns; /* 0: look once; INT64_MAX: no limit */
  /* A look takes longer than a poll, and the caller has just looked: each poll looks once, after it made progress. */
  bool looks_once;
  /* A look is a load of `word`, which takes less time than progress: a wait that spins makes that with each
   * DART__POLLS-th look. Where units share a core, and serve others, none is yielded: whoever ends the wait wakes a
   * sleeper at once. */
  bool is_of_memory;
  /* A look takes a cache line from whoever ends the wait: looks are at growing intervals; and where units share a core
   * none is yielded, for whoever ends the wait wakes a sleeper at once. The limit is from the first sleep on. */
  bool backs_off;
  /* Nobody may change `word` for it: the wait looks again after a part of the time waited, which makes it that part longer
   * than one that polls. */
  bool is_silent;
  /* Nothing announces the end, which comes when other units that share the core have got as far: naps grow to a part of the
   * time waited. */
  bool naps_grow;
  /* Changed after what ends the wait, and then woken: the count of an event, with its sleepers; or, NULL, a word whose
   * changer knows otherwise that somebody sleeps, by one of `bits`. NULL: nothing announces the end, but arrivals, and the
   * wait looks again and again. */
  _Atomic uint32_t *word;
  _Atomic uint32_t *sleepers;
  uint32_t          bits; /* 0: any */
  /* Called before a sleep; `*seen` is the word before the last look. False: look again. NULL: nothing to prepare. */
  bool (*prepare)(struct dart__wait *wait, uint32_t *seen);
} dart__wait_t;

/** Wait until the look returns true; false: it timed out, or the check of the policy, which is made after sleeps, has
 *  given it up. */
bool dart__wait_until(dart__wait_t *wait, const dart__wait_policy_t *policy);

/** Wait until a look returns true that nothing announces (another node). False: given up. */
static inline bool dart__wait_for(bool (*look)(void *context), void *context,
                                  const dart__wait_policy_t *policy)
{
  return dart__wait_until(
      &(dart__wait_t){ .look = look, .context = context, .limit_ns = INT64_MAX }, policy);
}

/** Wait until the counter differs from `old`; returns the new value. `old`: the check of the policy has given it up. */
uint32_t dart__event_wait(dart__event_t *event, uint32_t old, const dart__wait_policy_t *policy);

/** Wait until the counter is `count`. False: the check of the policy has given it up. */
static inline bool dart__event_wait_for(dart__event_t *event, uint32_t count,
                                        const dart__wait_policy_t *policy)
{
  uint32_t seen = dart__event_count(event), before = seen + 1;

  while (seen != count && seen != before) {
    before = seen;
    seen   = dart__event_wait(event, before, policy);
  }
  return seen == count;
}

/** The end of a turn of the loop that all of these are: pause, yield the core, or sleep, by how far the wait has come. For
 *  loops that look while they have a lock, or that send in each turn; they make the progress themselves. False: the check
 *  of the policy gives the wait up. */
bool dart__wait_pause(dart__turns_t *turns, const dart__wait_policy_t *policy);

/** As dart__wait_pause, after a call of progress. */
bool dart__wait_turn(dart__turns_t *turns, const dart__wait_policy_t *policy);

/** The longest sleep: a tenth of a second, and longer where so many units share a core that they would wake each
 *  DART__AWAKE_US, one after the other. */
static inline uint32_t dart__wait_longest_us(const dart__wait_pace_t *pace)
{
  uint32_t all_us = DART__AWAKE_US * pace->per_core;

  return all_us < DART__LONGEST_US ? DART__LONGEST_US : all_us;
}

/** How long each of the units that share a core sleeps, so that together they wake as often as one that sleeps `us`; at
 *  most as the one before says. */
static inline uint32_t dart__wait_shared_us(const dart__wait_pace_t *pace, uint32_t us)
{
  uint64_t all_us = (uint64_t)us * pace->per_core, most_us = dart__wait_longest_us(pace);

  return (uint32_t)(all_us < most_us ? all_us : most_us);
}

/** One sleep on the pace's arrivals, of a loop that has seen the count `seen` before it looked. */
void dart__arrivals_sleep(const dart__wait_pace_t *pace, uint32_t seen, uint32_t most_us);

/** Sleep while `*word` is `expected`, until woken, at most `most_us` (0: no limit). May return early.
 *  `word` may be shared between processes. */
void dart__futex_wait(_Atomic uint32_t *word, uint32_t expected, uint32_t most_us);

void dart__futex_wake(_Atomic uint32_t *word, int count);

/** Wake those that sleep in dart__wait_until by one of `bits`. */
void dart__futex_wake_bits(_Atomic uint32_t *word, uint32_t bits);

/** Hint to the CPU: this is a spin loop. */
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

/** sched_yield. In a wait that yields and looks in turns with others it counts that the code is on fewer pages: where it
 *  can be, the call of the kernel is in place. */
static inline void dart__yield(void)
{
  dart__count(DART__COUNT_YIELD);
#if defined(__x86_64__) && defined(__linux__)
  long result;

  __asm__ volatile("syscall" : "=a"(result) : "a"((long)SYS_sched_yield) : "rcx", "r11", "memory");
#else
  sched_yield();
#endif
}

#endif
