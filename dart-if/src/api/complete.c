/* Entry points that complete operations. Near ones are complete already; what remains is to order
 * them, and to complete the far ones. */
#include <limits.h>

#include <dash/dart/if/dart_communication.h>

#include "api/transfer.h"

/* Find the team a flush is about; with `unit_out`, check the unit too. */
static dart_ret_t check_flush(const char *function, dart_gptr_t gptr, dart__team_t **team_out,
                              int32_t *unit_out)
{
  dart__segment_t *segment = dart__locate_segment(gptr, team_out);

  if (unit_out != NULL)
    *unit_out = gptr.unitid;
  if (segment == NULL ||
      (unit_out != NULL && (uint32_t)gptr.unitid >= (uint32_t)(*team_out)->nunits))
    return dart__locate_error(function, gptr, 0);
  return DART_OK;
}

/* Near stores become visible before whatever follows; pairs with the acquire of who is told. A
 * program may wait for a far unit by calling any of these over and over, so they make progress. */
static void complete_near(void)
{
  atomic_thread_fence(memory_order_acq_rel);
  dart__poke();
}

dart_ret_t dart_flush(dart_gptr_t gptr)
{
  dart__team_t *team;
  int32_t       unit;
  dart_ret_t    ret = check_flush(__func__, gptr, &team, &unit);

  if (ret != DART_OK)
    return ret;
  complete_near();
  return team->nnodes == 1 ? DART_OK : dart__far_flush(team, unit);
}

dart_ret_t dart_flush_all(dart_gptr_t gptr)
{
  dart__team_t *team;
  dart_ret_t    ret = check_flush(__func__, gptr, &team, NULL);

  if (ret != DART_OK)
    return ret;
  complete_near();
  return team->nnodes == 1 ? DART_OK : dart__far_flush_all(team);
}

dart_ret_t dart_flush_local(dart_gptr_t gptr)
{
  dart__team_t *team;
  int32_t       unit;
  dart_ret_t    ret = check_flush(__func__, gptr, &team, &unit);

  if (ret != DART_OK)
    return ret;
  complete_near();
  return team->nnodes == 1 ? DART_OK : dart__far_flush_local(team, unit);
}

dart_ret_t dart_flush_local_all(dart_gptr_t gptr)
{
  dart__team_t *team;
  dart_ret_t    ret = check_flush(__func__, gptr, &team, NULL);

  if (ret != DART_OK)
    return ret;
  complete_near();
  return team->nnodes == 1 ? DART_OK : dart__far_flush_local_all(team);
}

/* ---- handles: NULL ones are complete ------------------------------------------------------ */

static dart_ret_t wait_for(dart_handle_t handles[], size_t n, bool at_target)
{
  dart_ret_t ret = DART_OK;

  for (size_t i = 0; handles != NULL && i < n; i++)
    if (handles[i] != DART_HANDLE_NULL) {
      dart_ret_t one = dart__far_wait(&handles[i], at_target);

      if (ret == DART_OK)
        ret = one;
    }
  complete_near();
  return ret;
}

dart_ret_t dart_wait(dart_handle_t *handle)
{
  return wait_for(handle, 1, true);
}

dart_ret_t dart_wait_local(dart_handle_t *handle)
{
  return wait_for(handle, 1, false);
}

dart_ret_t dart_waitall(dart_handle_t handles[], size_t n)
{
  return wait_for(handles, n, true);
}

dart_ret_t dart_waitall_local(dart_handle_t handles[], size_t n)
{
  return wait_for(handles, n, false);
}

/* All or nothing: nothing is released until all are known to be complete. */
static dart_ret_t test_for(const char *function, dart_handle_t handles[], size_t n, bool at_target,
                           int32_t *result)
{
  bool       done;
  dart_ret_t ret;

  if (result == NULL) {
    dart__error("%s: result is NULL", function);
    return DART_ERR_INVAL;
  }
  *result = 0;
  dart__poke();
  for (size_t i = 0; handles != NULL && i < n; i++)
    if (handles[i] != DART_HANDLE_NULL) {
      ret = dart__far_test(handles[i], &done);
      if (ret != DART_OK || !done)
        return ret;
    }
  ret     = wait_for(handles, n, at_target); /* all are complete: this only releases them */
  *result = 1;
  return ret;
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
