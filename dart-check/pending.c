/* Finds out when operations are complete, and that each of them is completed. */
#include "pending.h"

#include <stdlib.h>

#include <dash/dart/ext/dart_value.h>

#include "check_report.h"
#include "member.h"
#include "operation.h"

/* ---- starting ------------------------------------------------------------------------------------- */

bool dart__check_is_copied(uint64_t nbytes)
{
  return nbytes <= DART_COPIED_MOST;
}

/* Whether `operation` can also stand for the next operation: a row of operations without buffers from one place has one
 * entry. */
static bool goes_on(const dart__operation_t *operation, dart_gptr_t gptr, dart__at_t at)
{
  return operation->buffer.source == NULL && operation->buffer.given == NULL &&
         operation->buffer.at.from == at.from && !operation->is_done && !operation->has_handle &&
         operation->in_epoch == dart__operation_in_epoch(gptr) &&
         operation->context == dart__operation_context(gptr) &&
         operation->gptr.unitid == gptr.unitid && operation->gptr.segid == gptr.segid &&
         operation->gptr.teamid == gptr.teamid;
}

void dart__check_started(dart_gptr_t gptr, const void *source, uint64_t nbytes, dart__at_t at)
{
  dart__operation_t *newest;

  if (!dart__check_for(DART__CHECK_COMPLETION))
    return;
  dart__check_lock();
  newest = dart__operations.n > 0 ? dart__operations.operation[dart__operations.n - 1] : NULL;
  if (source == NULL && newest != NULL && goes_on(newest, gptr, at))
    newest->serial = ++dart__operations.serial;
  else if ((newest = dart__operation_add(gptr, at)) != NULL)
    dart__check_buffer_source(&newest->buffer, source, nbytes);
  dart__check_unlock();
}

void *dart__check_result(void *result, uint64_t nbytes)
{
  void *buffer = result;

  if (!dart__check_for(DART__CHECK_COMPLETION) || result == NULL || nbytes == 0)
    return result;
  dart__check_lock();
  if (dart__operation_fits())
    buffer = dart__check_buffer_new(result, nbytes);
  dart__check_unlock();
  return buffer;
}

void dart__check_result_started(dart_ret_t ret, dart_gptr_t gptr, void *buffer, void *result,
                                uint64_t nbytes, dart__at_t at)
{
  dart__operation_t *operation = NULL;

  if (buffer == result)
    return;
  dart__check_lock();
  if (ret == DART_OK)
    operation = dart__operation_add(gptr, at);
  if (operation != NULL)
    dart__check_buffer_result(&operation->buffer, buffer, result, nbytes);
  else
    free(buffer);
  dart__check_unlock();
}

/* ---- completing ----------------------------------------------------------------------------------- */

uint64_t dart__check_moment(void)
{
  uint64_t moment;

  if (!dart__check_for(DART__CHECK_COMPLETION))
    return 0;
  dart__check_lock();
  moment = dart__operations.serial;
  dart__check_unlock();
  return moment;
}

/* What a flush completes: the operations of a pointer's unit or team, see dart_communication.h, or those of a
 * context. */
typedef struct {
  dart_gptr_t gptr;    /* if there is no context */
  const void *context; /* or NULL */
  bool        epoch;   /* only operations in the epoch on gptr's segment, which ends */
  int32_t     unit;    /* -1: all units */
  uint64_t    moment;  /* later operations are not included */
} flush_t;

static bool is_in_flush(const dart__operation_t *operation, const flush_t *flush)
{
  if (operation->is_done || operation->serial > flush->moment ||
      (flush->unit >= 0 && operation->gptr.unitid != flush->unit))
    return false;
  if (flush->context != NULL)
    return operation->context == flush->context;
  if (operation->gptr.teamid != flush->gptr.teamid || (flush->epoch && !operation->in_epoch))
    return false;
  if (operation->in_epoch) /* only a flush of its segment completes a deferred operation */
    return operation->gptr.segid == flush->gptr.segid;
  return (operation->gptr.segid == DART_SEGMENT_LOCAL) == (flush->gptr.segid == DART_SEGMENT_LOCAL);
}

static void complete_flushed(const flush_t *flush, bool local, dart__at_t at)
{
  dart__operation_t **operations = dart__operations.operation;

  if (flush->moment == 0)
    return;
  dart__check_lock();
  for (size_t i = 0; i < dart__operations.n; i++)
    if (is_in_flush(operations[i], flush))
      dart__check_buffer_look(&operations[i]->buffer, at);
  for (size_t i = 0; i < dart__operations.n; i++)
    if (is_in_flush(operations[i], flush)) {
      dart__check_buffer_end(&operations[i]->buffer);
      operations[i]->is_done = !local || operations[i]->buffer.result != NULL;
    }
  dart__operations_sweep();
  dart__check_unlock();
}

void dart__check_flushed(dart_gptr_t gptr, bool all, bool local, uint64_t moment, dart__at_t at)
{
  complete_flushed(&(flush_t){ .gptr = gptr, .unit = all ? -1 : gptr.unitid, .moment = moment },
                   local, at);
}

void dart__check_context_flushed(const void *context, int32_t unit, bool local, uint64_t moment,
                                 dart__at_t at)
{
  complete_flushed(&(flush_t){ .context = context, .unit = unit, .moment = moment }, local, at);
}

void dart__check_epoch_completed(dart_gptr_t gptr, bool all, dart__at_t at)
{
  complete_flushed(&(flush_t){ .gptr   = gptr,
                               .epoch  = true,
                               .unit   = all ? -1 : gptr.unitid,
                               .moment = dart__check_moment() },
                   false, at);
}

/* ---- too early, or never -------------------------------------------------------------------------- */

static void report_early(const dart__operation_t *operation, dart__at_t at)
{
  dart__check_report_t report;

  if (!dart__check_begin(&report, "completion", at,
                         "%s reads the result of an operation before it is complete",
                         dart__check_calls[at.id]))
    return;
  dart__check_place(&report, "read by", at);
  dart__check_place(&report, "started by", operation->buffer.at);
  dart__check_line(&report, "missing: a flush or a wait between them");
  dart__check_end(&report);
}

void dart__check_source(const void *source, uint64_t nbytes, dart__at_t at)
{
  if (!dart__check_for(DART__CHECK_COMPLETION) || source == NULL)
    return;
  dart__check_lock();
  for (size_t i = 0; i < dart__operations.n; i++)
    if (dart__check_buffer_is_in(&dart__operations.operation[i]->buffer, source, nbytes)) {
      report_early(dart__operations.operation[i], at);
      break;
    }
  dart__check_unlock();
}

static void report_never(const dart__operation_t *operation, dart__at_t at)
{
  dart__check_report_t report;

  if (!dart__check_begin(&report, "completion", operation->buffer.at,
                         "an operation was never completed"))
    return;
  dart__check_place(&report, "started by", operation->buffer.at);
  dart__check_place(&report, "ended by", at);
  dart__check_line(&report, operation->has_handle ? "missing: a wait for its handle, or a flush"
                                                  : "missing: a flush");
  dart__check_end(&report);
}

/* Remove operations that can no longer be completed: those of a segment, of a team (`segment` NULL), or all (`team`
 * DART_TEAM_NULL). */
static void end_pending(dart_team_t team, const int16_t *segment, bool is_reported, dart__at_t at)
{
  dart__check_lock();
  for (size_t i = 0; i < dart__operations.n; i++) {
    dart__operation_t *operation = dart__operations.operation[i];

    if ((team != DART_TEAM_NULL && operation->gptr.teamid != team) ||
        (segment != NULL && operation->gptr.segid != *segment))
      continue;
    if (is_reported && !operation->is_done && !dart__check_is_broken(operation->gptr.teamid))
      report_never(operation, at);
    dart__check_buffer_drop(&operation->buffer);
    operation->is_done    = true;
    operation->has_handle = false;
  }
  dart__operations_sweep();
  dart__check_unlock();
}

void dart__check_pending_segment(dart_gptr_t gptr, dart__at_t at)
{
  if (dart__check_for(DART__CHECK_COMPLETION))
    end_pending(gptr.teamid, &gptr.segid, true, at);
}

void dart__check_pending_team(dart_team_t team, dart__at_t at)
{
  if (dart__check_for(DART__CHECK_COMPLETION))
    end_pending(team, NULL, true, at);
}

void dart__check_pending_exit(dart__at_t at)
{
  end_pending(DART_TEAM_NULL, NULL, true, at);
}

void dart__check_pending_forget(void)
{
  end_pending(DART_TEAM_NULL, NULL, false, (dart__at_t){ DART__CALL_dart_exit, NULL });
}
