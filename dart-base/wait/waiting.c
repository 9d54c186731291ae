/* See waiting.h. Words are relaxed where no other order is named: each has one writer, and readers look at waits that
 * have lasted. */
#include "wait/waiting.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/last_call.h"

static dart__waits_t own;

dart__waits_t *dart__waits = &own;

void dart__waits_move(dart__waits_t *waits)
{
  uint32_t answers = atomic_load_explicit(&dart__waits->answers, memory_order_relaxed);

  dart__waits = waits != NULL ? waits : &own;
  atomic_store_explicit(&dart__waits->answers, answers, memory_order_relaxed);
  atomic_store_explicit(&dart__waits->pid, getpid(), memory_order_relaxed);
}

/* ---- writing ------------------------------------------------------------------------------- */

/* `function` is of this process. The name is complete before `named` says whose it is. */
static void name_call(dart__waiting_t *w, uint64_t function)
{
  const char *name = (const char *)(uintptr_t)function;
  size_t      i    = 0;

  if (function == 0 || function == atomic_load_explicit(&w->named, memory_order_relaxed))
    return;
  for (; i + 1 < sizeof w->name && name[i] != '\0'; i++)
    w->name[i] = name[i];
  w->name[i] = '\0';
  /* release: pairs with the acquire in read_thread */
  atomic_store_explicit(&w->named, function, memory_order_release);
}

void dart__waiting_stamp(void)
{
  dart__tally_t   *tally = dart__tally_own;
  dart__waiting_t *w;

  if (tally == NULL || tally->number >= DART__WAITERS)
    return;
  w = &dart__waits->thread[tally->number];
  if (atomic_load_explicit(&w->kind, memory_order_relaxed) == DART__WAIT_NONE ||
      atomic_load_explicit(&w->since, memory_order_relaxed) != 0)
    return;
  name_call(w, atomic_load_explicit(&w->function, memory_order_relaxed));
  atomic_store_explicit(&w->since, dart__coarse_ns(), memory_order_relaxed);
}

/* The entry of the calling thread, if that does not wait; or NULL. */
static dart__waiting_t *own_idle(void)
{
  const dart__tally_t *tally = dart__tally_own;
  dart__waiting_t     *w;

  if (tally == NULL || tally->number >= DART__WAITERS)
    return NULL;
  w = &dart__waits->thread[tally->number];
  return atomic_load_explicit(&w->kind, memory_order_relaxed) == DART__WAIT_NONE ? w : NULL;
}

void dart__waits_complete(void)
{
  dart__waiting_t *idle = dart__call != NULL ? own_idle() : NULL;

  for (int i = 0; i < DART__WAITERS; i++) {
    dart__waiting_t *w = &dart__waits->thread[i];

    name_call(w, w == idle ? (uint64_t)(uintptr_t)dart__call
                           : atomic_load_explicit(&w->function, memory_order_relaxed));
  }
}

void dart__waits_join(int32_t team, bool is_member)
{
  uint64_t bit = UINT64_C(1) << team % 64;

  if (team >= DART__WAIT_TEAMS)
    return;
  if (is_member)
    atomic_fetch_or_explicit(&dart__waits->team[team / 64], bit, memory_order_relaxed);
  else
    atomic_fetch_and_explicit(&dart__waits->team[team / 64], ~bit, memory_order_relaxed);
}

/* ---- reading ------------------------------------------------------------------------------- */

bool dart__waits_is_member(const dart__waits_t *waits, int32_t team)
{
  return team >= 0 && team < DART__WAIT_TEAMS &&
         (atomic_load_explicit((_Atomic uint64_t *)&waits->team[team / 64], memory_order_relaxed) >>
              team % 64 &
          1) != 0;
}

static dart__wait_seen_t read_thread(const dart__waiting_t *from)
{
  dart__waiting_t  *w    = (dart__waiting_t *)from; /* atomic loads want it so */
  dart__wait_seen_t seen = { .what.kind = atomic_load_explicit(&w->kind, memory_order_acquire) };

  seen.what.team  = atomic_load_explicit(&w->team, memory_order_relaxed);
  seen.what.unit  = atomic_load_explicit(&w->unit, memory_order_relaxed);
  seen.what.first = atomic_load_explicit(&w->first, memory_order_relaxed);
  seen.what.last  = atomic_load_explicit(&w->last, memory_order_relaxed);
  seen.since      = atomic_load_explicit(&w->since, memory_order_relaxed);
  if (atomic_load_explicit(&w->named, memory_order_acquire) ==
          atomic_load_explicit(&w->function, memory_order_relaxed) ||
      seen.what.kind == DART__WAIT_NONE)
    memcpy(seen.name, w->name, sizeof seen.name);
  seen.name[sizeof seen.name - 1] = '\0';
  return seen;
}

/* Whether `a` says more than `b`: a wait more than none, a long one more than a short one. */
static bool is_longer(const dart__wait_seen_t *a, const dart__wait_seen_t *b)
{
  if ((a->what.kind == DART__WAIT_NONE) != (b->what.kind == DART__WAIT_NONE))
    return a->what.kind != DART__WAIT_NONE;
  if (a->what.kind == DART__WAIT_NONE)
    return b->name[0] == '\0';
  return a->since != 0 && (b->since == 0 || a->since < b->since);
}

dart__wait_seen_t dart__waits_read(const dart__waits_t *waits)
{
  dart__wait_seen_t longest = read_thread(&waits->thread[0]);

  for (int i = 1; i < DART__WAITERS; i++) {
    dart__wait_seen_t seen = read_thread(&waits->thread[i]);

    if (is_longer(&seen, &longest))
      longest = seen;
  }
  return longest;
}

static void describe_flush(const dart__wait_for_t *w, char *text, size_t size)
{
  if (w->unit >= 0)
    snprintf(text, size, "unit %d to apply what was sent to it", w->unit);
  else
    snprintf(text, size, "units of team %d to apply what was sent to them", w->team);
}

static void describe_recv(const dart__wait_for_t *w, char *text, size_t size)
{
  char unit[24] = "any unit", tag[24] = "any tag";

  if (w->unit != DART__WAIT_ANY)
    snprintf(unit, sizeof unit, "unit %d", w->unit);
  if ((int32_t)w->first != DART__WAIT_ANY)
    snprintf(tag, sizeof tag, "tag %d", (int)w->first);
  snprintf(text, size, "a message of %s, %s", unit, tag);
}

static void describe_epoch(const dart__wait_for_t *w, char *text, size_t size)
{
  int n;

  if (w->kind == DART__WAIT_FENCE && w->unit >= 0)
    n = snprintf(text, size, "unit %d to leave its fence", w->unit);
  else if (w->kind == DART__WAIT_FENCE)
    n = snprintf(text, size, "operations of units before their fence");
  else if (w->kind == DART__WAIT_POST)
    n = snprintf(text, size, "the post of unit %d", w->unit);
  else if (w->kind == DART__WAIT_ORIGINS)
    n = snprintf(text, size, "units to complete their accesses");
  else
    n = snprintf(text, size, "the lock of unit %d", (int)w->last);
  if (n > 0 && (size_t)n < size)
    snprintf(text + n, size - (size_t)n, " in segment %d of team %d", (int)w->first, w->team);
}

static void describe_what(const dart__wait_for_t *w, char *text, size_t size)
{
  switch (w->kind) {
  case DART__WAIT_JOB: snprintf(text, size, "all units of the job"); break;
  case DART__WAIT_COLLECTIVE: snprintf(text, size, "team %d", w->team); break;
  case DART__WAIT_LOCK:
    snprintf(text, size, "lock %" PRIu64 " of team %d", w->first, w->team);
    break;
  case DART__WAIT_LOCK_AT:
    snprintf(text, size, "the lock at offset %" PRIu64 " of unit %d in segment %d of team %d",
             w->first, w->unit, (int)(int32_t)(uint32_t)w->last, w->team);
    break;
  case DART__WAIT_RANGE:
    snprintf(text, size, "range lock %d of team %d, from %" PRIu64 " to %" PRIu64, w->unit, w->team,
             w->first, w->last);
    break;
  case DART__WAIT_COUNTER:
    snprintf(text, size,
             "the counter at offset %" PRIu64 " in segment %d of team %d to reach %" PRIu64,
             w->first, w->unit, w->team, w->last);
    break;
  case DART__WAIT_WORD:
    snprintf(text, size, "the word at offset %" PRIu64 " in segment %d of team %d", w->first,
             w->unit, w->team);
    break;
  case DART__WAIT_SEND:
    snprintf(text, size, "unit %d to receive, tag %d", w->unit, (int)w->first);
    break;
  case DART__WAIT_RECV: describe_recv(w, text, size); break;
  case DART__WAIT_SENDRECV:
    snprintf(text, size, "unit %d to receive, and a message of unit %d", w->unit, (int)w->last);
    break;
  case DART__WAIT_FLUSH: describe_flush(w, text, size); break;
  default: describe_epoch(w, text, size); break;
  }
}

void dart__wait_describe(const dart__wait_seen_t *seen, char *text, size_t size)
{
  const char *name = seen->name[0] != '\0' ? seen->name : "DART";
  int         n;

  if (seen->what.kind != DART__WAIT_NONE) {
    n = snprintf(text, size, "%s: ", name);
    if (n > 0 && (size_t)n < size)
      describe_what(&seen->what, text + n, size - (size_t)n);
  } else if (seen->name[0] != '\0') {
    snprintf(text, size, "nothing of DART; before, it was in %s", name);
  } else {
    snprintf(text, size, "nothing of DART");
  }
}
