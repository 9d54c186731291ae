/* The mutex: a running thread may take it past threads that sleep (wait/mutex.h).
 *
 * Claims. It excludes: updates under it are not lost (assertion at the end). No thread sleeps for
 * ever while it is free: that would be an invalid end state. And it is fair: a late thread is passed MOST_PASSES
 * times, and MOST_PASSES + 1 times for each thread that was late before it, however often they come back (assertions).
 *
 * Bounds. THREADS take it, the first of them ROUNDS times and the others once. EXPIRIES times a
 * thread becomes late, and EARLY sleeps end without a wake: with 0 of both, wakes alone must do. LOOKS times a
 * thread that could sleep looks again instead, also one that was woken, and then has not set SLEEPERS
 * when it becomes late: the swap of SLEEPERS may fail. The spin is one look.
 *
 * Late threads share BITS bits by which they are woken, where the code has 32: with 1 an unlock wakes all.
 *
 * Memory order. Everything that the code does relaxed is on one word, and compared again by a swap
 * or by the kernel. Two accesses of different words matter: a late thread counts itself in `state`
 * (relaxed), then reads `turn`: these come in any order. It reads `turn` (acquire), then `state`, and
 * an unlock lowers `state`, then raises `turn` (release): these keep their order.
 *
 * With POLLER the first thread waits for another one, which is elsewhere: it never sleeps here, but looks again
 * (dart__mutex_take_for), and becomes late (dart__mutex_draw_ticket) at any time, and then looks for its turn
 * (dart__mutex_take_late).
 *
 * run: wakes_alone   -DTHREADS=3 -DROUNDS=3 -DEXPIRIES=0 -DEARLY=0 -DBITS=2
 * run: two_late      -DTHREADS=3 -DROUNDS=1 -DEXPIRIES=2 -DEARLY=0 -DBITS=2
 * run: early         -DTHREADS=3 -DROUNDS=1 -DEXPIRIES=1 -DEARLY=2 -DBITS=1
 * run: two_threads   -DTHREADS=2 -DROUNDS=3 -DEXPIRIES=3 -DEARLY=1 -DBITS=2
 * run: yields        -DTHREADS=3 -DROUNDS=1 -DEXPIRIES=1 -DEARLY=0 -DLOOKS=1 -DBITS=2
 * run: polled        -DTHREADS=3 -DROUNDS=2 -DEXPIRIES=0 -DEARLY=0 -DPOLLER -DBITS=2
 * run: polled_late   -DTHREADS=3 -DROUNDS=1 -DEXPIRIES=1 -DEARLY=0 -DPOLLER -DBITS=2
 * large: late        -DTHREADS=3 -DROUNDS=2 -DEXPIRIES=1 -DEARLY=0 -DBITS=2
 * large: late_again  -DTHREADS=3 -DROUNDS=2 -DEXPIRIES=2 -DEARLY=0 -DBITS=1
 * mutant: forgets_sleepers     -DTHREADS=3 -DROUNDS=1 -DEXPIRIES=0 -DEARLY=0 -DBITS=2
 * mutant: wakes_before_clear   -DTHREADS=3 -DROUNDS=2 -DEXPIRIES=0 -DEARLY=0 -DBITS=2
 * mutant: turn_not_acquire     -DTHREADS=2 -DROUNDS=1 -DEXPIRIES=1 -DEARLY=0 -DBITS=2
 * mutant: wakes_no_turn        -DTHREADS=2 -DROUNDS=1 -DEXPIRIES=1 -DEARLY=0 -DBITS=2
 * mutant: spin_passes_late     -DTHREADS=2 -DROUNDS=3 -DEXPIRIES=1 -DEARLY=0 -DBITS=2
 * mutant: poller_hides_sleepers -DTHREADS=3 -DROUNDS=2 -DEXPIRIES=0 -DEARLY=0 -DPOLLER -DBITS=2
 * mutant: poller_stays_late    -DTHREADS=2 -DROUNDS=1 -DEXPIRIES=0 -DEARLY=0 -DPOLLER -DBITS=2
 * mutant: wakes_one_of_bit     -DTHREADS=3 -DROUNDS=1 -DEXPIRIES=2 -DEARLY=0 -DBITS=1
 * mutant: no_tickets           -DTHREADS=3 -DROUNDS=2 -DEXPIRIES=2 -DEARLY=0 -DBITS=1
 * mutant: passes_are_not_counted -DTHREADS=2 -DROUNDS=3 -DEXPIRIES=1 -DEARLY=0 -DBITS=2
 * mutant: unlock_not_release   -DTHREADS=2 -DROUNDS=1 -DEXPIRIES=0 -DEARLY=0 -DBITS=2
 */
#include "common.pml"

#define HELD     1
#define SLEEPERS 2
#define LATE     4  /* two bits */
#define PASSED   16 /* two bits */
#define TICKET   64 /* two bits, at the end of the byte: they wrap, as in the code */

#define MOST_PASSES     1

#ifndef LOOKS
#define LOOKS 0
#endif

#define IS_FREE(s)      ((s & HELD) == 0)
#define MAY_PASS(s)     (((s >> 4) & 3) < MOST_PASSES)
#define NLATE(s)        ((s >> 2) & 3)
#define SERVED(s)       (((s >> 6) - NLATE(s)) & 3)
#ifdef MUTANT_passes_are_not_counted
#define HELD_BY_ANY(s)  s | HELD
#else
#define HELD_BY_ANY(s)  (s + PASSED * (NLATE(s) > 0)) | HELD
#endif
#define HELD_BY_LATE(s) ((s - LATE) & (SLEEPERS | LATE * 3 | (TICKET * 3) * (NLATE(s) > 1))) | HELD

byte state, turn;                /* dart__mutex_t */
bool on_state[SLEEPERS_MOST];    /* threads that sleep on them */
bool on_turn[SLEEPERS_MOST];
byte early = EARLY;
byte expiries = EXPIRIES;
byte looks = LOOKS;

byte shared;                     /* what the mutex protects */
byte ended;

bool is_late[THREADS];
byte ticket[THREADS];            /* of a late one */
byte bound[THREADS];             /* holders that may pass this late one from now on */

/* A ghost: `me` has just taken the mutex. */
inline note_taken(me, i)
{
  for (i : 0 .. THREADS - 1) {
    if
    :: i != me && is_late[i] ->
      assert(bound[i] > 0);
      bound[i]--
    :: else
    fi
  }
  i = 0;
  is_late[me] = false
}

/* `take_from`, and dart__mutex_try: from `old`, which is free, to `new` */
inline take(old, new, taken)
{
  d_step {
    if
    :: state == old -> state = new; taken = true; note_taken(me, i)
    :: else -> taken = false
    fi
  }
}

inline spin()
{
  s = state;
  if
#ifdef MUTANT_spin_passes_late
  :: IS_FREE(s) -> take(s, s | HELD, taken)
#else
  :: IS_FREE(s) && MAY_PASS(s) -> take(s, HELD_BY_ANY(s), taken)
#endif
  :: else
  fi
}

#ifdef MUTANT_forgets_sleepers
#define MORE_SLEEPERS 0
#else
#define MORE_SLEEPERS SLEEPERS
#endif

/* Set SLEEPERS, if it is not set. */
inline announce(done)
{
  d_step {
    done = (s & SLEEPERS) != 0;
    if
    :: !done && state == s -> state = s | SLEEPERS; done = true
    :: else
    fi
  }
}

inline lose_patience()
{
  d_step { expiries--; impatient = true }
}

/* dart__mutex_draw_ticket */
inline draw_ticket()
{
  d_step {
    ticket[me] = state >> 6;
    bound[me] = NLATE(state) * (MOST_PASSES + 1) + MOST_PASSES;
    state = state + LATE + TICKET;
    is_late[me] = true
  }
}

#ifdef MUTANT_no_tickets
#define IS_MY_TURN(s) IS_FREE(s)
#else
#define IS_MY_TURN(s) (IS_FREE(s) && SERVED(s) == ticket[me])
#endif

inline sleep_until_free()
{
  do
  :: taken || impatient -> break
  :: else ->
    s = state;
    if
    :: IS_FREE(s) && MAY_PASS(s) -> take(s, HELD_BY_ANY(s) | MORE_SLEEPERS, taken)
    :: else ->
      if
      :: announce(announced);
        if
        :: announced ->
          FUTEX_WAIT(state, (s | SLEEPERS), on_state, me, early);
          if
          :: true
          :: expiries > 0 -> lose_patience() /* though it was woken */
          fi
        :: announced && expiries > 0 -> lose_patience()
        :: else
        fi
      :: atomic { looks > 0 -> looks-- } /* the swap fails */
        if
        :: true
        :: expiries > 0 -> lose_patience()
        fi
      fi
    fi
  od
}

#ifdef MUTANT_turn_not_acquire
#define LOOK UNORDERED(seen = turn, s = state)
#else
#define LOOK seen = turn; s = state
#endif

inline sleep_until_turn()
{
  /* the count and the look at `turn`, in any order */
  if
  :: draw_ticket(); LOOK
  :: seen = turn; draw_ticket(); s = state
  fi;
  do
  :: IS_MY_TURN(s) ->
    take(s, HELD_BY_LATE(s) | MORE_SLEEPERS, taken);
    if
    :: taken -> break
    :: else -> LOOK
    fi
  :: else ->
    FUTEX_WAIT(turn, seen, on_turn, me, early);
    LOOK
  od
}

inline lock()
{
  take(0, HELD, taken);
  if
  :: !taken -> spin()
  :: else
  fi;
  if
  :: !taken -> sleep_until_free()
  :: else
  fi;
  if
  :: !taken -> sleep_until_turn()
  :: else
  fi
}

#ifdef MUTANT_poller_hides_sleepers
#define TAKEN_LATE(s) ((HELD_BY_LATE(s)) & ~SLEEPERS)
#else
#ifdef MUTANT_poller_stays_late
#define TAKEN_LATE(s) s | HELD | SLEEPERS
#else
#define TAKEN_LATE(s) HELD_BY_LATE(s) | SLEEPERS
#endif
#endif

/* A look that finds nothing changes nothing, so it is not made. */
inline lock_by_looks()
{
  do
  :: taken -> break
  :: !taken && !is_late[me] && IS_FREE(state) && MAY_PASS(state) ->
    s = state;
    if
    :: IS_FREE(s) && MAY_PASS(s) -> take(s, HELD_BY_ANY(s), taken)
    :: else
    fi
  :: !taken && is_late[me] && IS_MY_TURN(state) ->
    s = state;
    if
    :: IS_MY_TURN(s) -> take(s, TAKEN_LATE(s), taken)
    :: else
    fi
  :: !taken && !is_late[me] -> draw_ticket()
  od
}

#define WAKES(i) (is_late[i] && ticket[i] % BITS == SERVED(s) % BITS)

/* Wake the late threads that have the bit of the one that is served. */
inline wake_bit(i)
{
#ifdef MUTANT_wakes_one_of_bit
  if
  :: atomic { on_turn[0] && WAKES(0) -> on_turn[0] = false }
  :: atomic { on_turn[1] && WAKES(1) -> on_turn[1] = false }
  :: atomic { on_turn[2] && WAKES(2) -> on_turn[2] = false }
  :: else
  fi
#else
  d_step {
    for (i : 0 .. THREADS - 1) {
      if
      :: WAKES(i) -> on_turn[i] = false
      :: else
      fi
    }
    i = 0
  }
#endif
}

/* dart__mutex_wake: `s` is the word before the release */
inline wake()
{
  if
  :: NLATE(s) > 0 ->
    turn++;
#ifndef MUTANT_wakes_no_turn
    wake_bit(i)
#endif
  :: NLATE(s) == 0 && (s & SLEEPERS) != 0 ->
#ifdef MUTANT_wakes_before_clear
    FUTEX_WAKE_ONE(on_state);
    state = state & ~SLEEPERS
#else
    state = state & ~SLEEPERS;
    FUTEX_WAKE_ONE(on_state)
#endif
  :: else
  fi
}

#define RELEASE d_step { s = state; state = state - HELD }

proctype thread(byte me)
{
  byte round, s, seen, value, i;
  bool taken, impatient, announced;

  for (round : 1 .. (me == 0 -> ROUNDS : 1)) {
    impatient = false;
#ifdef POLLER
    if
    :: me == 0 -> taken = false; lock_by_looks()
    :: else -> lock()
    fi;
#else
    lock();
#endif
    value = shared + 1;
#ifdef MUTANT_unlock_not_release
    UNORDERED(shared = value, RELEASE);
#else
    shared = value;
    RELEASE;
#endif
    wake()
  }
  atomic {
    ended++;
    assert(ended < THREADS || shared == THREADS - 1 + ROUNDS)
  }
}

init
{
  byte i;

  atomic {
    for (i : 1 .. THREADS) {
      run thread(i - 1)
    }
  }
}
