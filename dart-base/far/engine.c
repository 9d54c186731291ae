/* See engine.h. */
#include "far/engine.h"

#include "base/counters.h"
#include "model/world.h"
#include "net.h"

dart__engine_t dart__engine;

/* relaxed, and not one atomic step: the agent only compares the value with an older one */
static void count_call(void)
{
  dart__count(DART__COUNT_PROGRESS);
  atomic_store_explicit(&dart__engine.own_calls,
                        atomic_load_explicit(&dart__engine.own_calls, memory_order_relaxed) + 1,
                        memory_order_relaxed);
}

static void progress(bool waits)
{
  if (dart__engine.am == NULL)
    return; /* init and exit also wait before the core is open and after it is closed */
  count_call();
  dart__am_progress(dart__engine.am, waits);
}

void dart__engine_poll(void)
{
  progress(true);
}

void dart__engine_push(void)
{
  if (dart__engine.am != NULL) /* as in progress */
    dart__am_push(dart__engine.am);
}

void dart__engine_poke(void)
{
  static _Thread_local unsigned calls __attribute__((tls_model("initial-exec")));

  if (++calls % 32 == 0)
    progress(false);
}

void dart__engine_look(void)
{
  progress(false);
}

bool dart__engine_try_hold(void)
{
  return dart__engine.am != NULL && dart__am_hold(dart__engine.am);
}

void dart__engine_hold(void)
{
  dart__turns_t turns = { 0 };

  while (dart__engine.am != NULL && !dart__am_hold(dart__engine.am))
    dart__wait_pause(&turns, &dart__world.wait); /* the thread that receives makes progress */
}

void dart__engine_release(void)
{
  if (dart__engine.am != NULL)
    dart__am_release(dart__engine.am);
}

bool dart__engine_is_soon_done(dart__net_request_t *request)
{
  for (int looks = 0; looks < DART__LOOKS; looks++)
    if (dart__net_is_done(dart__net.messages, request))
      return true;
  return false;
}

bool dart__engine_wait_by(const dart__wait_policy_t *policy, dart__net_request_t *request)
{
  dart__turns_t turns = { 0 };

  for (count_call(); !dart__am_progress_on(dart__engine.am, request); count_call())
    if (!dart__wait_pause(&turns, policy)) {
      dart__net_cancel(dart__net.messages, request);
      return false;
    }
  return true;
}

void dart__engine_wait(dart__net_request_t *request)
{
  if (!dart__engine_is_soon_done(request))
    dart__engine_wait_by(&dart__world.wait, request);
}
