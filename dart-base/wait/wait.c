/* Waiting: see wait.h for the argument. There is one loop, wait_for_look; what it does between two looks is end_turn, which
 * loops outside of it call, too (dart__wait_pause). The policy of a wait:
 *
 *                            spins    progress       yields                 sleeps after
 *   has a core               spins    each turn (1)  each 64th turn         1 ms, and traffic is over
 *   shares it, one node      -        -              each turn (2)          1 ms
 *   shares it, several       - (1)    each turn      each 16th turn (3)     1 ms; with arrivals its part of it, in turns (3)
 *   backs off (mutex)        spins    each turn      with a core: each      32 pauses for each of `yields`
 *
 * (1) of memory: it spins, with progress at each 64th turn, and then sleeps, unless it has a core and several nodes; (2)
 * unless somebody computes on this core; (3) if it has a word to sleep on: each turn, and 1 ms. */
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

#define AWAKE_NS (DART__AWAKE_US * INT64_C(1000)) /* before the first sleep */

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
    return dart__wait_shared_us(pace, wakers > 1 ? DART__AWAKE_US : pace->nap_us);
  return pace->pause_us != NULL ? pace->pause_us() : pace->nap_us;
}

/* After a sleep, or yields that took as long, and after many polls without one. True: give up. */
static bool call_check(const dart__wait_policy_t *policy, uint64_t polls, bool slept)
{
  return policy->check != NULL && (slept || (polls + 1) % (DART__LOOKS * DART__POLLS) == 0) &&
         policy->check(policy->subject);
}

/* Whether units may be lost, of which a check tells. On a loaded machine a yield may take tenths of a second. So such a wait
 * looks at the clock with each, and once it is late it sleeps, or calls the check in each turn. */
static bool may_lose(const dart__wait_pace_t *pace)
{
  return pace->check_us != 0;
}

static bool is_late(const dart__turns_t *t, const dart__wait_pace_t *pace)
{
  return may_lose(pace) && t->waited_ns >= AWAKE_NS;
}

/* ---- sleeping ----------------------------------------------------------------------------------- */

/* What a thread sleeps on: a word, such as the count of an event, and perhaps what comes from other nodes meanwhile. */
typedef struct {
  int               count;
  _Atomic uint32_t *word[2];
  _Atomic uint32_t *sleepers[2]; /* of an event; NULL: whoever changes the word knows otherwise */
  uint32_t          seen[2];
  uint32_t          bits;                /* of a single word; 0: any */
  uint32_t (*idle_us)(uint32_t most_us); /* NULL: nothing comes */
} sleep_t;

static void add_word(sleep_t *s, _Atomic uint32_t *word, _Atomic uint32_t *sleepers, uint32_t seen)
{
  s->word[s->count]     = word;
  s->sleepers[s->count] = sleepers;
  s->seen[s->count++]   = seen;
}

/* On what ends the wait, and on arrivals. On nothing, if there is no word, and the network raises nothing. */
static sleep_t sleep_on(const dart__wait_t *w, const dart__turns_t *t,
                        const dart__wait_pace_t *pace)
{
  dart__event_t *arrivals = dart__wait_arrivals(pace);
  sleep_t        sleep    = { .bits = w->bits };

  if (w->word != NULL)
    add_word(&sleep, w->word, w->sleepers, t->word_seen);
  if (arrivals != NULL)
    add_word(&sleep, &arrivals->count, &arrivals->sleepers, t->seen);
  sleep.idle_us = arrivals != NULL ? pace->idle_us : NULL;
  return sleep;
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

/* Of a loop that looks by itself. */
static dart__wait_t for_anything = { .limit_ns = INT64_MAX };

void dart__arrivals_sleep(const dart__wait_pace_t *pace, uint32_t seen, uint32_t most_us)
{
  sleep_t sleep = sleep_on(&for_anything, &(dart__turns_t){ .seen = seen }, pace);

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

/* ---- the loop ----------------------------------------------------------------------------------- */

#define INLINED static inline __attribute__((always_inline))

#define MOST_DOUBLED (__builtin_ctz(DART__POLLS) - 1) /* pauses of a wait that backs off */

typedef enum { ON, THERE, GIVEN_UP } outcome_t;

/* When this thread may yield its core in a wait again; by dart__now_ns. */
static _Thread_local int64_t yields_from;

/* Where units share a core a wait yields it before all else. If it is away for long at a time, somebody computes on it, and
 * the next waits are no better off. So they do not yield for a while, and what is lost on yields stays a small part of the
 * time. */
static bool may_yield_first(const dart__wait_t *w, const dart__wait_pace_t *pace)
{
  if (pace->yield_us == 0 || w->backs_off)
    return false;
  return pace->progress == NULL ? dart__now_ns() >= yields_from : !w->is_of_memory;
}

INLINED bool spins(const dart__turns_t *t, const dart__wait_pace_t *pace)
{
  return t->spun < pace->spins && !t->yields_first;
}

/* Turns from one yield to the next; 0: it does not yield. */
static uint32_t yield_stride(const dart__wait_t *w, const dart__wait_pace_t *pace)
{
  if (w->backs_off)
    return pace->yields > 0;
  if (pace->yields > 0)
    return DART__POLLS;
  return pace->progress != NULL && w->word == NULL ? DART__LOOKS : 1;
}

/* Whether it is too early to sleep, for a wait that has spun in vain. */
static bool is_awake(const dart__wait_t *w, const dart__turns_t *t, const dart__wait_pace_t *pace)
{
  bool shares = pace->yields == 0;

  if (w->backs_off)
    return t->spun < pace->spins + ((uint64_t)pace->yields << MOST_DOUBLED);
  if (is_late(t, pace))
    return false;
  if (t->yields_first && !w->is_of_memory && t->count < pace->spins)
    return true;
  if (shares && pace->progress == NULL)
    return t->yields_first && t->waited_ns < pace->yield_us * INT64_C(1000);
  if (w->is_of_memory && (shares || pace->progress == NULL))
    return false; /* whoever ends it wakes a sleeper at once, and may need this core */
  if (w->word == NULL && w->limit_ns == INT64_MAX && dart__wait_arrivals(pace) != NULL)
    return t->count < DART__AWAKE_US / pace->per_core;
  return t->waited_ns < AWAKE_NS;
}

/* Look at the clock. A wait that is awake does so with some of its turns: it takes as long as some polls. */
static void take_time(dart__turns_t *t, bool awake, uint32_t stride, const dart__wait_pace_t *pace)
{
  uint32_t every  = stride > DART__FEW || may_lose(pace) ? stride : DART__FEW;
  int64_t  before = t->start_ns + t->waited_ns, now;

  if (t->start_ns != 0 && awake && t->count % every != 0)
    return;
  now = dart__now_ns();
  if (t->start_ns == 0)
    t->start_ns = before = now;
  if (t->yields_first && awake && now - before >= AWAKE_NS)
    yields_from = now + DART__FEW * (now - before);
  t->waited_ns = now - t->start_ns;
}

/* A call of progress is a pause by itself, and takes as long as many polls. */
INLINED void pause_awhile(const dart__wait_t *w, dart__turns_t *t, bool progressed)
{
  uint32_t pauses = w->backs_off ? UINT32_C(1) << t->doubled : !progressed;

  for (uint32_t i = 0; i < pauses; i++)
    dart__cpu_pause();
  t->spun += w->backs_off ? pauses : progressed && w->word == NULL ? DART__POLLS : 1;
  t->doubled += t->doubled < MOST_DOUBLED;
}

static outcome_t stay_awake(const dart__wait_t *w, dart__turns_t *t, bool progressed, bool yields,
                            const dart__wait_policy_t *policy)
{
  if (!yields || w->backs_off)
    pause_awhile(w, t, progressed);
  if (yields)
    dart__yield();
  return call_check(policy, t->count, is_late(t, policy->pace)) ? GIVEN_UP : ON;
}

static int64_t least_of(int64_t a, int64_t b)
{
  return a < b ? a : b;
}

/* How long to sleep, in microseconds, at least one; `pause_us`, unless it is 0: to the next call of progress. */
static uint32_t sleep_limit(const dart__wait_t *w, const dart__turns_t *t, uint32_t pause_us,
                            const dart__wait_pace_t *pace)
{
  int64_t most = pause_us != 0    ? pause_us
                 : may_lose(pace) ? pace->check_us
                                  : dart__wait_longest_us(pace);
  int64_t part = least_of(DART__AWAKE_US, t->waited_ns / DART__PART / 1000);

  if (w->is_silent)
    most = least_of(most, part);
  else if (w->naps_grow && part > most)
    most = part;
  most = least_of(most, (w->limit_ns - t->waited_ns) / 1000);
  return most < 1 ? 1 : (uint32_t)most;
}

/* Before a look: what changes after it ends the next sleep. */
static void note_seen(const dart__wait_t *w, dart__turns_t *t, const dart__wait_pace_t *pace)
{
  dart__event_t *arrivals = dart__wait_arrivals(pace);

  if (w->word != NULL) /* acquire: what ended the wait came before the change of the word */
    t->word_seen = atomic_load_explicit(w->word, memory_order_acquire);
  if (arrivals != NULL)
    t->seen = dart__event_count(arrivals);
  t->has_seen = true;
}

static outcome_t sleep_once(dart__wait_t *w, dart__turns_t *t, sleep_t *sleep, uint32_t pause_us,
                            const dart__wait_policy_t *policy)
{
  uint32_t most = sleep_limit(w, t, pause_us, policy->pace);

  if (sleep->count == 0)
    nap(most);
  else if (!t->has_seen || (w->prepare != NULL && !w->prepare(w, &sleep->seen[0])))
    return ON;
  else if (sleep_unless(sleep, most, w->look, w->context))
    return THERE;
  return call_check(policy, t->count, true) ? GIVEN_UP : ON;
}

/* The end of a turn that has not just spun. */
static __attribute__((noinline)) outcome_t yield_or_sleep(dart__wait_t *w, dart__turns_t *t,
                                                          bool                       progressed,
                                                          const dart__wait_policy_t *policy)
{
  const dart__wait_pace_t *pace = policy->pace;
  bool                     spun = !spins(t, pace), awake = !spun || is_awake(w, t, pace);
  uint32_t                 stride = yield_stride(w, pace), pause_us = 0;
  bool                     yields = spun && stride > 0 && t->count % stride == 0;
  outcome_t                outcome;
  sleep_t                  sleep;

  if (!w->backs_off || !awake)
    take_time(t, awake, stride, pace);
  if (t->waited_ns >= w->limit_ns)
    return GIVEN_UP;
  if (awake || (pace->progress != NULL && stride == DART__POLLS && !yields))
    return stay_awake(w, t, progressed, yields, policy);
  if (policy->note != NULL && t->waiting == NULL && w->look != NULL) /* a loop notes by itself */
    t->waiting = policy->note(policy->subject);
  dart__waiting_stamp();
  if (w->look != NULL) /* the sleep looks once more */
    note_seen(w, t, pace);
  sleep = sleep_on(w, t, pace);
  if (pace->progress != NULL || sleep.count == 0) {
    pause_us = pause_of(pace, sleep.count);
    if (pause_us == 0)
      return stay_awake(w, t, progressed, yields, policy);
  }
  outcome = sleep_once(w, t, &sleep, pause_us, policy);
  if (w->look == NULL)
    note_seen(w, t, pace);
  return outcome;
}

/* The end of a turn: what every wait does between two looks. */
INLINED outcome_t end_turn(dart__wait_t *w, dart__turns_t *t, bool progressed,
                           const dart__wait_policy_t *policy)
{
  bool      has_limit = w->limit_ns != INT64_MAX && !w->backs_off;
  outcome_t outcome   = ON;

  if (t->count == 0)
    t->yields_first = may_yield_first(w, policy->pace);
  if (spins(t, policy->pace) && (!has_limit || t->count % DART__POLLS != 0))
    pause_awhile(w, t, progressed);
  else
    outcome = yield_or_sleep(w, t, progressed, policy);
  t->count++;
  return outcome;
}

/* Whether this turn makes progress. That takes as long as many looks at memory: a wait that spins on it makes it rarely. */
INLINED bool makes_progress(const dart__wait_t *w, const dart__turns_t *t,
                            const dart__wait_pace_t *pace)
{
  return pace->progress != NULL &&
         (!w->is_of_memory || t->count % DART__POLLS == 0 || !spins(t, pace));
}

/* Inlined, with its look. */
INLINED bool wait_for_look(dart__wait_t *w, bool (*look)(void *context), void *context,
                           const dart__wait_policy_t *policy)
{
  const dart__wait_pace_t *pace    = policy->pace;
  dart__turns_t            t       = { 0 };
  outcome_t                outcome = ON;

  while (outcome == ON) {
    bool progresses = makes_progress(w, &t, pace);

    if ((!w->looks_once || !progresses) && look(context))
      break;
    if (progresses) {
      pace->progress();
      if (look(context)) /* progress may have just brought it */
        break;
    }
    outcome = w->limit_ns == 0 ? GIVEN_UP : end_turn(w, &t, progresses, policy);
  }
  dart__waiting_end(t.waiting);
  return outcome != GIVEN_UP;
}

/* ---- the waits ---------------------------------------------------------------------------------- */

typedef struct {
  const dart__event_t *event;
  uint32_t             old, now; /* `now`: of the last look */
} change_t;

INLINED bool has_changed(void *context)
{
  change_t *change = context;

  change->now = dart__event_count(change->event);
  return change->now != change->old;
}

uint32_t dart__event_wait(dart__event_t *event, uint32_t old, const dart__wait_policy_t *policy)
{
  change_t     change = { event, old, old };
  dart__wait_t wait   = { .look         = has_changed,
                          .context      = &change,
                          .limit_ns     = INT64_MAX,
                          .is_of_memory = true,
                          .word         = &event->count,
                          .sleepers     = &event->sleepers };

  if (!wait_for_look(&wait, has_changed, &change, policy))
    return old;
  dart__tsan_hear();
  return change.now;
}

bool dart__wait_until(dart__wait_t *w, const dart__wait_policy_t *policy)
{
  return wait_for_look(w, w->look, w->context, policy);
}

bool dart__wait_pause(dart__turns_t *turns, const dart__wait_policy_t *policy)
{
  return end_turn(&for_anything, turns, policy->pace->progress != NULL, policy) == ON;
}

bool dart__wait_turn(dart__turns_t *turns, const dart__wait_policy_t *policy)
{
  if (policy->pace->progress != NULL)
    policy->pace->progress();
  return dart__wait_pause(turns, policy);
}
