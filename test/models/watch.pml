/* Words that sleepers have noted: near writers that wake them without a fence of their own (rma/watch.h).
 *
 * A writer stores to the word, and then reads the count of notes; nothing on its side keeps the two in order, so its
 * store may be in its store buffer while it reads. The sleeper notes the word, raises the count, and has a barrier made
 * in every process (membarrier): it ends when all that was stored before is there. Then it looks, and sleeps on its
 * event (rma/await.c). A writer that finds the count raised reads the note, looks whether the word has what the
 * sleeper waits for, and if so raises the event, by an atomic that empties its buffer.
 *
 * Claim. The sleeper gets what it waits for: one that sleeps for ever is an invalid end state.
 *
 * Bounds. The sleeper waits for the word to be GOAL. With PUTS one writer puts 1 to GOAL in turn; otherwise GOAL writers
 * add 1 each. WAITS waits follow one another, each for the next GOAL. No sleep ends early.
 *
 * Memory order. A put is in the buffer until it leaves that by itself, at a barrier or at an atomic; its writer reads it
 * from there. An atomic is one step: a processor that moves the read of the count into it moves it past no barrier.
 *
 * run: puts       -DPUTS -DGOAL=3 -DWAITS=1
 * run: more_waits -DPUTS -DGOAL=2 -DWAITS=2
 * run: sums       -DGOAL=3 -DWAITS=1
 * mutant: no_barrier           -DPUTS -DGOAL=1 -DWAITS=1
 * mutant: looks_before_barrier -DPUTS -DGOAL=1 -DWAITS=1
 * mutant: notes_after_barrier  -DPUTS -DGOAL=1 -DWAITS=1
 * mutant: reads_before_store   -DGOAL=1 -DWAITS=1
 * mutant: wakes_without_raising -DPUTS -DGOAL=1 -DWAITS=1
 */
#include "common.pml"

#define LAST (GOAL * WAITS)

byte word;                  /* what is waited for */
byte stored;                /* the put in the writer's buffer; 0: none */
byte wanted;                /* the note; 0: none */
byte notes;                 /* the count of notes */
byte count, sleepers;       /* dart__event_t */
bool asleep[SLEEPERS_MOST]; /* on `count` */
byte early = 0;

/* What the writer finds in the word, and when its buffer is empty. */
#define FOUND (stored != 0 -> stored : word)
#define EMPTY d_step { if :: stored != 0 -> word = stored; stored = 0 :: else fi }

active proctype buffer()
{
end:
  do
  :: d_step { stored != 0 -> word = stored; stored = 0 }
  od
}

/* dart__watch_wrote, dart__event_add */
inline tell()
{
  if
  :: seen != 0 ->
    if
    :: wanted != 0 && FOUND >= wanted ->
#ifdef MUTANT_wakes_without_raising
       EMPTY;
#else
       d_step { if :: stored != 0 -> word = stored; stored = 0 :: else fi; count++ };
#endif
       if
       :: sleepers != 0 -> FUTEX_WAKE_ALL(asleep)
       :: else
       fi
    :: else
    fi
  :: else
  fi
}

#ifdef PUTS
proctype writer()
{
  byte value, seen;

  for (value : 1 .. LAST) {
    atomic { stored == 0 -> stored = value } /* stores leave the buffer in order: room for one is enough */
    seen = notes;
    tell()
  }
}
#else
proctype writer()
{
  byte seen;

#ifdef MUTANT_reads_before_store
  seen = notes;
  word++;
#else
  word++;
  seen = notes;
#endif
  tell()
}
#endif

inline barrier()
{
#ifndef MUTANT_no_barrier
  EMPTY
#else
  skip
#endif
}

proctype sleeper()
{
  byte goal, now, seen;

  for (goal : 1 .. WAITS) {
    /* dart__watch_begin */
#ifdef MUTANT_notes_after_barrier
    barrier();
    wanted = goal * GOAL;
    notes++;
#else
#ifdef MUTANT_looks_before_barrier
    seen = count;
    now  = word;
#endif
    wanted = goal * GOAL;
    notes++;
    barrier();
#endif
#ifdef MUTANT_looks_before_barrier
    goto asleep_at_once;
#endif
    do
    :: seen = count;
       now  = word;
       if
       :: now >= goal * GOAL -> break
       :: else
       fi;
asleep_at_once:
       sleepers++;
#ifndef MUTANT_looks_before_barrier
       now = word;
#endif
       if
       :: now < goal * GOAL -> FUTEX_WAIT(count, seen, asleep, 0, early)
       :: else
       fi;
       sleepers--
    od;
    /* dart__watch_end */
    notes--;
    wanted = 0
  }
}

init
{
  byte i;

  atomic {
#ifdef PUTS
    run writer();
#else
    for (i : 1 .. GOAL) {
      run writer()
    }
#endif
    run sleeper()
  }
}
