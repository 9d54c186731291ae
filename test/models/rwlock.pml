/* The lock of a portion: tickets (wait/rwlock.h), near units that sleep, and requests of far units that bring their
 * operation and are applied by the target when their turn comes (dart-base/epoch/epoch_target.c).
 *
 * Claims. An exclusive holder is alone, an operation that came with its request too (assertions). Turns come in the order of the tickets, but
 * for shared ones that adjoin (assertion). Nobody waits for ever: neither a near unit whose wake-up was lost, nor a
 * request that its target does not look at again; that would be an invalid end state.
 *
 * Bounds. NEAR near units, the first of them shared if SHARED is 1, ROUNDS times each; FAR requests of far units,
 * exclusive. The target looks at its list when it has handled a message and when its event was raised, never by itself: in the
 * code it also looks now and then.
 *
 * Memory order. All accesses of the words are seq_cst, so their order is the program's. The wake-up of a near unit is
 * that of the event's model: it is a flag here, per ticket.
 *
 * run: near_and_far     -DNEAR=2 -DFAR=1 -DROUNDS=1 -DSHARED=0
 * run: shared           -DNEAR=2 -DFAR=1 -DROUNDS=1 -DSHARED=1
 * run: far              -DNEAR=1 -DFAR=2 -DROUNDS=2 -DSHARED=0
 * mutant: leaves_without_a_word   -DNEAR=1 -DFAR=1 -DROUNDS=1 -DSHARED=0
 * mutant: counts_too_late         -DNEAR=1 -DFAR=1 -DROUNDS=1 -DSHARED=0
 * mutant: applies_at_once         -DNEAR=1 -DFAR=1 -DROUNDS=1 -DSHARED=0
 * mutant: keeps_the_shared_turn   -DNEAR=2 -DFAR=1 -DROUNDS=1 -DSHARED=1
 * mutant: wakes_before_the_turn   -DNEAR=2 -DFAR=1 -DROUNDS=1 -DSHARED=0
 */

#define TICKETS (NEAR * ROUNDS + FAR + 1)

byte next, shared, exclusive, far; /* dart__rwlock_t */
bool woken[TICKETS + 1];           /* the event of a ticket was raised */
bool target_event;                 /* the target's */
byte writers, readers, entered;    /* ghosts */
byte replies;

chan requests = [FAR + 1] of { byte };

inline wake(ticket)
{
  if
  :: next != ticket -> woken[ticket] = true
  :: else
  fi
}

/* dart__rwlock_try_enter */
inline try_enter(ticket, is_shared, in)
{
  if
  :: is_shared && shared == ticket ->
    readers++;
    assert(writers == 0);
#ifndef MUTANT_keeps_the_shared_turn
    shared = ticket + 1;
    wake(ticket + 1);
#endif
    in = true
  :: !is_shared && exclusive == ticket ->
    writers++;
    assert(writers == 1 && readers == 0 && entered == ticket);
    in = true
  :: else -> in = false
  fi
}

/* dart__rwlock_leave */
inline leave(is_shared)
{
  byte turn;

  if
  :: is_shared -> readers--
  :: else -> writers--; shared++
  fi;
#ifdef MUTANT_wakes_before_the_turn
  turn = exclusive + 1;
  wake(turn);
  atomic { exclusive++; entered++ };
#else
  atomic { exclusive++; entered++; turn = exclusive };
  wake(turn);
#endif
  turn = 0
}

inline inform_target()
{
#ifdef MUTANT_leaves_without_a_word
  skip
#else
  if
  :: far > 0 -> target_event = true
  :: else
  fi
#endif
}

proctype Near(bool is_shared)
{
  byte ticket, round;
  bool in;

  do
  :: round < ROUNDS ->
    in = false;
    atomic { ticket = next; next++ };
    try_enter(ticket, is_shared, in);
    do
    :: in -> break
    :: else ->
      woken[ticket]; /* dart__event_wait */
      woken[ticket] = false;
      try_enter(ticket, is_shared, in)
    od;
    inform_target();
    leave(is_shared);
    inform_target();
    round++
  :: else -> break
  od
}

proctype Origin()
{
  requests ! 1
}

/* The target's side, one thread at a time: a list of one or two tickets. */
proctype Target()
{
  byte waiting[2], nwaiting, ticket, message;
  bool in, again;

end:
  do
  :: requests ? message ->
    atomic { ticket = next; next++ };
#ifdef MUTANT_applies_at_once
    writers++;
    assert(writers == 1 && readers == 0);
    in = true;
#else
    try_enter(ticket, false, in);
#endif
    if
    :: in -> leave(false); replies++
    :: else ->
      waiting[nwaiting] = ticket;
      nwaiting++;
#ifdef MUTANT_counts_too_late
      again = false;
#else
      far++;
      again = true;
#endif
    fi;
    goto look
  :: target_event ->
    target_event = false;
    again        = true;
    goto look
  od;
look:
  do
  :: again && nwaiting > 0 -> /* dart__grants_look: the first one is the first in the order of tickets */
    again = false;
    try_enter(waiting[0], false, in);
    if
    :: in ->
      far--;
      waiting[0] = waiting[1];
      waiting[1] = 0;
      nwaiting--;
      leave(false);
      replies++;
      again = true
    :: else
    fi
  :: else -> break
  od;
#ifdef MUTANT_counts_too_late
  if
  :: nwaiting > far -> far++ /* after the look */
  :: else
  fi;
#endif
  again = false;
  in    = false;
  goto end
}

proctype End()
{
  /* everything is served */
  replies == FAR && exclusive == NEAR * ROUNDS + FAR;
  assert(shared == next && readers == 0 && writers == 0)
}

init {
  byte i;

  atomic {
    run Target();
    run End();
    for (i : 1 .. NEAR) {
      run Near(SHARED == 1 && i == 1)
    }
    for (i : 1 .. FAR) {
      run Origin()
    }
  }
}
