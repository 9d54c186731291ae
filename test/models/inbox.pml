/* Senders claim room in an inbox, fill it and publish it, where one may die at any step (dart-shmem/inbox.h).
 *
 * Claims. What senders that live have sent is received (no invalid end state), in the order of each (assertion), and nothing
 * is received that was not published, or closed as a hole (assertion).
 *
 * Bounds. SENDERS senders send PACKETS packets each, all of the same extent, into an inbox that has room for all. Sender 0
 * may die. A sender that finds another one claiming tries again.
 *
 * Memory order. What is claimed is published before the claimer is released, so only the last claim can be a hole: the
 * receiver finds it behind what is published. The mutants close no hole, and release the claimer first.
 *
 * run: two    -DSENDERS=2 -DPACKETS=2
 * run: three  -DSENDERS=3 -DPACKETS=1
 * mutant: no_hole     -DSENDERS=2 -DPACKETS=1
 * mutant: early       -DSENDERS=2 -DPACKETS=1
 */
#include "common.pml"

#define ROOM (SENDERS * PACKETS)
#define HOLE 255

bool dead, lost; /* sender 0; and the receiver can know */
byte claimer, tail, head;
byte cell[ROOM]; /* extent and sender, as one number; 0: not published */
byte number[ROOM];
byte nended; /* senders */

/* A step of a sender: none, if it is dead. */
#define STEP(what)                     \
  atomic {                             \
    if                                 \
    :: me == 0 && dead -> goto gone    \
    :: else                            \
    fi;                                \
    what                               \
  }

active[SENDERS] proctype sender()
{
  byte me = _pid, at, n;

  do
  :: n < PACKETS ->
     atomic {
       (claimer == 0 || (me == 0 && dead));
       if
       :: me == 0 && dead -> goto gone
       :: else -> claimer = me + 1
       fi
     }
     STEP(at = tail);
     STEP(tail++);
     STEP(number[at] = n);
#ifdef MUTANT_early
     STEP(claimer = 0);
     STEP(cell[at] = me + 1);
#else
     STEP(cell[at] = me + 1);
     STEP(claimer = 0);
#endif
     n++
  :: else -> break
  od;
gone:
  nended++
}

active proctype launcher()
{
  if
  :: dead = true;
     lost = true
  :: skip
  fi
}

/* What sender 0 did is all there when it is known to be lost. */
inline close_hole()
{
  atomic {
    if
    :: claimer == 1 ->
#ifndef MUTANT_no_hole
       hole = head;
       do
       :: hole < tail && cell[hole] != 0 -> hole++
       :: else -> break
       od;
       if
       :: hole < tail -> cell[hole] = HOLE
       :: else
       fi;
#endif
       claimer = 0
    :: else
    fi
  }
}

active proctype receiver()
{
  byte next[SENDERS], got, hole;
  bool knows;

  do
  :: lost && !knows ->
     knows = true;
     close_hole()
  :: head < ROOM && cell[head] != 0 ->
     got = cell[head];
     if
     :: got != HOLE ->
        assert(number[head] == next[got - 1]);
        next[got - 1]++
     :: else -> assert(knows)
     fi;
     head++
  :: nended == SENDERS && head == tail && (!lost || knows) -> break
  od;
  assert(next[SENDERS - 1] == PACKETS)
}
