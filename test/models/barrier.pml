/* The node's barrier, in one piece and split (wait/barrier.h), and the buffers of a step, which
 * exist twice (wait/exchange.h, coll/step.h).
 *
 * Claims. No unit leaves before all have arrived, and what a unit reads after the barrier of a step
 * is what the others wrote before it, though they may be a step ahead already: slots, the leader's
 * result and its status (assertions). No unit waits for ever (no invalid end state).
 *
 * Bounds. UNITS take steps without an end. All counts are taken modulo COUNTS, so they wrap, as
 * those of 32 bits do. SPLIT: unit 0 is the leader, and the others follow; without, all call
 * dart__barrier_wait. Waiting is abstracted to what event.pml shows of it.
 *
 * Memory order. Arriving is acq_rel: what a unit wrote is visible with its arrival, so writing a
 * slot and arriving keep their order. `missing` is rearmed relaxed, and the status is stored
 * relaxed: the raise of `open`, a release, keeps them before it. The mutants give up each of these.
 *
 * run: whole   -DUNITS=4 -DCOUNTS=4
 * run: split   -DUNITS=4 -DCOUNTS=4 -DSPLIT
 * mutant: one_buffer         -DUNITS=2 -DCOUNTS=4
 * mutant: arrive_not_release -DUNITS=2 -DCOUNTS=4
 * mutant: open_not_release   -DUNITS=2 -DCOUNTS=4
 * mutant: status_after_open  -DUNITS=2 -DCOUNTS=4 -DSPLIT
 * mutant: full_not_counted   -DUNITS=2 -DCOUNTS=4 -DSPLIT
 * mutant: no_full            -DUNITS=2 -DCOUNTS=4 -DSPLIT
 */
#include "common.pml"

#define NEXT(count) ((count + 1) % COUNTS)

#ifdef MUTANT_one_buffer
#define BUFFER(step) 0
#else
#define BUFFER(step) (step & 1)
#endif

/* dart__barrier_t; COUNTS is even, so a step keeps its buffer when counts wrap */
byte missing = UNITS;
byte full_count, open_count;

/* In a step units write its number. */
byte slot[2 * UNITS];
byte result[2];
byte status;

#define SLOT(step, unit) slot[BUFFER(step) * UNITS + unit]

#define ARRIVE d_step { is_last = missing == 1; missing-- }

#ifdef MUTANT_arrive_not_release
#define WRITE_AND_ARRIVE UNORDERED(SLOT(before, me) = step, ARRIVE)
#else
#define WRITE_AND_ARRIVE SLOT(before, me) = step; ARRIVE
#endif

#ifdef MUTANT_open_not_release
#define REARM_AND_OPEN UNORDERED(missing = UNITS, open_count = step)
#else
#define REARM_AND_OPEN missing = UNITS; open_count = step
#endif

inline read_slots()
{
  for (i : 0 .. UNITS - 1) {
    assert(SLOT(before, i) == step)
  }
  i = 0
}

inline read_result()
{
  assert(result[BUFFER(before)] == step);
  assert(status == step)
}

/* dart__barrier_wait */
inline wait()
{
  WRITE_AND_ARRIVE;
  if
  :: is_last -> REARM_AND_OPEN
  :: else -> open_count != before
  fi;
  read_slots()
}

/* dart__barrier_collect; the leaders' communication; dart__step_release, dart__barrier_open */
inline lead()
{
  WRITE_AND_ARRIVE;
  if
  :: !is_last -> full_count == step
  :: else ->
#ifdef MUTANT_full_not_counted
    skip
#else
    full_count = step
#endif
  fi;
  missing = UNITS;
  read_slots();
  result[BUFFER(before)] = step;
#ifdef MUTANT_status_after_open
  UNORDERED(status = step, open_count = step)
#else
  status = step;
  open_count = step
#endif
}

/* dart__barrier_follow */
inline follow()
{
  WRITE_AND_ARRIVE;
  if
#ifdef MUTANT_no_full
  :: is_last
#else
  :: is_last -> full_count = step
#endif
  :: else
  fi;
  open_count != before;
  read_result();
  read_slots()
}

active [UNITS] proctype unit()
{
  byte me = _pid, before, step, i;
  bool is_last;

  do
  :: step = NEXT(before);
#ifdef SPLIT
     if
     :: me == 0 -> lead()
     :: else -> follow()
     fi;
#else
     wait();
#endif
     before = step
  od
}
