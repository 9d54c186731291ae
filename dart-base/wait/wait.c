/* Waiting: see wait.h for the argument. */
#include "wait/wait.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/counters.h"
#include "base/sanitizer.h"
#include "wait/tuning.h"
#include "wait/waiting.h"

static struct timespec time_of(uint32_t us)
{
  return (struct timespec){ us / 1000000, us % 1000000 * 1000L };
}

void dart__futex_wait(_Atomic uint32_t *word, uint32_t expected, uint32_t most_us)
{
  struct timespec most = time_of(most_us);

  syscall(SYS_futex, (uint32_t *)word, FUTEX_WAIT, expected, most_us > 0 ? &most : NULL, NULL, 0);
}

void dart__futex_wake(_Atomic uint32_t *word, int count)
{
  syscall(SYS_futex, (uint32_t *)word, FUTEX_WAKE, count, NULL, NULL, 0);
}

/* By default a sleep of a thread may take 50 us longer than it asked for, which is half a nap more until a unit sees
 * what has come from another node. A short one is as long as asked for; what the program has set is put back.
 * Returns what to put back, -1: nothing. */
static int sleep_exactly(uint32_t us)
{
  int slack = us > 0 && us <= DART__AWAKE_US ? prctl(PR_GET_TIMERSLACK) : -1;

  if (slack > 1)
    prctl(PR_SET_TIMERSLACK, 1UL); /* ns; 0 would mean the default */
  return slack;
}

static void sleep_as_before(int slack)
{
  if (slack > 1)
    prctl(PR_SET_TIMERSLACK, (unsigned long)slack);
}

static struct timespec end_after(uint32_t us)
{
  struct timespec end;
  uint64_t        ns;

  clock_gettime(CLOCK_MONOTONIC, &end);
  ns = (uint64_t)end.tv_nsec + us * UINT64_C(1000);
  end.tv_sec += (time_t)(ns / 1000000000);
  end.tv_nsec = (long)(ns % 1000000000);
  return end;
}

/* This kind of wait has an end, not a duration. */
void dart__futex_wait_bits(_Atomic uint32_t *word, uint32_t expected, uint32_t most_us,
                           uint32_t bits)
{
  struct timespec end = end_after(most_us);

  syscall(SYS_futex, (uint32_t *)word, FUTEX_WAIT_BITSET, expected, most_us > 0 ? &end : NULL, NULL,
          bits);
}

void dart__futex_wake_bits(_Atomic uint32_t *word, uint32_t bits)
{
  syscall(SYS_futex, (uint32_t *)word, FUTEX_WAKE_BITSET, INT_MAX, NULL, NULL, bits);
}

void dart__event_raise(dart__event_t *event, uint32_t count)
{
  dart__tsan_tell();
  /* seq_cst: releases to the acquire of dart__event_count, and precedes the load of `sleepers` in the
   * total order that the waiter's two accesses are part of */
  atomic_store_explicit(&event->count, count, memory_order_seq_cst);
  if (atomic_load_explicit(&event->sleepers, memory_order_seq_cst) != 0)
    dart__futex_wake(&event->count, INT_MAX);
}

void dart__event_add(dart__event_t *event)
{
  dart__tsan_tell();
  /* seq_cst, both: as in dart__event_raise */
  atomic_fetch_add_explicit(&event->count, 1, memory_order_seq_cst);
  if (atomic_load_explicit(&event->sleepers, memory_order_seq_cst) != 0)
    dart__futex_wake(&event->count, INT_MAX);
}

/* How long to sleep until the next call of `progress`; 0: not at all. */
static uint32_t pause_of(const dart__wait_pace_t *pace)
{
  if (dart__wait_arrivals(pace) != NULL)
    return dart__wait_shared_us(pace, pace->nap_us);
  return pace->pause_us != NULL ? pace->pause_us() : pace->nap_us;
}

/* Yield the core, but not with every poll: yielding takes longer than the poll. */
static void yield_sometimes(uint64_t turn)
{
  if (turn % DART__LOOKS == 0)
    dart__yield();
  else
    dart__cpu_pause();
}

/* After a sleep, and after many polls without one. */
static void call_check(const dart__wait_policy_t *policy, uint64_t polls, bool slept)
{
  if (policy->check != NULL && (slept || polls % (DART__LOOKS * DART__POLLS) == 0))
    policy->check(policy->subject);
}

/* ---- sleeping ----------------------------------------------------------------------------------- */

/* What a thread sleeps on: a word, such as the count of an event, and perhaps what comes from other nodes meanwhile. */
typedef struct {
  int               count;
  _Atomic uint32_t *word[2];
  _Atomic uint32_t *sleepers[2]; /* of an event; NULL: who changes the word knows otherwise */
  uint32_t          seen[2];
  uint32_t (*idle_us)(uint32_t most_us); /* NULL: nothing comes */
} sleep_t;

static sleep_t sleep_on(dart__event_t *event, uint32_t seen, const dart__wait_pace_t *pace)
{
  dart__event_t *arrivals = dart__wait_arrivals(pace);

  if (arrivals == NULL)
    return (sleep_t){ 1, { &event->count }, { &event->sleepers }, { seen }, NULL };
  return (sleep_t){ 2,
                    { &event->count, &arrivals->count },
                    { &event->sleepers, &arrivals->sleepers },
                    { seen, dart__event_count(arrivals) },
                    pace->idle_us };
}

/* On arrivals alone. On nothing, if the network raises none. */
static sleep_t sleep_on_arrivals(const dart__wait_pace_t *pace, uint32_t seen)
{
  dart__event_t *arrivals = dart__wait_arrivals(pace);

  if (arrivals == NULL)
    return (sleep_t){ .count = 0 };
  return (sleep_t){ 1, { &arrivals->count }, { &arrivals->sleepers }, { seen }, pace->idle_us };
}

/* seq_cst, all, and by the fence what the caller looks at next: pairs with dart__event_raise and dart__event_nudge */
static void announce(const sleep_t *s)
{
  for (int i = 0; i < s->count; i++)
    if (s->sleepers[i] != NULL)
      atomic_fetch_add_explicit(s->sleepers[i], 1, memory_order_seq_cst);
  atomic_thread_fence(memory_order_seq_cst);
}

static bool is_quiet(const sleep_t *s)
{
  for (int i = 0; i < s->count; i++)
    if (atomic_load_explicit(s->word[i], memory_order_seq_cst) != s->seen[i])
      return false;
  return true;
}

/* Sleep until one of two words changes, at most `most_us`. Where the kernel cannot, a nap on the first. */
static void wait_for_either(const sleep_t *s, uint32_t most_us)
{
#ifdef SYS_futex_waitv
  struct timespec    end      = end_after(most_us);
  struct futex_waitv words[2] = {
    { .val = s->seen[0], .uaddr = (uintptr_t)s->word[0], .flags = FUTEX_32 },
    { .val = s->seen[1], .uaddr = (uintptr_t)s->word[1], .flags = FUTEX_32 }
  };

  if (syscall(SYS_futex_waitv, words, 2, 0, &end, CLOCK_MONOTONIC) >= 0 ||
      (errno != ENOSYS && errno != EPERM))
    return;
#endif
  dart__futex_wait(s->word[0], s->seen[0], most_us < DART__NAP_US ? most_us : DART__NAP_US);
}

/* `most_us`: 0 means until woken. True: `is_there`, so there was no sleep. */
static bool sleep_unless(const sleep_t *s, uint32_t most_us, bool (*is_there)(void *context),
                         void *context)
{
  int  slack = sleep_exactly(most_us);
  bool is_over, is_idle;

  announce(s);
  is_over = is_there != NULL && is_there(context);
  if (s->idle_us != NULL)
    most_us = s->idle_us(most_us);
  is_idle = s->idle_us == NULL || most_us > 0;
  if (!is_over && is_idle && is_quiet(s)) {
    dart__count(DART__COUNT_SLEEP);
    dart__waiting_stamp();
    if (s->count == 1)
      dart__futex_wait(s->word[0], s->seen[0], most_us);
    else
      wait_for_either(s, most_us);
  }
  for (int i = 0; i < s->count; i++)
    if (s->sleepers[i] != NULL)
      atomic_fetch_sub_explicit(s->sleepers[i], 1, memory_order_relaxed);
  sleep_as_before(slack);
  return is_over;
}

bool dart__event_sleep_unless(dart__event_t *event, uint32_t old, uint64_t polls, uint32_t most_us,
                              const dart__wait_policy_t *policy, bool (*is_there)(void *context),
                              void                      *context)
{
  const dart__wait_pace_t *pace  = policy->pace;
  uint32_t                 pause = pace->progress != NULL ? pause_of(pace) : most_us;
  sleep_t                  sleep = sleep_on(event, old, pace);

  if (pace->progress != NULL && pause == 0) {
    yield_sometimes(polls);
    return false;
  }
  return sleep_unless(&sleep, most_us != 0 && most_us < pause ? most_us : pause, is_there, context);
}

void dart__arrivals_sleep(const dart__wait_pace_t *pace, uint32_t seen, uint32_t most_us)
{
  sleep_t sleep = sleep_on_arrivals(pace, seen);

  sleep_unless(&sleep, most_us, NULL, NULL);
}

void dart__futex_wait_or_arrivals(_Atomic uint32_t *word, uint32_t expected,
                                  const dart__wait_pace_t *pace, uint32_t seen, uint32_t most_us)
{
  sleep_t sleep = { 2,
                    { word, &pace->arrivals->count },
                    { NULL, &pace->arrivals->sleepers },
                    { expected, seen },
                    pace->idle_us };

  sleep_unless(&sleep, most_us, NULL, NULL);
}

static void nap(uint32_t us)
{
  struct timespec time  = time_of(us);
  int             slack = sleep_exactly(us);

  dart__count(DART__COUNT_SLEEP);
  nanosleep(&time, NULL);
  sleep_as_before(slack);
}

/* ---- turns of waits ----------------------------------------------------------------------------- */

/* Whether a turn ends without a yield or a sleep: a unit that has a core yields it rarely. */
static bool ends_at_once(const dart__wait_pace_t *pace, uint64_t turn, bool sleeps)
{
  return pace->yields > 0 ? turn % DART__POLLS != 0 : turn % DART__LOOKS != 0 && !sleeps;
}

/* When this thread may yield its core in a wait again; by dart__now_ns. */
static _Thread_local int64_t yields_from;

/* Yield the core until the counter is not `old`, or for pace->yield_us. If it is away for that long at a time,
 * somebody computes on it, and the next waits are no better off: they do not yield for a while, so that what is lost
 * on them stays a small part of the time. */
static void yield_while(const dart__event_t *event, uint32_t old, const dart__wait_pace_t *pace)
{
  int64_t most = pace->yield_us * INT64_C(1000), start = dart__now_ns(), now = start, before;

  if (start < yields_from)
    return;
  while (dart__event_count(event) == old && now - start < most) {
    before = now;
    dart__yield();
    now = dart__now_ns();
    if (now - before >= most)
      yields_from = now + DART__FEW * (now - before);
  }
}

/* What a wait does when it has spun in vain, until it looks again. One that only an event ends sleeps on that. Others
 * yield the core every few turns, or, after `awake` turns without traffic, sleep: on what `sleep` says, or, if that is on
 * nothing, for a nap. Most of their turns end at once, for progress takes so long that a pause of the processor is no
 * use. */
static void give_way(const dart__wait_policy_t *policy, uint64_t turn, uint64_t awake,
                     const sleep_t *sleep)
{
  const dart__wait_pace_t *pace       = policy->pace;
  bool                     event_ends = pace->progress == NULL && sleep->count > 0;
  uint32_t                 pause      = 0;

  if (!event_ends && ends_at_once(pace, turn, turn >= awake)) {
    call_check(policy, turn, false);
    return;
  }
  if (event_ends)
    pause = policy->check != NULL ? DART__CHECK_US : 0;
  else if (turn >= awake)
    pause = pause_of(pace);
  dart__waiting_stamp();
  if (!event_ends && pause == 0)
    dart__yield();
  else if (sleep->count > 0)
    sleep_unless(sleep, pause, NULL, NULL);
  else
    nap(pause);
  call_check(policy, turn, event_ends || pause > 0);
}

uint32_t dart__event_wait(dart__event_t *event, uint32_t old, const dart__wait_policy_t *policy)
{
  const dart__wait_pace_t *pace    = policy->pace;
  dart__waiting_t         *waiting = NULL;

  if (pace->progress == NULL && pace->yield_us > 0)
    yield_while(event, old, pace);
  for (uint64_t polls = 0;; polls++) {
    uint32_t now = dart__event_count(event);
    sleep_t  sleep;

    if (now != old) {
      dart__tsan_hear();
      dart__waiting_end(waiting);
      return now;
    }
    if (polls == pace->spins && policy->note != NULL)
      waiting = policy->note(policy->subject);
    if (pace->progress != NULL && (polls % DART__POLLS == 0 || polls >= pace->spins))
      pace->progress(); /* every few polls while spinning, and before every sleep */
    if (polls < pace->spins) {
      dart__cpu_pause();
      continue;
    }
    sleep = sleep_on(event, old, pace);
    give_way(policy, polls, pace->spins + (uint64_t)pace->yields, &sleep);
  }
}

void dart__wait_turn(dart__turns_t *turns, const dart__wait_policy_t *policy)
{
  if (policy->pace->progress != NULL)
    policy->pace->progress();
  dart__wait_pause(turns, policy);
}

void dart__wait_pause(dart__turns_t *turns, const dart__wait_policy_t *policy)
{
  const dart__wait_pace_t *pace     = policy->pace;
  dart__event_t           *arrivals = dart__wait_arrivals(pace);
  uint32_t                 turn = turns->count++, spins = pace->spins / DART__POLLS;
  uint64_t awake = DART__AWAKE_US / (arrivals != NULL ? pace->per_core : 1) + pace->yields;

  if (pace->progress == NULL && (turn < spins || turn % DART__LOOKS != 0))
    dart__cpu_pause();
  if (turn >= spins) {
    sleep_t sleep = sleep_on_arrivals(pace, turns->seen);

    give_way(policy, turn, spins + awake, &sleep);
  }
  if (arrivals != NULL)
    turns->seen = dart__event_count(arrivals); /* before the caller looks */
}
