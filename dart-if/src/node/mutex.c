/* The mutex's slow ways: see mutex.h for the idea.
 *
 * Who sleeps is either woken or on its way: a release that finds SLEEPERS clears it and wakes one,
 * and who was woken sets it again when it takes the mutex or goes back to sleep, for there may be
 * more. Those who are late sleep on `turn`, so that a release wakes one of them and no other. */
#include "node/mutex.h"

#define PATIENCE_US 1000
#define MOST_PAUSES 32 /* between two looks */

#define HELD     DART__MUTEX_HELD
#define SLEEPERS DART__MUTEX_SLEEPERS
#define LATE     DART__MUTEX_LATE

static bool is_free(uint32_t state)
{
  return (state & HELD) == 0;
}

static bool anyone_late(uint32_t state)
{
  return state >= LATE;
}

/* From `state`, in which it is free, to `taken`. acquire: pairs with the release in unlock */
static bool take(dart__mutex_t *mutex, uint32_t state, uint32_t taken)
{
  return atomic_compare_exchange_strong_explicit(&mutex->state, &state, taken, memory_order_acquire,
                                                 memory_order_relaxed);
}

static uint32_t look(const dart__mutex_t *mutex)
{
  /* relaxed: only a swap that succeeds takes it */
  return atomic_load_explicit((_Atomic uint32_t *)&mutex->state, memory_order_relaxed);
}

static uint32_t microseconds(void)
{
  return (uint32_t)(dart__now_ns() / 1000);
}

static void progress(const dart__wait_policy_t *policy)
{
  if (policy->progress != NULL)
    policy->progress();
}

/* For at most this long, not to be late for the next look at other nodes. 0: no limit */
static uint32_t nap(uint32_t most_us, const dart__wait_policy_t *policy)
{
  return policy->progress != NULL && (most_us == 0 || policy->nap_us < most_us) ? policy->nap_us
                                                                                : most_us;
}

/* Looks at growing intervals: every look takes the cache line from the holder. */
static bool spin(dart__mutex_t *mutex, const dart__wait_policy_t *policy)
{
  uint32_t pauses = 1;

  for (uint32_t paused = 0; paused < policy->spins; paused += pauses) {
    uint32_t state = look(mutex);

    if (is_free(state) && !anyone_late(state) && take(mutex, state, state | HELD))
      return true;
    progress(policy);
    for (uint32_t i = 0; i < pauses; i++)
      dart__cpu_pause();
    if (pauses < MOST_PAUSES)
      pauses *= 2;
  }
  return false;
}

/* False: it took too long. */
static bool sleep_until_free(dart__mutex_t *mutex, const dart__wait_policy_t *policy)
{
  uint32_t start = microseconds(), waited = 0;

  while (waited < PATIENCE_US) {
    uint32_t state = look(mutex);

    if (is_free(state) && !anyone_late(state)) {
      if (take(mutex, state, state | HELD | SLEEPERS))
        return true;
      continue;
    }
    /* relaxed: the order that counts is that of the word itself; the kernel compares it again */
    if ((state & SLEEPERS) == 0 &&
        !atomic_compare_exchange_strong_explicit(&mutex->state, &state, state | SLEEPERS,
                                                 memory_order_relaxed, memory_order_relaxed))
      continue;
    progress(policy);
    dart__futex_wait(&mutex->state, state | SLEEPERS, nap(PATIENCE_US - waited, policy));
    waited = microseconds() - start;
  }
  return false;
}

static void sleep_until_turn(dart__mutex_t *mutex, const dart__wait_policy_t *policy)
{
  /* relaxed: a release either finds it there, or came before the look below */
  atomic_fetch_add_explicit(&mutex->state, LATE, memory_order_relaxed);
  for (;;) {
    /* acquire: pairs with the release in wake, so that after a turn the look finds its cause */
    uint32_t turn  = atomic_load_explicit(&mutex->turn, memory_order_acquire);
    uint32_t state = look(mutex);

    if (is_free(state)) {
      if (take(mutex, state, (state - LATE) | HELD | SLEEPERS))
        return;
      continue;
    }
    progress(policy);
    dart__futex_wait(&mutex->turn, turn, nap(0, policy));
  }
}

void dart__mutex_wait(dart__mutex_t *mutex, const dart__wait_policy_t *policy)
{
  if (!spin(mutex, policy) && !sleep_until_free(mutex, policy))
    sleep_until_turn(mutex, policy);
}

void dart__mutex_wake(dart__mutex_t *mutex, uint32_t state)
{
  if (anyone_late(state)) {
    /* release: pairs with the acquire in sleep_until_turn */
    atomic_fetch_add_explicit(&mutex->turn, 1, memory_order_release);
    dart__futex_wake(&mutex->turn, 1);
  } else if ((state & SLEEPERS) != 0) {
    /* relaxed: a hint to releases; who is woken here sets it again for the others */
    atomic_fetch_and_explicit(&mutex->state, ~SLEEPERS, memory_order_relaxed);
    dart__futex_wake(&mutex->state, 1);
  }
}
