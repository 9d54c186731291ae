/* Endpoints: batches of requests under way to a peer, their replies, and flushes that wait for
 * them (dart-mpi/am/endpoint.c, flush.c: dart__am_flush).
 *
 * Claims. A flush returns only when all that its unit appended before is applied, and all refused
 * requests of it are counted; a local flush when all results are there. Results come once, from
 * the reply to their own batch. No more than WINDOW batches are under way (all of these are
 * assertions). And no unit waits for ever, though both windows may be full while both units wait,
 * and replies come only where one is wanted (no invalid end state).
 *
 * Bounds. OPS0 and OPS1 operations of the two units, each with a result or not; after any of them a
 * flush of either kind, FLUSHES times in all, and one at the end. lane.pml has the rest, the
 * abstractions, and what is said of memory order.
 *
 * run: full_windows  -DOPS0=3 -DOPS1=3
 * run: larger_window -DOPS0=6 -DOPS1=0 -DWINDOW=4
 * run: flushes       -DOPS0=3 -DOPS1=1 -DFLUSHES=1
 * run: shared        -DOPS0=3 -DOPS1=1 -DFLUSHES=1 -DCAPACITY=2
 * large: larger_both -DOPS0=5 -DOPS1=1 -DWINDOW=4
 * mutant: acks_too_early        -DOPS0=1 -DOPS1=1
 * mutant: refused_after_applied  -DOPS0=1 -DOPS1=1
 * mutant: never_asked           -DOPS0=3 -DOPS1=0
 * mutant: flush_does_not_ask     -DOPS0=1 -DOPS1=0
 * mutant: flush_skips_open       -DOPS0=1 -DOPS1=0 -DFLUSHES=1
 * mutant: results_by_any_message -DOPS0=1 -DOPS1=1
 * mutant: no_window              -DOPS0=3 -DOPS1=0
 */
#include "lane.pml"

#ifndef FLUSHES
#define FLUSHES 0
#endif

/* dart__am_flush */
inline flush(at_target)
{
  atomic {
    due = EP.sent + EP.is_open; /* a ghost */
    last = NEWEST(at_target);
    ask(last)
  }
  do
  :: atomic { !IS_ASKED_FOR(last) && IS_WINDOW_OPEN -> ask(last) }
  :: atomic {
       EP.done >= last;
       assert(!at_target || (effects[PEER] >= due && EP.refused >= due));
       assert((EP.results & ((2 << due) - 1)) == 0 && (EP.sent >= due || !EP.open_results));
       last = 0;
       due = 0
     }
     break
  od
}

proctype unit(byte me; byte ops)
{
  byte last, due, flushes;
  bool wants_reply;

  do
  :: ops > 0 ->
    ops--;
    if
    :: append(false)
    :: append(true)
    fi;
    if
    :: true
    :: flushes < FLUSHES -> flushes++; flush(true)
    :: flushes < FLUSHES -> flushes++; flush(false)
    fi
  :: else -> break
  od;
  flush(true)
}

init
{
  atomic {
    run progress(0);
    run progress(1);
    run unit(0, OPS0);
    run unit(1, OPS1)
  }
}
