/* Units that lock all portions (dart_epoch_lock_all), and others that lock one alone: epoch/unlock.c over the fair lock
 * of wait/rwlock.h, whose own steps are the model rwlock's. Locks are granted in the order of the tickets.
 *
 * Claims. An exclusive holder is alone (assertions). No two units wait for each other (invalid end state): a unit that
 * locks all leaves what it holds before it waits, takes near portions one by one, and leaves each far one as soon as it is
 * granted, whichever comes first.
 *
 * Bounds. Two portions; two units that lock both, the second in the other order (turn() begins behind its own unit); two
 * units that lock one each, exclusively, and so wait behind the first and before the second. OWN: the portions are the
 * lockers' own, which they hold from the lock on; else both are others'. FAR: they are far: the target takes the tickets in
 * the order in which requests come, and enters for those whose turn it is.
 *
 * Left out: operations that start in the epoch, which keep what they lock; there the program takes care of the order.
 *
 * run: near             -DOWN=0 -DFAR=0
 * run: near_own         -DOWN=1 -DFAR=0
 * run: far              -DOWN=0 -DFAR=1
 * run: far_own          -DOWN=1 -DFAR=1
 * mutant: keeps_the_own_portion    -DOWN=1 -DFAR=0
 * mutant: keeps_the_own_beside_far -DOWN=1 -DFAR=1
 * mutant: waits_in_order           -DOWN=0 -DFAR=1
 * mutant: takes_tickets_ahead      -DOWN=0 -DFAR=0
 * mutant: enters_shared_too_early  -DOWN=0 -DFAR=0
 */

#define LOCKERS 2

byte next[2], shared[2], exclusive[2]; /* dart__rwlock_t of each portion */
byte readers[2], writers[2];           /* ghosts */

/* Far requests of each locker. */
bool asked[4], granted[4]; /* [2 * locker + portion] */
byte ticket[4];

inline take(p, t)
{
  atomic { t = next[p]; next[p]++ }
}

inline enter_shared(p, t)
{
  atomic {
#ifdef MUTANT_enters_shared_too_early
    shared[p] >= t || exclusive[p] >= t || t > 0 ->
#else
    shared[p] == t ->
#endif
    readers[p]++;
    assert(writers[p] == 0);
    shared[p]++
  }
}

inline leave_shared(p)
{
  atomic { readers[p]--; exclusive[p]++ }
}

proctype Exclusive(byte p)
{
  byte t;

  take(p, t);
  atomic { exclusive[p] == t -> writers[p]++; assert(writers[p] == 1 && readers[p] == 0) };
  atomic { writers[p]--; shared[p]++; exclusive[p]++ }
}

/* The thread of a target that takes requests in, and enters for them: dart-base/epoch/epoch_target.c. */
proctype Serve(byte request)
{
  byte p = request % 2;

  asked[request];
  take(p, ticket[request]);
  enter_shared(p, ticket[request]);
  granted[request] = true
}

/* use(): drain and leave */
inline use(me, p)
{
  leave_shared(p)
}

proctype Locker(byte me)
{
  byte first, second, t, u;
  bool first_used, second_used;

  first  = 1 - me;
  second = me;
#if OWN
  take(me, t); /* dart_epoch_lock_all */
  enter_shared(me, t);
#if !defined(MUTANT_keeps_the_own_portion) && !defined(MUTANT_keeps_the_own_beside_far)
  leave_shared(me); /* leave_held */
#endif
  second_used = true; /* no operations */
#endif
#if FAR
  asked[2 * me + first] = true;
#if !OWN
  asked[2 * me + second] = true;
#endif
#ifdef MUTANT_waits_in_order
  granted[2 * me + first];
  use(me, first);
  granted[2 * me + second];
  use(me, second);
#else
  do /* use_late */
  :: !first_used && granted[2 * me + first] ->
    use(me, first);
    first_used = true
  :: !second_used && granted[2 * me + second] ->
    use(me, second);
    second_used = true
  :: first_used && second_used -> break
  od;
#endif
#else
#ifdef MUTANT_takes_tickets_ahead
  take(second, u); /* by an operation that finds it taken */
#endif
  take(first, t); /* take_near */
  enter_shared(first, t);
  leave_shared(first);
#if !OWN
#ifndef MUTANT_takes_tickets_ahead
  take(second, u);
#endif
  enter_shared(second, u);
  leave_shared(second);
#endif
#endif
#if defined(MUTANT_keeps_the_own_portion) || defined(MUTANT_keeps_the_own_beside_far)
  leave_shared(me);
#endif
}

init {
  byte i;

  atomic {
    run Locker(0);
    run Locker(1);
    run Exclusive(0);
    run Exclusive(1);
#if FAR
#if OWN
    run Serve(1);
    run Serve(2);
#else
    for (i : 0 .. 3) {
      run Serve(i)
    }
#endif
#endif
  }
}
