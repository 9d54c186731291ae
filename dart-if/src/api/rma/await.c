/* See await.h; the order of the looks is that of the waits in notify.c. */
#include "api/rma/await.h"

#include "api/p2p/twosided.h"
#include "api/progress/gone.h"
#include "api/progress/progress.h"

#define SLEEP_US 1000000 /* the longest sleep, then check for units that are gone */

void dart__await(const char *function, bool (*is_there)(void *context), void *context)
{
  const dart__wait_policy_t *policy = &dart__world.wait;
  dart__event_t             *event  = dart__twosided_event(dart__world.me);

  dart__progress();
  for (uint64_t polls = 0;; polls++) {
    uint32_t seen = dart__event_count(event); /* before the look */

    if (is_there(context))
      return;
    if (policy->progress != NULL) {
      policy->progress();
      if (is_there(context))
        return;
    }
    if (polls >= policy->spins) {
      if (dart__event_sleep_unless(event, seen, polls, SLEEP_US, policy, is_there, context))
        return;
      dart__gone_check_all(function);
    } else if (policy->progress == NULL) {
      dart__cpu_pause();
    }
  }
}
