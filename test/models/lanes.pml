/* Endpoints: batches of requests under way to a peer, their replies, notifications, and flushes that wait for
 * them (dart-base/far/am/endpoint.c, flush.c: dart__am_settle_to).
 *
 * Claims. A flush returns only when all that its unit appended before is applied, and all refused requests of it
 * are counted; a local flush when all results are there. Results come once, from the reply to their own batch. A
 * batch is not released while it is being sent. Without notifications no more than WINDOW batches are under
 * way, with them no more than POOL (all of these are assertions). And no unit waits for ever, though both
 * windows may be full while both units wait, or there may be one batch alone, and replies come only where one is
 * wanted (no invalid end state). A notification does not wait for its target to make progress: one that is not
 * here until all are sent holds up nobody (ABSENT; no invalid end state).
 *
 * Bounds. OPS0 and OPS1 operations of the two units, each with a result or not, or with NOTIFICATIONS one;
 * or, WAKES times, a message that only keeps the peer awake;
 * after any of them a flush of either kind, FLUSHES times in all, and one at the end. lane.pml has the rest, the
 * abstractions, and what is said of memory order.
 *
 * Limit. behind_a_full_batch: a notification that finds the open batch full of other requests, and the window full of
 * batches, waits for its target.
 *
 * run: full_windows  -DOPS0=3 -DOPS1=2
 * run: larger_window -DOPS0=5 -DOPS1=0 -DWINDOW=4
 * run: flushes       -DOPS0=2 -DOPS1=1 -DFLUSHES=1
 * run: shared        -DOPS0=3 -DOPS1=0 -DFLUSHES=1 -DCAPACITY=2
 * run: slowly        -DOPS0=2 -DOPS1=1 -DSLOWLY
 * run: one_batch     -DOPS0=2 -DOPS1=1 -DFLUSHES=1 -DPOOL=1 -DSLOWLY
 * run: beyond        -DOPS0=3 -DOPS1=0 -DNOTIFICATIONS -DWINDOW=1 -DEVERY=1 -DCAPACITY=2 -DPOOL=2 -DSLOWLY
 * run: sent_later    -DOPS0=3 -DOPS1=0 -DNOTIFICATIONS -DWINDOW=1 -DEVERY=1 -DCAPACITY=2 -DPOOL=2 -DSLOWLY -DLATER
 * run: awake         -DOPS0=3 -DOPS1=1 -DWAKES=1
 * run: awake_alone   -DOPS0=3 -DOPS1=0 -DWAKES=2 -DFLUSHES=1 -DSLOWLY
 * run: absent        -DOPS0=4 -DOPS1=0 -DNOTIFICATIONS -DABSENT
 * large: larger_both -DOPS0=5 -DOPS1=1 -DWINDOW=4
 * large: slowly_both -DOPS0=3 -DOPS1=1 -DFLUSHES=1 -DSLOWLY
 * mutant: acks_too_early         -DOPS0=1 -DOPS1=1
 * mutant: refused_after_applied  -DOPS0=1 -DOPS1=1
 * mutant: never_asked            -DOPS0=3 -DOPS1=0
 * mutant: flush_does_not_ask     -DOPS0=1 -DOPS1=0
 * mutant: asks_with_batches_only -DOPS0=1 -DOPS1=0
 * mutant: flush_skips_open       -DOPS0=1 -DOPS1=0 -DFLUSHES=1
 * mutant: results_by_any_message -DOPS0=1 -DOPS1=1
 * mutant: retires_while_sending  -DOPS0=1 -DOPS1=0 -DSLOWLY
 * mutant: no_window              -DOPS0=3 -DOPS1=0
 * mutant: wakes_unheard          -DOPS0=1 -DOPS1=0 -DWAKES=1
 * mutant: no_batches_asked_for   -DOPS0=2 -DOPS1=0 -DPOOL=1
 * mutant: notification_waits     -DOPS0=4 -DOPS1=0 -DNOTIFICATIONS -DABSENT
 * limit: behind_a_full_batch     -DOPS0=4 -DOPS1=0 -DNOTIFICATIONS -DABSENT
 */
#include "lane.pml"

#ifndef FLUSHES
#define FLUSHES 0
#endif
#ifndef WAKES
#define WAKES 0
#endif

/* dart__am_settle_to */
inline flush(at_target)
{
  atomic {
    begin_flush(at_target);
    last = NEWEST(at_target)
  }
  wait_for();
  atomic {
    end_flush();
    last = 0
  }
}

proctype unit(byte me; byte ops)
{
  byte last, due, due_local, flushes, wakes, number;
  bool wants_reply, is_sender;

  do
  :: ops > 0 ->
    ops--;
    if
    :: wakes < WAKES -> wakes++; wake()
#if !defined(ABSENT) || defined(LIMIT_behind_a_full_batch)
    :: append(false, false)
#endif
#if !defined(ABSENT)
    :: append(true, false)
#endif
#ifdef NOTIFICATIONS
    :: append(false, true)
#endif
    fi;
    if
    :: true
    :: flushes < FLUSHES -> flushes++; flush(true)
    :: flushes < FLUSHES -> flushes++; flush(false)
    fi
  :: else -> break
  od;
  is_here[1] = true; /* a unit that was not, is now */
  flush(true);
  EP.nasked == EP.nreplies /* dart__am_quiesce: no reply is left behind */
}

init
{
  atomic {
    is_here[0] = true;
#ifndef ABSENT
    is_here[1] = true;
#endif
    run receiver(0);
    run receiver(1);
    run sender(0);
    run sender(1);
    run unit(0, OPS0);
#ifndef ABSENT
    run unit(1, OPS1)
#endif
  }
}
