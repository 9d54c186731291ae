/* Entry points that complete operations. Near operations are complete already, except deferred updates; it
 * remains to apply these, to order near stores, and to complete far operations. */
#include <limits.h>

#include <dash/dart/ext/dart_order.h>
#include <dash/dart/ext/dart_progress.h>
#include <dash/dart/if/dart_communication.h>

#include "base/profile.h"
#include "coll/coll.h"
#include "far/far_ops.h"
#include "far/run.h"
#include "model/lost.h"
#include "rma/gate.h"
#include "rma/transfer.h"

DART__PROFILED(dart_flush, dart_flush_all, dart_flush_local, dart_flush_local_all);
DART__PROFILED(dart_wait, dart_wait_local, dart_waitall, dart_waitall_local);
DART__PROFILED(dart_test_local, dart_test, dart_testall_local, dart_testall);
DART__PROFILED(dart_handle_free, dart_order, dart_progress);

/* Complete near operations, and start those that were deferred. `*far_out`: the team whose far operations have to be
 * completed; NULL: none. */
static inline dart_ret_t flush_near(const char *function, dart_gptr_t gptr, bool all, bool is_local,
                                    dart__team_t **far_out)
{
  dart__team_t    *team;
  dart__segment_t *segment = dart__locate_known(gptr, &team);
  dart_ret_t       ret     = DART_OK;

  *far_out = NULL;
  if (__builtin_expect(segment == NULL || (!all && (uint32_t)gptr.unitid >= (uint32_t)team->nunits),
                       0))
    return dart__locate_error(function, gptr, 0);
  if (__builtin_expect(dart__segment_epoch(segment) != NULL, 0))
    ret = dart__gate.flush(team, segment, all ? -1 : gptr.unitid);
  if (is_local)
    dart__progress_complete_stream();
  else
    dart__progress_complete_near();
  if (team->nnodes > 1)
    *far_out = team;
  return ret;
}

/* By the direct map, operations are complete when they return: they are only to be ordered. Those of all units, if all are
 * on one node. False: it is not that, or the call has to make progress; the general path is taken. */
static inline bool complete_directly(dart_gptr_t gptr, bool all)
{
  const dart_inline_map_t *map;

  if (dart_inline_portion(dart__progress_maps, dart_inline_ids(&gptr), &map) == NULL ||
      (all && map->nlisted > 0))
    return false;
  atomic_thread_fence(memory_order_acq_rel); /* as in dart__progress_complete_near */
  return true;
}

DART__OUT_OF_LINE flush_any(dart_gptr_t gptr)
{
  dart__team_t *team;
  dart_ret_t    ret = flush_near("dart_flush", gptr, false, false, &team);

  dart__progress_settle_lazy();
  return team == NULL ? ret : dart__worse(ret, dart__far_flush(team, gptr.unitid));
}

DART__OUT_OF_LINE flush_all_any(dart_gptr_t gptr)
{
  dart__team_t *team;
  dart_ret_t    ret = flush_near("dart_flush_all", gptr, true, false, &team);

  dart__progress_settle_lazy();
  return team == NULL ? ret : dart__worse(ret, dart__far_flush_all(team));
}

DART__OUT_OF_LINE flush_local_any(dart_gptr_t gptr)
{
  dart__team_t *team;
  dart_ret_t    ret = flush_near("dart_flush_local", gptr, false, true, &team);

  return team == NULL ? ret : dart__worse(ret, dart__far_flush_local(team, gptr.unitid));
}

DART__OUT_OF_LINE flush_local_all_any(dart_gptr_t gptr)
{
  dart__team_t *team;
  dart_ret_t    ret = flush_near("dart_flush_local_all", gptr, true, true, &team);

  return team == NULL ? ret : dart__worse(ret, dart__far_flush_local_all(team));
}

dart_ret_t dart_flush(dart_gptr_t gptr)
{
  if (!complete_directly(gptr, false))
    return flush_any(gptr);
  dart__progress_settle_lazy();
  return DART_OK;
}

dart_ret_t dart_flush_all(dart_gptr_t gptr)
{
  if (!complete_directly(gptr, true))
    return flush_all_any(gptr);
  dart__progress_settle_lazy();
  return DART_OK;
}

dart_ret_t dart_flush_local(dart_gptr_t gptr)
{
  return complete_directly(gptr, false) ? DART_OK : flush_local_any(gptr);
}

dart_ret_t dart_flush_local_all(dart_gptr_t gptr)
{
  return complete_directly(gptr, true) ? DART_OK : flush_local_all_any(gptr);
}

/* Near operations are in order when they are complete, and requests when they are applied. What remains are deferred
 * updates, far transfers, and operations that were sent with the request for a lock, in any segment: they are applied
 * when the lock is granted. For a unit of another node deferred updates of near memory do not count, but the far ones
 * of a stream are requested. Nobody waits by this call, so it makes no progress there: the operations around it do. */
DART__OUT_OF_LINE order_any(dart_gptr_t gptr)
{
  dart__team_t    *team;
  dart__segment_t *segment = dart__locate_known(gptr, &team);

  if (__builtin_expect(segment == NULL || (uint32_t)gptr.unitid >= (uint32_t)team->nunits, 0))
    return dart__locate_error("dart_order", gptr, 0);
  if (__builtin_expect(dart__segment_epoch(segment) != NULL, 0))
    return dart_flush(gptr);
  dart__run_end();
  if (dart__team_is_on_node(team, gptr.unitid))
    dart__progress_complete_near();
  dart__progress_settle_lazy();
  if (team->nnodes > 1)
    dart__far_order(team, gptr.unitid);
  return DART_OK;
}

dart_ret_t dart_order(dart_gptr_t gptr)
{
  return complete_directly(gptr, false) ? DART_OK : order_any(gptr);
}

dart_ret_t dart_progress(void)
{
  if (dart__check_team(__func__, DART_TEAM_ALL) == NULL)
    return DART_ERR_INVAL;
  dart__progress();
  if (dart__world.pace.progress != NULL)
    dart__world.pace.progress(); /* in every call, for this may be the only one in a long time */
  return DART_OK;
}

/* ---- handles: NULL ones are complete ------------------------------------------------------ */

/* For remote completion, also where the program asks for local completion. A unit that polls must see the put although
 * its origin makes no further call, and MPI guarantees that only for puts that are complete at their target. */
static dart_ret_t wait_for(dart_handle_t handles[], size_t n)
{
  dart_ret_t ret = DART_OK;

  for (size_t i = 0; handles != NULL && i < n; i++)
    if (handles[i] != DART_HANDLE_NULL && dart__far_wait(&handles[i]) != DART_OK)
      ret = DART_ERR_UNIT_LOST;
  dart__progress_complete_near();
  return ret;
}

dart_ret_t dart_wait(dart_handle_t *handle)
{
  return wait_for(handle, 1);
}

dart_ret_t dart_wait_local(dart_handle_t *handle)
{
  return wait_for(handle, 1);
}

dart_ret_t dart_waitall(dart_handle_t handles[], size_t n)
{
  return wait_for(handles, n);
}

dart_ret_t dart_waitall_local(dart_handle_t handles[], size_t n)
{
  return wait_for(handles, n);
}

/* No handle is released until all transfers are known to be done. For local completion nothing is left to wait for. */
static dart_ret_t test_for(const char *function, dart_handle_t handles[], size_t n, bool at_target,
                           int32_t *result)
{
  if (result == NULL)
    return dart__fail(DART_ERR_INVAL, "%s: result is NULL", function);
  *result = 0;
  dart__progress();
  for (size_t i = 0; handles != NULL && i < n; i++)
    if (handles[i] != DART_HANDLE_NULL && !dart__far_test(handles[i])) {
      dart__progress_in_vain();
      return DART_OK;
    }
  *result = 1;
  for (size_t i = 0; !at_target && !dart__survives() && handles != NULL && i < n; i++)
    if (handles[i] != DART_HANDLE_NULL)
      dart__far_release(&handles[i]);
  return wait_for(handles, n);
}

dart_ret_t dart_test_local(dart_handle_t *handle, int32_t *result)
{
  return test_for(__func__, handle, 1, false, result);
}

dart_ret_t dart_test(dart_handle_t *handleptr, int32_t *is_finished)
{
  return test_for(__func__, handleptr, 1, true, is_finished);
}

dart_ret_t dart_testall_local(dart_handle_t handles[], size_t n, int32_t *result)
{
  return test_for(__func__, handles, n, false, result);
}

dart_ret_t dart_testall(dart_handle_t handles[], size_t n, int32_t *is_finished)
{
  return test_for(__func__, handles, n, true, is_finished);
}

dart_ret_t dart_handle_free(dart_handle_t *handle)
{
  if (handle != NULL && *handle != DART_HANDLE_NULL)
    dart__far_release(handle);
  return DART_OK;
}
