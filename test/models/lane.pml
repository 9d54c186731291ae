/* A lane, as lanes.pml and teams.pml have it: batches of requests under way to a unit, and what
 * is heard of them (dart-mpi/lanes.h: collect.c, lanes.c, answers.c; the owner's side is
 * service.c).
 *
 * Two units, each with a lane to the other. The window is WINDOW batches, and every EVERY-th
 * asks for an answer (16 and 8 in the code); a batch has room for CAPACITY operations, which
 * have a result or not.
 *
 * Abstractions. MPI delivers messages of one sender in order, and never blocks it. What is done
 * under the lock of the lanes is one step. But what a message tells is read before it is sent,
 * and the other lock, the service's, lets the owner apply one batch and answer it in between; no
 * second one, for hearing of it takes the lock of the lanes. So a message may tell of one batch
 * less than was applied: messages of a unit's several threads tell of its progress out of order.
 * Progress (`drain`) is a process of its own: the agent, or the unit where it waits; it sends
 * what was collected, too. A loop that looks again after every turn of waiting is a guard.
 *
 * Memory order. note_applied stores `refused`, then `applied` (release); dart__service_tell
 * reads `applied` (acquire), then `refused`. The effects of a batch, `refused` and `applied`
 * change in one step, and are read in one: that is the latest, and the earliest, that this
 * allows. Mutants take them apart. */
#include "common.pml"

#ifndef WINDOW
#define WINDOW 2
#endif
#ifndef EVERY
#define EVERY 2
#endif
#ifndef CAPACITY
#define CAPACITY 1
#endif

#define PEER (1 - me)

mtype = { REQUESTS, ANSWER };

/* kind, is_wanted, what it tells: applied, refused */
chan wire[2] = [2 * WINDOW + 2] of { mtype, bool, byte, byte };
bool is_closed[2];    /* dart__service_close: nothing may come any more */

typedef lane_t {
  bool is_open;       /* there is an open batch ... */
  byte nrequests;     /* of so many */
  bool open_results;  /* some with results */
  byte sent, wanted, applied, answered, fetching;
  byte refused;
#ifdef TEAMS
  byte asked, heard, awaited, awaited_answers;
#endif
  short results;      /* bit n: batch n, which is under way, has results */
}

lane_t lane[2];       /* of unit `me` to the other */
#define L lane[me]

/* What a unit as an owner has applied of the other's batches (done_t); each was refused once. */
byte effects[2];
byte applied[2];
byte refused[2];

#ifdef MUTANT_no_window
#define IS_WINDOW_OPEN true
#else
#define IS_WINDOW_OPEN (L.sent - L.answered < WINDOW)
#endif
#define IS_BATCH_FULL  (L.nrequests == CAPACITY)

#ifdef MUTANT_never_wanted
#define IS_DUE false
#else
#define IS_DUE (L.sent + 1 - L.wanted >= EVERY && L.sent + 1 - L.answered >= EVERY)
#endif

/* ---- the asking side ---- */

/* dart__lane_send, if the window is open */
inline send(wish)
{
  is_wanted = wish || L.open_results || IS_DUE;
  L.sent++;
  assert(L.sent - L.answered <= WINDOW && nfull(wire[PEER]) && !is_closed[PEER]);
  if /* dart__service_tell */
  :: wire[PEER]!REQUESTS,is_wanted,applied[me],refused[me]
  :: applied[me] > 0 -> wire[PEER]!REQUESTS,is_wanted,applied[me] - 1,refused[me] - 1
  fi;
  L.wanted = (is_wanted -> L.sent : L.wanted);
#ifdef TEAMS
  L.asked = L.asked + is_wanted;
#endif
  L.results = L.results | (L.open_results << L.sent);
  L.is_open = false;
  L.nrequests = 0;
  L.open_results = false;
  is_wanted = false
}

/* dart__lanes_append, open_batch */
inline append(has_result)
{
  atomic {
    !IS_BATCH_FULL || IS_WINDOW_OPEN;
    if
    :: IS_BATCH_FULL -> send(false)
    :: else
    fi;
    L.is_open = true;
    L.nrequests++;
    L.open_results = L.open_results || has_result;
    L.fetching = (has_result -> L.sent + 1 : L.fetching)
  }
}

#ifdef MUTANT_flush_does_not_ask
#define IS_ASKED_FOR(number) true
#else
#define IS_ASKED_FOR(number) (L.answered >= number || L.wanted >= number)
#endif

/* dart__lane_ask_for */
inline ask_for(number)
{
  if
  :: !IS_ASKED_FOR(number) ->
    L.is_open = true;
    if
    :: IS_WINDOW_OPEN -> send(true)
    :: else
    fi
  :: else
  fi
}

#ifdef MUTANT_flush_skips_open
#define NEWEST(at_target) (at_target || L.fetching <= L.sent -> L.sent : L.fetching - 1)
#else
#define NEWEST(at_target) (at_target -> L.sent + L.is_open : L.fetching)
#endif

#define FIRST_HAS_RESULTS (L.results & (1 << (L.answered + 1)))

#ifdef MUTANT_results_by_any_message
#define HAS_COME true
#else
#define HAS_COME (kind == ANSWER && L.answered + 1 == told)
#endif

/* finish_first */
inline finish_first()
{
  L.answered++;
  if
  :: L.results & (1 << L.answered) ->
    assert(kind == ANSWER && told == L.answered);
#ifndef MUTANT_results_after_idle
    L.results = L.results & ~(1 << L.answered)
#endif
  :: else
  fi
}

/* dart__lanes_hear; an answer has the results of the newest batch it tells of */
inline hear()
{
  L.applied = (told > L.applied -> told : L.applied);
  L.refused = (told_refused > L.refused -> told_refused : L.refused);
#ifdef TEAMS
  L.heard = L.heard + (kind == ANSWER);
#endif
  do
  :: L.answered < L.applied && (!FIRST_HAS_RESULTS || HAS_COME) -> finish_first()
  :: else -> break
  od
}

/* ---- the owner's ---- */

#ifdef MUTANT_tells_too_early
#define LATER effects[me] = applied[me]
#elif defined(MUTANT_refused_after_applied)
#define LATER refused[me] = applied[me]
#elif defined(MUTANT_results_after_idle)
#define LATER L.results = L.results & ~((2 << L.answered) - 1)
#endif

/* `serve`: apply a batch, and note_applied */
inline serve()
{
#ifndef MUTANT_tells_too_early
  effects[me]++;
#endif
#ifndef MUTANT_refused_after_applied
  refused[me]++;
#endif
  applied[me]++
}

/* dart__service_look: `drain`, and dart__lanes_send */
proctype progress(byte me)
{
  mtype kind;
  bool is_wanted;
  byte told, told_refused;

end:
  do
  :: atomic { /* `handle` */
       wire[me]?kind,is_wanted,told,told_refused;
       hear();
       told = 0;
       told_refused = 0;
       if
       :: kind == REQUESTS -> serve()
       :: else
       fi;
       kind = 0
     }
#ifdef LATER
     LATER;
#endif
     if
     :: is_wanted ->
       atomic { /* send_answer */
         assert(nfull(wire[PEER]) && !is_closed[PEER]);
         wire[PEER]!ANSWER,false,applied[me],refused[me];
         is_wanted = false
       }
     :: else
     fi
  :: atomic { L.nrequests > 0 && IS_WINDOW_OPEN -> send(false) }
  od
}
