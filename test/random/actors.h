#ifndef RANDOM_ACTORS_H
#define RANDOM_ACTORS_H
/* Units, actors (the threads of units), and sets of both.
 *
 * A set of units is a word with a bit for each. A set of actors has such a word for each thread. So a job has at most
 * 64 units. */
#include <stdbool.h>
#include <stdint.h>

enum {
  UNITS_MAX   = 64,
  THREADS_MAX = 4,
  ACTORS_MAX  = UNITS_MAX * THREADS_MAX,
  UNITS_SMALL = 8 /* a job of more units is large, see generate.h */
};

/** The set of one unit, and of the units below `n`. */
static inline uint64_t unit_set(int unit)
{
  return UINT64_C(1) << unit;
}

static inline uint64_t units_below(int n)
{
  return n < UNITS_MAX ? unit_set(n) - 1 : UINT64_MAX;
}

static inline bool units_have(uint64_t units, int unit)
{
  return (units >> unit & 1) != 0;
}

/** Actors are numbered. */
static inline int actor_number(int unit, int thread)
{
  return unit * THREADS_MAX + thread;
}

static inline int actor_unit(int actor)
{
  return actor / THREADS_MAX;
}

static inline int actor_thread(int actor)
{
  return actor % THREADS_MAX;
}

typedef struct {
  uint64_t units[THREADS_MAX]; /* for each thread: the units whose actor it is */
} actors_t;

static inline bool actors_have(const actors_t *actors, int actor)
{
  return units_have(actors->units[actor_thread(actor)], actor_unit(actor));
}

static inline void actors_add(actors_t *actors, int actor)
{
  actors->units[actor_thread(actor)] |= unit_set(actor_unit(actor));
}

static inline void actors_join(actors_t *actors, const actors_t *others)
{
  for (int thread = 0; thread < THREADS_MAX; thread++)
    actors->units[thread] |= others->units[thread];
}

static inline actors_t actor_set(int actor)
{
  actors_t actors = { { 0 } };

  actors_add(&actors, actor);
  return actors;
}

/** The first member that is not below `from`; ACTORS_MAX: there is none. */
static inline int actors_next(const actors_t *actors, int from)
{
  while (from < ACTORS_MAX && !actors_have(actors, from))
    from++;
  return from;
}

/** Whether the actor is the only member. */
static inline bool actors_are_one(const actors_t *actors, int actor)
{
  for (int thread = 0; thread < THREADS_MAX; thread++)
    if (actors->units[thread] != (thread == actor_thread(actor) ? unit_set(actor_unit(actor)) : 0))
      return false;
  return true;
}

/** Whether there is no member. */
static inline bool actors_are_none(const actors_t *actors)
{
  return actors_next(actors, 0) == ACTORS_MAX;
}

#endif
