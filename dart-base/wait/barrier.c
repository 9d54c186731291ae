/* The node's barrier. An episode is numbered from 1; `missing` is rearmed before `open` is raised,
 * so a unit that leaves finds the barrier ready for the next episode. */
#include "wait/barrier.h"

#include "base/sanitizer.h"

void dart__barrier_init(dart__barrier_t *barrier, uint32_t nunits, uint32_t episode)
{
  /* relaxed: the caller publishes the whole barrier afterwards */
  atomic_store_explicit(&barrier->missing, nunits, memory_order_relaxed);
  barrier->nunits = nunits;
  atomic_store_explicit(&barrier->differ, 0, memory_order_relaxed);
  atomic_store_explicit(&barrier->full.count, episode, memory_order_relaxed);
  atomic_store_explicit(&barrier->full.sleepers, 0, memory_order_relaxed);
  atomic_store_explicit(&barrier->open.count, episode, memory_order_relaxed);
  atomic_store_explicit(&barrier->open.sleepers, 0, memory_order_relaxed);
}

/* True for the last unit to arrive. acq_rel: publishes the caller's stores to that one, which acquires those of all units
 * through the chain of subtractions. */
static inline bool arrive(dart__barrier_t *barrier, uint32_t kind)
{
  uint64_t missing;

  dart__tsan_tell();
  missing =
      atomic_fetch_sub_explicit(&barrier->missing, (uint64_t)kind << 32 | 1, memory_order_acq_rel);
  dart__tsan_hear();
  if ((uint32_t)missing != 1)
    return false;
  if (__builtin_expect((uint32_t)(missing >> 32) + (barrier->nunits - 1) * kind != 0, 0))
    dart__barrier_note_difference(barrier);
  return true;
}

static void rearm(dart__barrier_t *barrier)
{
  /* relaxed: no unit arrives again before `open` is raised */
  atomic_store_explicit(&barrier->missing, barrier->nunits, memory_order_relaxed);
}

void dart__barrier_wait(dart__barrier_t *barrier, uint32_t *episode, uint32_t kind,
                        const dart__wait_policy_t *policy)
{
  uint32_t before = (*episode)++;

  if (arrive(barrier, kind)) {
    rearm(barrier);
    dart__event_raise(&barrier->open, before + 1); /* pairs with the wait below */
    return;
  }
  dart__event_wait(&barrier->open, before, policy);
}

bool dart__barrier_collect(dart__barrier_t *barrier, uint32_t *episode, uint32_t kind,
                           const dart__wait_policy_t *policy)
{
  uint32_t before = (*episode)++;

  if (arrive(
          barrier,
          kind)) /* relaxed: nobody waits. It is stored all the same: a stale count could equal `before + 1`
                              * after a wrap */
    atomic_store_explicit(&barrier->full.count, before + 1, memory_order_relaxed);
  else if (!dart__event_wait_for(&barrier->full, before + 1,
                                 policy)) /* pairs with the raise in follow */
    return false;
  rearm(barrier);
  return true;
}

void dart__barrier_open(dart__barrier_t *barrier, const uint32_t *episode)
{
  dart__event_raise(&barrier->open, *episode); /* pairs with the wait in follow */
}

bool dart__barrier_follow(dart__barrier_t *barrier, uint32_t *episode, uint32_t kind,
                          const dart__wait_policy_t *policy)
{
  uint32_t before = (*episode)++;

  if (arrive(barrier, kind)) /* the leader is among the units that have arrived */
    dart__event_raise(&barrier->full, before + 1);
  return dart__event_wait(&barrier->open, before, policy) != before;
}
