/* See completion.h.
 *
 * MPICH has room for 2^18 requests in a process, and ends it by an assertion beyond. Where it moves data by messages, as
 * on dynamic windows, each transfer takes one or two until it is complete. So transfers are counted, and when
 * DART__COMPLETION_MOST are outstanding all are completed locally. */
#include "far/completion.h"

#include "far/engine.h"
#include "far/far_ops.h"
#include "far/far_team.h"
#include "far/latency.h"
#include "model/lost.h"
#include "model/world.h"
#include "net.h"

#define FLUSHED 20000 /* bytes that a flush is assumed to wait for; the real number is not known */

_Atomic uint32_t dart__completion_transfers;

/* ---- units with something outstanding ---------------------------------------------------- */

void dart__completion_touch(dart__far_team_t *far, int32_t unit)
{
  pthread_mutex_lock(&far->touched_lock);
  if (!atomic_load_explicit(&far->unit[unit].is_touched, memory_order_relaxed)) {
    int32_t n = atomic_load_explicit(&far->ntouched, memory_order_relaxed);

    far->touched[n] = unit;
    /* release: pairs with the acquire in dart__completion_flush_all and is_idle (far/far_flush.c) */
    atomic_store_explicit(&far->ntouched, n + 1, memory_order_release);
    /* last: another thread that finds this set may flush all at once, and must find the list longer;
     * release: pairs with the load in dart__completion_count */
    atomic_store_explicit(&far->unit[unit].is_touched, true, memory_order_release);
  }
  pthread_mutex_unlock(&far->touched_lock);
}

/* Take the first `n` units off the list, but for those with transfers started since they were flushed. A
 * thread that starts a transfer raises `started` and `last_put` and then reads `is_touched`; this function
 * clears `is_touched` and then reads these; all are seq_cst, so one of the two threads sees the other. */
static void unlist(dart__far_team_t *far, int32_t n)
{
  int32_t kept = 0, all;

  pthread_mutex_lock(&far->touched_lock);
  all = atomic_load_explicit(&far->ntouched, memory_order_relaxed);
  for (int32_t i = 0; i < all; i++) {
    int32_t              unit = far->touched[i];
    dart__outstanding_t *o    = &far->unit[unit].outstanding;

    if (i < n) {
      atomic_store_explicit(&far->unit[unit].is_touched, false, memory_order_seq_cst);
      if (dart__outstanding_is_done(o, true, dart__outstanding_number(&o->started)))
        continue;
      atomic_store_explicit(&far->unit[unit].is_touched, true, memory_order_relaxed);
    }
    far->touched[kept++] = unit;
  }
  atomic_store_explicit(&far->ntouched, kept, memory_order_release);
  pthread_mutex_unlock(&far->touched_lock);
}

/* Other teams, too, unless another thread may end one of them meanwhile. */
void dart__completion_limit(dart__team_t *team)
{
  dart__completion_flush_all(team, false, false);
  for (int32_t id = 0; id < dart__teams_end && !dart__world.many_threads; id++)
    if (dart__teams[id] != NULL && dart__teams[id]->nnodes > 1)
      dart__completion_flush_all(dart__teams[id], false, false);
}

/* ---- flush ------------------------------------------------------------------------------- */

bool dart__completion_flush(dart__team_t *team, int32_t unit, bool at_target)
{
  dart__far_team_t    *far  = team->far;
  dart__outstanding_t *o    = &far->unit[unit].outstanding;
  uint64_t             last = dart__outstanding_number(&o->started);
  dart_unit_t          peer = dart__team_member(team, unit);
  bool                 is_lost;
  int64_t              began;

  if (dart__outstanding_is_done(o, at_target, last))
    return true;
  if (at_target && dart__latency_is_slow(peer))
    dart__am_ping_blocking(dart__engine.am, peer);
  began = dart__latency_begin();
  dart__net_flush(team, NULL, unit, at_target);
  if (began != 0)
    dart__latency_end(peer, began, FLUSHED);
  is_lost = dart__outlives(peer); /* then all of it is over */
  dart__world_add(&dart__completion_transfers,
                  -(uint32_t)dart__outstanding_note(o, at_target || is_lost, last));
  return !is_lost;
}

/* A transfer that is none stays outstanding in place of those that were dropped. */
void dart__completion_settle(dart__team_t *team, int32_t unit, bool at_target)
{
  if (!dart__completion_flush(team, unit, at_target))
    dart__completion_count(team, unit, true); /* without the limit, which settles all */
}

dart__copy_t *dart__completion_copy_instead(dart__team_t *team, dart__copy_t *copy)
{
  dart__copy_t *more = dart__copies_more(dart__far_team(team)->copies, copy);

  if (more != NULL)
    return more;
  dart__completion_settle(team, copy->unit, false);
  return copy;
}

bool dart__completion_flush_all(dart__team_t *team, bool at_target, bool tells)
{
  dart__far_team_t *far = team->far;
  bool              all = true; /* was done, and nothing dropped */
  int32_t           n;

  /* acquire: pairs with the release in dart__completion_touch and unlist */
  if (atomic_load_explicit(&far->ntouched, memory_order_acquire) == 0)
    return true;
  pthread_mutex_lock(&far->flushing); /* or other threads would find the list short too early */
  n = atomic_load_explicit(&far->ntouched, memory_order_acquire);
  for (int32_t i = 0; i < n; i++) {
    if (tells)
      all = dart__completion_flush(team, far->touched[i], at_target) && all;
    else
      dart__completion_settle(team, far->touched[i], at_target);
  }
  if (at_target)
    unlist(far, n);
  pthread_mutex_unlock(&far->flushing);
  return all;
}
