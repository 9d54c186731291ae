/* The set of busy peers, and a flush that goes over it while other threads add and remove peers
 * (dart-base/far/am/peers.c; `for_members` and `wait_and_report` in dart-base/far/am/flush.c).
 *
 * Claims. A flush leaves out no peer that was in the set when it began and is in it still: every peer that its thread has
 * requested something of is waited for, or has left the set by itself, done (assertion at the end of a walk).
 * Peer and index go together, and no peer is in the set twice (assertions, at every change).
 *
 * Bounds. PEERS peers. A thread adds NOWN of them, then walks. CHANGERS others each add a peer of their own and remove
 * it. A peer that is waited for leaves the set, by the walk itself or by the thread that receives; the
 * model's receiver removes any, at any time. A peer is added or removed by one thread at a time, as its endpoint's lock is
 * held; the set's lock makes each a step.
 *
 * run: two_others  -DPEERS=5 -DNOWN=3 -DCHANGERS=2
 * mutant: walks_upwards      -DPEERS=3 -DNOWN=2 -DCHANGERS=1
 * mutant: keeps_the_holes    -DPEERS=3 -DNOWN=2 -DCHANGERS=1
 */

byte count;
byte peer[PEERS];  /* at an index, plus one; 0: nobody */
byte index[PEERS]; /* of a peer, plus one; 0: not in the set */

inline add(p)
{
  atomic {
    assert(index[p] == 0 && count < PEERS);
    peer[count] = p + 1;
    count++;
    index[p] = count
  }
}

/* dart__am_peers_remove: the last one moves to the index that becomes free */
inline remove(p)
{
  d_step {
    assert(peer[index[p] - 1] == p + 1);
    count--;
#ifdef MUTANT_keeps_the_holes
    peer[index[p] - 1] = 0;
#else
    peer[index[p] - 1]         = peer[count];
    index[peer[count] - 1]     = index[p];
    peer[count]                = 0;
#endif
    index[p] = 0
  }
}

#ifdef MUTANT_walks_upwards
#define WALKS (at < count)
#define NEXT  at++
#define HERE  at
#else
#define WALKS (at > 0)
#define NEXT  at--
#define HERE  at - 1
#endif

proctype flusher()
{
  byte p, at;
  bool seen[NOWN];

  for (p : 0 .. NOWN - 1) {
    add(p)
  }
#ifndef MUTANT_walks_upwards
  at = count;
#endif
  do
  :: atomic {
       WALKS ->
       p = (HERE < count -> peer[HERE] : 0); /* dart__am_peers_at */
       NEXT;
       if
       :: p > 0 && p <= NOWN -> seen[p - 1] = true
       :: else
       fi
     }
  :: atomic { !WALKS -> break }
  od;
  for (p : 0 .. NOWN - 1) {
    assert(seen[p] || index[p] == 0)
  }
}

proctype changer(byte p)
{
  add(p);
  remove(p)
}

/* The thread that receives: a reply has come, and nothing of the peer is outstanding any more. */
proctype receiver(byte p)
{
  if
  :: index[p] > 0 -> remove(p)
  :: true
  fi
}

init
{
  byte i;

  atomic {
    run flusher();
    for (i : 0 .. NOWN - 1) {
      run receiver(i)
    }
    for (i : 1 .. CHANGERS) {
      run changer(NOWN + i - 1)
    }
  }
}
