/* See range_keep.h. The tables know nothing of it: a cached range is held. A thread that takes it from `kept` uses or
 * releases it, under the guard, so that nobody destroys the object meanwhile. */
#include "file/range_keep.h"

#include <pthread.h>

#include <dash/dart/ext/dart_profile.h>

#include "far/handlers.h"
#include "far/progress.h"
#include "lock/range_object.h"
#include "model/world.h"
#include "wait/wait.h"

#define SOON_NS 20000                            /* between two uses of a range that is kept */
#define MOST_NS (DART__AWAKE_US * INT64_C(1000)) /* in all, while others may be waiting */

static struct {
  pthread_mutex_t   guard;
  dart_range_hold_t hold;     /* NULL: nothing is kept */
  dart_range_t      range;    /* the last use of a single range: of which object, ... */
  dart_range_span_t span;     /* ... which, ... */
  bool              repeats;  /* ... whether it began soon after one of the same, ... */
  bool              is_fresh; /* ... and was asked for */
  int64_t           ended;    /* ns; when it was over */
  int64_t           since;    /* ns; the end of the last use that was asked for */
} kept = { .guard = PTHREAD_MUTEX_INITIALIZER };

/* The caller has the guard. */
static void release_cached(void)
{
  if (kept.hold != DART_RANGE_HOLD_NULL)
    dart__range_end(kept.hold);
  kept.hold = DART_RANGE_HOLD_NULL;
}

void dart__range_release_cached(void)
{
  if (!dart__world.has_agent)
    return;
  pthread_mutex_lock(&kept.guard);
  release_cached();
  pthread_mutex_unlock(&kept.guard);
}

/* Called by progress, and again while a range is cached or may be: a thread that has the guard may be at the end of
 * another use, and report nothing of the cached range. */
static void release_when_due(void)
{
  bool again = true;

  if (pthread_mutex_trylock(&kept.guard) == 0) {
    if (dart__now_ns() - kept.ended > SOON_NS)
      release_cached();
    again = kept.hold != DART_RANGE_HOLD_NULL;
    pthread_mutex_unlock(&kept.guard);
  }
  /* relaxed: this thread, or another one that makes progress, calls it again; `kept` is under the guard */
  if (again)
    atomic_store_explicit(&dart__handlers.is_answer_due, true, memory_order_relaxed);
}

/* Before main, so no thread can be reading them. */
static __attribute__((constructor)) void register_handlers(void)
{
  dart__handlers.answer         = release_when_due;
  dart__handlers.release_cached = dart__range_release_cached;
}

static bool is_last(dart_range_t range, const dart_range_span_t *span)
{
  return kept.range == range && kept.span.first == span->first && kept.span.last == span->last &&
         kept.span.mode == span->mode;
}

/* A use begins: reuse the cached range if it matches. */
static dart_range_hold_t begin_use(dart_range_t range, const dart_range_span_t spans[], size_t n)
{
  dart_range_hold_t hold;

  pthread_mutex_lock(&kept.guard);
  kept.repeats = n == 1 && is_last(range, spans) && dart__now_ns() - kept.ended < SOON_NS;
  if (n != 1 || !is_last(range, spans))
    release_cached();
  kept.range    = n == 1 ? range : DART_RANGE_NULL;
  kept.span     = spans[0];
  hold          = kept.hold;
  kept.hold     = DART_RANGE_HOLD_NULL;
  kept.is_fresh = hold == DART_RANGE_HOLD_NULL;
  pthread_mutex_unlock(&kept.guard);
  return hold;
}

dart_ret_t dart__range_acquire_again(dart_range_t range, const dart_range_span_t spans[], size_t n,
                                     int64_t timeout_us, dart_range_hold_t *hold)
{
  if (dart__world.has_agent)
    *hold = begin_use(range, spans, n);
  if (!dart__world.has_agent || *hold == DART_RANGE_HOLD_NULL)
    return pdart_range_acquire(range, spans, n, timeout_us, hold);
  dart__progress(); /* as in dart_range_acquire */
  return DART_OK;
}

/* Whether the use that is over is likely to be followed by one of the same; `kept` is then what it held. The range is
 * that of a file, whose calls take turns: so if it is of the last use, it was that. */
static bool end_kept_use(dart_range_t range, dart_range_hold_t *hold)
{
  bool keeps;

  pthread_mutex_lock(&kept.guard);
  keeps = kept.range == range && kept.repeats && kept.hold == DART_RANGE_HOLD_NULL;
  if (kept.range == range) {
    kept.ended    = dart__now_ns();
    kept.since    = kept.is_fresh ? kept.ended : kept.since;
    kept.is_fresh = false;
    keeps         = keeps && kept.ended - kept.since < MOST_NS;
  }
  if (keeps) {
    kept.hold = *hold;
    *hold     = DART_RANGE_HOLD_NULL;
  }
  pthread_mutex_unlock(&kept.guard);
  return keeps;
}

void dart__range_release_or_keep(dart_range_t range, dart_range_hold_t *hold)
{
  if (!dart__world.has_agent || !end_kept_use(range, hold)) {
    pdart_range_release(hold);
    return;
  }
  dart__answer_is_due(); /* `kept` is under the guard */
}
