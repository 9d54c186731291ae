#ifndef DART__FAR_POLL_BUDGET_H
#define DART__FAR_POLL_BUDGET_H
/* The poll budget: how many accesses to near memory by lists a thread makes until one makes progress in the library
 * (dart_inline_budget counts down to 1).
 *
 * Any of them may be part of a loop that polls for what a far unit changes, and the agent naps meanwhile. A poll for messages
 * takes as long as a dozen of these accesses, so the budget doubles each time that it is spent. It is small again when a
 * request to a far unit is collected, for the program may poll for the answer next. */
#include <dash/dart/ext/dart_inline_tables.h>

#include <stdbool.h>

#define DART__POLL_BUDGET_LEAST 8
#define DART__POLL_BUDGET_MOST  128

/* Of this thread, the last that was given. */
extern _Thread_local uint32_t dart__poll_budget __attribute__((tls_model("initial-exec")));

/** A request was collected. What is left of a budget is not raised: requests and accesses may take turns. */
static inline void dart__poll_budget_reset(void)
{
  dart__poll_budget = DART__POLL_BUDGET_LEAST;
  if (dart_inline_budget > DART__POLL_BUDGET_LEAST)
    dart_inline_budget = DART__POLL_BUDGET_LEAST;
}

static inline bool dart__poll_budget_is_spent(void)
{
  return __builtin_expect(dart_inline_budget == 1, 0);
}

static inline void dart__poll_budget_renew(void)
{
  if (dart__poll_budget < DART__POLL_BUDGET_MOST)
    dart__poll_budget *= 2;
  dart_inline_budget = dart__poll_budget;
}

#endif
