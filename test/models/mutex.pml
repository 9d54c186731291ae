/* The mutex: a running thread may take it past threads that sleep (node/mutex.h).
 *
 * Claims. It excludes: updates under it are not lost (assertion at the end). No thread sleeps for
 * ever while it is free: that would be an invalid end state. And it is fair at a rate: while a thread
 * is late, only other late threads take it, each at most once for every time that it became late
 * (assertions). So a late thread is passed by each other thread at most once in LATE_AFTER_US. That
 * is no bound on how often in all: two others may be late in turns, and come just before the thread
 * that was woken, for ever.
 *
 * Bounds. THREADS take it, the first of them ROUNDS times and the others once. EXPIRIES times a
 * thread becomes late, and EARLY sleeps end without a wake: with 0 of both, wakes alone must do. The
 * spin is one look.
 *
 * Memory order. Everything that the code does relaxed is on one word, and compared again by a swap
 * or by the kernel. Two accesses of different words matter: a late thread counts itself in `state`
 * (relaxed), then reads `turn`: these come in any order. It reads `turn` (acquire), then `state`, and
 * an unlock lowers `state`, then raises `turn` (release): these keep their order.
 *
 * With POLLER the first thread waits for another one, which is elsewhere: it never sleeps here, but looks again
 * (dart__mutex_take_for), and becomes late (dart__mutex_count_late) at any time.
 *
 * run: wakes_alone   -DTHREADS=3 -DROUNDS=3 -DEXPIRIES=0 -DEARLY=0
 * run: two_late      -DTHREADS=3 -DROUNDS=1 -DEXPIRIES=2 -DEARLY=0
 * run: early         -DTHREADS=3 -DROUNDS=1 -DEXPIRIES=1 -DEARLY=2
 * run: two_threads   -DTHREADS=2 -DROUNDS=3 -DEXPIRIES=3 -DEARLY=1
 * run: polled        -DTHREADS=3 -DROUNDS=2 -DEXPIRIES=0 -DEARLY=0 -DPOLLER
 * run: polled_late   -DTHREADS=3 -DROUNDS=1 -DEXPIRIES=1 -DEARLY=0 -DPOLLER
 * large: late        -DTHREADS=3 -DROUNDS=2 -DEXPIRIES=1 -DEARLY=0
 * large: late_again  -DTHREADS=3 -DROUNDS=2 -DEXPIRIES=2 -DEARLY=0
 * mutant: forgets_sleepers     -DTHREADS=3 -DROUNDS=1 -DEXPIRIES=0 -DEARLY=0
 * mutant: wakes_before_clear   -DTHREADS=3 -DROUNDS=2 -DEXPIRIES=0 -DEARLY=0
 * mutant: turn_not_acquire     -DTHREADS=2 -DROUNDS=1 -DEXPIRIES=1 -DEARLY=0
 * mutant: wakes_no_turn        -DTHREADS=2 -DROUNDS=1 -DEXPIRIES=1 -DEARLY=0
 * mutant: spin_passes_late     -DTHREADS=2 -DROUNDS=3 -DEXPIRIES=1 -DEARLY=0
 * mutant: poller_hides_sleepers -DTHREADS=3 -DROUNDS=2 -DEXPIRIES=0 -DEARLY=0 -DPOLLER
 * mutant: poller_stays_late    -DTHREADS=2 -DROUNDS=1 -DEXPIRIES=0 -DEARLY=0 -DPOLLER
 * mutant: unlock_not_release   -DTHREADS=2 -DROUNDS=1 -DEXPIRIES=0 -DEARLY=0
 */
#include "common.pml"

#define HELD     1
#define SLEEPERS 2
#define LATE     4

#define IS_FREE(s)     ((s & HELD) == 0)
#define HAS_LATE_WAITERS(s) (s >= LATE)

byte state, turn;                /* dart__mutex_t */
bool on_state[SLEEPERS_MOST];    /* threads that sleep on them */
bool on_turn[SLEEPERS_MOST];
byte early = EARLY;
byte expiries = EXPIRIES;

byte shared;                     /* what the mutex protects */
byte ended;

bool is_late[THREADS];
byte passed[THREADS];            /* bits: threads that passed this late one since they became late */

/* A ghost: `me` has just taken the mutex. */
inline note_taken(me, i)
{
  for (i : 0 .. THREADS - 1) {
    if
    :: i != me && is_late[i] ->
      assert((passed[i] & (1 << me)) == 0);
      passed[i] = passed[i] | (1 << me)
    :: else
    fi
  }
  i = 0;
  is_late[me] = false
}

/* `take`, and dart__mutex_try: from `old`, which is free, to `new` */
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
  :: IS_FREE(s) && !HAS_LATE_WAITERS(s) -> take(s, s | HELD, taken)
#endif
  :: else
  fi
}

#ifdef MUTANT_forgets_sleepers
#define HELD_AFTER_SLEEP HELD
#else
#define HELD_AFTER_SLEEP HELD | SLEEPERS
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

inline lose_patience(i)
{
  d_step {
    expiries--;
    impatient = true;
    for (i : 0 .. THREADS - 1) {
      passed[i] = passed[i] & ~(1 << me)
    }
    i = 0
  }
}

inline sleep_until_free()
{
  do
  :: taken || impatient -> break
  :: else ->
    s = state;
    if
    :: IS_FREE(s) && !HAS_LATE_WAITERS(s) -> take(s, s | HELD_AFTER_SLEEP, taken)
    :: else ->
      announce(announced);
      if
      :: announced ->
        FUTEX_WAIT(state, (s | SLEEPERS), on_state, me, early);
        if
        :: true
        :: expiries > 0 -> lose_patience(i) /* though it was woken */
        fi
      :: announced && expiries > 0 -> lose_patience(i)
      :: else
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
  :: d_step { state = state + LATE; is_late[me] = true; passed[me] = 0 }; LOOK
  :: seen = turn; d_step { state = state + LATE; is_late[me] = true; passed[me] = 0 }; s = state
  fi;
  do
  :: IS_FREE(s) ->
    take(s, (s - LATE) | HELD_AFTER_SLEEP, taken);
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
#define TAKEN_LATE(s) ((s - LATE) & ~SLEEPERS) | HELD
#else
#ifdef MUTANT_poller_stays_late
#define TAKEN_LATE(s) s | HELD | SLEEPERS
#else
#define TAKEN_LATE(s) (s - LATE) | HELD | SLEEPERS
#endif
#endif

/* A look that finds nothing changes nothing, so it is not made. */
inline lock_by_looks(i)
{
  do
  :: taken -> break
  :: !taken && !is_late[me] && IS_FREE(state) && !HAS_LATE_WAITERS(state) ->
    s = state;
    if
    :: IS_FREE(s) && !HAS_LATE_WAITERS(s) -> take(s, s | HELD, taken)
    :: else
    fi
  :: !taken && is_late[me] && IS_FREE(state) ->
    s = state;
    if
    :: IS_FREE(s) -> take(s, TAKEN_LATE(s), taken)
    :: else
    fi
  :: d_step {
      !taken && !is_late[me] -> state = state + LATE;
      is_late[me] = true;
      passed[me] = 0;
      for (i : 0 .. THREADS - 1) {
        passed[i] = passed[i] & ~(1 << me)
      }
      i = 0
    }
  od
}

/* dart__mutex_wake: `s` is the word before the release */
inline wake()
{
  if
  :: HAS_LATE_WAITERS(s) ->
    turn++;
#ifndef MUTANT_wakes_no_turn
    FUTEX_WAKE_ONE(on_turn)
#endif
  :: !HAS_LATE_WAITERS(s) && (s & SLEEPERS) != 0 ->
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
    :: me == 0 -> taken = false; lock_by_looks(i)
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
