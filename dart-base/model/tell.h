#ifndef DART__MODEL_TELL_H
#define DART__MODEL_TELL_H
/* What one unit says for all: a word that units share (dart__world.told) has the number of what was said last. */
#include "model/team.h"
#include "model/world.h"

/* Collective calls do not match. Of dart_init's lack of memory it is 1 (dart__world_may_tell). */
#define DART__TELL_UNMATCHED 3u

/** The number of the team's call that is under way: even. */
static inline uint32_t dart__tell_call(const dart__team_t *team)
{
  return team->call.number << 16 | ((uint32_t)team->id + 1) << 1;
}

/** Whether this unit is the first to say this. Where units share no word, each is. */
static inline bool dart__tells_first(uint32_t what)
{
  /* relaxed: whoever must not say it again has agreed with the others since */
  return dart__world.told == NULL ||
         atomic_exchange_explicit(dart__world.told, what, memory_order_relaxed) != what;
}

/** Whether a unit has said this for all. */
static inline bool dart__was_told(uint32_t what)
{
  /* relaxed: the team has agreed since */
  return dart__world.told != NULL &&
         atomic_load_explicit(dart__world.told, memory_order_relaxed) == what;
}

#endif
