/* The lock: a mutex on each node, and a queue of tickets between the nodes (api/sync/lock.c).
 *
 * Claims. One unit at a time holds it (assertion). A node that has queued is passed by at most
 * (NODES - 1) * (MOST_PASSES + 1) holders (assertion), and no unit waits while no unit holds the
 * lock or is about to pass it on (no invalid end state): so with a mutex that is fair to its node
 * (mutex.pml), no unit waits for ever. The unit that ends a turn, which need not be the unit that
 * queued for it, gives the turn to the node behind or takes the ticket out of the queue.
 *
 * Bounds. UNITS units; the first two share a node, each of the others has one of its own, or PAIRS:
 * they share nodes two by two. Each acquires, or tries to, and releases as often as it likes, but
 * at most ROUNDS times if that is not 0, and then stays away. `granted` counts from 0 each time
 * that a ticket reads it, so that states recur.
 *
 * Abstractions. Any unit that wants the mutex may take it; atomics on far words are one step, for
 * their caller waits until they are complete (raise_far, swap_tail: each ends in `complete`). A unit
 * whose ticket is in the queue applies what far units write to it: it is in DART, or has an agent.
 * `next` and `granted` are raised without a wake, for a unit that waits for them looks once a nap.
 *
 * Memory order. `waiting` is relaxed: a unit that waits may be seen only after it has the mutex. Data
 * behind the mutex are ordered by it.
 *
 * run: endless  -DUNITS=3 -DMOST_PASSES=1 -DROUNDS=0
 * run: nodes    -DUNITS=4 -DMOST_PASSES=1 -DROUNDS=1
 * run: pairs    -DUNITS=4 -DMOST_PASSES=1 -DROUNDS=1 -DPAIRS
 * large: pairs_twice  -DUNITS=4 -DMOST_PASSES=1 -DROUNDS=2 -DPAIRS
 * mutant: no_limit              -DUNITS=3 -DMOST_PASSES=1 -DROUNDS=0
 * mutant: waiting_after_unlock  -DUNITS=3 -DMOST_PASSES=1 -DROUNDS=0
 * mutant: cleared_after_swap    -DUNITS=3 -DMOST_PASSES=1 -DROUNDS=0
 * mutant: counted_after_link    -DUNITS=3 -DMOST_PASSES=1 -DROUNDS=0
 * mutant: leaves_early          -DUNITS=3 -DMOST_PASSES=1 -DROUNDS=0
 * mutant: own_ticket            -DUNITS=3 -DMOST_PASSES=1 -DROUNDS=0
 */
#include "common.pml"

#ifdef PAIRS
#define NODES      (UNITS / 2)
#define NODE_OF(u) (u / 2)
#else
#define NODES      (UNITS - 1)
#define NODE_OF(u) (u < 2 -> 0 : u - 1)
#endif

byte tail;           /* unit + 1 of the last ticket; 0: none */
byte behind[UNITS];  /* ticket_t: `next`, unit + 1 of the ticket behind; 0: unknown */
byte granted[UNITS]; /* ticket_t */

/* cohort_t, by node */
bool held[NODES];    /* its mutex */
byte ticket[NODES];
byte passes[NODES];
byte waiting[NODES];

byte holders;
bool queued[NODES];
byte passed[NODES];  /* a queued node, by so many holders */

inline hold()
{
  atomic {
    assert(holders == 0);
    holders++;
    for (i : 0 .. NODES - 1) {
      if
      :: i != node && queued[i] ->
        passed[i]++;
        assert(passed[i] <= (NODES - 1) * (MOST_PASSES + 1))
      :: else
      fi
    }
    i = 0
  }
  holders--
}

#define LOCK atomic { !held[node] -> held[node] = true }
#define UNLOCK held[node] = false

inline try_mutex(taken)
{
  d_step { taken = !held[node]; held[node] = true }
}

#ifdef MUTANT_waiting_after_unlock
#define TAKE_BACK skip
#else
#define TAKE_BACK waiting[node]--
#endif

inline enter_cohort()
{
  try_mutex(taken);
  came_late = !taken;
  if
  :: taken
  :: else ->
    UNORDERED(waiting[node]++, LOCK);
    TAKE_BACK
  fi
}

#define CLEAR behind[me] = 0
#define COUNT granted[me] = 0 /* dart__event_count */
#define SWAP d_step { before = tail; tail = me + 1; queued[node] = before != 0; passed[node] = 0 }

/* wait_for_turn */
inline queue_up()
{
#ifdef MUTANT_cleared_after_swap
  COUNT; SWAP; CLEAR;
#elif defined(MUTANT_counted_after_link)
  CLEAR; SWAP;
#else
  CLEAR; COUNT; SWAP;
#endif
  if
  :: before != 0 ->
    behind[before - 1] = behind[before - 1] + me + 1; /* raise_far */
#ifdef MUTANT_counted_after_link
    COUNT;
#endif
    granted[me] != 0
  :: else
  fi;
  begin_turn()
}

inline begin_turn()
{
  d_step {
    ticket[node] = me + 1;
    passes[node] = 0;
    queued[node] = false;
    passed[node] = 0;
    before = 0
  }
}

/* try_turn */
inline try_turn()
{
  CLEAR;
  d_step {
    taken = tail == 0;
    if
    :: taken -> tail = me + 1
    :: else
    fi
  }
  if
  :: taken -> begin_turn()
  :: else
  fi
}

#ifdef MUTANT_own_ticket
#define TICKET me + 1
#else
#define TICKET ticket[node]
#endif

inline end_turn()
{
  d_step { own = TICKET; ticket[node] = 0; passes[node] = 0 }
  next = behind[own - 1];
  if
  :: next == 0 ->
    d_step { /* swap_tail */
      taken = tail == own;
      if
      :: taken -> tail = 0
      :: else
      fi
    }
#ifndef MUTANT_leaves_early
    if
    :: !taken -> behind[own - 1] != 0 /* dart__event_wait */
    :: else
    fi;
#endif
    next = behind[own - 1]
  :: else
  fi;
  if
  :: next != 0 -> granted[next - 1]++ /* raise_far */
  :: else
  fi;
  d_step { own = 0; next = 0 }
}

/* dart_lock_release */
inline release()
{
  if
  :: waiting[node] == 0 -> end_turn()
  :: else ->
#ifdef MUTANT_no_limit
    skip
#else
    passes[node]++;
    if
    :: passes[node] > MOST_PASSES -> end_turn()
    :: else
    fi
#endif
  fi;
  UNLOCK;
#ifdef MUTANT_waiting_after_unlock
  if
  :: came_late -> waiting[node]--
  :: else
  fi
#endif
}

#if ROUNDS == 0
#define MORE true
#else
#define MORE round < ROUNDS -> round++
#endif

active [UNITS] proctype unit()
{
  byte me = _pid, node = NODE_OF(_pid), before, own, next, round, i;
  bool taken, came_late;

  do
  :: MORE -> /* dart_lock_acquire */
     enter_cohort();
     if
     :: ticket[node] == 0 -> queue_up()
     :: else
     fi;
     hold();
     release()
  :: MORE -> /* dart_lock_try_acquire */
     try_mutex(taken);
     came_late = false;
     if
     :: taken ->
       if
       :: ticket[node] == 0 -> try_turn()
       :: else
       fi;
       if
       :: taken -> hold(); release()
       :: else -> UNLOCK
       fi
     :: else
     fi
  :: break
  od
}
