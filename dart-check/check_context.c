/* Completion contexts: each operation is recorded with the context that its thread has entered. A flush of that context
 * completes the operation, too. */
#include <stdlib.h>

#include "operation.h"
#include "pending.h"
#include "underway.h"

/* The contexts of this unit; the list needs the lock. */
typedef struct entry {
  struct entry  *next;
  dart_context_t context;
  dart_team_t    team;
} entry_t;

static entry_t *first;

static dart_team_t team_of(dart_context_t context)
{
  entry_t    *entry;
  dart_team_t team;

  dart__check_lock();
  for (entry = first; entry != NULL && entry->context != context;)
    entry = entry->next;
  team = entry != NULL ? entry->team : DART_TEAM_NULL;
  dart__check_unlock();
  return team;
}

static void forget_context(dart_context_t context)
{
  dart__check_lock();
  for (entry_t **link = &first; *link != NULL;) {
    entry_t *entry = *link;

    if (entry->context != context) {
      link = &entry->next;
      continue;
    }
    *link = entry->next;
    free(entry);
  }
  dart__check_unlock();
}

dart_ret_t dart_context_create(dart_team_t teamid, dart_context_t *context)
{
  dart_ret_t ret = pdart_context_create(teamid, context);
  entry_t   *entry;

  if (ret != DART_OK)
    return ret;
  entry = dart__check_room(NULL, sizeof *entry);
  dart__check_lock();
  *entry = (entry_t){ first, *context, teamid };
  first  = entry;
  dart__check_unlock();
  return ret;
}

/* Destroying a context flushes it. */
dart_ret_t dart_context_destroy(dart_context_t *context)
{
  uint64_t       started = dart__check_race_moment(), moment = dart__check_moment();
  dart_context_t gone = context != NULL ? *context : DART_CONTEXT_NULL;
  dart_ret_t     ret  = pdart_context_destroy(context);

  dart__check_race_everything(started);
  if (gone == DART_CONTEXT_NULL)
    return ret;
  if (ret == DART_OK)
    dart__check_context_flushed(gone, -1, false, moment, DART__AT(dart_context_destroy));
  dart__check_context_left(gone);
  forget_context(gone);
  return ret;
}

dart_ret_t dart_context_enter(dart_context_t context)
{
  dart_ret_t ret = pdart_context_enter(context);

  if (ret == DART_OK)
    dart__check_context_entered(context, team_of(context));
  return ret;
}

dart_ret_t dart_context_leave(dart_context_t context)
{
  dart_ret_t ret = pdart_context_leave(context);

  if (ret == DART_OK)
    dart__check_context_left(context);
  return ret;
}

dart_ret_t dart_context_flush(dart_context_t context)
{
  uint64_t   started = dart__check_race_moment(), moment = dart__check_moment();
  dart_ret_t ret = pdart_context_flush(context);

  dart__check_race_everything(started);
  if (ret == DART_OK)
    dart__check_context_flushed(context, -1, false, moment, DART__AT(dart_context_flush));
  return ret;
}

dart_ret_t dart_context_flush_unit(dart_context_t context, dart_team_unit_t unit)
{
  uint64_t   started = dart__check_race_moment(), moment = dart__check_moment();
  dart_ret_t ret = pdart_context_flush_unit(context, unit);

  dart__check_race_everything(started);
  if (ret == DART_OK)
    dart__check_context_flushed(context, unit.id, false, moment, DART__AT(dart_context_flush_unit));
  return ret;
}

dart_ret_t dart_context_flush_local(dart_context_t context)
{
  uint64_t   moment = dart__check_moment();
  dart_ret_t ret    = pdart_context_flush_local(context);

  if (ret == DART_OK)
    dart__check_context_flushed(context, -1, true, moment, DART__AT(dart_context_flush_local));
  return ret;
}

dart_ret_t dart_context_flush_local_unit(dart_context_t context, dart_team_unit_t unit)
{
  uint64_t   moment = dart__check_moment();
  dart_ret_t ret    = pdart_context_flush_local_unit(context, unit);

  if (ret == DART_OK)
    dart__check_context_flushed(context, unit.id, true, moment,
                                DART__AT(dart_context_flush_local_unit));
  return ret;
}

/* A test that finds all operations complete counts as a flush. */
dart_ret_t dart_context_test(dart_context_t context, int32_t *is_finished)
{
  uint64_t   started = dart__check_race_moment(), moment = dart__check_moment();
  dart_ret_t ret = pdart_context_test(context, is_finished);

  if (ret != DART_OK || !*is_finished)
    return ret;
  dart__check_race_everything(started);
  dart__check_context_flushed(context, -1, false, moment, DART__AT(dart_context_test));
  return ret;
}
