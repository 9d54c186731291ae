/* Life cycle. No state is kept from one cycle of init and exit to the next. */
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include <dash/dart/if/dart_initialization.h>

#include "base/config.h"
#include "base/last_call.h"
#include "base/log.h"
#include "base/profile.h"
#include "base/unknown.h"
#include "coll/coll.h"
#include "coll/unmatched.h"
#include "epoch/epoch_calls.h"
#include "epoch/epoch_memory.h"
#include "epoch/epoch_target.h"
#include "far/far_ops.h"
#include "far/grants.h"
#include "far/handlers.h"
#include "far/progress.h"
#include "job/job.h"
#include "lock/lock.h"
#include "lock/range_object.h"
#include "lock/range_table.h"
#include "model/holds.h"
#include "model/lost.h"
#include "model/world.h"
#include "net.h"
#include "p2p/twosided.h"
#include "rma/watch.h"
#include "team/make.h"
#include "team/team_calls.h"
#include "team/team_locality.h"

DART__PROFILED(dart_init, dart_init_thread, dart_exit, dart_initialized);
DART__PROFILED(dart_abort);

/* What needs no other unit. */
static void register_all(const char *function)
{
  dart__watch_register();
  dart__report_open();
  dart__crash_open();
  dart__hang_answer();
  dart__call_note(function);
  dart__epoch_memory_open();
  dart__epoch_serve();
  dart__access_open_gate();
}

static dart_ret_t start(const char *function, int *argc, char ***argv,
                        dart_thread_support_level_t  wanted,
                        dart_thread_support_level_t *provided_out)
{
  dart__team_t *all;
  dart_ret_t    ret;

  if (!dart__inline_fits(function))
    return DART_ERR_OTHER;
  ret = dart__settings_read();
  if (ret != DART_OK)
    return ret;
  register_all(function);
  ret = dart__network_join(argc, argv, wanted, provided_out);
  if (ret != DART_OK)
    return ret;
  dart__log_set_unit(dart__world.me);
  dart__world.cycle++;
  dart__world.many_threads =
      wanted == DART_THREAD_MULTIPLE && *provided_out == DART_THREAD_MULTIPLE;
  dart__progress_set_deferring(false);
  dart__holds_clear();
  dart__lost_open();
  dart__table_open();
  dart__lock_at_open();
  ret = dart__team_open_all(dart__layers_look(function), &all);
  if (ret == DART_OK)
    ret = dart__twosided_prepare(all);
  ret = dart__team_enter_all(all, ret);
  if (ret != DART_OK)
    goto leave_job;
  ret = dart__locality_open();
  if (ret != DART_OK)
    goto close_teams;
  dart__team_exchange_group(all);
  dart__relays_open(all);
  dart__twosided_open();
  dart__watch_open();
  dart__world.initialized = true;
  dart__hang_watch();
  if (dart__world.me == 0)
    dart__unknown_look(function);
  dart__info("%s: unit %d of %d, on %d nodes", function, dart__world.me, dart__world.nunits,
             all->nnodes);
  dart__coll_barrier(all);
  if (dart__survives()) /* relaxed: after a barrier, and the launcher looks when a unit has ended */
    atomic_store_explicit(dart__lost.begun, 1, memory_order_relaxed);
  return DART_OK;

close_teams:
  dart__team_close_all();
leave_job:
  dart__twosided_close();
  dart__network_leave();
  dart__log_set_unit(-1);
  return ret;
}

/* After a failure the line that says why is to be the last one, so calls return their errors without one. */
static dart_ret_t init(const char *function, int *argc, char ***argv,
                       dart_thread_support_level_t  wanted,
                       dart_thread_support_level_t *provided_out)
{
  dart_ret_t ret;

  if (dart_initialized())
    return dart__fail(DART_ERR_OTHER, "%s: DART is already initialised", function);
  dart__log_mute(false);
  ret = start(function, argc, argv, wanted, provided_out);
  dart__log_mute(ret != DART_OK);
  return ret;
}

dart_ret_t dart_init(int *argc, char ***argv)
{
  dart_thread_support_level_t provided;

  return init(__func__, argc, argv, DART_THREAD_SINGLE, &provided);
}

dart_ret_t dart_init_thread(int *argc, char ***argv, dart_thread_support_level_t *thread_safety)
{
  if (thread_safety == NULL)
    return dart__fail(DART_ERR_INVAL, "%s: thread_safety is NULL", __func__);
  return init(__func__, argc, argv, DART_THREAD_MULTIPLE, thread_safety);
}

static void flush_all(void)
{
  for (int32_t id = 0; id < dart__teams_end; id++)
    if (dart__teams[id] != NULL && dart__teams[id]->nnodes > 1)
      dart__far_flush_all(dart__teams[id]); /* refused operations were logged */
}

/* Others that wait for what this unit holds would never come to dart_exit, and this unit waits for them there. */
static void release_holds(const char *function)
{
  char locks[128];

  dart__release_cached();
  dart__holds_own(locks, sizeof locks); /* of some objects: others are released, too */
  if (*locks != '\0')
    dart__warn("%s: unit %d still holds %s", function, dart__world.me, locks);
  dart__lock_release_all();
  dart__range_release_all();
  dart__epoch_release_all();
}

dart_ret_t dart_exit(void)
{
  if (!dart_initialized())
    return dart__fail(DART_ERR_OTHER, "%s: DART is not initialised", __func__);
  dart__call_note(__func__);
  release_holds(__func__);
  dart__progress();
  dart__progress_settle(0);
  flush_all();
  dart__team_begin_call(dart__teams[DART_TEAM_ALL], __func__);
  dart__team_forget_call(dart__teams[DART_TEAM_ALL]);
  dart__report();                               /* all units have come when it returns */
  if (dart__teams[DART_TEAM_ALL]->nnodes > 1) { /* all requests were served */
    dart__grants_settle();
    flush_all();
    dart__unmatched_meet(dart__teams[DART_TEAM_ALL]);
  }
  if (dart__survives()) /* the team of all may be broken */
    dart__net_agree_on_result(DART_OK);
  dart__close();
  return DART_OK;
}

bool dart_initialized(void)
{
  return dart__world.initialized;
}

static volatile sig_atomic_t abort_code;

static void abort_now(int signal)
{
  (void)signal;
  _exit(abort_code != 0 ? abort_code : EXIT_FAILURE); /* the launcher ends the others */
}

/* What the call has interrupted may hold a lock, of malloc for one, and a file may be one that nobody reads. */
void dart_abort(int errorcode)
{
  dart__log_sum_up();
  if (dart__world.initialized && dart__settings.stats.form != DART__STATS_NONE) {
    abort_code = dart__exit_code(errorcode);
    dart__leave_limit(abort_now);
    dart__report_aborted();
  }
  dart__net_abort(errorcode, true);
}
