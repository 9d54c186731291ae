/* Votes: see ballot.h. */
#include "model/ballot.h"

static bool has_voted(const dart__vote_t *vote, dart_unit_t unit)
{
  /* acquire: pairs with the release in dart__ballot_vote, so that the values are there */
  return atomic_load_explicit((_Atomic uint64_t *)&vote->ballots[unit].voted,
                              memory_order_acquire) == vote->key;
}

/* Whether a unit's ballot is as this vote needs it, or never will be. A ballot with another key was read by all. */
static bool has_come(const dart__vote_t *vote, dart_unit_t unit)
{
  /* before the ballot: if the unit is lost, what it wrote is all there. acquire in is_lost: pairs with the launcher's
   * release */
  bool is_lost = vote->is_lost(unit);

  return has_voted(vote, unit) || is_lost;
}

static bool has_read(const dart__vote_t *vote, dart_unit_t unit)
{
  const dart__ballot_t *b = &vote->ballots[unit];

  /* acquire: pairs with the release in dart__ballot_vote, after which this unit may write its ballot again */
  return atomic_load_explicit((_Atomic uint64_t *)&b->read, memory_order_acquire) == vote->key ||
         !has_voted(vote, unit) || vote->is_lost(unit);
}

static void wait_for_all(const dart__vote_t *vote,
                         bool (*is_there)(const dart__vote_t *vote, dart_unit_t unit),
                         const dart__wait_policy_t *policy)
{
  dart__turns_t turns = { 0 };

  for (int32_t i = 0; i < vote->members->count; i++)
    while (i != vote->me && !is_there(vote, dart__member(vote->members, i)))
      dart__wait_turn(&turns, policy);
}

/* relaxed: ordered by `voted` */
static void add_vote(const dart__ballot_t *b, dart__ballot_values_t *values)
{
  uint64_t most = atomic_load_explicit((_Atomic uint64_t *)&b->most, memory_order_relaxed);

  values->all &= atomic_load_explicit((_Atomic uint64_t *)&b->all, memory_order_relaxed);
  if (most > values->most)
    values->most = most;
}

/* All have voted, or never will. */
static int32_t count_votes(const dart__vote_t *vote, dart__ballot_values_t *values,
                           dart_unit_t *voters_out)
{
  int32_t n = 0;

  for (int32_t i = 0; i < vote->members->count; i++) {
    dart_unit_t unit = dart__member(vote->members, i);

    if (!has_voted(vote, unit))
      continue;
    add_vote(&vote->ballots[unit], values);
    if (voters_out != NULL)
      voters_out[n] = unit;
    n++;
  }
  return n;
}

int32_t dart__ballot_vote(const dart__vote_t *vote, dart__ballot_values_t *values,
                          dart_unit_t *voters_out, const dart__wait_policy_t *policy)
{
  dart__ballot_t *own = &vote->ballots[dart__member(vote->members, vote->me)];
  int32_t         n;

  atomic_store_explicit(&own->all, values->all, memory_order_relaxed);
  atomic_store_explicit(&own->most, values->most, memory_order_relaxed);
  atomic_store_explicit(&own->voted, vote->key, memory_order_release); /* pairs with has_voted */
  wait_for_all(vote, has_come, policy);
  n = count_votes(vote, values, voters_out);
  atomic_store_explicit(&own->read, vote->key, memory_order_release); /* pairs with has_read */
  wait_for_all(vote, has_read, policy);
  return n;
}
