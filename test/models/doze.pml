/* A wait for more than one event can tell: a loop that looks at something else, and dozes.
 *
 * Waits for notifications (api/rma/notify.c: wait_for) and for messages (api/p2p/twosided.c: converse) look
 * at the unit's event, then at their counters or letters, and sleep on the event if nothing has
 * come. Who brings something brings it first and raises the event after: `raise` in api/rma/notify.c;
 * the owner's service, once for all counters of a batch; dart__mailbox_post, `fill` and tell_taken.
 *
 * Claim. Every waiter gets what it waits for: one that sleeps on is an invalid end state.
 *
 * Bounds. Two waiters, each for its own counter to reach ROUNDS; BRINGERS that raise both counters
 * ROUNDS / BRINGERS times each, the event after each of them, or, as the service does, after both.
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
     :: else -> event != seen /* dart__event_doze, dart__event_wait */
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
