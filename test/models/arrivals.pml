/* Two threads of a unit that sleep until something comes from another node: the program in a wait, and the agent.
 *
 * Senders put a packet into the inbox and nudge the unit's event (dart-shmem/link.c). Whoever of the two looks takes
 * what has come, makes its result visible, and raises the event (dart__wait_tell), for the other may wait for just that
 * result (dart__wait_pause, dart__arrivals_sleep in wait/wait.c; sleep_until_wanted in dart-base/far/agent.c).
 *
 * Claim. The program's wait ends, and then the agent is told to end, and does: a thread that sleeps for ever is an
 * invalid end state.
 *
 * Bounds. SENDERS send one packet each; the wait is for all of their results. No sleep ends early.
 *
 * Memory order. What comes and `sleepers` are seq_cst on both sides, by fences, as in nudge.pml. The result is written
 * before the event is raised, a seq_cst step, and looked at after the event's count was read with acquire.
 *
 * run: two_packets      -DSENDERS=2
 * large: three_packets  -DSENDERS=3
 * mutant: tells_nobody             -DSENDERS=1
 * mutant: tells_before_the_result  -DSENDERS=1
 * mutant: counts_after_the_look    -DSENDERS=1
 * mutant: looks_before_announcing  -DSENDERS=1
 */
#include "common.pml"

byte inbox;                 /* packets that have come */
byte results;               /* of those that were handled */
bool stop;                  /* the agent's */
bool is_locked;             /* the lock of the thread that takes packets */
byte count, sleepers;       /* dart__event_t */
bool asleep[SLEEPERS_MOST]; /* on `count` */
byte early = 0;

/* dart__event_add */
inline add()
{
  count++;
  others = sleepers;
  if
  :: others != 0 -> FUTEX_WAKE_ALL(asleep)
  :: else
  fi
}

proctype sender()
{
  byte others;

  inbox++;
  others = sleepers; /* dart__event_nudge */
  if
  :: others != 0 -> add()
  :: else
  fi
}

/* Take what has come, and handle it. */
inline progress()
{
  atomic { !is_locked -> is_locked = true }
  taken = inbox;
  atomic { inbox = inbox - taken; is_locked = false }
  if
  :: taken > 0 ->
#ifdef MUTANT_tells_before_the_result
     add();
     results = results + taken
#else
     results = results + taken;
#ifndef MUTANT_tells_nobody
     add()
#endif
#endif
  :: else
  fi;
  taken = 0
}

/* Whether there is nothing to do: dart__simulated_idle_us, which gives up where the lock is taken. */
inline look()
{
  atomic { is_idle = !is_locked && inbox == 0 }
}

proctype thread(bool is_agent)
{
  byte seen, taken, others;
  bool is_idle;

  do
  ::
#ifndef MUTANT_counts_after_the_look
     seen = count;
#endif
     progress();
     if
     :: is_agent && stop -> break
     :: !is_agent && results == SENDERS -> break
     :: else
     fi;
#ifdef MUTANT_counts_after_the_look
     seen = count;
#endif
#ifdef MUTANT_looks_before_announcing
     look();
     sleepers++;
#else
     sleepers++;
     look();
#endif
     if
     :: is_idle -> FUTEX_WAIT(count, seen, asleep, is_agent, early)
     :: else
     fi;
     sleepers--
  od;
  if
  :: !is_agent -> stop = true; add()
  :: else
  fi
}

init
{
  byte i;

  atomic {
    for (i : 1 .. SENDERS) {
      run sender()
    }
    run thread(false);
    run thread(true)
  }
}
