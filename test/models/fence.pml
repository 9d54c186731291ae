/* Fences that count: the closing fence of a team over several nodes (epoch/fence.c), a unit a node.
 *
 * Each unit may write to each other's portion in each epoch. At the closing fence all units sum up how many of them
 * have written to each (one reduction, here a barrier that adds up); then each sends its operations and a control
 * message behind them, in order for each target, and leaves when as many control messages have come in all as the sums
 * of all fences said. A unit that has left a fence may be a whole epoch ahead.
 *
 * Transfers change the target's memory without a message, and a flush completes them. Units that start some after the
 * reduction ask in it for a barrier, which follows the control messages. After it, or if the sums say that none come,
 * or if there are two units (PAIR), the next epoch is open: its operations start before the next reduction, with two units
 * each transfer after the requests of epochs before, and control messages are sent before it, too. Transfers are complete
 * then and need none.
 *
 * Claims. When a unit leaves a fence, all that was written to its portion in the epoch has arrived (assertion). What an
 * epoch writes is applied before its target has left the closing fence, after all units have entered the fence before, and
 * after all that earlier epochs wrote there; if the epoch was not open, also after its target has left the fence before
 * (assertions). And no unit waits for ever.
 *
 * Bounds. UNITS units, EPOCHS epochs, a write or a transfer by any unit to any other in each epoch, or none. A channel
 * for each pair keeps its order; channels of different pairs do not keep any. No lazy fences. No
 * results: of an open epoch they are there before the reduction, else a barrier follows them.
 *
 * run: pair   -DUNITS=2 -DEPOCHS=3
 * run: two    -DUNITS=2 -DEPOCHS=3 -DPAIR=0
 * run: three  -DUNITS=3 -DEPOCHS=1 -DWRITES
 * mutant: sends_before_the_sum  -DUNITS=2 -DEPOCHS=2 -DPAIR=0
 * mutant: word_first            -DUNITS=2 -DEPOCHS=1
 * mutant: leaves_by_the_sum     -DUNITS=2 -DEPOCHS=1
 * mutant: opens_without_barrier -DUNITS=2 -DEPOCHS=2 -DPAIR=0
 * mutant: opens_after_words     -DUNITS=2 -DEPOCHS=2 -DPAIR=0
 * mutant: flushes_late          -DUNITS=2 -DEPOCHS=2
 * mutant: moves_ahead           -DUNITS=2 -DEPOCHS=2
 */

/* The rule for two units; 0: such a team as one of more */
#ifndef PAIR
#define PAIR (UNITS == 2)
#endif

#define NONE  0
#define WRITE 1
#define WORD  2
#define MOVE  3

/* from * UNITS + to: what, of which epoch, and whether that was open */
chan wire[UNITS * UNITS] = [2 * EPOCHS] of { byte, byte, bool };

/* The reduction: units that entered, and the sums, of each epoch (they are what each reads on leaving it). */
byte entered[EPOCHS];
byte sum[EPOCHS * UNITS];
byte wanted[EPOCHS]; /* units that ask for the barrier, and ... */
byte passed[EPOCHS]; /* ... those that have come to it */
byte left[UNITS];    /* epochs that each unit has ended */
byte arrived[UNITS]; /* control messages */
byte pending[EPOCHS * UNITS]; /* a ghost: writes of an epoch to a unit that have not arrived */

/* A write of an epoch is applied. */
inline apply(epoch, to, is_open)
{
  assert(left[to] == epoch || (left[to] < epoch && is_open));
  assert(epoch == 0 || (entered[epoch - 1] == UNITS && pending[(epoch - 1) * UNITS + to] == 0));
  pending[epoch * UNITS + to]--
}

/* Messages of a pair are applied one after the other, at any time: by the target's agent. */
proctype Channel(byte from; byte to)
{
  byte epoch;
  bool is_open;

end:
  do
  :: atomic {
       wire[from * UNITS + to] ? WRITE, epoch, is_open ->
       apply(epoch, to, is_open);
       epoch = 0;
       is_open = false
     }
  :: atomic { wire[from * UNITS + to] ? WORD, epoch, is_open -> arrived[to]++; epoch = 0 }
  od
}

/* A transfer has no place of its own in the order of its origin's steps but before its flush: so it is one with that. In
 * teams of two units it waits for the requests of earlier epochs (dart__far_order). */
inline start(to)
{
  if
  :: kind[to] == WRITE -> wire[me * UNITS + to] ! WRITE, epoch, is_open
#ifdef MUTANT_moves_ahead
  :: kind[to] == MOVE -> atomic { apply(epoch, to, is_open) }
#else
  :: kind[to] == MOVE -> atomic { (!PAIR || empty(wire[me * UNITS + to])) -> apply(epoch, to, is_open) }
#endif
  fi
}

inline send_word(to)
{
  wire[me * UNITS + to] ! WORD, epoch, false
}

proctype Unit(byte me)
{
  byte epoch, to, expected, total;
  bool is_open, wants_control[UNITS];
  byte kind[UNITS];

  do
  :: epoch < EPOCHS ->
    /* the epoch: its operations are deferred, unless it is open */
    to = 0;
    do
    :: to < UNITS ->
      if
      :: to != me -> kind[to] = WRITE; d_step { pending[epoch * UNITS + to]++ }
#ifndef WRITES /* and no transfers */
      :: to != me -> kind[to] = MOVE; d_step { pending[epoch * UNITS + to]++ }
#endif
      :: kind[to] = NONE
      fi;
      wants_control[to] = kind[to] == WRITE || (kind[to] == MOVE && !is_open);
      if
#ifdef MUTANT_sends_before_the_sum
      :: kind[to] == WRITE -> start(to)
#else
      :: is_open && kind[to] == WRITE -> start(to)
#endif
#ifndef MUTANT_flushes_late
      :: is_open && kind[to] == MOVE -> start(to)
#endif
      :: else
      fi;
      if
      :: is_open && wants_control[to] -> send_word(to)
      :: else
      fi;
      to++
    :: else -> break
    od;
    /* count_origins() */
    atomic {
      to = 0;
      do
      :: to < UNITS ->
        sum[epoch * UNITS + to] = sum[epoch * UNITS + to] + wants_control[to];
        wanted[epoch] = wanted[epoch] + (kind[to] == MOVE && !is_open);
        to++
      :: else -> break
      od;
      entered[epoch]++
    }
    entered[epoch] == UNITS;
    expected = expected + sum[epoch * UNITS + me];
    /* close_far() */
    to = 0;
    do
    :: to < UNITS ->
#ifdef MUTANT_word_first
      if
      :: !is_open && wants_control[to] -> send_word(to)
      :: else
      fi;
#endif
      if
#ifdef MUTANT_sends_before_the_sum
      :: !is_open && kind[to] == MOVE -> start(to)
#else
      :: !is_open && kind[to] != NONE -> start(to)
#endif
#ifdef MUTANT_flushes_late
      :: is_open && kind[to] == MOVE -> start(to)
#endif
      :: else
      fi;
#ifndef MUTANT_word_first
      if
      :: !is_open && wants_control[to] -> send_word(to)
      :: else
      fi;
#endif
      to++
    :: else -> break
    od;
#ifndef MUTANT_leaves_by_the_sum
    arrived[me] >= expected; /* have_arrived() */
#endif
    if
    :: wanted[epoch] > 0 ->
#ifndef MUTANT_opens_without_barrier
      passed[epoch]++;
      passed[epoch] == UNITS;
#endif
      is_open = true
    :: else ->
      d_step {
        total = 0;
        to = 0;
        do
        :: to < UNITS -> total = total + sum[epoch * UNITS + to]; to++
        :: else -> break
        od;
#ifdef MUTANT_opens_after_words
        total = 0;
#endif
        is_open = total == 0 || PAIR;
        total = 0
      }
    fi;
    atomic {
      assert(pending[epoch * UNITS + me] == 0);
      left[me]++;
      epoch++;
      for (to : 0 .. UNITS - 1) {
        kind[to] = NONE;
        wants_control[to] = false
      }
      to = 0
    }
  :: else -> break
  od
}

init {
  byte i, j;

  atomic {
    for (i : 0 .. UNITS - 1) {
      run Unit(i);
      for (j : 0 .. UNITS - 1) {
        if
        :: i != j -> run Channel(i, j)
        :: else
        fi
      }
    }
  }
}
