/* Completion of transfers: counts, and the list of units to which transfers were started
 * (dart-base/far/completion.c).
 *
 * Claims. A flush of a unit, or of all, returns only when every transfer whose start had returned
 * before it began is complete (assertion), though other threads start, flush and take units off the
 * list meanwhile. No unit is on the list twice (assertion), and no thread waits for ever (no invalid
 * end state).
 *
 * Bounds. THREADS of a unit: the first starts OPS transfers towards UNITS units by WINDOWS windows,
 * the second one, and a third none; each flushes the unit, or all, or nothing after each, and all
 * in the end.
 *
 * Abstractions. MPI_Win_flush completes what MPI knew of when it was called. Handles are left out,
 * and so are local flushes: they read the same counts, and take nothing off the list. Counts do not
 * wrap.
 *
 * Memory order. A thread that starts a transfer raises `started`, then reads `is_touched`; one that
 * has flushed all clears `is_touched`, then reads `started`: all seq_cst, so they keep their order. A
 * window's count comes before the team's, which releases it. Mutants give up both.
 *
 * run: two_units    -DTHREADS=2 -DOPS=2 -DUNITS=2 -DWINDOWS=1
 * run: two_windows  -DTHREADS=2 -DOPS=2 -DUNITS=1 -DWINDOWS=2
 * run: longer       -DTHREADS=2 -DOPS=3 -DUNITS=1 -DWINDOWS=1
 * run: third_thread -DTHREADS=3 -DOPS=1 -DUNITS=1 -DWINDOWS=1
 * large: three_threads  -DTHREADS=3 -DOPS=1 -DUNITS=2 -DWINDOWS=1
 * mutant: looks_before_started  -DTHREADS=2 -DOPS=2 -DUNITS=1 -DWINDOWS=1
 * mutant: started_before_clear  -DTHREADS=2 -DOPS=2 -DUNITS=1 -DWINDOWS=1
 * mutant: no_second_look        -DTHREADS=2 -DOPS=2 -DUNITS=1 -DWINDOWS=1
 * mutant: window_after_team     -DTHREADS=2 -DOPS=2 -DUNITS=1 -DWINDOWS=1
 * mutant: counted_before_call   -DTHREADS=2 -DOPS=2 -DUNITS=1 -DWINDOWS=1
 * mutant: listed_before_counted  -DTHREADS=2 -DOPS=1 -DUNITS=1 -DWINDOWS=1
 */
#include "common.pml"

/* dart__outstanding_t, where done is `done_remote`: of windows, by W(window, unit); of the team */
byte window_started[UNITS * WINDOWS], window_done[UNITS * WINDOWS];
byte started[UNITS], done[UNITS];

bool is_touched[UNITS];
byte touched[UNITS];
byte ntouched;
bool touched_lock, flushing;

/* Ghosts, by window and unit: transfers that MPI knows of, those that are complete, and up to
 * which a start has returned. */
byte known[UNITS * WINDOWS], complete[UNITS * WINDOWS], returned[UNITS * WINDOWS];

#define LOCK(lock)   atomic { !lock -> lock = true }
#define UNLOCK(lock) lock = false

#define W(window, unit) (unit * WINDOWS + window)
#define MAX(a, b) (a > b -> a : b)

/* dart__outstanding_is_done: two reads, but both counts only grow, so one step says no more than two would */
#define SNAPSHOT(all, of) d_step { snapshot = all; is_done = all <= of }

/* ---- start ---- */

inline list(unit)
{
  LOCK(touched_lock);
  if
  :: !is_touched[unit] ->
    assert(ntouched < UNITS);
#ifdef MUTANT_listed_before_counted
    is_touched[unit] = true;
#endif
    touched[ntouched] = unit;
    ntouched++;
#ifndef MUTANT_listed_before_counted
    is_touched[unit] = true
#endif
  :: else
  fi;
  UNLOCK(touched_lock)
}

#ifdef MUTANT_looks_before_started
#define RAISE window_started[w]++; UNORDERED(started[unit]++, was_touched = is_touched[unit])
#elif defined(MUTANT_window_after_team)
#define RAISE UNORDERED(window_started[w]++, started[unit]++); was_touched = is_touched[unit]
#else
#define RAISE window_started[w]++; started[unit]++; was_touched = is_touched[unit]
#endif

#define CALL d_step { known[w]++; number = known[w] }

/* MPI_Put, and dart__completion_started */
inline start(w, unit)
{
#ifdef MUTANT_counted_before_call
  RAISE;
  CALL;
#else
  CALL;
  RAISE;
#endif
  if
  :: !was_touched -> list(unit)
  :: else
  fi;
  d_step {
    returned[w] = (number > returned[w] -> number : returned[w]);
    number = 0;
    was_touched = false
  }
}

/* ---- flush ---- */

/* dart__completion_flush, dart__net_flush */
inline flush_unit(unit)
{
  SNAPSHOT(started[unit], done[unit]);
  if
  :: is_done
  :: else ->
    all = snapshot;
    for (w : 0 .. WINDOWS - 1) {
      SNAPSHOT(window_started[W(w, unit)], window_done[W(w, unit)]);
      if
      :: is_done
      :: else ->
        number = known[W(w, unit)]; /* MPI_Win_flush begins, and ends */
        d_step {
          complete[W(w, unit)] = MAX(complete[W(w, unit)], number);
          window_done[W(w, unit)] = MAX(window_done[W(w, unit)], snapshot); /* note_done */
          number = 0
        }
      fi
    }
    atomic { done[unit] = MAX(done[unit], all); all = 0; snapshot = 0; w = 0; is_done = false }
  fi
}

inline unlist()
{
  LOCK(touched_lock);
  kept = 0;
  all = ntouched;
  for (i : 0 .. all - 1) {
    unit = touched[i];
    if
    :: i < n ->
#ifdef MUTANT_started_before_clear
      UNORDERED(is_touched[unit] = false, SNAPSHOT(started[unit], done[unit]));
#elif defined(MUTANT_no_second_look)
      is_touched[unit] = false;
      is_done = true;
#else
      is_touched[unit] = false;
      SNAPSHOT(started[unit], done[unit]);
#endif
      if
      :: is_done
      :: else -> is_touched[unit] = true
      fi
    :: else -> is_done = false
    fi;
    if
    :: is_done
    :: else -> touched[kept] = unit; kept++
    fi
  }
  ntouched = kept;
  d_step { kept = 0; all = 0; unit = 0; snapshot = 0; is_done = false; i = 0 }
  UNLOCK(touched_lock)
}

/* dart__completion_flush_all */
inline flush_all()
{
  if
  :: ntouched == 0
  :: else ->
    LOCK(flushing);
    n = ntouched;
    for (i : 0 .. n - 1) {
      unit = touched[i];
      flush_unit(unit)
    }
    unlist();
    n = 0;
    UNLOCK(flushing)
  fi
}

/* Transfers that are due when a flush begins have to be complete when it returns. */
inline begin_flush()
{
  d_step {
    for (w : 0 .. UNITS * WINDOWS - 1) {
      due[w] = returned[w]
    }
    w = 0
  }
}

inline end_flush(first, last)
{
  d_step {
    for (w : first .. last) {
      assert(complete[w] >= due[w])
    }
    for (w : 0 .. UNITS * WINDOWS - 1) {
      due[w] = 0
    }
    w = 0;
    unit = 0
  }
}

active [THREADS] proctype thread()
{
  byte op, unit, w, i, n, kept, all, snapshot, number;
  byte due[UNITS * WINDOWS];
  bool is_done, was_touched;

  for (op : 1 .. (_pid == 0 -> OPS : 2 - _pid)) {
    select(unit : 0 .. UNITS - 1);
    select(w : 0 .. WINDOWS - 1);
    w = W(w, unit);
    start(w, unit);
    if
    :: true
    :: begin_flush(); flush_unit(unit); end_flush(unit * WINDOWS, unit * WINDOWS + WINDOWS - 1)
    :: begin_flush(); flush_all(); end_flush(0, UNITS * WINDOWS - 1)
    fi
  }
  begin_flush();
  flush_all();
  end_flush(0, UNITS * WINDOWS - 1)
}
