#ifndef DART__MODEL_TELL_H
#define DART__MODEL_TELL_H
/* What one unit says for all: a word that units share (dart__world.told) has the number of what was said last. Numbers of
 * calls are even. */
#include "base/last_call.h"
#include "model/world.h"

#define DART__TELL_EACH      0u /* each unit says it */
#define DART__TELL_INIT      1u /* dart_init lacks memory */
#define DART__TELL_UNMATCHED 3u /* collective calls do not match */

/** Whether this unit is the first to say this. Where units share no word each is, but in dart_init only unit 0. */
static inline bool dart__tells_first(uint32_t what)
{
  if (what == DART__TELL_EACH || dart__world.told == NULL)
    return what != DART__TELL_INIT || dart__world.me == 0;
  /* relaxed: whoever must not say it again has agreed with the others since */
  return atomic_exchange_explicit(dart__world.told, what, memory_order_relaxed) != what;
}

/** Whether this unit is to say why the call that its thread is in fails: of a collective one unit does. */
static inline bool dart__tells_call(void)
{
  return dart__tells_first(dart__call_number());
}

/** Whether a unit has said this for all. */
static inline bool dart__was_told(uint32_t what)
{
  /* relaxed: the team has agreed since */
  return dart__world.told != NULL &&
         atomic_load_explicit(dart__world.told, memory_order_relaxed) == what;
}

#endif
