/* A nudge: waking those that wait for something else than the event's counter, without raising it while nobody
 * sleeps.
 *
 * Posts and completed accesses of epochs (epoch/pscw.c) are counters that the waiter looks at itself, and so are
 * those that near units notify (rma/notify.c): dart__event_nudge (wait/wait.h) raises the event only if it
 * finds sleepers. The waiter (dart__await_within, dart__wait_until) looks once more between the announcement of its sleep and the sleep.
 *
 * Claim. Every waiter gets what it waits for: a waiter that sleeps for ever is an invalid end state.
 *
 * Bounds. WAITERS wait for the counter to reach ROUNDS * NUDGERS, for each value that they see in between once;
 * NUDGERS raise it ROUNDS times each; OTHERS raise the event for reasons of their own. No sleep ends early.
 *
 * Memory order. The counter and `sleepers` are seq_cst on both sides, and the model keeps their order. The
 * decrement of `sleepers` is relaxed.
 *
 * run: one_nudger    -DWAITERS=2 -DNUDGERS=1 -DROUNDS=3 -DOTHERS=0
 * run: two_nudgers   -DWAITERS=2 -DNUDGERS=2 -DROUNDS=1 -DOTHERS=0
 * run: with_others   -DWAITERS=2 -DNUDGERS=1 -DROUNDS=2 -DOTHERS=2
 * mutant: sleepers_before_counter  -DWAITERS=1 -DNUDGERS=1 -DROUNDS=1 -DOTHERS=0
 * mutant: looks_before_announcing  -DWAITERS=1 -DNUDGERS=1 -DROUNDS=1 -DOTHERS=0
 * mutant: wakes_without_raising    -DWAITERS=1 -DNUDGERS=1 -DROUNDS=1 -DOTHERS=0
 */
#include "common.pml"

#define LAST (ROUNDS * NUDGERS)

byte counter;               /* what is waited for */
byte count, sleepers;       /* dart__event_t */
bool asleep[SLEEPERS_MOST]; /* on `count` */
byte early = 0;

/* dart__event_add */
inline add()
{
#ifndef MUTANT_wakes_without_raising
  count++;
#endif
  seen = sleepers;
  if
  :: seen != 0 -> FUTEX_WAKE_ALL(asleep)
  :: else
  fi
}

proctype nudger()
{
  byte round, seen;

  for (round : 1 .. ROUNDS) {
#ifdef MUTANT_sleepers_before_counter
    UNORDERED(counter++, seen = sleepers);
#else
    counter++;
    seen = sleepers;
#endif
    if
    :: seen != 0 -> add()
    :: else
    fi
  }
}

proctype other()
{
  byte seen;

  add()
}

proctype waiter(byte me)
{
  byte old, now, seen;

  do
  :: old == LAST -> break
  :: else ->
    /* dart__await */
    do
    :: seen = count;
       now = counter;
       if
       :: now != old -> break
       :: else
       fi;
       /* sleep_unless */
#ifdef MUTANT_looks_before_announcing
       now = counter;
       sleepers++;
#else
       sleepers++;
       now = counter;
#endif
       if
       :: now == old -> FUTEX_WAIT(count, seen, asleep, me, early)
       :: else
       fi;
       sleepers--;
       if
       :: now != old -> break
       :: else
       fi
    od;
    old = now
  od
}

init
{
  byte i;

  atomic {
    for (i : 1 .. NUDGERS) {
      run nudger()
    }
#if OTHERS > 0
    for (i : 1 .. OTHERS) {
      run other()
    }
#endif
    for (i : 1 .. WAITERS) {
      run waiter(i - 1)
    }
  }
}
