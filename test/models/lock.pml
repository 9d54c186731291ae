/* The lock: a mutex on each node, and a table that grants a turn to one node after another (lock/lock.c).
 *
 * Claims. One unit at a time holds it (assertion). A node that has asked for the turn is passed by at most
 * (NODES - 1) * (MOST_PASSES + 1) holders (assertion), and no unit waits while no unit holds the
 * lock or is about to pass it on (no invalid end state): so every node comes to its turn. Which unit of the node
 * has it is up to the mutex (mutex.pml). Room for two requests of every node is enough (assertion). The unit that
 * ends a turn, which need not be the unit that asked for it, ends that request.
 *
 * Bounds. UNITS units; the first two share a node, each of the others has one of its own, or PAIRS:
 * they share nodes two by two. The table is unit 0's. Each acquires, or tries to, and releases as often as it
 * likes, but at most ROUNDS times if that is not 0, and then stays away.
 *
 * Abstractions. Any unit that wants the mutex may take it. The table grants requests in the order in which they
 * come, as lock/range.h does with spans that are the same. A request is one step, for its caller waits for the
 * answer; word of a release is under way for a while, but comes before later requests of its unit. The table's unit
 * serves both: it is in DART, or has an agent.
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
 * mutant: ended_after_unlock    -DUNITS=3 -DMOST_PASSES=1 -DROUNDS=0
 * mutant: not_told              -DUNITS=3 -DMOST_PASSES=1 -DROUNDS=0
 * mutant: own_ticket            -DUNITS=3 -DMOST_PASSES=1 -DROUNDS=0
 * mutant: room_for_one          -DUNITS=4 -DMOST_PASSES=1 -DROUNDS=1 -DPAIRS
 */
#include "common.pml"

#ifdef PAIRS
#define NODES      (UNITS / 2)
#define NODE_OF(u) (u / 2)
#else
#define NODES      (UNITS - 1)
#define NODE_OF(u) (u < 2 -> 0 : u - 1)
#endif

#ifdef MUTANT_room_for_one
#define ROOM NODES
#else
#define ROOM (2 * NODES)
#endif

chan table = [2 * NODES] of { byte }; /* unit + 1 of each request; the first one has the turn */
bool granted[UNITS];                  /* state_t: the counter is more than `told` */
byte word[UNITS];                     /* of a release, under way to the table: the request; 0: none */

/* cohort_t, by node */
bool held[NODES];    /* its mutex */
byte ticket[NODES];  /* unit + 1 that has asked for the turn; 0: the node does not have it */
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

/* dart__table_enter: word of the unit's own release has come before. `taken`: the request is held */
inline ask()
{
  atomic {
    word[me] == 0 ->
    assert(len(table) < ROOM);
    taken = len(table) == 0;
    table ! me + 1;
    queued[node] = !taken;
    passed[node] = 0
  }
}

#ifdef MUTANT_not_told
#define TOLD skip
#else
#define TOLD granted[me] = false
#endif

inline begin_turn()
{
  d_step {
    ticket[node] = me + 1;
    passes[node] = 0;
    queued[node] = false;
    passed[node] = 0
  }
}

inline wait_for_turn()
{
  ask();
  if
  :: !taken -> granted[me]; TOLD
  :: else
  fi;
  begin_turn()
}

inline try_turn()
{
  atomic {
    word[me] == 0 ->
    taken = len(table) == 0;
    if
    :: taken -> table ! me + 1
    :: else
    fi
  }
  if
  :: taken -> begin_turn()
  :: else
  fi
}

/* dart__table_leave where the table is: the next request is held, and its unit is told. */
inline leave(request)
{
  d_step {
    table ?? eval(request);
    if
    :: table ? [next] -> table ? <next>; granted[next - 1] = true
    :: else
    fi;
    next = 0
  }
}

#ifdef MUTANT_own_ticket
#define TICKET me + 1
#else
#define TICKET ticket[node]
#endif

inline end_turn()
{
  d_step { own = TICKET; ticket[node] = 0; passes[node] = 0 }
  if
  :: node == 0 -> leave(own)
  :: else -> assert(word[me] == 0); word[me] = own
  fi;
  own = 0
}

#ifdef MUTANT_ended_after_unlock
#define END_TURN ends = true
#else
#define END_TURN end_turn()
#endif

/* dart_lock_release */
inline release()
{
#ifdef MUTANT_ended_after_unlock
  ends = false;
#endif
  if
  :: waiting[node] == 0 -> END_TURN
  :: else ->
#ifdef MUTANT_no_limit
    skip
#else
    passes[node]++;
    if
    :: passes[node] > MOST_PASSES -> END_TURN
    :: else
    fi
#endif
  fi;
  UNLOCK;
#ifdef MUTANT_ended_after_unlock
  if
  :: ends -> end_turn()
  :: else
  fi;
#endif
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
  byte me = _pid, node = NODE_OF(_pid), own, next, round, i;
  bool taken, came_late, ends;

  do
  :: MORE -> /* dart_lock_acquire */
     enter_cohort();
     if
     :: ticket[node] == 0 -> wait_for_turn()
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

/* The table's unit takes in word of releases, of any unit first. */
#define TAKE_IN(u) \
  :: word[u] != 0 -> \
     atomic { request = word[u]; word[u] = 0; leave(request); request = 0 }

active proctype home()
{
  byte request, next;

end:
  do
  TAKE_IN(1)
  TAKE_IN(2)
#if UNITS > 3
  TAKE_IN(3)
#endif
  od
}
