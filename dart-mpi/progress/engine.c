/* See engine.h. */
#include "progress/engine.h"

dart__engine_t dart__engine;

static void progress(bool waits)
{
  if (dart__engine.am == NULL)
    return; /* init and exit also wait before the core is open and after it is closed */
  /* relaxed, and not one atomic step: the agent only compares the value with an older one */
  atomic_store_explicit(&dart__engine.own_calls,
                        atomic_load_explicit(&dart__engine.own_calls, memory_order_relaxed) + 1,
                        memory_order_relaxed);
  dart__am_progress(dart__engine.am, waits);
}

void dart__engine_poll(void)
{
  progress(true);
}

void dart__engine_push(void)
{
  dart__am_push(dart__engine.am);
}

void dart__engine_poke(void)
{
  static _Thread_local unsigned calls;

  if (++calls % 32 == 0)
    progress(false);
}
