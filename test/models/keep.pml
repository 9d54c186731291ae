/* Ranges that a unit keeps after a use (file/range_keep.c): nobody else waits for them for ever.
 *
 * A thread begins a use (begin_use) with a kept range, if it is that, or asks for it; what else is kept it releases. At
 * the end (end_kept_use) the range is kept or released. Whoever makes progress, the agent at least, comes by while
 * is_answer_due, which send_answers takes back first. release_when_due releases what is idle, and has itself called again while
 * something is kept, and where the guard was taken. Each thread uses a range of its own, for calls on one
 * file take turns; another unit wants the first of them.
 *
 * Claim. Nobody uses a range that another unit has; at the end nothing is held, and the other unit has had what it
 * wanted: it, or a range that is held for ever, is an invalid end state.
 *
 * Bounds. THREADS of the unit with USES each, one agent, one other unit. Whether a use repeats, and whether a kept range
 * is idle, is open at every look.
 *
 * Memory order. `kept` is under the guard. is_answer_due is a flag by itself: the model has its accesses in order.
 *
 * run: one_thread  -DTHREADS=1 -DUSES=3
 * run: two_threads -DTHREADS=2 -DUSES=2
 * mutant: taken_guard_is_forgotten  -DTHREADS=2 -DUSES=2
 * mutant: is_said_before_it_is_kept -DTHREADS=1 -DUSES=2
 * mutant: nobody_comes_again        -DTHREADS=1 -DUSES=2
 */
#include "common.pml"

#define OTHER 1 /* holders */
#define UNIT  2

byte holder[3]; /* of each thread's range, in the tables */
byte hold;      /* the range that is kept; 0: none */
byte range;     /* of the last use */
bool guard, is_answer_due;
byte done; /* threads and units that want nothing more */

inline lock()   { atomic { !guard -> guard = true } }
inline unlock() { guard = false }

inline let_go()
{
  if
  :: hold != 0 -> assert(holder[hold] == UNIT); holder[hold] = 0; hold = 0
  :: else
  fi
}

proctype thread(byte mine)
{
  byte use;
  bool has, keeps;

  for (use : 1 .. USES) {
    lock(); /* begin_use */
    if
    :: range != mine -> let_go()
    :: else
    fi;
    range = mine;
    has = hold == mine;
    hold = 0;
    unlock();
    if
    :: !has -> atomic { holder[mine] == 0 -> holder[mine] = UNIT }
    :: else
    fi;
    assert(holder[mine] == UNIT);
#ifdef MUTANT_is_said_before_it_is_kept
    is_answer_due = true;
#endif
    lock(); /* end_kept_use */
    if
    :: range == mine && hold == 0 -> keeps = true; hold = mine
    :: keeps = false
    fi;
    unlock();
    if
    :: keeps ->
#ifndef MUTANT_is_said_before_it_is_kept
       is_answer_due = true
#endif
    :: else -> holder[mine] = 0
    fi
  }
  done++
}

proctype other()
{
  atomic { holder[1] == 0 -> holder[1] = OTHER }
  assert(holder[1] == OTHER);
  holder[1] = 0;
  done++
}

/* release_when_due, again and again */
proctype agent()
{
  bool again;

end_idle:
  do
  :: is_answer_due ->
     is_answer_due = false;
     again = true;
     if
     :: atomic { !guard -> guard = true };
        if
        :: let_go()
        :: skip /* it is not idle yet */
        fi;
        again = hold != 0;
        unlock()
     :: guard
#ifdef MUTANT_taken_guard_is_forgotten
        -> again = false
#endif
     fi;
     if
#ifndef MUTANT_nobody_comes_again
     :: again -> is_answer_due = true
#endif
     :: else
     fi
  od
}

/* Nothing is kept for ever: the agent has come to it. */
proctype last()
{
  done == THREADS + 1;
  holder[1] == 0 && holder[2] == 0
}

init
{
  byte i;

  atomic {
    for (i : 1 .. THREADS) {
      run thread(i)
    }
    run other();
    run agent();
    run last()
  }
}
