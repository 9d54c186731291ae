/* Post, start, complete, wait on a node: epoch/pscw.c. A target names any of its near origins in a post, and counts
 * for each how often (tell_origin); an origin that was told accesses the portion, and counts that it has (note_done).
 * Wait looks at the origins' counts one after the other, and not again at those that are through (are_complete). The
 * model looks at those that were not named, too. How it sleeps meanwhile is in nudge.pml.
 *
 * Claims. Wait returns when all that were named have made their accesses of this exposure, and nobody else accesses
 * (assertions). All ends: nobody waits for a count that nobody raises (invalid end state).
 *
 * Bounds. ORIGINS origins, one target, ROUNDS exposures.
 *
 * Memory order. Counts are seq_cst on both sides, but `named`, which is the target's own.
 *
 * run: two_origins   -DORIGINS=2 -DROUNDS=3
 * run: three_origins -DORIGINS=3 -DROUNDS=2
 * mutant: goes_on_where_it_was    -DORIGINS=2 -DROUNDS=2
 * mutant: counts_before_access    -DORIGINS=2 -DROUNDS=2
 * mutant: looks_at_the_last_alone -DORIGINS=2 -DROUNDS=2
 * mutant: names_all               -DORIGINS=2 -DROUNDS=2
 */
byte posted[ORIGINS], done[ORIGINS]; /* dart__epoch_post_t */
byte named[ORIGINS];                 /* dart__epoch_target_t */

bool is_exposed;        /* ghosts */
byte accesses[ORIGINS];

proctype Target()
{
  byte round, o, awaited;

  for (round : 1 .. ROUNDS) {
    is_exposed = true;
#ifndef MUTANT_goes_on_where_it_was
    awaited = 0;
#endif
    for (o : 0 .. ORIGINS - 1) {
      if
      :: named[o]++;
         posted[o]++
#ifdef MUTANT_names_all
      :: named[o]++
#else
      :: true /* is not named this time */
#endif
      fi
    }
#ifdef MUTANT_looks_at_the_last_alone
    awaited = ORIGINS - 1;
#endif
    do
    :: awaited < ORIGINS && named[awaited] <= done[awaited] -> awaited++
    :: awaited == ORIGINS -> break
    od;
    skip;
    d_step {
      for (o : 0 .. ORIGINS - 1) {
        assert(accesses[o] == named[o])
      }
      is_exposed = false
    }
  }
  /* The origins hear that no more posts come. */
  is_exposed = true;
  for (o : 0 .. ORIGINS - 1) {
    posted[o] = posted[o] + 100
  }
}

proctype Origin(byte me)
{
  byte started;

  do
  :: posted[me] > started && posted[me] < 100 ->
     skip;
#ifdef MUTANT_counts_before_access
     done[me]++;
#endif
     d_step {
       assert(is_exposed);
       accesses[me]++
     }
#ifndef MUTANT_counts_before_access
     done[me]++;
#endif
     started++
  :: posted[me] == started + 100 -> break
  od
}

init {
  byte o;

  atomic {
    run Target();
    for (o : 0 .. ORIGINS - 1) {
      run Origin(o)
    }
  }
}
