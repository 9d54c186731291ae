/* The mutex under contention: see mutex.h for the idea.
 *
 * No sleeper is forgotten: an unlock that finds SLEEPERS clears it and wakes one waiter, and that waiter
 * sets SLEEPERS again when it takes the mutex or goes back to sleep, for there may be more. Late waiters
 * sleep on `turn`, each with the bit of its ticket, so that an unlock wakes the one whose turn it is, and one more for
 * every 32 that wait behind it. */
#include "wait/mutex.h"

#include "wait/tuning.h"

#define HELD     DART__MUTEX_HELD
#define SLEEPERS DART__MUTEX_SLEEPERS
#define LATE     DART__MUTEX_LATE
#define PASSED   DART__MUTEX_PASSED
#define TICKET   DART__MUTEX_TICKET
#define TICKETS  (UINT32_MAX / TICKET) /* the largest; the next one is 0 */

static bool is_free(uint32_t state)
{
  return (state & HELD) == 0;
}

static uint32_t late_waiters(uint32_t state)
{
  return state % PASSED / LATE;
}

static uint32_t next_ticket(uint32_t state)
{
  return state / TICKET;
}

/* The ticket whose turn it is, if anybody is late. */
static uint32_t served(uint32_t state)
{
  return (next_ticket(state) - late_waiters(state)) & TICKETS;
}

/* The bit by which whoever has the ticket is woken. */
static uint32_t bit_of(uint32_t ticket)
{
  return UINT32_C(1) << ticket % 32;
}

/* Whether a thread that is not late may take the free mutex. */
static bool may_pass(uint32_t state)
{
  return state % TICKET / PASSED < DART__MUTEX_MOST_PASSES;
}

/* Held by a thread that was not late. */
static uint32_t held(uint32_t state)
{
  return (late_waiters(state) > 0 ? state + PASSED : state) | HELD;
}

/* Held by the first late waiter. SLEEPERS, for there may be some: they were not woken while it was late. */
static uint32_t held_by_late(uint32_t state)
{
  uint32_t tickets = late_waiters(state) > 1 ? state - state % TICKET : 0;

  return (tickets + state % PASSED - LATE) | HELD | SLEEPERS;
}

/* Change `state`, in which the mutex is free, to `taken`. acquire: pairs with the release in unlock */
static bool take_from(dart__mutex_t *mutex, uint32_t state, uint32_t taken)
{
  return atomic_compare_exchange_strong_explicit(&mutex->state, &state, taken, memory_order_acquire,
                                                 memory_order_relaxed);
}

static uint32_t load_state(const dart__mutex_t *mutex)
{
  /* relaxed: only a successful compare-and-swap takes the mutex, and that one acquires */
  return atomic_load_explicit((_Atomic uint32_t *)&mutex->state, memory_order_relaxed);
}

/* ---- robust mutexes ---- */

uint32_t dart__mutex_tag;

static bool (*is_lost)(int32_t unit);

static uint32_t tag_of(int32_t unit)
{
  return dart__mutex_tag == 0 ? 0 : 4 * ((uint32_t)unit + 1);
}

void dart__mutex_set_robust(bool (*how)(int32_t unit), int32_t me)
{
  is_lost         = how;
  dart__mutex_tag = how == NULL ? 0 : 4 * ((uint32_t)me + 1);
}

/* Of a word in which the mutex is held. */
static int32_t holder_of(uint32_t state)
{
  return (int32_t)(state / 4) - 1;
}

/* Take the mutex for a unit if it is free, or its holder is lost. SLEEPERS stays, and `sleepers` is added. */
static bool take_robust(dart__mutex_t *mutex, int32_t unit, uint32_t sleepers, bool *is_broken_out)
{
  uint32_t state = load_state(mutex);

  *is_broken_out = !is_free(state);
  if (*is_broken_out && !is_lost(holder_of(state)))
    return false;
  return take_from(mutex, state, HELD | (state & SLEEPERS) | sleepers | tag_of(unit));
}

/* Take a robust mutex for a unit elsewhere: from a holder that is lost, or else if it is free. */
static bool take_elsewhere(dart__mutex_t *mutex, int32_t unit, bool from_lost)
{
  uint32_t state   = load_state(mutex);
  bool     may_one = from_lost ? !is_free(state) && is_lost(holder_of(state)) : is_free(state);

  return may_one && take_from(mutex, state, HELD | (state & SLEEPERS) | tag_of(unit));
}

bool dart__mutex_take_broken_for(dart__mutex_t *mutex, int32_t unit)
{
  return dart__mutex_tag != 0 && take_elsewhere(mutex, unit, true);
}

bool dart__mutex_try_broken(dart__mutex_t *mutex)
{
  return dart__mutex_take_broken_for(mutex, holder_of(dart__mutex_tag));
}

int32_t dart__mutex_holder(const dart__mutex_t *mutex)
{
  uint32_t state = load_state(mutex);

  return is_free(state) ? -1 : holder_of(state);
}

uint32_t dart__mutex_draw_ticket(dart__mutex_t *mutex)
{
  if (dart__mutex_tag != 0)
    return 0;
  /* relaxed: an unlock either finds this waiter counted, or came before the waiter looks at `state` next */
  return next_ticket(atomic_fetch_add_explicit(&mutex->state, LATE + TICKET, memory_order_relaxed));
}

static bool take_late(dart__mutex_t *mutex, uint32_t ticket)
{
  for (;;) {
    uint32_t state = load_state(mutex);

    if (!is_free(state) || served(state) != ticket)
      return false;
    if (take_from(mutex, state, held_by_late(state)))
      return true;
  }
}

bool dart__mutex_take_late(dart__mutex_t *mutex, uint32_t ticket, int32_t unit)
{
  return dart__mutex_tag != 0 ? take_elsewhere(mutex, unit, false) : take_late(mutex, ticket);
}

bool dart__mutex_take_for(dart__mutex_t *mutex, int32_t unit)
{
  if (dart__mutex_tag != 0)
    return take_elsewhere(mutex, unit, false);
  for (;;) {
    uint32_t state = load_state(mutex);

    if (!is_free(state) || !may_pass(state))
      return false;
    if (take_from(mutex, state, held(state)))
      return true;
  }
}

/* A thread that waits. */
typedef struct {
  dart__mutex_t *mutex;
  uint32_t       sleepers;  /* SLEEPERS from its first sleep on */
  uint32_t       ticket;    /* of a late one */
  bool           is_broken; /* it was taken from a unit that is lost */
} waiter_t;

static bool take_free(void *context)
{
  const waiter_t *w     = context;
  uint32_t        state = load_state(w->mutex);

  return is_free(state) && may_pass(state) && take_from(w->mutex, state, held(state) | w->sleepers);
}

static bool take_in_turn(void *context)
{
  const waiter_t *w = context;

  return take_late(w->mutex, w->ticket);
}

static bool take_own(void *context)
{
  waiter_t *w = context;

  return take_robust(w->mutex, holder_of(dart__mutex_tag), w->sleepers, &w->is_broken);
}

/* Before a sleep on `state`. */
static bool announce_sleeper(dart__wait_t *wait, uint32_t *state)
{
  waiter_t *w    = wait->context;
  uint32_t  seen = *state;

  w->sleepers = SLEEPERS;
  *state |= SLEEPERS;
  if (is_free(seen) && (dart__mutex_tag != 0 || may_pass(seen)))
    return false;
  /* relaxed: the modification order of the word suffices; the kernel compares it again */
  return (seen & SLEEPERS) != 0 ||
         atomic_compare_exchange_strong_explicit(&w->mutex->state, &seen, *state,
                                                 memory_order_relaxed, memory_order_relaxed);
}

bool dart__mutex_wait_robust(dart__mutex_t *mutex, const dart__wait_policy_t *policy,
                             bool *is_broken_out)
{
  waiter_t     w       = { .mutex = mutex };
  dart__wait_t wait    = { .look       = take_own,
                           .context    = &w,
                           .limit_ns   = INT64_MAX,
                           .looks_once = true,
                           .backs_off  = true,
                           .word       = &mutex->state,
                           .prepare    = announce_sleeper };
  bool         is_held = dart__wait_until(&wait, policy);

  *is_broken_out = is_held && w.is_broken;
  return is_held;
}

/* A unit that has a core yields it for a while before it sleeps: nobody else needs it, and to wake a sleeper costs the
 * holder some microseconds. */
bool dart__mutex_wait(dart__mutex_t *mutex, const dart__wait_policy_t *policy)
{
  waiter_t     w          = { .mutex = mutex };
  dart__wait_t until_free = { .look       = take_free,
                              .context    = &w,
                              .limit_ns   = DART__LATE_US * INT64_C(1000),
                              .looks_once = true,
                              .backs_off  = true,
                              .word       = &mutex->state,
                              .prepare    = announce_sleeper };
  dart__wait_t until_turn = until_free;

  if (dart__mutex_tag != 0) {
    dart__mutex_wait_robust(mutex, policy, &w.is_broken);
    return w.is_broken;
  }
  if (dart__wait_until(&until_free, policy))
    return false;
  w.ticket            = dart__mutex_draw_ticket(mutex);
  until_turn.look     = take_in_turn;
  until_turn.limit_ns = INT64_MAX;
  until_turn.word     = &mutex->turn; /* read before the look: an unlock after it changes it */
  until_turn.bits     = bit_of(w.ticket);
  until_turn.prepare  = NULL;
  dart__wait_until(&until_turn, policy);
  return false;
}

/* Word of the release by a unit that is lost may come when another has taken the mutex from it. */
static bool leave_robust(dart__mutex_t *mutex, int32_t unit, uint32_t *before_out)
{
  uint32_t held = HELD | tag_of(unit);

  *before_out = load_state(mutex);
  do
    if ((*before_out & ~SLEEPERS) != held)
      return false;
  /* release: pairs with the acquire of the next holder */
  while (!atomic_compare_exchange_weak_explicit(&mutex->state, before_out, *before_out - held,
                                                memory_order_release, memory_order_relaxed));
  return true;
}

bool dart__mutex_unlock_for(dart__mutex_t *mutex, int32_t unit)
{
  uint32_t before;

  if (dart__mutex_tag != 0) {
    if (!leave_robust(mutex, unit, &before))
      return false;
  } else if (dart__mutex_is_held(mutex)) { /* release: as above */
    before = atomic_fetch_sub_explicit(&mutex->state, HELD, memory_order_release);
  } else {
    return false;
  }
  dart__mutex_wake(mutex, before);
  return true;
}

void dart__mutex_wake(dart__mutex_t *mutex, uint32_t state)
{
  if (dart__mutex_tag == 0 && late_waiters(state) > 0) {
    /* release: pairs with the acquire in dart__wait_until, so that a look after it sees the unlock */
    atomic_fetch_add_explicit(&mutex->turn, 1, memory_order_release);
    dart__futex_wake_bits(&mutex->turn, bit_of(served(state)));
  } else if ((state & SLEEPERS) != 0) {
    /* relaxed: a hint to unlocks; the waiter woken here sets it again for the others */
    atomic_fetch_and_explicit(&mutex->state, ~SLEEPERS, memory_order_relaxed);
    dart__futex_wake(&mutex->state, 1);
  }
}
