/* See await.h.
 *
 * A waiter reads its event's counter, then what it waits for; that is changed before the event is raised. So either
 * the waiter sees the change, or the event has changed, too, and the waiter does not sleep. What changes silently is
 * found by looking again after a sleep, which is bounded by a part of the time waited: such a wait takes that part
 * longer than one that polls. */
#include "rma/await.h"

#include "far/gone.h"
#include "far/progress.h"
#include "model/lost.h"
#include "p2p/twosided.h"
#include "wait/timed.h"

/* A wait, and what near units see of it once it sleeps. */
typedef struct {
  dart__wait_t         wait;
  const dart__await_t *await;
  int                  watch[DART__WATCHED_MOST]; /* -1: nothing */
  int                  nwatches;
  bool                 is_noted; /* it has been */
  uint32_t             seen;     /* of the event, at the last look */
  uint64_t             in_vain;  /* wake-ups */
} sleeper_t;

static void make_note(sleeper_t *s)
{
  dart__watched_t watched[DART__WATCHED_MOST];

  s->is_noted = true;
  s->nwatches = s->await->watch(s->await->context, watched);
  dart__watch_begin(watched, s->nwatches, s->watch);
}

static void take_back(sleeper_t *s)
{
  while (s->nwatches > 0)
    dart__watch_end(s->watch[--s->nwatches]);
}

/* Before a sleep: a look has found nothing. Others may write between several words for as long as this unit waits, and to
 * wake it takes them much longer than to write: so the note is taken back after some wake-ups. False: there is a look to
 * make, now that others see the note. */
static bool note_words(dart__wait_t *wait, uint32_t *seen)
{
  sleeper_t *s      = (sleeper_t *)wait;
  bool       is_new = !s->is_noted;

  if (is_new)
    make_note(s);
  else if (s->nwatches > 0 && s->await->most_in_vain > 0 && *seen != s->seen &&
           ++s->in_vain >= s->await->most_in_vain)
    take_back(s);
  s->seen = *seen;
  return !is_new;
}

static dart__waiting_t *note_await(void *subject)
{
  const dart__await_t *await = subject;

  return dart__waiting_begin(await->function, await->what);
}

static bool check_others(void *subject)
{
  const dart__await_t *await = subject;

  dart__gone_check_all(await->function);
  return await->gives_up != NULL ? await->gives_up(await->context)
                                 : dart__gone_gives_up(&await->what);
}

static bool await_until(const dart__await_t *await)
{
  dart__event_t      *event     = dart__twosided_event(dart__world.me);
  bool                has_limit = await->timeout_us >= 0 && await->timeout_us < INT64_MAX / 1000;
  dart__wait_policy_t policy    = { &dart__world.pace, check_others, (void *)(uintptr_t)await,
                                    note_await };
  sleeper_t           s         = { .await = await,
                                    .wait  = { .look     = await->is_there,
                                               .context  = await->context,
                                               .limit_ns = has_limit ? await->timeout_us * 1000 : INT64_MAX,
                                               .looks_once = await->is_slow,
                                               .is_silent  = await->is_silent,
                                               .word       = &event->count,
                                               .sleepers   = &event->sleepers,
                                               .prepare    = await->is_silent ? note_words : NULL } };
  bool                is_there  = dart__wait_until(&s.wait, &policy);

  if (!is_there && dart__survives()) /* it may have come just before its unit was lost */
    is_there = await->is_there(await->context);
  take_back(&s);
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

bool dart__await(const char *function, bool (*is_there)(void *context), void *context,
                 dart__wait_for_t what)
{
  return dart__await_within(&(dart__await_t){ function, is_there, context, DART__COUNT_EPOCH_WAIT,
                                              .timeout_us = -1, .what = what });
}
