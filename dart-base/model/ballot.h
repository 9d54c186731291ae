#ifndef DART__MODEL_BALLOT_H
#define DART__MODEL_BALLOT_H
/* Agreements of units of which some may die, in memory that all of them share.
 *
 * Each unit has some ballots, which its threads alone write; a thread that votes takes one. To vote it writes its values and then
 * the key of the vote, by which others find the ballot. Then it waits until each of the others has voted, or is lost. A
 * unit that is lost writes no more, so whether it has voted is the same for all units that ask after it was lost. So all
 * find the same set of voters, and the same result of their values, and no unit has to decide. A ballot may be used for
 * another vote only when all have read it: so units say that they have, and wait for each other once more.
 *
 * Losses must be certain: the launcher reports a unit only after it has waited for the process. Modelled in
 * test/models/survive.pml. */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "model/team.h"
#include "wait/wait.h"

typedef struct {
  uint64_t all;  /* the bits that all have */
  uint64_t most; /* the maximum */
} dart__ballot_values_t;

/* Ballots of a unit: so many of its threads may vote at a time, each in another team. With more, units may wait for each
 * other in a circle. */
#define DART__BALLOTS 8

/* Zeroed memory: no vote. */
typedef struct {
  /* the key of the vote that the values are for; 0: of none */
  _Alignas(DART__CACHE_LINE) _Atomic uint64_t voted;
  _Atomic uint64_t read; /* the key of the last vote whose result the unit has */
  _Atomic uint64_t all, most;
  _Atomic uint32_t is_taken; /* a thread of the unit votes by it */
} dart__ballot_t;

/* A vote. Keys of one unit's votes differ. */
typedef struct {
  dart__ballot_t        *ballots; /* DART__BALLOTS of each unit, by global id */
  const dart__members_t *members; /* who vote ... */
  int32_t                me;      /* ... and this unit's index among them */
  uint64_t               key;     /* not 0 */
  bool (*is_lost)(dart_unit_t unit);
} dart__vote_t;

/** Vote with `*values`, and replace them by what the votes of all come to. Returns how many have voted; `voters_out`, unless
 *  it is NULL, gets their global ids, in the order of members. All of it is the same on all units. */
int32_t dart__ballot_vote(const dart__vote_t *vote, dart__ballot_values_t *values,
                          dart_unit_t *voters_out, const dart__wait_policy_t *policy);

#endif
