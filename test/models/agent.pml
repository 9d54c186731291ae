/* The end of the progress agent (dart-base/far/agent.c), and the last use of a team's exchange
 * (team/make.c: dart__team_exchange_close): memory is freed when no other thread or unit accesses it.
 *
 * Claims. The agent ends when it is asked to, though it may be about to nap (no invalid end state:
 * its naps do not end by themselves here). What dart__engine_close closes after it is not accessed
 * again, nor the exchange when its leader has freed it (assertions).
 *
 * Bounds. One agent, EARLY of whose naps end early; UNITS of a node that leave a team.
 *
 * Memory order. `left` is raised with release after the last use, and read with acquire: the last
 * use and the count keep their order. A mutant gives that up.
 *
 * run: end  -DUNITS=4 -DEARLY=2
 * mutant: nap_compares_not  -DUNITS=2 -DEARLY=0
 * mutant: no_wake           -DUNITS=2 -DEARLY=0
 * mutant: no_join           -DUNITS=2 -DEARLY=0
 * mutant: left_not_release  -DUNITS=2 -DEARLY=0
 */
#include "common.pml"

bool stop, ended, is_closed;
bool napping[SLEEPERS_MOST];
byte early = EARLY;

byte left;
bool is_freed;

#ifdef MUTANT_nap_compares_not
#define NAP FUTEX_WAIT(true, true, napping, 0, early)
#else
#define NAP FUTEX_WAIT(stop, false, napping, 0, early)
#endif

/* `run_agent` */
active proctype agent()
{
  do
  :: stop -> break
  :: else ->
    NAP;
    assert(!is_closed) /* `poll_once` */
  od;
  ended = true
}

/* dart__agent_close, and what follows it */
active proctype closer()
{
  stop = true;
#ifndef MUTANT_no_wake
  FUTEX_WAKE_ONE(napping);
#endif
#ifndef MUTANT_no_join
  ended;
#endif
  is_closed = true
}

#ifdef MUTANT_left_not_release
#define LEAVE UNORDERED(assert(!is_freed), left++)
#else
#define LEAVE assert(!is_freed); left++
#endif

active [UNITS - 1] proctype follower()
{
  LEAVE
}

active proctype leader()
{
  left == UNITS - 1;
  is_freed = true
}
