/* See await.h.
 *
 * A waiter reads its event's counter, then what it waits for; that is changed before the event is raised. So either
 * the waiter sees the change, or the event has changed, too, and the waiter does not sleep. What changes silently is
 * found by looking again after a sleep, which is bounded by a part of the time waited: such a wait takes that part
 * longer than one that polls.
 *
 * Before a waiter sleeps it yields its core for a while, for to be woken takes longer than a few units of the node
 * take to run in turns. The while is measured by the clock: a yield that takes long, because somebody computes on this
 * core, ends it, and a sleeper is woken ahead of who computes. */
#include "rma/await.h"

#include "far/gone.h"
#include "far/progress.h"
#include "p2p/twosided.h"
#include "wait/timed.h"
#include "wait/tuning.h"

#define AWAKE_NS (DART__AWAKE_US * INT64_C(1000)) /* before the first sleep */

typedef struct {
  int64_t limit;  /* of the wait; INT64_MAX: none */
  int64_t start;  /* by the clock; 0: not yet */
  int64_t waited; /* when it was looked at last */
} times_t;        /* ns */

static times_t times_of(const dart__await_t *await)
{
  bool has_limit = await->timeout_us >= 0 && await->timeout_us < INT64_MAX / 1000;

  return (times_t){ .limit = has_limit ? await->timeout_us * 1000 : INT64_MAX };
}

/* Look at the clock, but not with every poll: it takes as long as some of them. A short wait does not at all. */
static void take_time(times_t *times, uint64_t polls, bool spins)
{
  if (times->waited < AWAKE_NS && (polls + 1) % (spins ? DART__POLLS : DART__FEW) != 0)
    return;
  if (times->start == 0)
    times->start = dart__now_ns();
  else
    times->waited = dart__now_ns() - times->start;
}

static bool look_once(const dart__await_t *await, const dart__wait_pace_t *pace)
{
  if (pace->progress == NULL)
    return await->is_there(await->context);
  if (!await->is_slow && await->is_there(await->context))
    return true;
  pace->progress();
  return await->is_there(await->context); /* progress may have just brought it */
}

/* Between two polls. */
static void give_way(bool spins, const dart__wait_pace_t *pace)
{
  if (!spins || pace->yields == 0) /* it has had its time on its core, or has no core of its own */
    dart__yield();
  else if (pace->progress == NULL)
    dart__cpu_pause();
}

static int64_t least_of(int64_t a, int64_t b)
{
  return a < b ? a : b;
}

/* How long to sleep, in microseconds, at least one. */
static uint32_t sleep_limit(const dart__await_t *await, const times_t *times)
{
  int64_t most = DART__CHECK_US;

  if (await->is_silent)
    most = least_of(DART__AWAKE_US, times->waited / DART__PART / 1000);
  most = least_of(most, (times->limit - times->waited) / 1000);
  return most < 1 ? 1 : (uint32_t)most;
}

/* What near units see of a wait that sleeps. */
typedef struct {
  int      watch[DART__WATCHED_MOST]; /* -1: nothing */
  int      nwatches;
  bool     is_noted; /* it has been */
  uint32_t seen;     /* of the event, at the last look */
  uint64_t in_vain;  /* wake-ups */
} note_t;

static void make_note(const dart__await_t *await, uint32_t seen, note_t *note_out)
{
  dart__watched_t watched[DART__WATCHED_MOST];

  *note_out          = (note_t){ .is_noted = true, .seen = seen };
  note_out->nwatches = await->watch(await->context, watched);
  dart__watch_begin(watched, note_out->nwatches, note_out->watch);
}

static void take_back(note_t *note)
{
  while (note->nwatches > 0)
    dart__watch_end(note->watch[--note->nwatches]);
}

/* A look has found nothing. Others may write between several words for as long as this unit waits, and to wake it takes
 * them much longer than to write. */
static void end_if_in_vain(const dart__await_t *await, uint32_t seen, note_t *note)
{
  if (note->nwatches == 0 || await->most_in_vain == 0 || seen == note->seen)
    return;
  note->seen = seen;
  if (++note->in_vain >= await->most_in_vain)
    take_back(note);
}

/* Until it is there, true, or the time is over. */
static bool poll_until(const dart__await_t *await, dart__waiting_t **waiting_out, note_t *noted)
{
  const dart__wait_pace_t *pace  = &dart__world.pace;
  dart__event_t           *event = dart__twosided_event(dart__world.me);
  times_t                  times = times_of(await);

  for (uint64_t polls = 0;; polls++) {
    bool     spins = polls < pace->spins, may_sleep = !spins && times.waited >= AWAKE_NS;
    uint32_t seen = may_sleep ? dart__event_count(event) : 0; /* before the look */

    if (look_once(await, pace))
      return true;
    if (times.limit == 0)
      return false;
    if (polls == DART__LOOKS)
      *waiting_out = dart__waiting_begin(await->function, await->what);
    take_time(&times, polls, spins);
    if (times.waited >= times.limit)
      return false;
    if (!may_sleep) {
      give_way(spins, pace);
      continue;
    }
    if (await->is_silent && !noted->is_noted) {
      make_note(await, seen, noted);
      continue; /* a look, now that others see the note */
    }
    end_if_in_vain(await, seen, noted);
    if (dart__event_sleep_unless(event, seen, polls, sleep_limit(await, &times), &dart__world.wait,
                                 await->is_there, await->context))
      return true;
    dart__gone_check_all(await->function);
  }
}

static bool await_until(const dart__await_t *await)
{
  dart__waiting_t *waiting  = NULL;
  note_t           noted    = { .nwatches = 0 };
  bool             is_there = poll_until(await, &waiting, &noted);

  take_back(&noted);
  dart__waiting_end(waiting);
  return is_there;
}

bool dart__await_within(const dart__await_t *await)
{
  dart__timed_t timed;
  bool          is_there;

  dart__progress();
  if (!await->is_slow && await->is_there(await->context))
    return true;
  if (await->timeout_us == 0 || await->is_counted)
    return await_until(await);
  timed    = dart__timed_begin(await->counter);
  is_there = await_until(await);
  dart__timed_end(await->counter, timed);
  return is_there;
}

void dart__await(const char *function, bool (*is_there)(void *context), void *context,
                 dart__wait_for_t what)
{
  dart__await_within(&(dart__await_t){ function, is_there, context, DART__COUNT_EPOCH_WAIT,
                                       .timeout_us = -1, .what = what });
}
