/* See epoch_target.h. Requests that wait are listed in far/grants.h. */
#include "epoch/epoch_target.h"

#include <string.h>

#include "epoch/epoch.h"
#include "far/am/target.h"
#include "far/grants.h"
#include "far/handlers.h"
#include "model/lost.h"
#include "model/world.h"

/* A request that waits for its turn, or, then, the answer to it. */
typedef struct {
  dart__grant_t         grant;
  dart__epoch_shared_t *state;   /* whose lock it is for; NULL: it waits for a post */
  uint32_t              number;  /* of the segment */
  bool                  is_gone; /* the answer: the segment has ended */
  uint32_t              ticket;
  int32_t               peer;
  dart__am_epoch_t      about;
  size_t                nwords;
  uint64_t              words[];
} request_t;

static const dart__grant_kind_t portion;

static bool is_exclusive(const dart__am_epoch_t *about)
{
  return (about->what & DART__LOCK_EXCLUSIVE) != 0;
}

static uint32_t control_of(const dart__am_epoch_t *about)
{
  return about->what & DART__LOCK_CONTROL;
}

/* With room for what its gets are going to read. */
static dart__grant_t *new_request(const request_t *described, const uint64_t *words)
{
  size_t     nbytes = described->nwords * sizeof *words;
  size_t     room = nbytes > DART__LOCKED_GET || described->nwords == 0 ? nbytes : DART__LOCKED_GET;
  request_t *r    = dart__grant_new(sizeof *r + room);

  *r = *described;
  if (nbytes > 0)
    memcpy(r->words, words, nbytes);
  return &r->grant;
}

/* ---- control messages and locks of far units ------------------------------------------------ */

typedef struct {
  dart__team_t    *team;
  dart__segment_t *segment;
  dart__epoch_t   *epoch;
} making_t;

static bool try_make(void *context)
{
  making_t *making = context;

  making->epoch = dart__epoch_make(making->team, making->segment);
  return making->epoch != NULL;
}

/* On behalf of another unit, which could not be told of a lack: it is waited out. */
static dart__epoch_t *make_or_wait(dart__team_t *team, dart__segment_t *segment)
{
  making_t making = { team, segment, NULL };

  dart__wait_for(try_make, &making, &dart__wait_briefly);
  return making.epoch;
}

/* Whether an access of a far unit that goes with a post, and has not ended, may take place: the post was made. */
static bool has_posted(dart__team_t *team, dart__segment_t *segment, int32_t unit)
{
  const dart__epoch_target_t *t = &make_or_wait(team, segment)->target[unit];

  /* acquire: what this unit did before its post; pairs with epoch/pscw.c */
  return atomic_load_explicit(&t->exposed, memory_order_acquire) != t->ended;
}

/* Note a control message that has come from a unit of the team. */
static void note_control(dart__team_t *team, dart__segment_t *segment, int32_t unit,
                         dart__epoch_control_t control, uint64_t value)
{
  dart__epoch_t *epoch = make_or_wait(team, segment);

  if ((control == DART__EPOCH_COMPLETED || control == DART__EPOCH_ARRIVED) &&
      (value & DART__EPOCH_WROTE) != 0)
    /* relaxed: the counters below release it */
    atomic_store_explicit(&epoch->is_written, true, memory_order_relaxed);
  /* release: the operations before the message; pairs with the acquire of the thread that waits for the count */
  switch (control) {
  case DART__EPOCH_POSTED:
    atomic_fetch_add_explicit(&epoch->target[unit].posted, 1, memory_order_release);
    break;
  case DART__EPOCH_COMPLETED:
    epoch->target[unit].ended += (value & DART__EPOCH_CHECKED) != 0;
    atomic_fetch_add_explicit(&epoch->target[unit].done, 1, memory_order_release);
    break;
  case DART__EPOCH_ARRIVED:
    atomic_fetch_add_explicit(&epoch->arrived, 1, memory_order_release);
    break;
  case DART__EPOCH_GRANTED:
  case DART__EPOCH_GONE: break; /* are about no segment: see note_granted, note_ended */
  }
}

/* `words`: what gets have read that were sent with the request, which `value` names then. */
static void note_granted(uint64_t value, const uint64_t *words, size_t nwords)
{
  dart__epoch_request_t *request = (dart__epoch_request_t *)(uintptr_t)value;

  if (nwords > 0)
    memcpy(request->data[1], words, nwords * sizeof *words);
  /* release: the data, and what was done under the lock before; pairs with the thread that waits */
  atomic_fetch_add_explicit((_Atomic uint32_t *)(uintptr_t)value, 1, memory_order_release);
}

static void note_ended(uint64_t value)
{
  atomic_store_explicit((_Atomic uint32_t *)(uintptr_t)value, DART__REQUEST_GONE,
                        memory_order_release);
}

/* The last fence that this unit has left, for a far unit that asks. */
static uint32_t last_fence(dart__team_t *team, dart__segment_t *segment)
{
  /* acquire: the unit has left the fence before far operations are applied */
  return atomic_load_explicit(&dart__epoch_shared(team, segment, team->me)->exposed,
                              memory_order_acquire);
}

/* A far unit has entered the lock, or wants to leave it. False: it was left for it. */
static void far_enter(dart__epoch_shared_t *state, bool is_exclusive)
{
  /* acq_rel: pairs with end_state (epoch_memory.c) */
  atomic_fetch_add_explicit(&state->far_held, is_exclusive ? DART__EPOCH_FAR_EXCLUSIVE : 1,
                            memory_order_acq_rel);
}

static bool far_leave(dart__epoch_shared_t *state, bool is_exclusive)
{
  uint32_t by   = is_exclusive ? DART__EPOCH_FAR_EXCLUSIVE : 1;
  uint32_t held = atomic_load_explicit(&state->far_held, memory_order_relaxed);

  /* acq_rel: pairs with end_state (epoch_memory.c) */
  while (held >= by && (is_exclusive ? held == by : held < DART__EPOCH_FAR_EXCLUSIVE))
    if (atomic_compare_exchange_weak_explicit(&state->far_held, &held, held - by,
                                              memory_order_acq_rel, memory_order_relaxed))
      return true;
  return false;
}

/* ---- accesses that run ahead of their post --------------------------------------------------- */

/* The segment it is about. NULL: it has ended; another one may have its id. */
static dart__segment_t *segment_of(const dart__am_epoch_t *about, dart__team_t **team_out)
{
  uint32_t         flags = (UINT32_C(1) << DART__LOCK_GENERATION_AT) - 1;
  dart__segment_t *segment;

  *team_out = dart__team_find(about->team);
  segment   = *team_out == NULL ? NULL : dart__segment_find(*team_out, about->segid);
  return segment != NULL && (about->what & ~flags) == dart__lock_generation(segment) ? segment
                                                                                     : NULL;
}

/* Whether the segment that a request waits in has ended; another one may have its id by now, allocated memory, too. */
static bool is_gone(const request_t *r)
{
  dart__team_t          *team;
  const dart__segment_t *segment = segment_of(&r->about, &team);

  return segment == NULL || segment->number != r->number;
}

/* Apply it and note that it has ended, if this unit has posted. */
static bool try_complete(const dart__am_host_t *host, dart__deferred_t *updates, const request_t *r,
                         const uint64_t *words)
{
  dart__team_t    *team;
  dart__segment_t *segment = segment_of(&r->about, &team);
  int32_t          unit    = dart__team_unit_of(team, r->peer);

  if (!has_posted(team, segment, unit))
    return false;
  dart__am_apply(host, updates, r->peer, words, r->nwords, NULL);
  note_control(team, segment, unit, DART__EPOCH_COMPLETED, r->about.value);
  return true;
}

/* The lock is the origin's from now on. Its segment may have ended meanwhile, by a thread of this unit: either that
 * finds the lock held and leaves it (end_state, epoch_memory.c), or its end is seen here. Operations of the origin are
 * refused. */
static void hand_over(const request_t *r)
{
  far_enter(r->state, is_exclusive(&r->about));
  if (is_gone(r) && far_leave(r->state, is_exclusive(&r->about)))
    dart__rwlock_leave(&r->state->lock, is_exclusive(&r->about));
}

/* The lock is entered: apply what came with the request, or leave it to the origin. Returns the words that its gets
 * have read. */
static size_t apply(const dart__am_host_t *host, dart__deferred_t *updates, const request_t *r,
                    const uint64_t *words, uint64_t *data)
{
  dart__am_applied_t applied;

  if (control_of(&r->about) != DART__LOCK_APPLY) {
    hand_over(r);
    return 0;
  }
  applied = dart__am_apply(host, updates, r->peer, words, r->nwords, data);
  dart__rwlock_leave(&r->state->lock, is_exclusive(&r->about));
  return applied.nresults;
}

/* apply for a request that has waited. Afterwards its words are what its gets have read. */
static void apply_late(const dart__am_host_t *host, dart__deferred_t *updates, request_t *r)
{
  uint64_t data[DART__LOCKED_GET / sizeof(uint64_t)];

  r->nwords = apply(host, updates, r, r->words, data);
  memcpy(r->words, data, r->nwords * sizeof *data);
}

/* One that ran ahead of its post, which may be made now. If its segment has ended, it is refused. */
static dart__grant_turn_t look_for_post(const dart__am_host_t *host, dart__deferred_t *updates,
                                        request_t *r)
{
  r->is_gone = is_gone(r);
  if (r->is_gone)
    return DART__GRANT_NOW;
  if (!try_complete(host, updates, r, r->words))
    return DART__GRANT_LATER;
  host->notified(host->context); /* a thread may be waiting for it */
  return DART__GRANT_OVER;
}

/* The lock is entered, but its segment has ended, and what the request brings has nowhere to go. */
static void refuse_late(request_t *r)
{
  dart__rwlock_leave(&r->state->lock, is_exclusive(&r->about));
  r->is_gone = true;
  r->nwords  = 0;
}

/* One that waits for a lock; if it is its turn, it is answered. It has a turn, too, when the segment has ended: others
 * behind it in the queue wait for that. */
static dart__grant_turn_t look_for_lock(const dart__am_host_t *host, dart__deferred_t *updates,
                                        request_t *r)
{
  /* a unit was lost, and allocated memory, in which the lock was, has ended with requests that wait */
  if (__builtin_expect(dart__survives(), 0) && r->about.segid > 0 && is_gone(r))
    return DART__GRANT_OVER;
  if (!dart__rwlock_try_enter(&r->state->lock, r->ticket, is_exclusive(&r->about)))
    return DART__GRANT_LATER;
  atomic_fetch_sub_explicit(&r->state->lock.far, 1, memory_order_relaxed);
  if (is_gone(r))
    refuse_late(r);
  else
    apply_late(host, updates, r);
  return DART__GRANT_NOW;
}

static dart__grant_turn_t look_at_request(dart__grant_t *grant, const dart__am_host_t *host,
                                          dart__deferred_t *updates)
{
  request_t *r = (request_t *)grant;

  return r->state != NULL ? look_for_lock(host, updates, r) : look_for_post(host, updates, r);
}

/* It is done: its origin counts the answer. */
static void answer_lazy(request_t *described)
{
  described->nwords = 0;
  if ((described->about.what & DART__LOCK_LAZY) != 0)
    dart__grant_now(new_request(described, NULL), &portion);
}

/* A request for a lock: take its ticket, and enter if it is its turn. */
static dart__lock_result_t serve_ask(const dart__am_host_t *host, dart__deferred_t *updates,
                                     request_t *described, const uint64_t *words, uint64_t *data)
{
  dart__rwlock_t *lock = &described->state->lock;

  described->ticket = dart__rwlock_take(lock);
  if (dart__rwlock_try_enter(lock, described->ticket, is_exclusive(&described->about))) {
    apply(host, updates, described, words, data);
    answer_lazy(described);
    return DART__LOCK_DONE;
  }
  if (control_of(&described->about) != DART__LOCK_APPLY)
    described->nwords = 0;
  dart__grant_wait(new_request(described, words), &portion);
  /* seq_cst: before the next dart__rwlock_try_enter; pairs with dart__rwlock_has_far */
  atomic_fetch_add_explicit(&lock->far, 1, memory_order_seq_cst);
  return DART__LOCK_WAITS;
}

/* Whether it has a result, in which 0 says that there is no such segment. */
static bool tells_result(const dart__am_epoch_t *about)
{
  return (about->what & DART__LOCK_LAZY) == 0 &&
         (control_of(about) == DART__LOCK_ASK || control_of(about) == DART__LOCK_APPLY ||
          control_of(about) == DART__LOCK_EXPOSED);
}

static dart__am_epoch_served_t serve_epoch(const dart__am_host_t *host, dart__deferred_t *updates,
                                           int32_t peer, const dart__am_epoch_t *about,
                                           const uint64_t *words, size_t nwords,
                                           uint64_t *results_out)
{
  dart__team_t    *team;
  dart__segment_t *segment = segment_of(about, &team);
  request_t        described;

  if (control_of(about) == DART__EPOCH_GRANTED) { /* though the segment may have ended: see lazy */
    note_granted(about->value, words, nwords);
    return DART__AM_EPOCH_NOTIFIED;
  }
  if (control_of(about) == DART__EPOCH_GONE) {
    note_ended(about->value);
    return DART__AM_EPOCH_NOTIFIED;
  }
  if (segment == NULL) {
    /* the origin of a lazy request counts answers, and waits for nothing else */
    if ((about->what & DART__LOCK_LAZY) != 0)
      dart__grant_now(new_request(&(request_t){ .peer = peer, .about = *about }, words), &portion);
    if (tells_result(about)) /* its unit is told by that, and reports it */
      return DART__AM_EPOCH_SERVED;
    /* an access may be over before the post that it ran ahead of is known, and the memory deregistered */
    return control_of(about) == DART__EPOCH_POSTED ? DART__AM_EPOCH_SERVED : DART__AM_EPOCH_REFUSED;
  }
  described = (request_t){ .state  = dart__epoch_shared(team, segment, team->me),
                           .number = segment->number,
                           .peer   = peer,
                           .about  = *about,
                           .nwords = nwords };
  switch (control_of(about)) {
  case DART__LOCK_EXPOSED: *results_out = UINT64_C(1) + last_fence(team, segment); break;
  case DART__LOCK_ASK:
  case DART__LOCK_APPLY:
    *results_out = serve_ask(host, updates, &described, words, results_out + 1);
    break;
  case DART__LOCK_COMPLETED:
    described.state = NULL;
    /* First the one before, if the post that it waits for was made after the last look. */
    dart__grants_look(host, updates);
    if (!try_complete(host, updates, &described, words))
      dart__grant_wait(new_request(&described, words), &portion);
    return DART__AM_EPOCH_NOTIFIED;
  case DART__LOCK_LEAVE:
    if (far_leave(described.state, is_exclusive(about)))
      dart__rwlock_leave(&described.state->lock, is_exclusive(about));
    answer_lazy(&described);
    break;
  case DART__LOCK_REPORT: answer_lazy(&described); break;
  default:
    note_control(team, segment, dart__team_unit_of(team, peer),
                 (dart__epoch_control_t)control_of(about), about->value);
    return DART__AM_EPOCH_NOTIFIED;
  }
  return DART__AM_EPOCH_SERVED; /* waiters for a lock have an event of their own */
}

/* Operations that nobody waits for, whose memory has ended: the next flush says so. */
static bool is_lost(const request_t *r)
{
  return r->is_gone &&
         ((r->about.what & DART__LOCK_LAZY) != 0 || control_of(&r->about) == DART__LOCK_COMPLETED);
}

/* Those that nobody may be waiting for are sent with others, if somebody is there to do that while this unit
 * computes. */
static void send_grant(dart__am_t *am, const dart__grant_t *grant)
{
  const request_t *r       = (const request_t *)grant;
  dart__am_epoch_t about   = r->about;
  bool             is_lazy = (about.what & DART__LOCK_LAZY) != 0;

  if (is_lost(r))
    dart__am_refuse(am, r->peer);
  if (control_of(&about) == DART__LOCK_COMPLETED)
    return;
  about.what = r->is_gone && !is_lazy ? DART__EPOCH_GONE : DART__EPOCH_GRANTED;
  dart__am_epoch(am, r->peer, &about, r->words, r->nwords, NULL, 0,
                 !is_lazy || !dart__world.has_agent);
}

static const dart__grant_kind_t portion = { look_at_request, send_grant };

void dart__epoch_serve(void)
{
  dart__handlers.epoch = serve_epoch;
}
