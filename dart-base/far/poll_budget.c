/* See poll_budget.h. */
#include "far/poll_budget.h"

_Thread_local uint32_t dart__poll_budget = DART__POLL_BUDGET_LEAST;
