/* Progress: see progress.h. */
#include "far/progress.h"

#include "far/engine.h"
#include "far/run.h"

/* The longest average time per update in a stream: slower updates gain nothing by being deferred. */
#define STREAM_UPDATE_NS 1000

uint32_t     dart__stream;
dart__lazy_t dart__lazy;

/* Never written, so it is a page of zeros of the kernel's. */
static const dart_inline_map_t *no_maps[2 * DART__MAX_TEAMS];

dart_inline_maps_t dart__progress_maps = no_maps;
dart_inline_maps_t dart__put_maps      = dart__team_direct;

static int64_t stream_seen; /* ns; the last call of dart__progress_stream */

void dart__progress_set_deferring(bool defers)
{
  bool serves = dart__world.many_nodes && !dart__world.has_agent;

  dart__world.progress_is_due = defers || dart__world.many_nodes;
  dart__progress_maps         = defers || serves ? (dart_inline_maps_t)no_maps : dart__team_direct;
}

void dart__progress_apply(void)
{
  dart__stream   = 0;
  dart__put_maps = dart__team_direct;
  dart__run_end();
  dart__deferred_apply_all(&dart__deferred);
  dart__progress_set_deferring(false);
}

void dart__progress_serve(void)
{
  bool is_spent = dart__poll_budget_is_spent();

  if (is_spent)
    dart__poll_budget_renew();
  if (!dart__world.many_nodes)
    return;
  if (!is_spent) {
    dart__engine_poke();
    return;
  }
  dart__engine_push(); /* the program may poll for the answer */
  dart__engine_look();
}

void dart__progress_now(void)
{
  if (dart__stream > 0)
    dart__progress_apply();
  dart__progress_serve();
}

/* A unit alone on its node shares its memory with nobody but the thread that applies far requests. */
static const dart__deferred_guard_t *guard(void)
{
  static const dart__deferred_guard_t requests = { dart__engine_try_hold, dart__engine_release };

  return dart__world.many_nodes && dart__teams[DART_TEAM_ALL]->node_nunits == 1 ? &requests : NULL;
}

/* The stream has half of DART__STREAM_LEAST updates, or all. If the second half was slow it becomes the
 * first. */
void dart__progress_stream(void)
{
  int64_t now = dart__now_ns();

  if (dart__stream == DART__STREAM_LEAST &&
      now - stream_seen > DART__STREAM_LEAST / 2 * STREAM_UPDATE_NS)
    dart__stream = DART__STREAM_LEAST / 2;
  stream_seen          = now;
  dart__deferred.guard = guard();
  if (dart__stream == DART__STREAM_LEAST)
    dart__put_maps = no_maps;
}

void dart__progress_complete_stream(void)
{
  if (dart__stream < DART__STREAM_LEAST) {
    dart__progress_complete_near();
    return;
  }
  if (dart__run.count > 0)
    dart__run_send();
  dart__deferred_apply_all(&dart__deferred);
  dart__progress_serve();
  atomic_thread_fence(memory_order_acq_rel); /* as in dart__progress_complete_near */
}

void dart__progress_at_once(void)
{
  if (!dart__world.many_nodes)
    return;
  dart__am_count_wait(dart__engine.am);
  dart__progress_if_spent();
}

void dart__progress_in_vain(void)
{
  static _Thread_local int64_t last;
  int64_t                      now;

  if (dart__world.has_agent)
    return;
  now = dart__coarse_ns();
  if (now != last)
    dart__engine_look();
  last = now;
}

void dart__progress_polled(dart_gptr_t gptr, const void *found, size_t nbytes)
{
  static _Thread_local struct {
    dart_gptr_t gptr;
    uint64_t    value;
  } last;
  uint64_t value = 0;

  memcpy(&value, found, nbytes);
  if (value == last.value && DART_GPTR_EQUAL(gptr, last.gptr)) {
    dart__engine_push();
    dart__progress_in_vain();
  }
  last.gptr  = gptr;
  last.value = value;
}

/* Whether so many are reported. */
static bool are_reported(void *count)
{
  /* acquire: pairs with the release of the thread that takes the reports in */
  return (int32_t)(*(uint32_t *)count -
                   atomic_load_explicit(&dart__lazy.done, memory_order_acquire)) <= 0;
}

void dart__progress_settle(uint32_t left)
{
  uint32_t count = atomic_load_explicit(&dart__lazy.sent, memory_order_relaxed) - left;

  dart__wait_for(are_reported, &count, &dart__world.wait);
}
