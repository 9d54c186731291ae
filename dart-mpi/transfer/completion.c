/* See completion.h. A get that is locally complete is complete; only a transfer that changes the target
 * needs remote completion.
 *
 * MPICH 4.0's MPI_Win_flush_local is wrong on windows where UCX moves the data itself: for each target it
 * keeps only what the newest transfer needs, and a put that was sent at once needs nothing locally. So such
 * a put, after a get or after a put whose source UCX is still reading, makes flush_local skip these. There,
 * MPI_Win_flush completes transfers also locally, unless the newest put is the first of what is
 * outstanding.
 *
 * MPICH has room for 2^18 requests in a process, and ends it by an assertion beyond. Where it moves data by messages, as
 * on dynamic windows, each transfer takes one or two until it is complete. So transfers are counted, and when MOST are
 * outstanding all are completed locally. */
#include "transfer/completion.h"

#include "base/counters.h"
#include "model/world.h"
#include "progress/engine.h"
#include "progress/latency.h"
#include "transfer/rma.h"

#define FLUSHED 20000 /* bytes that a flush is assumed to wait for; the real number is not known */

#define MOST 16384 /* transfers outstanding, in all teams; each takes MPICH about 1 KB */

/* Transfers of all teams that were started, and by no flush known to be locally complete. Only a bound: relaxed. */
static _Atomic uint32_t outstanding;

uint32_t dart__completion_outstanding(void)
{
  return atomic_load_explicit(&outstanding, memory_order_relaxed);
}

/* seq_cst, all: acquire from dart__completion_started and from note_done of the thread that flushed for us,
 * and see unlist. */
static uint64_t number(const _Atomic uint64_t *at)
{
  return atomic_load_explicit(at, memory_order_seq_cst);
}

/* Returns by how much it was raised here. */
static uint64_t raise_to(_Atomic uint64_t *at, uint64_t value)
{
  uint64_t before = atomic_load_explicit(at, memory_order_relaxed);

  if (!dart__world.many_threads) { /* nobody else looks: agents do not */
    if (before < value)
      atomic_store_explicit(at, value, memory_order_relaxed);
    return before < value ? value - before : 0;
  }
  while (before < value && !atomic_compare_exchange_weak_explicit(
                               at, &before, value, memory_order_seq_cst, memory_order_relaxed))
    ;
  return before < value ? value - before : 0;
}

/* Whether a transfer that changes the target may lack remote completion. */
static bool needs_target(const dart__outstanding_t *o)
{
  return number(&o->last_put) > number(&o->done_remote);
}

/* Whether nothing up to transfer `last` needs a flush, for remote or local completion. */
static bool is_transfer_done(const dart__outstanding_t *o, bool at_target, uint64_t last)
{
  return number(&o->done_remote) >= last ||
         (number(&o->done_local) >= last && !(at_target && needs_target(o)));
}

/* Returns how many transfers are newly known to be locally complete. */
static uint64_t note_done(dart__outstanding_t *o, bool at_target, uint64_t last)
{
  uint64_t n = raise_to(&o->done_local, last);

  if (at_target)
    raise_to(&o->done_remote, last);
  return n;
}

/* ---- units with something outstanding ---------------------------------------------------- */

static void list_touched(dart__team_port_t *port, int32_t unit)
{
  pthread_mutex_lock(&port->touched_lock);
  if (!atomic_load_explicit(&port->is_touched[unit], memory_order_relaxed)) {
    int32_t n = atomic_load_explicit(&port->ntouched, memory_order_relaxed);

    port->touched[n] = unit;
    /* release: pairs with the acquire in flush_all */
    atomic_store_explicit(&port->ntouched, n + 1, memory_order_release);
    /* last: another thread that finds this set may flush all at once, and must find the list longer;
     * release: pairs with the load in dart__completion_started */
    atomic_store_explicit(&port->is_touched[unit], true, memory_order_release);
  }
  pthread_mutex_unlock(&port->touched_lock);
}

/* Take the first `n` units off the list, but for those with transfers started since they were flushed. A
 * thread that starts a transfer raises `started` and `last_put` and then reads `is_touched`; this function
 * clears `is_touched` and then reads these; all are seq_cst, so one of the two threads sees the other. */
static void unlist(dart__team_port_t *port, int32_t n)
{
  int32_t kept = 0, all;

  pthread_mutex_lock(&port->touched_lock);
  all = atomic_load_explicit(&port->ntouched, memory_order_relaxed);
  for (int32_t i = 0; i < all; i++) {
    int32_t              unit = port->touched[i];
    dart__outstanding_t *o    = &port->unit[unit];

    if (i < n) {
      atomic_store_explicit(&port->is_touched[unit], false, memory_order_seq_cst);
      if (is_transfer_done(o, true, number(&o->started)))
        continue;
      atomic_store_explicit(&port->is_touched[unit], true, memory_order_relaxed);
    }
    port->touched[kept++] = unit;
  }
  atomic_store_explicit(&port->ntouched, kept, memory_order_release);
  pthread_mutex_unlock(&port->touched_lock);
}

/* Count a transfer. seq_cst: releases to number(), and see unlist. A flush between the two steps is another
 * thread's, and not ordered after this transfer. */
static void count_transfer(dart__outstanding_t *o, bool is_get)
{
  uint64_t own = atomic_fetch_add_explicit(&o->started, 1, memory_order_seq_cst) + 1;

  if (!is_get)
    raise_to(&o->last_put, own);
}

/* The same where no other thread of the unit starts or flushes anything: agents do not. */
static inline void count_alone(dart__outstanding_t *o, bool is_get)
{
  uint64_t own = atomic_load_explicit(&o->started, memory_order_relaxed) + 1;

  atomic_store_explicit(&o->started, own, memory_order_relaxed);
  if (!is_get)
    atomic_store_explicit(&o->last_put, own, memory_order_relaxed);
}

/* Other teams, too, unless another thread may end one of them meanwhile. */
static __attribute__((noinline)) void complete_locally(dart__team_t *team)
{
  dart__completion_flush_all(team, false);
  for (int32_t id = 0; id < DART__MAX_TEAMS && !dart__world.many_threads; id++)
    if (dart__teams[id] != NULL && dart__teams[id]->nnodes > 1)
      dart__completion_flush_all(dart__teams[id], false);
}

void dart__completion_started(dart__team_t *team, dart__window_t *window, int32_t unit, bool is_get)
{
  dart__team_port_t *port = team->port;

  dart__far_went_by_mpi = true;
  if (!dart__world.many_threads) {
    count_alone(&window->unit[unit], is_get);
    count_alone(&port->unit[unit], is_get);
  } else {
    count_transfer(&window->unit[unit],
                   is_get); /* first: a thread that sees the team's count sees this one */
    count_transfer(&port->unit[unit], is_get);
  }
  if (!atomic_load_explicit(&port->is_touched[unit], memory_order_seq_cst)) /* see unlist */
    list_touched(port, unit);
  dart__world_add(&outstanding, 1);
  if (__builtin_expect(dart__completion_outstanding() >= MOST, 0))
    complete_locally(team);
}

/* ---- flush ------------------------------------------------------------------------------- */

/* Whether MPI_Win_flush_local is right for this window and target; see above. */
static bool can_flush_local(const dart__window_t *window, const dart__outstanding_t *o)
{
  return !window->is_static || number(&o->last_put) <= number(&o->done_local) + 1;
}

static inline void flush_one(dart__window_t *window, int32_t unit, bool at_target)
{
  dart__outstanding_t *o    = &window->unit[unit];
  uint64_t             last = number(&o->started);

  if (is_transfer_done(o, at_target, last))
    return;
  at_target = (at_target && needs_target(o)) || !can_flush_local(window, o);
  dart__count(DART__COUNT_RMA_FLUSH);
  if (at_target)
    DART__MPI(MPI_Win_flush, unit, window->win);
  else
    DART__MPI(MPI_Win_flush_local, unit, window->win);
  note_done(o, at_target, last);
}

bool dart__completion_is_flushed(dart__team_t *team, int32_t unit, bool at_target)
{
  dart__team_port_t *port = team->port;

  if (unit < 0) /* acquire: as in dart__completion_flush_all */
    return atomic_load_explicit(&port->ntouched, memory_order_acquire) == 0;
  return is_transfer_done(&port->unit[unit], at_target, number(&port->unit[unit].started));
}

void dart__completion_flush(dart__team_t *team, int32_t unit, bool at_target)
{
  dart__team_port_t   *port = team->port;
  dart__outstanding_t *o    = &port->unit[unit];
  uint64_t             last = number(&o->started);
  int64_t              began;

  if (is_transfer_done(o, at_target, last))
    return;
  if (at_target && dart__latency_is_slow(team->members[unit]))
    dart__am_ping_blocking(dart__engine.am, team->members[unit]);
  began = dart__latency_begin();
  if (dart__world.many_threads) /* who else makes windows, or ends them */
    pthread_rwlock_rdlock(&port->windows.lock);
  for (dart__window_t *w = port->windows.first; w != NULL; w = w->next)
    flush_one(w, unit, at_target);
  if (dart__world.many_threads)
    pthread_rwlock_unlock(&port->windows.lock);
  if (began != 0)
    dart__latency_end(team->members[unit], began, FLUSHED);
  dart__world_add(&outstanding, -(uint32_t)note_done(o, at_target, last));
}

uint64_t dart__completion_newest(const dart__team_t *team, int32_t unit)
{
  return number(&dart__team_port(team)->unit[unit].started);
}

bool dart__completion_is_flushed_to(const dart__team_t *team, int32_t unit, bool at_target,
                                    uint64_t last)
{
  return is_transfer_done(&dart__team_port(team)->unit[unit], at_target, last);
}

void dart__completion_flush_to(dart__team_t *team, int32_t unit, bool at_target, uint64_t last)
{
  if (!dart__completion_is_flushed_to(team, unit, at_target, last))
    dart__completion_flush(team, unit, at_target);
}

dart__copy_t *dart__completion_copy(dart__team_t *team, int32_t unit)
{
  dart__copies_t *copies = dart__team_port(team)->copies;
  dart__copy_t   *copy   = dart__copies_take(copies), *more;

  if (!is_transfer_done(&dart__team_port(team)->unit[copy->unit], false, copy->number)) {
    more = dart__copies_more(copies, copy);
    if (more == NULL)
      dart__completion_flush(team, copy->unit, false);
    else
      copy = more;
  }
  copy->unit = unit;
  return copy;
}

/* Its number, or that of another thread's later one. */
void dart__completion_copied(dart__team_t *team, dart__copy_t *copy)
{
  dart__team_port_t *port = dart__team_port(team);

  copy->number = number(&port->unit[copy->unit].started);
  dart__copies_started(port->copies, copy);
}

void dart__completion_flush_all(dart__team_t *team, bool at_target)
{
  dart__team_port_t *port = team->port;
  int32_t            n;

  /* acquire: pairs with the release in list_touched and unlist */
  if (atomic_load_explicit(&port->ntouched, memory_order_acquire) == 0)
    return;
  pthread_mutex_lock(&port->flushing); /* or other threads would find the list short too early */
  n = atomic_load_explicit(&port->ntouched, memory_order_acquire);
  for (int32_t i = 0; i < n; i++)
    dart__completion_flush(team, port->touched[i], at_target);
  if (at_target)
    unlist(port, n);
  pthread_mutex_unlock(&port->flushing);
}
