/* Flushes of a team, by several threads of a unit, and the end (dart-mpi/answers.c:
 * dart__service_flush_team; api/job/init.c: dart_exit).
 *
 * Claims. A flush of the team returns only when all that its thread appended before is applied, or,
 * if it is local, has its results; one that finds nothing busy may return at once. The unit leaves
 * after its last flush and a barrier, and no message comes to it any more: it would be one of the
 * next cycle of init and exit (all of these are assertions). And nobody waits for ever (no invalid
 * end state), though counts travel with the other unit's requests and several threads raise what is
 * awaited.
 *
 * Bounds. Two units. Unit 0 has THREADS of OPS0 operations each, and a flush of either kind or
 * none; unit 1 one thread of OPS1, without results. Then one thread of each flushes all and leaves.
 * MPI's barrier says nothing of messages in another communicator, so they may come later. lane.pml
 * has the rest.
 *
 * Limits: what the code does not keep, with the reason.
 * - full_window: a flush that cannot send the open batch, for the window is full, waits; what is
 *   collected is then sent by the progress it makes (dart__lanes_send), which may ask for an
 *   answer, and the flush counts only those that it asked for itself. If the batch is then known to
 *   be applied by a count that came with a request, the flush returns, and the answer comes after
 *   the end. SETTLED waits for all that were asked for by the time that all is applied, and keeps
 *   the claim.
 * - meets_at_the_end: dart__window_flush_all comes after the flush of the requests, and asks a slow
 *   unit for one more answer (dart__service_meet), for which it waits as dart__service_flush does:
 *   a count that came with a request is enough. With SETTLED and a flush of the team after it the
 *   claim holds.
 * - waits_for_others: what a flush awaits is written in the lane, and raised by flushes of other
 *   threads; so it may wait for what they asked for after it began, and go on to while they go on
 *   flushing.
 *
 * run: one_thread      -DTHREADS=1 -DOPS0=3 -DOPS1=1 -DWINDOW=4
 * run: two_threads     -DTHREADS=2 -DOPS0=1 -DOPS1=1
 * run: settled         -DTHREADS=1 -DOPS0=3 -DOPS1=1 -DSETTLED
 * run: meets_settled   -DTHREADS=1 -DOPS0=2 -DOPS1=1 -DSETTLED -DMEETS
 * large: two_threads_settled  -DTHREADS=2 -DOPS0=2 -DOPS1=1 -DSETTLED
 * mutant: answers_not_awaited  -DTHREADS=1 -DOPS0=2 -DOPS1=1
 * mutant: awaited_overwritten  -DTHREADS=2 -DOPS0=2 -DOPS1=0 -DWINDOW=4 -DEVERY=4
 * mutant: results_after_idle   -DTHREADS=1 -DOPS0=1 -DOPS1=0
 * limit: full_window       -DTHREADS=1 -DOPS0=3 -DOPS1=1
 * limit: meets_at_the_end  -DTHREADS=1 -DOPS0=1 -DOPS1=1 -DMEETS
 * limit: waits_for_others  -DTHREADS=2 -DOPS0=1 -DOPS1=0
 */
#define TEAMS
#include "lane.pml"

byte running[2];     /* threads */
byte at_barrier;

#define MAX(a, b) (a > b -> a : b)

/* nothing_outstanding, which takes no lock: the lane is not in dart__lanes.busy, see
 * dart__lane_unlist_if_idle */
#define IS_IDLE (!L.is_open && L.answered == L.sent && L.asked == L.heard)

#define IS_AWAITED (L.answered < L.awaited || L.heard < L.awaited_answers)

inline ask_for_awaited()
{
  asked = L.asked;
  ask_for(L.awaited);
  L.awaited_answers = (L.asked > asked -> L.asked : L.awaited_answers);
  asked = 0
}

inline flush_team(at_target)
{
  atomic {
    due = L.sent + L.is_open; /* a ghost, as is `heard` */
    heard = L.asked + 1;
    if
    :: IS_IDLE
    :: else ->
#ifdef MUTANT_awaited_overwritten
      L.awaited = NEWEST(at_target);
#else
      L.awaited = MAX(L.awaited, NEWEST(at_target));
#endif
#ifndef MUTANT_answers_not_awaited
      L.awaited_answers = (at_target -> L.asked : L.awaited_answers);
#endif
      ask_for_awaited()
    fi
  }
  do
  :: atomic { !IS_ASKED_FOR(L.awaited) && IS_WINDOW_OPEN -> ask_for_awaited() }
#ifdef LIMIT_waits_for_others
  :: atomic { L.answered >= due && L.heard >= heard && IS_AWAITED -> assert(false) }
#endif
  :: atomic {
       !IS_AWAITED;
#ifdef SETTLED
       L.awaited_answers = (at_target -> L.asked : L.awaited_answers);
     }
     atomic {
       !IS_AWAITED;
#endif
       assert(!at_target || effects[PEER] >= due);
       assert((L.results & ((2 << due) - 1)) == 0 && (L.sent >= due || !L.open_results));
       due = 0;
       heard = 0
     }
     break
  od
}

/* dart__service_meet */
inline meet()
{
  append(false);
  atomic {
    due = NEWEST(true);
    ask_for(due)
  }
  do
  :: atomic { !IS_ASKED_FOR(due) && IS_WINDOW_OPEN -> ask_for(due) }
  :: L.answered >= due -> break
  od
}

/* dart_exit */
inline leave()
{
  flush_team(true);
#ifdef MEETS
  meet();
#ifdef SETTLED
  flush_team(true);
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
  byte due, heard, asked;
  bool is_wanted;

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
  :: me == 0 -> flush_team(true)
  :: me == 0 -> flush_team(false)
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
