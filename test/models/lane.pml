/* An endpoint, as lanes.pml and teams.pml have it: batches of requests under way to a peer, and their
 * acknowledgements (dart-base/far/am/endpoint.c, batch.h, ack.h; the target's side is receive.c and target.c).
 *
 * Two units, each with an endpoint for the other. The window is WINDOW batches, and every EVERY-th asks for a
 * reply (16 and 8 in the code). There are POOL batches in all, and each has room for CAPACITY operations.
 * An operation has a result or none, or is a notification, which is sent at once: beyond the window, unless some
 * thread makes progress and sends it later (LATER, is_sent_later in the code).
 *
 * Steps. What is done under the endpoint's lock is one step. A message is handed to MPI without the lock, but
 * nobody else sends meanwhile (is_sending), and MPI takes any time to deliver it; so handing it over is part
 * of the step before, and what is left of it is the step after (is_posted). What the receiver's lock covers is
 * one step too, for the only thing that others see of it is the acknowledgement, in messages that come at any
 * time. `receiver` and `sender` are the agent, and threads of the unit where they wait: `drain` and send_open. A
 * loop that looks again after every turn of waiting is a guard.
 *
 * MPI delivers messages of one sender and channel in order, and never blocks it. Here requests and replies have
 * channels of their own, so they come in any order. In the code most replies share that of the requests.
 *
 * Left out. A shortage of memory for replies (NOT_NOW), and that send_open and ask_for_batches pass by an
 * endpoint that is in use: both are tried again. Messages of data are notify.pml's. One peer: peers.pml is
 * of more.
 *
 * Memory order. dart__am_ack_note raises `refused`, then `applied` (release); dart__am_ack_write reads
 * `applied` (acquire), then `refused`. The effects of a batch, `refused` and `applied` change in one step, and
 * are read in one: that is the latest, and the earliest, that this allows. Mutants take them apart. */
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
#ifndef POOL
#define POOL 6
#endif

#define PEER (1 - me)

/* dart__am_header_t: wants_reply, batch, acked, refused; of a reply without the first */
chan requests[2] = [POOL + 1] of { bool, byte, byte, byte };
chan replies[2]  = [POOL + 1] of { byte, byte, byte };
bool is_closed[2]; /* dart__am_close: nothing may come any more */
bool is_here[2];   /* a unit without an agent may compute: nobody receives then */

#define NOTHING 0 /* is_sending: what a thread is sending */
#define A_BATCH 1
#define AN_ASK  2

typedef endpoint_t {
  byte nrequests;     /* of the open batch; 0: there is none */
  bool open_results;  /* it has some with results */
  byte newest_local;  /* batch with results: `local` in the code */
  byte sent, asked, acked, done;
  byte nasked, nreplies;
  byte refused, reported;
  byte is_sending;
  bool is_ack_requested;
  bool is_busy;       /* the peer is in am->busy */
  short results;      /* bit n: batch n, which is under way, has results, ... */
  short delivered;    /* ... which have come (has_results) */
}

endpoint_t endpoint[2]; /* of unit `me` to the other */
#define EP endpoint[me]

/* What a unit as a target has applied of the other's batches (dart__am_ack_t); of each, one request
 * was refused. */
byte effects[2];
byte applied[2];
byte refused[2];

#define MAX(a, b) (a > b -> a : b)
#define IS_OPEN (EP.nrequests > 0)

/* ---- the origin's side ---- */

/* is_posted: all but the batch that is being sent are */
#define IS_POSTED(number) !(EP.is_sending == A_BATCH && number == EP.sent)
#ifdef MUTANT_results_by_any_message
#define HAS_RESULTS(number) true
#else
#define HAS_RESULTS(number) (!(EP.results & (1 << (number))) || (EP.delivered & (1 << (number))))
#endif

#ifdef MUTANT_retires_while_sending
#define CAN_RETIRE (EP.done < EP.acked && HAS_RESULTS(EP.done + 1))
#else
#define CAN_RETIRE (EP.done < EP.acked && IS_POSTED(EP.done + 1) && HAS_RESULTS(EP.done + 1))
#endif

#ifdef MUTANT_idle_before_replies
#define IS_IDLE (!IS_OPEN && EP.done == EP.sent && EP.refused == EP.reported)
#else
#define IS_IDLE (!IS_OPEN && EP.done == EP.sent && EP.nasked == EP.nreplies && EP.refused == EP.reported)
#endif

/* dart__am_endpoint_retire */
inline retire()
{
  do
  :: CAN_RETIRE ->
    EP.done++;
    assert(IS_POSTED(EP.done)); /* a batch that is being sent is not released */
    assert(!(EP.results & (1 << EP.done)) || (EP.delivered & (1 << EP.done)));
#ifndef MUTANT_results_after_done
    EP.results = EP.results & ~(1 << EP.done);
#endif
    EP.delivered = EP.delivered & ~(1 << EP.done)
  :: else -> break
  od;
  EP.is_busy = EP.is_busy && !IS_IDLE
}

#ifdef MUTANT_no_window
#define IS_WINDOW_OPEN true
#else
#define IS_WINDOW_OPEN (EP.sent - EP.done < WINDOW)
#endif
#define MAY_SEND (EP.is_sending == NOTHING && (IS_WINDOW_OPEN || CAN_RETIRE))
#define IS_BATCH_FULL (EP.nrequests == CAPACITY)

#ifdef MUTANT_never_asked
#define IS_DUE false
#else
#define IS_DUE (EP.sent + 1 - EP.asked >= EVERY && EP.sent + 1 - EP.done >= EVERY)
#endif

/* send_batch: close_batch, dart__am_ack_write and the message */
inline send_batch(wish)
{
  wants_reply = wish || EP.open_results || IS_DUE;
  EP.sent++;
  assert(EP.is_sending == NOTHING && nfull(requests[PEER]) && !is_closed[PEER]);
  EP.is_sending = A_BATCH;
  requests[PEER]!wants_reply,EP.sent,applied[me],refused[me];
  EP.asked   = (wants_reply -> EP.sent : EP.asked);
  EP.nasked  = EP.nasked + wants_reply;
  EP.results = EP.results | (EP.open_results << EP.sent);
  EP.nrequests    = 0;
  EP.open_results = false;
  wants_reply     = false
}

#ifdef SLOWLY
#define HANDS_OVER is_sender = true
#else
#define HANDS_OVER EP.is_sending = NOTHING
#endif

/* dart__am_endpoint_send, where MAY_SEND; what follows without the lock is `posted` */
inline send(wish)
{
  retire();
  if
  :: IS_OPEN && IS_WINDOW_OPEN ->
    send_batch(wish);
    HANDS_OVER;
#ifndef NOTIFICATIONS
    assert(EP.sent - EP.done <= WINDOW);
#endif
    skip
  :: else
  fi
}

/* The rest of send_batch and of send_ack_request: the message is MPI's. Where SLOWLY is not defined this is
 * at the end of the step before. */
inline posted()
{
#ifdef SLOWLY
  atomic {
    if
    :: is_sender -> EP.is_sending = NOTHING; is_sender = false
    :: else
    fi
  }
#else
  skip
#endif
}

#define IS_ANSWERED(number) (EP.done >= number || EP.asked >= number)
#ifdef MUTANT_flush_does_not_ask
#define CAN_ASK(number) false
#elif defined(MUTANT_asks_with_batches_only)
#define CAN_ASK(number) (!IS_ANSWERED(number) && EP.sent < number && MAY_SEND)
#else
#define CAN_ASK(number) (!IS_ANSWERED(number) && EP.is_sending == NOTHING &&    \
                         (EP.sent >= number -> !EP.is_ack_requested : MAY_SEND))
#endif

/* send_ack_request: a message without a batch */
inline send_ack_request()
{
  EP.is_ack_requested = true;
  EP.is_sending       = AN_ASK;
  EP.asked            = EP.sent;
  EP.nasked++;
  assert(nfull(requests[PEER]) && !is_closed[PEER]);
  requests[PEER]!true,0,applied[me],refused[me]
}

/* dart__am_endpoint_wake */
inline wake()
{
  atomic {
    if
    :: EP.is_sending == NOTHING && !EP.is_ack_requested ->
#ifndef MUTANT_wakes_unheard
      EP.is_busy = true;
#endif
      send_ack_request();
      HANDS_OVER
    :: else
    fi
  }
  posted()
}

/* dart__am_endpoint_ask, where CAN_ASK */
inline ask(number)
{
  if
  :: EP.sent >= number -> send_ack_request(); HANDS_OVER
  :: else -> send(true)
  fi
}

#ifdef MUTANT_no_batches_asked_for
#define CAN_ASK_FOR_BATCHES false
#else
#define CAN_ASK_FOR_BATCHES CAN_ASK(EP.sent)
#endif
#define HAS_BATCH (IS_OPEN || EP.sent - EP.done < POOL)

#ifdef MUTANT_notification_waits
#define SENDS_BEYOND (EP.sent < number && EP.is_sending == NOTHING && IS_WINDOW_OPEN)
#else
#define SENDS_BEYOND (EP.sent < number && EP.is_sending == NOTHING)
#endif

/* dart__am_endpoint_send_now */
inline send_now()
{
  retire();
  send_batch(false);
  HANDS_OVER
}

/* dart__am_endpoint_reserve, with open_batch, and ask_for_batches if there is no batch; then dart__am_endpoint_append,
 * and what dart__am_notify does more */
inline append(has_result, is_notification)
{
  do
  :: atomic { IS_BATCH_FULL && MAY_SEND -> send(false) }
     posted()
  :: atomic { !HAS_BATCH && CAN_RETIRE -> retire() }
  :: atomic { !HAS_BATCH && CAN_ASK_FOR_BATCHES -> ask(EP.sent) }
     posted()
  :: atomic {
       HAS_BATCH && !IS_BATCH_FULL;
       EP.is_busy = true;
       EP.nrequests++;
       EP.open_results = EP.open_results || has_result;
       EP.newest_local = (has_result -> EP.sent + 1 : EP.newest_local);
       number = (is_notification -> EP.sent + 1 : 0);
       if
#ifdef LATER
       :: is_notification && MAY_SEND -> send(false)
#else
       :: is_notification && SENDS_BEYOND -> send_now()
#endif
       :: else
       fi
     }
     posted();
     break
  od;
#ifndef LATER
  do
  :: atomic { EP.sent >= number -> number = 0 } break
  :: atomic { SENDS_BEYOND -> send_now() }
     posted()
  od
#else
  number = 0
#endif
}

#ifdef MUTANT_flush_skips_open
#define NEWEST(at_target) (at_target || EP.newest_local <= EP.sent -> EP.sent : EP.newest_local - 1)
#else
#define NEWEST(at_target) (at_target -> EP.sent + IS_OPEN : EP.newest_local)
#endif

/* Ghosts: what a flush that begins now has to complete. */
inline begin_flush(at_target)
{
  due       = (at_target -> EP.sent + IS_OPEN : 0);
  due_local = EP.newest_local
}

inline end_flush()
{
  assert(effects[PEER] >= due && EP.refused >= due);
  assert((EP.results & ((2 << due_local) - 1)) == 0 && EP.sent >= due_local);
  due       = 0;
  due_local = 0
}

#ifdef MUTANT_waits_for_others
#define LAST (EP.sent + IS_OPEN)
#else
#define LAST last
#endif

/* wait_for, for a flush at the target or not */
inline wait_for()
{
  do
  :: atomic { EP.done >= LAST -> retire() } break
  :: atomic { EP.done < LAST && CAN_RETIRE -> retire() }
  :: atomic { CAN_ASK(LAST) -> ask(LAST) }
     posted()
#ifdef MUTANT_waits_for_others
  :: atomic { EP.done >= last && EP.done < LAST -> assert(false) }
#endif
  od
}

/* ---- the target's side ---- */

/* dart__am_endpoint_acknowledge */
inline acknowledge(is_reply)
{
  EP.acked   = MAX(EP.acked, ack);
  EP.refused = MAX(EP.refused, ack_refused);
  if
  :: is_reply && batch == 0 -> EP.nreplies++; EP.is_ack_requested = false
  :: is_reply && batch != 0 -> EP.nreplies++; EP.delivered = EP.delivered | (EP.results & (1 << batch))
  :: else
  fi;
  retire()
}

#ifdef MUTANT_acks_too_early
#define LATER_STEP effects[me] = applied[me]
#elif defined(MUTANT_refused_after_applied)
#define LATER_STEP refused[me] = applied[me]
#elif defined(MUTANT_results_after_done)
#define LATER_STEP EP.results = EP.results & ~((2 << EP.done) - 1)
#endif

/* `serve_batch`: apply a batch, and dart__am_ack_note */
inline serve()
{
#ifndef MUTANT_acks_too_early
  effects[me]++;
#endif
#ifndef MUTANT_refused_after_applied
  refused[me]++;
#endif
  applied[me]++;
  assert(applied[me] == batch)
}

/* `drain`, which calls `handle` and take_reserve */
proctype receiver(byte me)
{
  bool wants_reply;
  byte batch, ack, ack_refused;

end:
  do
  :: atomic {
       is_here[me] && nempty(requests[me]);
       requests[me]?wants_reply,batch,ack,ack_refused;
       acknowledge(false);
       if
       :: batch > 0 -> serve()
       :: else
       fi;
       if
       :: wants_reply -> /* send_reply */
         assert(nfull(replies[PEER]) && !is_closed[PEER]);
         replies[PEER]!batch,applied[me],refused[me]
       :: else
       fi;
       wants_reply = false;
       batch       = 0;
       ack         = 0;
       ack_refused = 0
     }
#ifdef LATER_STEP
     LATER_STEP
#endif
  :: atomic {
       is_here[me] && EP.is_busy && nempty(replies[me]); /* awaits_reply */
       replies[me]?batch,ack,ack_refused;
       acknowledge(true);
       batch       = 0;
       ack         = 0;
       ack_refused = 0
     }
#ifdef LATER_STEP
     LATER_STEP
#endif
  od
}

/* send_open */
proctype sender(byte me)
{
  bool wants_reply, is_sender;

end:
  do
  :: atomic { is_here[me] && IS_OPEN && MAY_SEND -> send(false) }
     posted()
  od
}
