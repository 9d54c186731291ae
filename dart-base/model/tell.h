#ifndef DART__MODEL_TELL_H
#define DART__MODEL_TELL_H
/* What one unit says for all: a word that units share (dart__world.told) has the number of what was said last. */
#include "base/last_call.h"
#include "model/world.h"

/* Collective calls do not match. Of dart_init's lack of memory it is 1 (dart__world_may_tell). */
#define DART__TELL_UNMATCHED 3u

/** Whether this unit is the first to say this. Where units share no word, each is. */
static inline bool dart__tells_first(uint32_t what)
{
  /* relaxed: whoever must not say it again has agreed with the others since */
  return dart__world.told == NULL ||
         atomic_exchange_explicit(dart__world.told, what, memory_order_relaxed) != what;
}

/** Whether this unit is to say why the call that its thread is in fails: of a collective one unit does. */
static inline bool dart__tells_call(void)
{
  uint32_t number = dart__call_number();

  return number == 0 || dart__tells_first(number);
}

/** Whether a unit has said this for all. */
static inline bool dart__was_told(uint32_t what)
{
  /* relaxed: the team has agreed since */
  return dart__world.told != NULL &&
         atomic_load_explicit(dart__world.told, memory_order_relaxed) == what;
}

#endif
