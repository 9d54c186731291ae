/* A relay, which the units of a node share: what they append, who sends it, and flushes
 * (dart-base/far/am/node_relay.h, dart-base/far/am/endpoint.c).
 *
 * Claims, as assertions: the partner applies the updates of each unit in the order of their calls;
 * and a flush returns when all that its unit has appended is applied. No unit waits for ever (no
 * invalid end state): whoever is told that another unit sends, or has sent, is woken by its end.
 *
 * Bounds. UNITS units make UPDATES updates each, one a batch, and then flush. A relay takes ROOM of
 * them. An endpoint takes WINDOW messages; that it takes nothing happens once.
 *
 * Abstractions. A unit's agent does what progress does in any thread: it sends what its unit has
 * appended, and takes replies. The program's thread sends where it finds no room, and where it
 * flushes. Messages of one unit arrive in order, those of several in any order. The event is a
 * count; that a waiter sleeps on it is event.pml. Batches, their own room and their pool are lane.pml.
 *
 * Memory order. The relay's lock orders all but `applied`, which the arrival releases to the acquire
 * in dart__am_relay_applied; the partner has applied the message before it replies.
 *
 * run: two_units  -DUPDATES=2
 * run: no_window  -DUPDATES=2 -DWINDOW=1 -DROOM=1
 * large: more_updates -DUPDATES=3
 * large: three_units  -DUNITS=3 -DUPDATES=1
 * mutant: sends_beside_others  -DUPDATES=2
 * mutant: claims_twice         -DUPDATES=2
 * mutant: waits_for_sent       -DUPDATES=2
 * mutant: numbered_as_sent     -DUPDATES=2
 * mutant: looks_before_event   -DUPDATES=2
 * mutant: raises_nothing       -DUPDATES=2
 */
#include "common.pml"

#ifndef UNITS
#define UNITS 2
#endif
#ifndef ROOM
#define ROOM 2
#endif
#ifndef WINDOW
#define WINDOW 2
#endif
#define MESSAGES (UNITS * UPDATES)

/* The relay. */
byte count;               /* updates in it */
byte unit_of[ROOM], update_of[ROOM];
bool claimed;
byte sender;
byte sent, applied;
bool raised[UNITS];       /* the event was raised since the unit read its count */

/* What each message has, by its number less 1. */
byte count_in[MESSAGES];
byte unit_in[MESSAGES * ROOM], update_in[MESSAGES * ROOM];

chan request[UNITS] = [WINDOW] of { byte };
chan reply[UNITS]   = [MESSAGES] of { byte };

byte refusals = 1;        /* how often an endpoint may yet take nothing */
byte relayed[UNITS];      /* `relayed` of the endpoint: the message with the newest update */
byte last[UNITS];         /* a ghost: the newest update that the partner has applied */

#ifdef MUTANT_sends_beside_others
#define IS_TURN true
#else
#define IS_TURN (sender == me || applied == sent)
#endif

#ifdef MUTANT_claims_twice
#define IS_FREE TAKES
#else
#define IS_FREE (!claimed && TAKES)
#endif
#define TAKES (refusals > 0 || len(request[me]) < WINDOW)

#ifdef MUTANT_numbered_as_sent
#define NUMBER sent
#else
#define NUMBER (sent + 1)
#endif

#ifdef MUTANT_raises_nothing
#define RAISE_APPLIED
#else
#define RAISE_APPLIED RAISE
#endif

#if UNITS > 2
#define RAISE raised[0] = true; raised[1] = true; raised[2] = true
#else
#define RAISE raised[0] = true; raised[1] = true
#endif

/* dart__am_relay_add */
#define ADD(update)                                                             \
  atomic {                                                                      \
    count < ROOM ->                                                             \
    unit_of[count]   = me;                                                      \
    update_of[count] = update;                                                  \
    count++;                                                                    \
    relayed[me] = NUMBER                                                        \
  }

/* dart__am_endpoint_send_relay: dart__am_relay_claim, and then dart__am_relay_take with the lock of
 * the partner's endpoint, or dart__am_relay_release where that takes nothing. */
inline send()
{
  claims = false;
  atomic {
    if
    :: count > 0 && IS_FREE && IS_TURN -> claimed = true; claims = true
    :: else
    fi
  }
  if
  :: !claims
  :: claims ->
    atomic {
      if
      :: refusals > 0 -> refusals--
      :: len(request[me]) < WINDOW && count > 0 ->
        count_in[sent] = count;
        do
        :: count > 0 ->
          count--;
          unit_in[sent * ROOM + count]   = unit_of[count];
          update_in[sent * ROOM + count] = update_of[count];
          unit_of[count]   = 0;
          update_of[count] = 0
        :: else -> break
        od;
        sent++;
        sender = me;
        request[me]!sent
      :: else
      fi;
      claimed = false;
      claims  = false;
      RAISE
    }
  fi
}

#define IS_BUSY (claimed || applied != sent)

/* dart__am_endpoint_wait: the event is read before the relay is looked at. */
inline wait_for_turn()
{
#ifdef MUTANT_looks_before_event
  busy = IS_BUSY;
  raised[me] = false;
#else
  raised[me] = false;
  busy = IS_BUSY;
#endif
  if
  :: busy -> busy = false; raised[me]
  :: else
  fi
}

#ifdef MUTANT_waits_for_sent
#define IS_DONE (sent >= relayed[me])
#else
#define IS_DONE (applied >= relayed[me])
#endif

proctype program(byte me)
{
  byte i = 1;
  bool claims, busy;

  do
  :: i > UPDATES -> break
  :: else ->
    if
    :: ADD(i) -> i++
    :: count == ROOM ->
      send();
      if
      :: count < ROOM
      :: else -> wait_for_turn()
      fi
    fi
  od;
  do
  :: IS_DONE -> break
  :: else ->
    if
    :: relayed[me] > sent -> send()
    :: else
    fi;
    if
    :: IS_DONE
    :: else -> wait_for_turn()
    fi
  od;
  assert(last[me] == UPDATES)
}

proctype agent(byte me)
{
  byte number;
  bool claims;

end:
  do
  :: relayed[me] > sent && count > 0 && IS_FREE && IS_TURN -> send()
  :: reply[me]?number ->
    applied = number; /* the arrival, and then its event */
    atomic {
      number = 0;
      RAISE_APPLIED
    }
  od
}

inline apply(number)
{
  j = 0;
  do
  :: j < count_in[number - 1] ->
    u = unit_in[(number - 1) * ROOM + j];
    assert(update_in[(number - 1) * ROOM + j] == last[u] + 1);
    last[u] = last[u] + 1;
    unit_in[(number - 1) * ROOM + j]   = 0;
    update_in[(number - 1) * ROOM + j] = 0;
    j++
  :: else -> break
  od;
  count_in[number - 1] = 0;
  reply[from]!number;
  number = 0;
  j = 0;
  u = 0
}

proctype partner()
{
  byte number, from, j, u;

end:
  do
  :: d_step { request[0]?number; from = 0; apply(number) }
  :: d_step { request[1]?number; from = 1; apply(number) }
#if UNITS > 2
  :: d_step { request[2]?number; from = 2; apply(number) }
#endif
  od
}

init
{
  atomic {
    byte i;

    for (i : 0 .. UNITS - 1) {
      run program(i);
      run agent(i)
    }
    run partner()
  }
}
