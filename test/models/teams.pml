/* Flushes of a team, by several threads of a unit, and the end (dart-mpi/am/flush.c:
 * dart__am_flush_members, dart__am_quiesce; api/job/init.c: dart_exit).
 *
 * Claims. A flush of the team returns only when all that its thread appended before is applied, or,
 * if it is local, has its results; a flush that finds nothing busy may return at once. The unit
 * leaves after its last flush and a barrier, and no message comes to it any more: it would be one of
 * the next cycle of init and exit (all of these are assertions). And no thread waits for ever (no
 * invalid end state), though acknowledgements travel with the other unit's requests and several
 * threads raise what is awaited.
 *
 * Bounds. Two units. Unit 0 has THREADS of OPS0 operations each, and a flush of either kind or
 * none; unit 1 one thread of OPS1, without results. Then one thread of each flushes all and leaves.
 * MPI's barrier says nothing of messages in another communicator, so they may come later. lane.pml
 * has the rest.
 *
 * SETTLED is what the code does at the end: dart__am_quiesce waits for every reply that was asked
 * for. dart__am_flush_members itself waits for no replies but those with results; the model's flush
 * waits for the replies that it has asked for.
 *
 * Limits: what is not kept, with the reason. Of the first two this is so without SETTLED.
 * - full_window: a flush that cannot send the open batch, for the window is full, waits; what is
 *   collected is then sent by the progress it makes (send_open), which may ask for a reply, and
 *   the flush counts only replies that it asked for itself. If the batch is then acknowledged by a
 *   request of the peer, the flush returns, and the reply comes after the end. SETTLED waits for
 *   all replies that were asked for by the time that all is applied, and keeps the claim.
 * - pings_at_the_end: dart__completion_flush_all comes after the flush of the requests, and pings a
 *   slow target (dart__am_ping_blocking), for which it waits as dart__am_flush does: an
 *   acknowledgement by a request is enough. With SETTLED and a flush of the team after it the claim
 *   holds.
 * - waits_for_others: what a flush awaits is written in the endpoint, and raised by flushes of other
 *   threads; so it may wait for what they requested after it began, and as long as they go on
 *   flushing.
 *
 * run: one_thread      -DTHREADS=1 -DOPS0=3 -DOPS1=1 -DWINDOW=4
 * run: two_threads     -DTHREADS=2 -DOPS0=1 -DOPS1=1
 * run: settled         -DTHREADS=1 -DOPS0=3 -DOPS1=1 -DSETTLED
 * run: pings_settled   -DTHREADS=1 -DOPS0=2 -DOPS1=1 -DSETTLED -DPINGS
 * large: two_threads_settled  -DTHREADS=2 -DOPS0=2 -DOPS1=1 -DSETTLED
 * mutant: replies_not_awaited  -DTHREADS=1 -DOPS0=2 -DOPS1=1
 * mutant: awaited_overwritten  -DTHREADS=2 -DOPS0=2 -DOPS1=0 -DWINDOW=4 -DEVERY=4
 * mutant: results_after_idle   -DTHREADS=1 -DOPS0=1 -DOPS1=0
 * limit: full_window       -DTHREADS=1 -DOPS0=3 -DOPS1=1
 * limit: pings_at_the_end  -DTHREADS=1 -DOPS0=1 -DOPS1=1 -DPINGS
 * limit: waits_for_others  -DTHREADS=2 -DOPS0=1 -DOPS1=0
 */
#define TEAMS
#include "lane.pml"

byte running[2];     /* threads */
byte at_barrier;

#define MAX(a, b) (a > b -> a : b)

/* Read without a lock: the peer is not in am->busy, see is_idle and dart__am_endpoint_retire */
#define IS_IDLE (!EP.is_open && EP.done == EP.sent && EP.nasked == EP.nreplies)

#define IS_AWAITED (EP.done < EP.awaited || EP.nreplies < EP.awaited_replies)

inline ask_awaited()
{
  before = EP.nasked;
  ask(EP.awaited);
  EP.awaited_replies = (EP.nasked > before -> EP.nasked : EP.awaited_replies);
  before = 0
}

inline flush_members(at_target)
{
  atomic {
    due = EP.sent + EP.is_open; /* a ghost, as is `replies` */
    replies = EP.nasked + 1;
    if
    :: IS_IDLE
    :: else ->
#ifdef MUTANT_awaited_overwritten
      EP.awaited = NEWEST(at_target);
#else
      EP.awaited = MAX(EP.awaited, NEWEST(at_target));
#endif
#ifndef MUTANT_replies_not_awaited
      EP.awaited_replies = (at_target -> EP.nasked : EP.awaited_replies);
#endif
      ask_awaited()
    fi
  }
  do
  :: atomic { !IS_ASKED_FOR(EP.awaited) && IS_WINDOW_OPEN -> ask_awaited() }
#ifdef LIMIT_waits_for_others
  :: atomic { EP.done >= due && EP.nreplies >= replies && IS_AWAITED -> assert(false) }
#endif
  :: atomic {
       !IS_AWAITED;
#ifdef SETTLED
       EP.awaited_replies = (at_target -> EP.nasked : EP.awaited_replies);
     }
     atomic {
       !IS_AWAITED;
#endif
       assert(!at_target || effects[PEER] >= due);
       assert((EP.results & ((2 << due) - 1)) == 0 && (EP.sent >= due || !EP.open_results));
       due = 0;
       replies = 0
     }
     break
  od
}

/* dart__am_ping_blocking */
inline ping_blocking()
{
  append(false);
  atomic {
    due = NEWEST(true);
    ask(due)
  }
  do
  :: atomic { !IS_ASKED_FOR(due) && IS_WINDOW_OPEN -> ask(due) }
  :: EP.done >= due -> break
  od
}

/* dart_exit */
inline leave()
{
  flush_members(true);
#ifdef PINGS
  ping_blocking();
#ifdef SETTLED
  flush_members(true);
#endif
#endif
  at_barrier++;
  atomic {
    at_barrier == 2;
    assert(empty(wire[me]));
    is_closed[me] = true
  }
}

proctype thread(byte me; byte ops; bool leaves)
{
  byte due, replies, before;
  bool wants_reply;

  do
  :: ops > 0 ->
    ops--;
    if
    :: append(false)
    :: me == 0 -> append(true)
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
    run progress(0);
    run progress(1);
    running[0] = THREADS;
    running[1] = 1;
    for (i : 1 .. THREADS) {
      run thread(0, OPS0, i == 1)
    }
    run thread(1, OPS1, true)
  }
}
