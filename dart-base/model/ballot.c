/* Votes: see ballot.h. */
#include "model/ballot.h"

static dart__ballot_t *ballots_of(const dart__vote_t *vote, dart_unit_t unit)
{
  return &vote->ballots[(size_t)unit * DART__BALLOTS];
}

/* The ballot that a unit votes by. NULL: it has not voted yet; or all have read its vote, and the ballot is free again. */
static dart__ballot_t *find_vote(const dart__vote_t *vote, dart_unit_t unit)
{
  dart__ballot_t *b = ballots_of(vote, unit);

  /* acquire: pairs with the release in dart__ballot_vote, so that the values are there */
  for (int i = 0; i < DART__BALLOTS; i++)
    if (atomic_load_explicit(&b[i].voted, memory_order_acquire) == vote->key)
      return &b[i];
  return NULL;
}

/* Whether a unit has voted, or never will. */
static bool has_come(const dart__vote_t *vote, dart_unit_t unit)
{
  /* before the ballot: if the unit is lost, what it wrote is all there. acquire in is_lost: pairs with the launcher's
   * release */
  bool is_lost = vote->is_lost(unit);

  return find_vote(vote, unit) != NULL || is_lost;
}

/* Asked after has_come: if a unit that had voted has no ballot with this key any more, all have read it. */
static bool has_read(const dart__vote_t *vote, dart_unit_t unit)
{
  dart__ballot_t *b = find_vote(vote, unit);

  /* acquire: pairs with the release in dart__ballot_vote, after which this unit may write its ballot again */
  return b == NULL || atomic_load_explicit(&b->read, memory_order_acquire) == vote->key ||
         vote->is_lost(unit);
}

typedef struct {
  const dart__vote_t *vote;
  bool (*is_there)(const dart__vote_t *vote, dart_unit_t unit);
  int32_t next; /* of the members */
} survey_t;

static bool are_all_there(void *context)
{
  survey_t           *s    = context;
  const dart__vote_t *vote = s->vote;

  while (s->next < vote->members->count &&
         (s->next == vote->me || s->is_there(vote, dart__member(vote->members, s->next))))
    s->next++;
  return s->next == vote->members->count;
}

/* Losses end no such wait: `is_there` knows of them. */
static void wait_for_all(const dart__vote_t *vote,
                         bool (*is_there)(const dart__vote_t *vote, dart_unit_t unit),
                         const dart__wait_policy_t *policy)
{
  survey_t survey = { vote, is_there, 0 };

  while (!dart__wait_for(are_all_there, &survey, policy)) /* a policy with a check ends no vote */
    ;
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
    dart_unit_t     unit = dart__member(vote->members, i);
    dart__ballot_t *b    = find_vote(vote, unit);

    if (b == NULL)
      continue;
    add_vote(b, values);
    if (voters_out != NULL)
      voters_out[n] = unit;
    n++;
  }
  return n;
}

typedef struct {
  dart__ballot_t *own;
  dart__ballot_t *taken;
} take_t;

static bool try_take(void *context)
{
  take_t *take = context;

  for (int i = 0; i < DART__BALLOTS; i++) {
    uint32_t nobody = 0;

    take->taken = &take->own[i];
    /* acquire: pairs with the release in return_ballot */
    if (atomic_compare_exchange_strong_explicit(&take->taken->is_taken, &nobody, 1,
                                                memory_order_acquire, memory_order_relaxed))
      return true;
  }
  return false;
}

/* A ballot of this unit that none of its other threads votes by. */
static dart__ballot_t *take_ballot(const dart__vote_t *vote, const dart__wait_policy_t *policy)
{
  take_t take = { .own = ballots_of(vote, dart__member(vote->members, vote->me)) };

  while (!dart__wait_for(try_take, &take, policy))
    ;
  return take.taken;
}

/* All have read it. Its key goes, for a team of another cycle of init and exit may have the same keys. */
static void return_ballot(dart__ballot_t *own)
{
  /* release: this unit has read the others' ballots, which they may write again; pairs with find_vote */
  atomic_store_explicit(&own->voted, 0, memory_order_release);
  atomic_store_explicit(&own->is_taken, 0, memory_order_release); /* pairs with take_ballot */
}

int32_t dart__ballot_vote(const dart__vote_t *vote, dart__ballot_values_t *values,
                          dart_unit_t *voters_out, const dart__wait_policy_t *policy)
{
  dart__ballot_t *own = take_ballot(vote, policy);
  int32_t         n;

  /* relaxed, three times: published by `voted` */
  atomic_store_explicit(&own->read, 0, memory_order_relaxed);
  atomic_store_explicit(&own->all, values->all, memory_order_relaxed);
  atomic_store_explicit(&own->most, values->most, memory_order_relaxed);
  atomic_store_explicit(&own->voted, vote->key, memory_order_release); /* pairs with find_vote */
  wait_for_all(vote, has_come, policy);
  n = count_votes(vote, values, voters_out);
  atomic_store_explicit(&own->read, vote->key, memory_order_release); /* pairs with has_read */
  wait_for_all(vote, has_read, policy);
  return_ballot(own);
  return n;
}
