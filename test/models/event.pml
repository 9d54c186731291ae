/* The event: a counter that processes sleep on (wait/wait.h).
 *
 * Claims. A process that waits for the counter to change is woken when it has: a sleeper that is
 * never woken would be an invalid end state. A process that sees the counter changed sees what was
 * done before it was raised: an assertion.
 *
 * Bounds. RAISERS raise it ROUNDS times each, by dart__event_raise if there is one raiser and by
 * dart__event_add if there are more; WAITERS wait for every change. EARLY sleeps end without a wake.
 *
 * Memory order. `count` and `sleepers` are seq_cst on both sides, and the model keeps their order.
 * The decrement of `sleepers` is relaxed, so it may come after the next look. A release and what it
 * releases are one step, and so are an acquire and what it acquires: any later, or earlier, would
 * be a stronger promise. WEAK_WAITER takes the waiter's increment of `sleepers` and its look at
 * `count` in any order: nothing changes, for what counts is the kernel's comparison, which the
 * system call keeps behind both; the look only saves the call. So the mutants weaken the raiser's
 * order.
 *
 * run: one_raiser    -DWAITERS=2 -DRAISERS=1 -DROUNDS=3 -DEARLY=2
 * run: more_waiters  -DWAITERS=3 -DRAISERS=1 -DROUNDS=2 -DEARLY=0
 * run: many_raisers  -DWAITERS=2 -DRAISERS=2 -DROUNDS=2 -DEARLY=1
 * run: weak_waiter   -DWAITERS=2 -DRAISERS=2 -DROUNDS=2 -DEARLY=0 -DWEAK_WAITER
 * mutant: sleepers_before_count  -DWAITERS=1 -DRAISERS=1 -DROUNDS=1 -DEARLY=0
 * mutant: kernel_compares_not    -DWAITERS=1 -DRAISERS=1 -DROUNDS=1 -DEARLY=0
 * mutant: wakes_one              -DWAITERS=2 -DRAISERS=1 -DROUNDS=1 -DEARLY=0
 * mutant: count_not_release      -DWAITERS=1 -DRAISERS=1 -DROUNDS=1 -DEARLY=0
 * mutant: count_not_acquire      -DWAITERS=1 -DRAISERS=1 -DROUNDS=1 -DEARLY=0
 */
#include "common.pml"

#define LAST (RAISERS * ROUNDS)

byte count, sleepers;       /* dart__event_t */
bool asleep[SLEEPERS_MOST]; /* on `count` */
byte early = EARLY;

byte done;                  /* stores, each before a change of the counter */

#ifdef MUTANT_wakes_one
#define WAKE FUTEX_WAKE_ONE(asleep)
#else
#define WAKE FUTEX_WAKE_ALL(asleep)
#endif

#if RAISERS == 1
#define SET_COUNT count = round
#else
#define SET_COUNT count++
#endif

#ifdef MUTANT_count_not_release
#define RAISE UNORDERED(done++, SET_COUNT); seen = sleepers
#elif defined(MUTANT_sleepers_before_count)
#define RAISE UNORDERED(d_step { done++; SET_COUNT }, seen = sleepers)
#else
#define RAISE d_step { done++; SET_COUNT }; seen = sleepers
#endif

/* dart__event_raise, dart__event_add */
proctype raiser()
{
  byte round, seen;

  for (round : 1 .. ROUNDS) {
    RAISE;
    if
    :: seen != 0 -> WAKE
    :: else
    fi
  }
}

/* dart__event_count */
#ifdef MUTANT_count_not_acquire
#define LOOK UNORDERED(now = count, what = done)
#else
#define LOOK d_step { now = count; what = done }
#endif

#ifdef WEAK_WAITER
#define ANNOUNCE UNORDERED(sleepers++, now = count)
#else
#define ANNOUNCE sleepers++; now = count
#endif

#ifdef MUTANT_kernel_compares_not
#define SLEEP FUTEX_WAIT(true, true, asleep, me, early)
#else
#define SLEEP FUTEX_WAIT(count, old, asleep, me, early)
#endif

proctype waiter(byte me)
{
  byte old, now, what;

  do
  :: old == LAST -> break
  :: else ->
    /* dart__event_wait */
    LOOK;
    do
    :: now != old -> break
    :: else ->
      /* sleep_on */
      ANNOUNCE;
      if
      :: now == old -> SLEEP
      :: else
      fi;
      UNORDERED(sleepers--, LOOK)
    od;
    assert(what >= now);
    old = now
  od
}

init
{
  byte i;

  atomic {
    for (i : 1 .. RAISERS) {
      run raiser()
    }
    for (i : 1 .. WAITERS) {
      run waiter(i - 1)
    }
  }
}
