/* What is outstanding on a team's windows, and its completion.
 *
 * Transfers towards a unit are counted when they have been started, once for the team and once for
 * the window they go by; a flush notes how many it completed. So a flush of a unit that was not
 * touched is a look at two numbers, and one of a unit that was calls MPI for no other window than
 * those that have something to complete. A flush of all units goes over a list of those that were
 * touched since the last one.
 *
 * Counts wrap; what is compared is their distance. */
#include <stdlib.h>

#include "base/counters.h"
#include "mpi_port.h"

#define FLUSHED 20000 /* bytes that a flush may have to wait for, for all that is known */

/* Whether all that was started is done; `*started_out` is what a flush from now on completes.
 * `done` is a field of `o`. */
static bool is_done(dart__outstanding_t *o, _Atomic uint32_t *done, uint32_t *started_out)
{
  /* seq_cst: acquires from dart__window_started, and see unlist */
  *started_out = atomic_load_explicit(&o->started, memory_order_seq_cst);
  /* acquire: pairs with note_done of the thread that flushed for us */
  return (int32_t)(*started_out - atomic_load_explicit(done, memory_order_acquire)) <= 0;
}

static void note_done(_Atomic uint32_t *done, uint32_t started)
{
  uint32_t before = atomic_load_explicit(done, memory_order_relaxed);

  while ((int32_t)(started - before) > 0 &&
         !atomic_compare_exchange_weak_explicit(done, &before, started, memory_order_release,
                                                memory_order_relaxed))
    ;
}

/* ---- units with something outstanding ---------------------------------------------------- */

static void list(dart__team_port_t *port, int32_t unit)
{
  pthread_mutex_lock(&port->touched_lock);
  if (!atomic_load_explicit(&port->is_touched[unit], memory_order_relaxed)) {
    int32_t n = atomic_load_explicit(&port->ntouched, memory_order_relaxed);

    atomic_store_explicit(&port->is_touched[unit], true, memory_order_relaxed);
    port->touched[n] = unit;
    /* release: pairs with the acquire in flush_all */
    atomic_store_explicit(&port->ntouched, n + 1, memory_order_release);
  }
  pthread_mutex_unlock(&port->touched_lock);
}

/* Take the first `n` units off the list, but for those that something was started towards since
 * they were flushed. Who starts raises `started` and then looks at `is_touched`; this clears
 * `is_touched` and then looks at `started`; all four are seq_cst, so one sees the other. */
static void unlist(dart__team_port_t *port, int32_t n)
{
  int32_t  kept = 0, all;
  uint32_t started;

  pthread_mutex_lock(&port->touched_lock);
  all = atomic_load_explicit(&port->ntouched, memory_order_relaxed);
  for (int32_t i = 0; i < all; i++) {
    int32_t              unit = port->touched[i];
    dart__outstanding_t *o    = &port->unit[unit];

    if (i < n) {
      atomic_store_explicit(&port->is_touched[unit], false, memory_order_seq_cst);
      if (is_done(o, &o->done_there, &started))
        continue;
      atomic_store_explicit(&port->is_touched[unit], true, memory_order_relaxed);
    }
    port->touched[kept++] = unit;
  }
  atomic_store_explicit(&port->ntouched, kept, memory_order_release);
  pthread_mutex_unlock(&port->touched_lock);
}

void dart__window_started(dart__team_t *team, dart__window_t *window, int32_t unit)
{
  dart__team_port_t *port = team->port;

  /* release: pairs with the acquire in is_done; the window's comes first, so who sees the team's
   * count sees it too */
  atomic_fetch_add_explicit(&window->unit[unit].started, 1, memory_order_release);
  atomic_fetch_add_explicit(&port->unit[unit].started, 1, memory_order_seq_cst);
  if (!atomic_load_explicit(&port->is_touched[unit], memory_order_seq_cst)) /* see unlist */
    list(port, unit);
}

/* ---- flush ------------------------------------------------------------------------------- */

/* The field of `o` that tells what is done. */
static _Atomic uint32_t *done_of(dart__outstanding_t *o, bool at_target)
{
  return at_target ? &o->done_there : &o->done_here;
}

static dart_ret_t flush_one(dart__window_t *window, int32_t unit, bool at_target)
{
  dart__outstanding_t *o = &window->unit[unit];
  uint32_t             started;
  dart_ret_t           ret;

  if (is_done(o, done_of(o, at_target), &started))
    return DART_OK;
  dart__count(DART__COUNT_RMA_FLUSH);
  ret = at_target ? DART__MPI(MPI_Win_flush, unit, window->win)
                  : DART__MPI(MPI_Win_flush_local, unit, window->win);
  if (ret != DART_OK)
    return ret;
  note_done(&o->done_here, started);
  if (at_target)
    note_done(&o->done_there, started);
  return DART_OK;
}

dart_ret_t dart__window_flush(dart__team_t *team, int32_t unit, bool at_target)
{
  dart__team_port_t   *port = team->port;
  dart__outstanding_t *o    = &port->unit[unit];
  dart_ret_t           ret  = DART_OK;
  uint32_t             started;
  int64_t              began;

  if (is_done(o, done_of(o, at_target), &started))
    return DART_OK;
  if (at_target && dart__pace_is_slow(team->members[unit]))
    ret = dart__service_meet(team->members[unit]);
  began = dart__pace_begin();
  pthread_rwlock_rdlock(&port->windows_lock);
  for (dart__window_t *w = port->windows; w != NULL && ret == DART_OK; w = w->next)
    ret = flush_one(w, unit, at_target);
  pthread_rwlock_unlock(&port->windows_lock);
  dart__pace_end(team->members[unit], began, FLUSHED);
  if (ret == DART_OK && at_target)
    ret = dart__handles_flushed(team, unit);
  if (ret != DART_OK)
    return ret;
  note_done(&o->done_here, started);
  if (at_target)
    note_done(&o->done_there, started);
  return DART_OK;
}

dart_ret_t dart__window_flush_all(dart__team_t *team, bool at_target)
{
  dart__team_port_t *port = team->port;
  dart_ret_t         ret  = DART_OK;
  int32_t            n;

  /* acquire: pairs with the release in list and unlist */
  if (atomic_load_explicit(&port->ntouched, memory_order_acquire) == 0)
    return DART_OK;
  pthread_mutex_lock(&port->flushing); /* or others would find the list short too early */
  n = atomic_load_explicit(&port->ntouched, memory_order_acquire);
  for (int32_t i = 0; i < n && ret == DART_OK; i++)
    ret = dart__window_flush(team, port->touched[i], at_target);
  if (ret == DART_OK && at_target)
    unlist(port, n);
  pthread_mutex_unlock(&port->flushing);
  return ret;
}
