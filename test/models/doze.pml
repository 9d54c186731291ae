/* A wait for more than an event: a loop that looks at something else, and sleeps on the event.
 *
 * Waits for notifications (rma/await.c) and for messages (p2p/twosided.c: transfer) read
 * the unit's event, then their counters or messages, and sleep on the event if nothing has come. A
 * unit that raises a counter or sends a message does so first and raises the event after: `raise` in
 * rma/notify.c; `drain` in dart-base/far/am/receive.c, once for all counters of a batch;
 * dart__mailbox_post, `fill_slots` and acknowledge.
 *
 * Claim. Every waiter gets what it waits for: a waiter that sleeps for ever is an invalid end state.
 *
 * Bounds. Two waiters, each for its own counter to reach ROUNDS; BRINGERS that raise both counters
 * ROUNDS / BRINGERS times each, the event after each of them, or, as `drain` does, after both.
 * The event is abstracted to what event.pml shows of it: a sleep on it ends when it is raised, or
 * when it had been raised before the sleep began. No sleep ends early.
 *
 * Memory order. The event is read with acquire before the counters, and raised seq_cst after them:
 * the mutants swap these.
 *
 * run: after_each   -DROUNDS=4 -DBRINGERS=2
 * run: after_both   -DROUNDS=4 -DBRINGERS=2 -DAFTER_BOTH
 * mutant: event_after_counters  -DROUNDS=1 -DBRINGERS=1
 * mutant: event_raised_first    -DROUNDS=1 -DBRINGERS=1
 */
#include "common.pml"

byte event;
byte counter[2];

inline raise(which)
{
#ifdef MUTANT_event_raised_first
  UNORDERED(counter[which]++, event++)
#else
  counter[which]++;
  event++
#endif
}

proctype bringer()
{
  byte round;

  for (round : 1 .. ROUNDS / BRINGERS) {
#ifdef AFTER_BOTH
    counter[0]++;
    counter[1]++;
    event++
#else
    raise(0);
    raise(1)
#endif
  }
}

#ifdef MUTANT_event_after_counters
#define LOOK UNORDERED(seen = event, there = counter[me])
#else
#define LOOK seen = event; there = counter[me]
#endif

proctype waiter(byte me)
{
  byte seen, there;

  do
  :: LOOK;
     if
     :: there == ROUNDS -> break
     :: else -> event != seen /* dart__wait_until, dart__event_wait */
     fi
  od
}

init
{
  byte i;

  atomic {
    for (i : 1 .. BRINGERS) {
      run bringer()
    }
    run waiter(0);
    run waiter(1)
  }
}
