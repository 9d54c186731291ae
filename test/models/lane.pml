/* An endpoint, as lanes.pml and teams.pml have it: batches of requests under way to a peer, and
 * their acknowledgements (dart-mpi/am/endpoint.c, batch.h; the target's side is receive.c and
 * target.c).
 *
 * Two units, each with an endpoint for the other. The window is WINDOW batches, and every
 * EVERY-th asks for a reply (16 and 8 in the code); a batch has room for CAPACITY operations,
 * which have a result or not.
 *
 * Abstractions. MPI delivers messages of one sender in order, and never blocks it. What is done
 * under the endpoint's lock is one step. But the acknowledgement in a message is read before the
 * message is sent, and the receiver's lock lets this unit apply one batch and reply to it in
 * between. So a message may acknowledge one batch less than was applied: acknowledgements by
 * a unit's several threads come out of order. (In the code it may be several less, for the lock
 * is given up while a thread sends, and no other thread sends meanwhile: `is_sending`.) A reply that
 * is asked for after all was sent is one to an empty batch; in the code it is one to a message
 * without a batch (send_ack_request). Progress (`drain`) is a process of its own: the agent, or
 * the unit where it waits; it sends what was collected, too (send_open). A loop that looks again
 * after every turn of waiting is a guard.
 *
 * Memory order. dart__am_ack_note raises `refused`, then `applied` (release); dart__am_ack_write
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

mtype = { REQUESTS, REPLY };

/* dart__am_header_t: kind, wants_reply, acked, refused */
chan wire[2] = [2 * WINDOW + 2] of { mtype, bool, byte, byte };
bool is_closed[2];    /* dart__am_close: nothing may come any more */

typedef endpoint_t {
  bool is_open;       /* there is an open batch ... */
  byte nrequests;     /* of so many */
  bool open_results;  /* some with results */
  byte sent, asked, acked, done, newest_local; /* the last is `local` in the code */
  byte refused;
#ifdef TEAMS
  byte nasked, nreplies, awaited, awaited_replies;
#endif
  short results;      /* bit n: batch n, which is under way, has results */
}

endpoint_t endpoint[2]; /* of unit `me` to the other */
#define EP endpoint[me]

/* What a unit as a target has applied of the other's batches (dart__am_ack_t); of each, one request
 * was refused. */
byte effects[2];
byte applied[2];
byte refused[2];

#ifdef MUTANT_no_window
#define IS_WINDOW_OPEN true
#else
#define IS_WINDOW_OPEN (EP.sent - EP.done < WINDOW)
#endif
#define IS_BATCH_FULL  (EP.nrequests == CAPACITY)

#ifdef MUTANT_never_asked
#define IS_DUE false
#else
#define IS_DUE (EP.sent + 1 - EP.asked >= EVERY && EP.sent + 1 - EP.done >= EVERY)
#endif

/* ---- the origin's side ---- */

/* dart__am_endpoint_send, if the window is open */
inline send(wish)
{
  wants_reply = wish || EP.open_results || IS_DUE;
  EP.sent++;
  assert(EP.sent - EP.done <= WINDOW && nfull(wire[PEER]) && !is_closed[PEER]);
  if /* dart__am_ack_write */
  :: wire[PEER]!REQUESTS,wants_reply,applied[me],refused[me]
  :: applied[me] > 0 -> wire[PEER]!REQUESTS,wants_reply,applied[me] - 1,refused[me] - 1
  fi;
  EP.asked = (wants_reply -> EP.sent : EP.asked);
#ifdef TEAMS
  EP.nasked = EP.nasked + wants_reply;
#endif
  EP.results = EP.results | (EP.open_results << EP.sent);
  EP.is_open = false;
  EP.nrequests = 0;
  EP.open_results = false;
  wants_reply = false
}

/* dart__am_endpoint_reserve, dart__am_endpoint_append, open_batch */
inline append(has_result)
{
  atomic {
    !IS_BATCH_FULL || IS_WINDOW_OPEN;
    if
    :: IS_BATCH_FULL -> send(false)
    :: else
    fi;
    EP.is_open = true;
    EP.nrequests++;
    EP.open_results = EP.open_results || has_result;
    EP.newest_local = (has_result -> EP.sent + 1 : EP.newest_local)
  }
}

#ifdef MUTANT_flush_does_not_ask
#define IS_ASKED_FOR(number) true
#else
#define IS_ASKED_FOR(number) (EP.done >= number || EP.asked >= number)
#endif

/* dart__am_endpoint_ask */
inline ask(number)
{
  if
  :: !IS_ASKED_FOR(number) ->
    EP.is_open = true;
    if
    :: IS_WINDOW_OPEN -> send(true)
    :: else
    fi
  :: else
  fi
}

#ifdef MUTANT_flush_skips_open
#define NEWEST(at_target) (at_target || EP.newest_local <= EP.sent -> EP.sent : EP.newest_local - 1)
#else
#define NEWEST(at_target) (at_target -> EP.sent + EP.is_open : EP.newest_local)
#endif

#define FIRST_HAS_RESULTS (EP.results & (1 << (EP.done + 1)))

#ifdef MUTANT_results_by_any_message
#define HAS_COME true
#else
#define HAS_COME (kind == REPLY && EP.done + 1 == ack)
#endif

/* dart__am_endpoint_retire, of one batch */
inline retire_first()
{
  EP.done++;
  if
  :: EP.results & (1 << EP.done) ->
    assert(kind == REPLY && ack == EP.done);
#ifndef MUTANT_results_after_idle
    EP.results = EP.results & ~(1 << EP.done)
#endif
  :: else
  fi
}

/* dart__am_endpoint_acknowledge; a reply has the results of the newest batch it acknowledges */
inline acknowledge()
{
  EP.acked = (ack > EP.acked -> ack : EP.acked);
  EP.refused = (ack_refused > EP.refused -> ack_refused : EP.refused);
#ifdef TEAMS
  EP.nreplies = EP.nreplies + (kind == REPLY);
#endif
  do
  :: EP.done < EP.acked && (!FIRST_HAS_RESULTS || HAS_COME) -> retire_first()
  :: else -> break
  od
}

/* ---- the target's side ---- */

#ifdef MUTANT_acks_too_early
#define LATER effects[me] = applied[me]
#elif defined(MUTANT_refused_after_applied)
#define LATER refused[me] = applied[me]
#elif defined(MUTANT_results_after_idle)
#define LATER EP.results = EP.results & ~((2 << EP.done) - 1)
#endif

/* `serve`: apply a batch, and dart__am_ack_note */
inline serve()
{
#ifndef MUTANT_acks_too_early
  effects[me]++;
#endif
#ifndef MUTANT_refused_after_applied
  refused[me]++;
#endif
  applied[me]++
}

/* dart__am_progress: `drain`, and send_open */
proctype progress(byte me)
{
  mtype kind;
  bool wants_reply;
  byte ack, ack_refused;

end:
  do
  :: atomic { /* `handle` */
       wire[me]?kind,wants_reply,ack,ack_refused;
       acknowledge();
       ack = 0;
       ack_refused = 0;
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
     :: wants_reply ->
       atomic { /* send_reply */
         assert(nfull(wire[PEER]) && !is_closed[PEER]);
         wire[PEER]!REPLY,false,applied[me],refused[me];
         wants_reply = false
       }
     :: else
     fi
  :: atomic { EP.nrequests > 0 && IS_WINDOW_OPEN -> send(false) }
  od
}
