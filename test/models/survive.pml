/* Units that die, and those that shrink their team without them (model/ballot.c, model/lost.h, team/survive.c).
 *
 * Claims. Survivors end, however many of the others die, and when (no invalid end state). All that end have the same team
 * (assertion), of which no member was lost before the first of them began (assertion).
 *
 * Bounds. Of UNITS units LOSSES die, each before any of its steps. To make the team, `create` in team/create_group.c, is
 * abstracted: it succeeds on a unit or not, as the model checker likes, if a member is dead; else it succeeds. A key
 * counts the votes of a unit, of which one thread votes; its ballot keeps the key until the next vote.
 *
 * Memory order. A unit writes its values and then `voted`, a release. What it waits for stays true until it has read, so
 * it looks at all units in one step. The mutants give up the waits between votes, and what is agreed on.
 *
 * run: one  -DUNITS=3 -DLOSSES=1
 * run: two  -DUNITS=3 -DLOSSES=2
 * large: four -DUNITS=4 -DLOSSES=2
 * mutant: no_reading      -DUNITS=3 -DLOSSES=1
 * mutant: own_count       -DUNITS=3 -DLOSSES=1
 * mutant: no_second_vote  -DUNITS=3 -DLOSSES=1
 */
#include "common.pml"

#define MOST 4 /* units */

bool dead[MOST];   /* it takes no more steps */
byte number[MOST]; /* of its loss, as the launcher has it; 0: it runs */
byte count;         /* of losses */

/* dart__ballot_t */
byte voted[MOST];
byte has_read[MOST];
byte all[MOST];
byte most[MOST];

byte ended;    /* units that have a team */
byte team;     /* their members, a bit each */
bool is_begun; /* some unit has called */
byte before;   /* bits: units that were lost before that */

#define BIT(u) (1 << (u))

/* Each of the units. */
#define OF(one, u)    (u >= UNITS || one(u))
#define OF_ALL(one)   (OF(one, 0) && OF(one, 1) && OF(one, 2) && OF(one, 3))
#define HAS_COME(u)   (voted[u] == key || number[u] != 0)
#define HAS_READ(u)   (has_read[u] == key || voted[u] != key || number[u] != 0)

#define WAIT_FOR(condition)  \
  atomic {                   \
    (dead[me] || condition); \
    if                       \
    :: dead[me] -> goto gone \
    :: else                  \
    fi                       \
  }

/* A step of a unit: none, if it is dead. */
#define STEP(what) \
  atomic {         \
    if             \
    :: dead[me] -> goto gone \
    :: else        \
    fi;            \
    what           \
  }

/* dart__ballot_vote, of `my_all` and `my_most`; `voters` gets a bit for each that has voted. */
inline vote()
{
  key++;
  STEP(all[me] = my_all; most[me] = my_most);
  STEP(voted[me] = key);
  WAIT_FOR(OF_ALL(HAS_COME));
  STEP(u      = 0;
       voters = 0;
       do
       :: u < UNITS ->
          if
          :: voted[u] == key ->
             voters  = voters | BIT(u);
             my_all  = my_all & all[u];
             my_most = (most[u] > my_most -> most[u] : my_most)
          :: else
          fi;
          u++
       :: else -> break
       od);
  STEP(has_read[me] = key);
#ifndef MUTANT_no_reading
  WAIT_FOR(OF_ALL(HAS_READ));
#endif
}

proctype unit(byte me)
{
  byte key, my_all, my_most, voters, u, losses, members;

  atomic {
    if
    :: dead[me] -> goto gone
    :: else
    fi;
    if
    :: !is_begun ->
       is_begun = true;
       u        = 0;
       do
       :: u < UNITS ->
          before = before | (number[u] != 0 && number[u] <= count -> BIT(u) : 0);
          u++
       :: else -> break
       od
    :: else
    fi
  }
  do
  :: STEP(my_all = 1; my_most = count; losses = count);
     vote();
#ifndef MUTANT_own_count
     losses = my_most;
#endif
     STEP(members = 0;
          u       = 0;
          do
          :: u < UNITS ->
             if
             :: (voters & BIT(u)) != 0 && (number[u] == 0 || number[u] > losses) ->
                members = members | BIT(u)
             :: else
             fi;
             u++
          :: else -> break
          od;
          u = 0);
     STEP(u      = 0;
          my_all = 1;
          do
          :: u < UNITS ->
             if
             :: (members & BIT(u)) != 0 && dead[u] -> my_all = 0
             :: true
             fi;
             u++
          :: else -> break
          od);
#ifndef MUTANT_no_second_vote
     vote();
#endif
     if
     :: my_all != 0 -> break
     :: else
     fi
  od;
  STEP(assert(ended == 0 || team == members);
       assert((members & before) == 0 && (members & BIT(me)) != 0);
       team = members;
       ended++);
gone:
  skip
}

/* What kills, and the launcher, which sees it. */
active proctype launcher()
{
  byte victim, n;

  do
  :: n < LOSSES ->
     select(victim : 0..(UNITS - 1));
     if
     :: dead[victim] -> skip
     :: else ->
        dead[victim] = true;
        number[victim] = count + 1;
        count++
     fi;
     n++
  :: break
  od
}

init {
  byte i;

  atomic {
    do
    :: i < UNITS -> run unit(i); i++
    :: else -> break
    od
  }
}
