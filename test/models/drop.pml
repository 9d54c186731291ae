/* An endpoint whose peer dies at any step (dart-base/far/am/endpoint.c, flush.c, retire.c): what is outstanding is dropped,
 * by whichever thread sees the loss first.
 *
 * Claims. Every flush ends, and so does the end of the job (no invalid end state). A batch is released once, and not while
 * a thread sends it (assertion). A flush that returns OK is of requests that were applied, or whose loss a flush has
 * told (assertion). At the end nothing is outstanding, and no reply is awaited (assertion).
 *
 * Bounds. THREADS threads make ROUNDS requests each, and flush after each. A batch is sent by its request or by a flush,
 * which asks for a reply. There is no window, and no relay; the pool always has a batch. A step with the endpoint's lock is
 * atomic, unless it releases the lock.
 *
 * Memory order. Flushes read `done`, `newest`, `refused` and `reported` without the lock; all else is behind it. `done` is
 * raised last, after `refused`, in dart__am_endpoint_drop_lost; a mutant raises it first. Others drop what a thread is
 * sending, take a reply that comes too late, do not look for losses while they wait, or do not count what they drop.
 *
 * run: one    -DTHREADS=1 -DROUNDS=3
 * run: two    -DTHREADS=2 -DROUNDS=1
 * large: twice   -DTHREADS=2 -DROUNDS=2
 * mutant: while_sending  -DTHREADS=2 -DROUNDS=1
 * mutant: late_reply     -DTHREADS=1 -DROUNDS=1
 * mutant: no_look        -DTHREADS=1 -DROUNDS=1
 * mutant: uncounted      -DTHREADS=1 -DROUNDS=1
 * mutant: done_first     -DTHREADS=2 -DROUNDS=1
 */
#include "common.pml"

#define MOST    (THREADS * ROUNDS + 1) /* batches, from 1 on */
#define REQUEST 0 /* in place of a batch: ack_request */

bool dead;  /* the peer takes no more steps */
bool known; /* config.is_lost says so */

/* dart__am_endpoint_t */
bool locked, sending, lost, is_open, is_ack_requested;
byte newest, sent, asked, acked, done, refused, reported, nasked, nreplies;
byte first = 1; /* the oldest under way, up to `sent` */

bool posted[MOST], in_use[MOST], released[MOST], applied[MOST], told[MOST];
bool is_dropped[MOST];
byte ended; /* threads */

chan wire    = [4] of { byte, bool }; /* a batch, or REQUEST, and whether a reply is wanted */
chan replies = [4] of { byte, byte }; /* header.batch, header.acked */

#define LOCK   atomic { !locked -> locked = true }
#define UNLOCK locked = false

inline release(n)
{
  assert(!released[n] && !in_use[n]);
  released[n] = true
}

/* dart__am_endpoint_retire */
inline retire()
{
  do
  :: first <= sent && first <= acked && posted[first] ->
     release(first);
     done = first;
     first++
  :: else -> break
  od
}

inline drop(n)
{
  release(n);
  is_dropped[n] = true;
#ifndef MUTANT_uncounted
  refused++
#else
  skip
#endif
}

#ifdef MUTANT_while_sending
#define IS_SENDING false
#else
#define IS_SENDING sending
#endif

/* dart__am_endpoint_drop_lost, with the lock. */
inline drop_lost()
{
  if
  :: known || lost ->
     lost = true;
     if
     :: !IS_SENDING ->
#ifdef MUTANT_done_first
        done = sent + is_open;
        skip;
#endif
        atomic {
          do
          :: first <= sent ->
             drop(first);
             first++
          :: else -> break
          od;
          if
          :: is_open ->
             is_open = false;
             sent++;
             drop(sent);
             first = sent + 1
          :: else
          fi;
          nreplies = nasked;
          asked    = sent;
          acked    = sent
        }
        done = sent
     :: else
     fi
  :: else
  fi
}

/* The lock is released meanwhile: a thread that has set `sending` sends. */
inline send_message(n, wants)
{
  UNLOCK;
  atomic {
    if
    :: !dead -> wire!n,wants
    :: else
    fi
  }
}

/* dart__am_endpoint_send */
inline send(wants)
{
  atomic { retire() }
  if
  :: is_open && lost -> drop_lost()
  :: else
  fi;
  if
  :: is_open && !sending ->
     atomic {
       is_open = false;
       sent++;
       number = sent;
       if
       :: wants ->
          asked = number;
          nasked++
       :: else
       fi;
       sending        = true;
       in_use[number] = true
     }
     send_message(number, wants);
     LOCK;
     atomic {
       in_use[number] = false;
       sending        = false;
       posted[number] = true
     }
  :: else
  fi
}

/* dart__am_endpoint_ask; what it finds to do */
#define CAN_ASK (asked < last && !sending && (last > sent || (!is_ack_requested && !lost)))

inline ask()
{
  drop_lost();
  if
  :: asked < last && done < last ->
     if
     :: last <= sent ->
        if
        :: !sending && !is_ack_requested && !lost ->
           atomic {
             is_ack_requested = true;
             sending          = true;
             asked            = sent;
             nasked++
           }
           send_message(REQUEST, true);
           LOCK;
           sending = false
        :: else
        fi
     :: else -> send(true)
     fi
  :: else
  fi
}

/* dart__am_endpoint_acknowledge */
inline acknowledge()
{
  LOCK;
  atomic {
    if
#ifndef MUTANT_late_reply
    :: lost
#endif
    :: !lost ->
       if
       :: count > acked -> acked = count
       :: else
       fi;
       nreplies++;
       if
       :: batch == REQUEST -> is_ack_requested = false
       :: else
       fi;
       retire()
#ifdef MUTANT_late_reply
    :: lost -> nreplies++
#endif
    fi;
    UNLOCK
  }
}

#ifdef MUTANT_no_look
#define IS_NEWS false
#else
#define IS_NEWS (known && !sending && (first <= sent || is_open || nreplies < nasked || done < sent))
#endif

/* dart__am_endpoint_wait, which goes on when there is something to do: a reply may have come before its batch was posted */
inline wait(changed)
{
  UNLOCK;
  if
  :: replies?batch,count -> acknowledge()
  :: IS_NEWS || (changed) || (first <= sent && first <= acked && posted[first])
  fi;
  LOCK;
#ifndef MUTANT_no_look
  drop_lost()
#endif
}

/* The report of `report` in flush.c: to whoever comes first. */
inline report()
{
  atomic {
    if
    :: refused != reported ->
       reported = refused;
       ret_lost = true;
       for (i : 1 .. sent) {
         told[i] = told[i] || is_dropped[i]
       }
    :: else
    fi
  }
}

proctype thread()
{
  byte round, mine, last, number, batch, count, i;
  bool ret_lost;

  do
  :: round < ROUNDS ->
     /* a request, whose batch may be sent at once */
     LOCK;
     atomic {
       is_open = true;
       mine    = sent + 1;
       newest  = mine
     }
     if
     :: send(false)
     :: skip
     fi;
     UNLOCK;

     /* dart__am_settle_to */
     ret_lost = false;
     last     = newest;
     if
     :: done >= last && refused == reported
     :: else ->
        LOCK;
        last = newest;
        atomic { retire() }
        do
        :: done < last ->
           ask();
           if
           :: done < last -> wait(done >= last || CAN_ASK)
           :: else
           fi;
           atomic { retire() }
        :: else -> break
        od;
        report();
        UNLOCK
     fi;
     assert(ret_lost || applied[mine] || told[mine]);
     round++
  :: else -> break
  od;

  /* the last one ends the job: dart__am_quiesce */
  ended++;
  (ended == THREADS);
  if
  :: _pid == 1 ->
     LOCK;
     atomic { retire() }
     do
     :: nasked != nreplies -> wait(nasked == nreplies)
     :: else -> break
     od;
     report();
     assert(!is_open && first > sent && nasked == nreplies && done == sent);
     UNLOCK;
     /* what is under way yet comes too late */
     do
     :: replies?batch,count -> acknowledge()
     :: empty(replies) && (dead || empty(wire)) -> break
     od;
     assert(nasked == nreplies)
  :: else
  fi
}

proctype peer()
{
  byte number, count;
  bool wants;

end:
  do
  :: atomic {
       wire?number,wants ->
       if
       :: dead -> break
       :: else
       fi;
       if
       :: number != REQUEST ->
          applied[number] = true;
          count           = number
       :: else
       fi
     }
     atomic {
       if
       :: wants && !dead -> replies!number,count
       :: else
       fi
     }
  :: dead -> break
  od
}

/* The launcher, after a death. */
proctype death()
{
  if
  :: dead = true;
     known = true
  :: skip
  fi
}

init
{
  byte i;

  atomic {
    for (i : 1 .. THREADS) {
      run thread()
    }
    run peer();
    run death()
  }
}
