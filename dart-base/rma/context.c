/* Completion contexts.
 *
 * Each far operation returns the number that completes it (dart__completion_t of far/far_ops.h). A context has, for each
 * unit, the largest number of requests and of transfers of the operations that its threads have started, and a flush waits
 * for these. Where all were requests, transfers of others are not flushed. Near operations are complete, and not noted. */
#include "rma/context.h"

#include <stdlib.h>

#include "base/profile.h"
#include "base/sparse.h"
#include "far/engine.h"
#include "far/far_ops.h"
#include "far/progress.h"
#include "far/run.h"
#include "model/argument_check.h"
#include "model/world.h"

DART__PROFILED(dart_context_create, dart_context_destroy, dart_context_enter, dart_context_leave);
DART__PROFILED(dart_context_flush, dart_context_flush_unit, dart_context_flush_local);
DART__PROFILED(dart_context_flush_local_unit, dart_context_test);

typedef struct {
  dart__mark_t mark;
  bool         is_used; /* it is in the list */
} noted_t;

struct dart_context {
  dart_team_t teamid;
  uint32_t    cycle; /* of init and exit */
  noted_t    *noted; /* team unit → what was started towards it */
  int32_t    *used;  /* list of units with operations */
  int32_t     nused;
};

_Thread_local dart_context_t dart__context;

void dart__context_add(const dart__address_t *at, dart__completion_t completion)
{
  struct dart_context *c = dart__context;
  noted_t             *noted;

  if (completion.by == DART__BY_NOTHING || at->team->id != c->teamid ||
      c->cycle != dart__world.cycle)
    return;
  noted = &c->noted[at->unit];
  dart__mark_add(&noted->mark, completion);
  if (!noted->is_used)
    c->used[c->nused++] = at->unit;
  noted->is_used = true;
}

/* The team of a context, or NULL after a log line. */
static dart__team_t *team_of(const char *function, const struct dart_context *context)
{
  if (context == NULL || context->cycle != dart__world.cycle)
    return dart__fail(NULL, "%s: context %p is none of this run", function, (const void *)context);
  return dart__check_team(function, context->teamid);
}

static void delete (struct dart_context *context)
{
  dart__sparse_delete(context->noted);
  dart__sparse_delete(context->used);
  free(context);
}

/* ---- entry points ---------------------------------------------------------------------------- */

dart_ret_t dart_context_create(dart_team_t teamid, dart_context_t *context)
{
  dart__team_t        *team = dart__check_team(__func__, teamid);
  struct dart_context *c;

  if (context == NULL)
    return dart__fail(DART_ERR_INVAL, "%s: context is NULL", __func__);
  *context = DART_CONTEXT_NULL;
  if (team == NULL)
    return DART_ERR_INVAL;
  c = calloc(1, sizeof *c);
  if (c != NULL) {
    c->teamid = teamid;
    c->cycle  = dart__world.cycle;
    c->noted  = dart__sparse_new((size_t)team->nunits, sizeof *c->noted);
    c->used   = dart__sparse_new((size_t)team->nunits, sizeof *c->used);
  }
  if (c != NULL && c->noted != NULL && c->used != NULL) {
    *context = c;
    return DART_OK;
  }
  dart__error("%s: no memory for a context of %d units", __func__, team->nunits);
  if (c != NULL)
    delete (c);
  return DART_ERR_NOMEM;
}

dart_ret_t dart_context_destroy(dart_context_t *context)
{
  dart_ret_t ret;

  if (context == NULL)
    return dart__fail(DART_ERR_INVAL, "%s: context is NULL", __func__);
  if (*context == DART_CONTEXT_NULL)
    return DART_OK;
  ret = dart_context_flush(*context);
  if (dart__context == *context)
    dart__context = NULL;
  delete (*context);
  *context = DART_CONTEXT_NULL;
  return ret;
}

dart_ret_t dart_context_enter(dart_context_t context)
{
  if (team_of(__func__, context) == NULL)
    return DART_ERR_INVAL;
  if (dart__context != NULL && dart__context->cycle == dart__world.cycle)
    return dart__fail(DART_ERR_INVAL, "%s: this thread is in a context of team %d already",
                      __func__, dart__context->teamid);
  dart__run_end(); /* far operations in a context are noted one by one */
  dart__context = context;
  return DART_OK;
}

dart_ret_t dart_context_leave(dart_context_t context)
{
  if (context == NULL || dart__context != context)
    return dart__fail(DART_ERR_INVAL, "%s: this thread is not in context %p", __func__,
                      (const void *)context);
  dart__context = NULL;
  return DART_OK;
}

/* Complete what was noted of a unit. */
static dart_ret_t settle_one(dart__team_t *team, const struct dart_context *context, int32_t unit,
                             bool at_target, dart_ret_t ret)
{
  dart__far_settle_to(team, unit, &context->noted[unit].mark, at_target);
  return dart__far_outcome(team, unit, ret);
}

/* All units are asked before any is waited for. They stay in the list if they lack remote completion. */
static dart_ret_t settle_all(const char *function, struct dart_context *context, bool at_target)
{
  dart__team_t *team = team_of(function, context);
  dart_ret_t    ret  = DART_OK;

  if (team == NULL)
    return DART_ERR_INVAL;
  dart__progress_complete_near();
  for (int32_t i = 0; i < context->nused; i++)
    dart__far_ask_to(team, context->used[i], &context->noted[context->used[i]].mark, at_target);
  for (int32_t i = 0; i < context->nused; i++)
    ret = settle_one(team, context, context->used[i], at_target, ret);
  while (at_target && context->nused > 0)
    context->noted[context->used[--context->nused]].is_used = false;
  return ret;
}

dart_ret_t dart_context_flush(dart_context_t context)
{
  return settle_all(__func__, context, true);
}

dart_ret_t dart_context_flush_local(dart_context_t context)
{
  return settle_all(__func__, context, false);
}

/* Take the units off the list whose operations are complete. */
static dart_ret_t test_units(dart__team_t *team, struct dart_context *context)
{
  int32_t    nleft = 0;
  dart_ret_t ret   = DART_OK;

  for (int32_t i = 0; i < context->nused; i++) {
    int32_t  unit  = context->used[i];
    noted_t *noted = &context->noted[unit];

    noted->is_used = !dart__far_test_to(team, unit, &noted->mark);
    if (noted->is_used)
      context->used[nleft++] = unit;
    else
      ret = dart__far_outcome(team, unit, ret);
  }
  context->nused = nleft;
  return ret;
}

dart_ret_t dart_context_test(dart_context_t context, int32_t *is_finished)
{
  dart__team_t *team = team_of(__func__, context);
  dart_ret_t    ret  = DART_OK;

  if (is_finished == NULL)
    return dart__fail(DART_ERR_INVAL, "%s: is_finished is NULL", __func__);
  *is_finished = 0;
  if (team == NULL)
    return DART_ERR_INVAL;
  dart__progress_complete_near();
  if (context->nused > 0) {
    dart__engine_look(); /* answers come by progress, and the program may sleep between two tests */
    ret = test_units(team, context);
  }
  *is_finished = context->nused == 0;
  return ret;
}

/* The unit stays in the list: to find its mark reached costs a look at two numbers. */
static dart_ret_t settle_unit(const char *function, const struct dart_context *context,
                              dart_team_unit_t unit, bool at_target)
{
  dart__team_t *team = team_of(function, context);

  if (team == NULL)
    return DART_ERR_INVAL;
  if (unit.id < 0 || unit.id >= team->nunits)
    return dart__fail(DART_ERR_INVAL, "%s: unit %d is not in 0..%d of team %d", function, unit.id,
                      team->nunits - 1, team->id);
  dart__progress_complete_near();
  if (!context->noted[unit.id].is_used)
    return DART_OK;
  return settle_one(team, context, unit.id, at_target, DART_OK);
}

dart_ret_t dart_context_flush_unit(dart_context_t context, dart_team_unit_t unit)
{
  return settle_unit(__func__, context, unit, true);
}

dart_ret_t dart_context_flush_local_unit(dart_context_t context, dart_team_unit_t unit)
{
  return settle_unit(__func__, context, unit, false);
}
