/* Flushes of a team, by several threads of a unit, and the end (dart-base/far/am/flush.c: dart__am_flush_members,
 * dart__am_quiesce; dart-base/far/engine_start.c: dart__engine_close).
 *
 * Claims. A flush of the team returns only when all that its thread appended before is applied, or, if it is
 * local, has its results; a flush that finds nothing busy may return at once. It waits for what was requested
 * until it turned to the peer, and for no more, though other threads go on. The unit leaves after its last flush
 * and a barrier, and no message comes to it any more: it would be one of the next cycle of init and exit (all of
 * these are assertions). And no thread waits for ever, though acknowledgements travel with the other unit's
 * requests, and replies are received only while the peer is busy (no invalid end state).
 *
 * Bounds. Two units. Unit 0 has THREADS of OPS0 operations each, with a result or not, and a flush of either kind
 * or none; unit 1 one thread of OPS1, without results. Then one thread of each leaves. MPI's barrier says nothing of
 * messages in another communicator, so they may come later. lane.pml has the rest; peers.pml has more than one peer.
 *
 * run: one_thread      -DTHREADS=1 -DOPS0=3 -DOPS1=1
 * run: two_threads     -DTHREADS=2 -DOPS0=1 -DOPS1=1
 * run: slowly          -DTHREADS=1 -DOPS0=2 -DOPS1=1 -DSLOWLY
 * large: two_threads_of_two -DTHREADS=2 -DOPS0=2 -DOPS1=1
 * large: two_slowly         -DTHREADS=2 -DOPS0=1 -DOPS1=1 -DSLOWLY
 * mutant: leaves_without_replies -DTHREADS=1 -DOPS0=2 -DOPS1=1
 * mutant: idle_before_replies    -DTHREADS=1 -DOPS0=2 -DOPS1=1
 * mutant: reports_nothing        -DTHREADS=1 -DOPS0=1 -DOPS1=0
 * mutant: results_after_done     -DTHREADS=1 -DOPS0=1 -DOPS1=0
 * mutant: waits_for_others       -DTHREADS=2 -DOPS0=1 -DOPS1=0
 */
#include "lane.pml"

byte running[2]; /* threads */
byte at_barrier;

/* dart__am_flush_members: is anyone busy?, `ask`, `wait_and_report`, each for all members */
inline flush_members(at_target)
{
  atomic {
    begin_flush(at_target);
    last = NEWEST(at_target);
    if
    :: EP.is_busy && CAN_ASK(last) -> ask(last)
    :: else
    fi
  }
  posted();
  last = (EP.is_busy -> NEWEST(at_target) : 0); /* a walk finds the busy ones */
  wait_for();
  atomic {
    end_flush();
#ifndef MUTANT_reports_nothing
    EP.reported = EP.refused;
    retire();
#endif
    last = 0
  }
}

/* dart__engine_close, when the agent has ended; and the barrier */
inline leave()
{
  flush_members(true); /* dart__am_quiesce */
#ifndef MUTANT_leaves_without_replies
  !EP.is_busy;
#endif
  at_barrier++;
  atomic {
    at_barrier == 2;
    assert(empty(requests[me]) && empty(replies[me]));
    is_closed[me] = true
  }
}

proctype thread(byte me; byte ops; bool leaves)
{
  byte last, due, due_local, number;
  bool wants_reply, is_sender;

  do
  :: ops > 0 ->
    ops--;
    if
    :: append(false, false)
    :: me == 0 -> append(true, false)
    fi
  :: else -> break
  od;
  if
  :: me == 0 -> flush_members(true)
  :: me == 0 -> flush_members(false)
  :: leaves /* and flushes then */
  fi;
  running[me]--;
  if
  :: leaves -> running[me] == 0; leave()
  :: else
  fi
}

init
{
  byte i;

  atomic {
    is_here[0] = true;
    is_here[1] = true;
    run receiver(0);
    run receiver(1);
    run sender(0);
    run sender(1);
    running[0] = THREADS;
    running[1] = 1;
    for (i : 1 .. THREADS) {
      run thread(0, OPS0, i == 1)
    }
    run thread(1, OPS1, true)
  }
}
