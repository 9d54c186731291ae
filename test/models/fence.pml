/* Fences that count: the closing fence of a team over several nodes (epoch/fence.c), a unit a node.
 *
 * Each unit may write to each other's portion in each epoch. At the closing fence all units sum up how many of them
 * have written to each (one reduction, here a barrier that adds up); then each sends its operations and a word behind them, in
 * order for each target, and leaves when as many words have come in all as the sums of all fences said. A unit that has left a fence
 * may be a whole epoch ahead.
 *
 * Claims. When a unit leaves a fence, all that was written to its portion in the epoch has arrived, and nothing of a later
 * epoch (assertion: the writes of each epoch are applied between its own fence and the one before). And no unit waits
 * for ever.
 *
 * Bounds. UNITS units, EPOCHS epochs, a write by any unit to any other in each epoch or not. A channel for each pair
 * keeps its order; channels of different pairs do not keep any.
 *
 * run: two    -DUNITS=2 -DEPOCHS=3
 * run: three  -DUNITS=3 -DEPOCHS=1
 * mutant: sends_before_the_sum  -DUNITS=2 -DEPOCHS=2
 * mutant: word_first            -DUNITS=2 -DEPOCHS=1
 * mutant: leaves_by_the_sum     -DUNITS=2 -DEPOCHS=1
 */

#define WRITE 1
#define WORD  2

/* from * UNITS + to: what, and of which epoch */
chan wire[UNITS * UNITS] = [2 * EPOCHS] of { byte, byte };

/* The reduction: units that entered, and the sums, of each epoch (they are what each reads on leaving it). */
byte entered[EPOCHS];
byte sum[EPOCHS * UNITS];
byte left[UNITS];    /* epochs that each unit has ended */
byte arrived[UNITS]; /* words */
byte pending[EPOCHS * UNITS]; /* a ghost: writes of an epoch to a unit that have not arrived */

/* Messages of a pair are applied one after the other, at any time: by the target's agent. */
proctype Channel(byte from; byte to)
{
  byte epoch;

end:
  do
  :: atomic {
       wire[from * UNITS + to] ? WRITE, epoch ->
       assert(epoch == left[to]); /* neither late nor early */
       pending[epoch * UNITS + to]--;
       epoch = 0
     }
  :: atomic { wire[from * UNITS + to] ? WORD, epoch -> arrived[to]++; epoch = 0 }
  od
}

inline send_write(to)
{
  wire[me * UNITS + to] ! WRITE, epoch
}

inline send_word(to)
{
  wire[me * UNITS + to] ! WORD, epoch
}

proctype Unit(byte me)
{
  byte epoch, to, expected;
  bool writes[UNITS];

  do
  :: epoch < EPOCHS ->
    /* the epoch: which targets are written to; the operations are deferred */
    to = 0;
    do
    :: to < UNITS ->
      if
      :: to != me -> writes[to] = true; d_step { pending[epoch * UNITS + to]++ }
      :: writes[to] = false
      fi;
#ifdef MUTANT_sends_before_the_sum
      if
      :: writes[to] -> send_write(to)
      :: else
      fi;
#endif
      to++
    :: else -> break
    od;
    /* count_origins() */
    atomic {
      to = 0;
      do
      :: to < UNITS -> sum[epoch * UNITS + to] = sum[epoch * UNITS + to] + writes[to]; to++
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
      if
      :: writes[to] ->
#ifdef MUTANT_word_first
        send_word(to);
        send_write(to)
#else
#ifndef MUTANT_sends_before_the_sum
        send_write(to);
#endif
        send_word(to)
#endif
      :: else
      fi;
      to++
    :: else -> break
    od;
#ifndef MUTANT_leaves_by_the_sum
    arrived[me] == expected; /* have_arrived() */
#endif
    atomic {
      assert(pending[epoch * UNITS + me] == 0);
      left[me]++;
      epoch++;
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
