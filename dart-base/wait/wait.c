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

const dart__wait_policy_t dart__wait_briefly = { .pace = &(const dart__wait_pace_t){
                                                     .spins = DART__SPINS_SHARED } };

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
  int64_t end = dart__now_ns() + us * INT64_C(1000);

  return (struct timespec){ end / 1000000000, end % 1000000000 };
}

/* Those are woken that wait with one of the bits that are woken. This kind of wait has an end, not a duration. */
static void futex_wait_bits(_Atomic uint32_t *word, uint32_t expected, uint32_t most_us,
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

/* How long to sleep until the next call of `progress`; 0: not at all. `wakers`: how many words a change of which ends the
 * sleep; two are all that the wait is for. */
static uint32_t pause_of(const dart__wait_pace_t *pace, int wakers)
{
  if (dart__wait_arrivals(pace) != NULL)
    return dart__wait_shared_us(pace, pace->nap_us * (wakers > 1 ? DART__ANNOUNCED : 1));
  return pace->pause_us != NULL ? pace->pause_us() : pace->nap_us;
}

/* After a sleep, and after many polls without one. True: give up. */
static bool call_check(const dart__wait_policy_t *policy, uint64_t polls, bool slept)
{
  return policy->check != NULL && (slept || polls % (DART__LOOKS * DART__POLLS) == 0) &&
         policy->check(policy->subject);
}

static uint32_t longest_sleep(const dart__wait_pace_t *pace)
{
  return pace->check_us != 0 ? pace->check_us : DART__LONGEST_US;
}

/* ---- sleeping ----------------------------------------------------------------------------------- */

/* What a thread sleeps on: a word, such as the count of an event, and perhaps what comes from other nodes meanwhile. */
typedef struct {
  int               count;
  _Atomic uint32_t *word[2];
  _Atomic uint32_t *sleepers[2]; /* of an event; NULL: who changes the word knows otherwise */
  uint32_t          seen[2];
  uint32_t          bits;                /* of a single word; 0: any */
  uint32_t (*idle_us)(uint32_t most_us); /* NULL: nothing comes */
} sleep_t;

static sleep_t sleep_on(_Atomic uint32_t *word, _Atomic uint32_t *sleepers, uint32_t seen,
                        const dart__wait_pace_t *pace)
{
  dart__event_t *arrivals = dart__wait_arrivals(pace);

  if (arrivals == NULL)
    return (sleep_t){ 1, { word }, { sleepers }, { seen }, 0, NULL };
  return (sleep_t){ 2,
                    { word, &arrivals->count },
                    { sleepers, &arrivals->sleepers },
                    { seen, dart__event_count(arrivals) },
                    0,
                    pace->idle_us };
}

/* On arrivals alone. On nothing, if the network raises none. */
static sleep_t sleep_on_arrivals(const dart__wait_pace_t *pace, uint32_t seen)
{
  dart__event_t *arrivals = dart__wait_arrivals(pace);

  if (arrivals == NULL)
    return (sleep_t){ .count = 0 };
  return (sleep_t){ 1, { &arrivals->count }, { &arrivals->sleepers }, { seen }, 0, pace->idle_us };
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

/* Sleep until one of two words changes, at most `most_us`, or a wake of any bits. Where the kernel cannot, a nap on the first. */
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
    if (s->count > 1)
      wait_for_either(s, most_us);
    else if (s->bits != 0)
      futex_wait_bits(s->word[0], s->seen[0], most_us, s->bits);
    else
      dart__futex_wait(s->word[0], s->seen[0], most_us);
  }
  for (int i = 0; i < s->count; i++)
    if (s->sleepers[i] != NULL)
      atomic_fetch_sub_explicit(s->sleepers[i], 1, memory_order_relaxed);
  sleep_as_before(slack);
  return is_over;
}

void dart__arrivals_sleep(const dart__wait_pace_t *pace, uint32_t seen, uint32_t most_us)
{
  sleep_t sleep = sleep_on_arrivals(pace, seen);

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

/* Yield the core until the counter is not `old`, or for pace->yield_us. If it is away for that long at a time, somebody
 * computes on it, and the next waits are no better off. So they do not yield for a while, and what is lost on yields
 * stays a small part of the time. */
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

/* What a wait does when it has spun in vain, until it looks again. False: it is given up. One that only an event ends
 * sleeps on that. Others yield the core every few turns, or, after `awake` turns without traffic, sleep: on what `sleep`
 * says, or, if that is on nothing, for a nap. Most of their turns end at once, for progress takes so long that a pause of
 * the processor is no use. */
static bool give_way(const dart__wait_policy_t *policy, uint64_t turn, uint64_t awake,
                     const sleep_t *sleep)
{
  const dart__wait_pace_t *pace       = policy->pace;
  bool                     event_ends = pace->progress == NULL && sleep->count > 0;
  uint32_t                 pause      = 0;

  if (!event_ends && ends_at_once(pace, turn, turn >= awake))
    return !call_check(policy, turn, false);
  if (event_ends)
    pause = policy->check != NULL ? longest_sleep(pace) : 0;
  else if (turn >= awake)
    pause = pause_of(pace, sleep->count);
  dart__waiting_stamp();
  if (!event_ends && pause == 0)
    dart__yield();
  else if (sleep->count > 0)
    sleep_unless(sleep, pause, NULL, NULL);
  else
    nap(pause);
  return !call_check(policy, turn, event_ends || pause > 0);
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
    sleep = sleep_on(&event->count, &event->sleepers, old, pace);
    if (!give_way(policy, polls, pace->spins + (uint64_t)pace->yields, &sleep)) {
      dart__waiting_end(waiting);
      return old;
    }
  }
}

/* ---- waits that a look ends --------------------------------------------------------------------- */

#define AWAKE_NS    (DART__AWAKE_US * INT64_C(1000)) /* before the first sleep */
#define MOST_PAUSES (2 * DART__LOOKS) /* between two looks of a wait that backs off */

typedef struct {
  uint64_t polls;
  uint64_t paused; /* in all */
  uint32_t pauses; /* until the next look */
  bool     spins;
  int64_t  start;  /* ns, by the clock; 0: not yet */
  int64_t  waited; /* when it was looked at last */
} looks_t;

/* Look at the clock, but not with every poll: it takes as long as some of them. A short wait does not at all; nor one that
 * backs off before it sleeps. */
static void take_time(const dart__wait_t *w, looks_t *l, bool may_sleep)
{
  if (!may_sleep && (w->backs_off || (l->waited < AWAKE_NS &&
                                      (l->polls + 1) % (l->spins ? DART__POLLS : DART__FEW) != 0)))
    return;
  if (l->start == 0)
    l->start = dart__now_ns();
  else
    l->waited = dart__now_ns() - l->start;
}

static bool look_once(const dart__wait_t *w, const dart__wait_pace_t *pace)
{
  if (pace->progress == NULL)
    return w->look(w->context);
  if (!w->looks_once && w->look(w->context))
    return true;
  pace->progress();
  return w->look(w->context); /* progress may have just brought it */
}

/* Between two polls, without a sleep. A call of progress is a pause by itself. */
static void stay_awake(const dart__wait_t *w, looks_t *l, bool yields,
                       const dart__wait_pace_t *pace)
{
  bool pauses = w->backs_off || (!yields && (pace->progress == NULL || !l->spins));

  for (uint32_t i = 0; pauses && i < l->pauses; i++)
    dart__cpu_pause();
  l->paused += l->pauses;
  if (w->backs_off && l->pauses < MOST_PAUSES)
    l->pauses *= 2;
  if (yields)
    dart__yield();
}

static int64_t least_of(int64_t a, int64_t b)
{
  return a < b ? a : b;
}

/* How long to sleep, in microseconds, at least one; `pause_us`, unless it is 0: to the next call of progress. */
static uint32_t sleep_limit(const dart__wait_t *w, const looks_t *l, uint32_t pause_us,
                            const dart__wait_pace_t *pace)
{
  int64_t most = pause_us != 0 ? pause_us : longest_sleep(pace);

  if (w->is_silent)
    most = least_of(most, least_of(DART__AWAKE_US, l->waited / DART__PART / 1000));
  most = least_of(most, (w->limit_ns - l->waited) / 1000);
  return most < 1 ? 1 : (uint32_t)most;
}

typedef enum { ON, THERE, GIVEN_UP } outcome_t;

/* `sleep` is what to sleep on, as it was before the last look. */
static outcome_t sleep_or_yield(dart__wait_t *w, looks_t *l, sleep_t *sleep,
                                const dart__wait_policy_t *policy)
{
  const dart__wait_pace_t *pace  = policy->pace;
  uint32_t                 pause = pace->progress != NULL ? pause_of(pace, sleep->count) : 0;

  if (pace->progress != NULL && pause == 0) {
    stay_awake(w, l, l->polls % DART__LOOKS == 0, pace);
    return call_check(policy, l->polls, false) ? GIVEN_UP : ON;
  }
  if (w->prepare != NULL && !w->prepare(w, &sleep->seen[0]))
    return ON;
  if (sleep_unless(sleep, sleep_limit(w, l, pause, pace), w->look, w->context))
    return THERE;
  return call_check(policy, l->polls, true) ? GIVEN_UP : ON;
}

bool dart__wait_until(dart__wait_t *w, const dart__wait_policy_t *policy)
{
  const dart__wait_pace_t *pace    = policy->pace;
  dart__waiting_t         *waiting = NULL;
  outcome_t                outcome = ON;

  for (looks_t l = { .pauses = 1 }; outcome == ON; l.polls++) {
    bool    may_sleep;
    sleep_t sleep;

    l.spins   = l.paused < pace->spins;
    may_sleep = w->backs_off ? l.paused >= pace->spins + (uint64_t)pace->yields * MOST_PAUSES
                             : !l.spins && l.waited >= AWAKE_NS;
    if (may_sleep) { /* acquire: what ended the wait came before the change of the word */
      sleep =
          sleep_on(w->word, w->sleepers, atomic_load_explicit(w->word, memory_order_acquire), pace);
      sleep.bits = w->bits;
    }
    if (look_once(w, pace))
      outcome = THERE;
    if (outcome == THERE || w->limit_ns == 0)
      break;
    if (l.polls == DART__LOOKS && policy->note != NULL)
      waiting = policy->note(policy->subject);
    take_time(w, &l, may_sleep);
    if (l.waited >= w->limit_ns)
      break;
    if (may_sleep)
      outcome = sleep_or_yield(w, &l, &sleep, policy);
    else
      stay_awake(w, &l, !l.spins || (pace->yields == 0 && !w->backs_off), pace);
  }
  dart__waiting_end(waiting);
  return outcome == THERE;
}

bool dart__wait_turn(dart__turns_t *turns, const dart__wait_policy_t *policy)
{
  if (policy->pace->progress != NULL)
    policy->pace->progress();
  return dart__wait_pause(turns, policy);
}

bool dart__wait_pause(dart__turns_t *turns, const dart__wait_policy_t *policy)
{
  const dart__wait_pace_t *pace     = policy->pace;
  dart__event_t           *arrivals = dart__wait_arrivals(pace);
  uint32_t                 turn = turns->count++, spins = pace->spins / DART__POLLS;
  uint64_t awake   = DART__AWAKE_US / (arrivals != NULL ? pace->per_core : 1) + pace->yields;
  bool     goes_on = true;

  if (pace->progress == NULL && (turn < spins || turn % DART__LOOKS != 0))
    dart__cpu_pause();
  if (turn >= spins) {
    sleep_t sleep = sleep_on_arrivals(pace, turns->seen);

    goes_on = give_way(policy, turn, spins + awake, &sleep);
  }
  if (arrivals != NULL)
    turns->seen = dart__event_count(arrivals); /* before the caller looks */
  return goes_on;
}
